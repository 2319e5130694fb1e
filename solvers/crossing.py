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


def remaining_share(left: float) -> float:
    """Share of the angle that is left when a share `left` (1 to 0) of the time is left; begins and ends with
    velocity 0.
    """
    return left**3 * (10.0 - 15.0 * left + 6.0 * left * left)
