"""Threshold for discontinuities: the motion of a joint within one frame that is visible as a jump.
Independent of Blender.
"""

from math import radians

ROTATION = radians(15)  # [rad] a larger rotation of a joint in one frame counts as a discontinuity
# share of its range that a prismatic joint may move in one frame; more counts as a discontinuity. 15 degrees
# are about this share of a servo's range of 180 degrees
SHARE = 0.1


def beyond(lower: float, upper: float, is_prismatic: bool) -> float:
    """Motion [rad; prismatic joints m] of a joint from one frame to the next beyond which it counts as a
    discontinuity.

    Args:
        lower, upper: Limits of the joint [rad; prismatic joints m].
        is_prismatic: Whether the joint is prismatic.
    """
    return SHARE * (upper - lower) if is_prismatic else ROTATION
