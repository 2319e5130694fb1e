"""Limits of velocity. Knows no Blender."""

from dataclasses import dataclass

from ..kinematics.se3 import Array
from .limit import JointState


@dataclass(frozen=True)
class VelocityLimit:
    """Largest speeds."""

    most: Array | float  # (n,) or for all [rad/s or m/s]; infinite: no limit

    def bounds(self, joints: JointState, dt: float) -> tuple[Array, Array]:
        """As `Limit.bounds`."""
        reach = self.most * dt
        return joints.values - reach, joints.values + reach
