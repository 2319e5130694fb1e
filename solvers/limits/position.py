"""Limits of position. Knows no Blender."""

from ..kinematics.se3 import Array
from .limit import JointState


class PositionLimit:
    """The coordinates' own limits. A coordinate outside of them comes back, as fast as limits before this one allow."""

    def bounds(self, joints: JointState, dt: float) -> tuple[Array, Array]:
        """As `Limit.bounds`."""
        return joints.lower, joints.upper
