"""Eased crossing between two poses that no continuous solution connects: a minimum-jerk movement of limited
speed.
"""

import math

# [rad/s] largest speed of a crossing: a quick turn of a human head
CROSSING_SPEED = math.radians(300)
STEEPEST = 1.875  # ratio of the largest to the mean speed of a minimum-jerk movement


def crossing_time(angle: float) -> float:
    """Duration [s] of a crossing over an angle [rad]."""
    return STEEPEST * angle / CROSSING_SPEED


def minimum_jerk(share: float) -> float:
    """Share of a minimum-jerk movement that is completed after a share (0 to 1) of its time. The movement is
    symmetric, so this is also the share that remains when `share` of the time remains.

    Source: Flash & Hogan 1985, "The coordination of arm movements".
    """
    return share**3 * (10.0 - 15.0 * share + 6.0 * share * share)
