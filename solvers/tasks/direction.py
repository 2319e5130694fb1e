"""Objective: an axis of each end along a direction, the roll about it free. Knows no Blender.

The error is the half-angle vector of the least rotation from the direction to the axis: two components across the direction.
"""

from dataclasses import dataclass

from ..kinematics.se3 import Array, half_swing
from .task import Ends, Kinematics


@dataclass(frozen=True)
class Direction:
    """k ends whose Z axes lie along directions."""

    ends: Ends  # weights (k, 2) [1 / rad^2]; frames whose Z is the axis
    back: Array  # (k, 3, 3) inverses of rotations that take Z to the direction

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """As `Task.linear`."""
        errors, slopes = half_swing((self.back @ self.ends.frames(at.frames)[:, :3, 2:3])[..., 0])
        return self.ends.weighted(errors, slopes @ self.back @ at.screws[0])
