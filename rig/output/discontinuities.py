"""Threshold for discontinuities: the motion of a joint within one frame that is visible as a jump. Knows no
Blender.
"""

from math import radians

ROTATION = radians(15)  # [rad] largest rotation of a joint in one frame that is no discontinuity
# largest motion of a prismatic joint in one frame that is no discontinuity, as a share of its range: 15
# degrees are about that share of a servo's
SHARE = 0.1


def beyond(lower: float, upper: float, is_prismatic: bool) -> float:
    """Largest motion of a joint from one frame to the next that does not count as a discontinuity [rad;
    prismatic joints m].

    Args:
        lower, upper: Limits of the joint [rad; prismatic joints m].
        is_prismatic: Whether the joint is prismatic.
    """
    return SHARE * (upper - lower) if is_prismatic else ROTATION
