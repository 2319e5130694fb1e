"""Objective: ends with orientations. Knows no Blender.

The error is the half-angle vector in the target's axes, 2 sin(h / 2) times the axis: its square is twice the paper's f_ori at even weights
(Schumacher et al. 2021, section IV.B), and it grows up to 180 degrees.
"""

from dataclasses import dataclass

from ..kinematics.se3 import Array, half_angle
from .task import Ends, Kinematics


@dataclass(frozen=True)
class Orientation:
    """k ends with orientations."""

    ends: Ends  # weights (k, 3) [1 / rad^2] about the target's axes
    back: Array  # (k, 3, 3) inverses of the target rotations

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """As `Task.linear`."""
        errors, slopes = half_angle(self.back @ self.ends.frames(at.frames)[:, :3, :3])
        return self.ends.weighted(errors, slopes @ self.back @ at.screws[0])
