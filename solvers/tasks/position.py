"""Objective: ends at positions, along the world's axes. Knows no Blender. Paper: Schumacher et al. 2021, section IV.B."""

from dataclasses import dataclass

from ..kinematics.se3 import Array, hat
from .task import Ends, Kinematics


@dataclass(frozen=True)
class Position:
    """k ends at positions."""

    ends: Ends  # weights (k, 3) [1 / m^2]
    targets: Array  # (k, 3) [m]

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """As `Task.linear`."""
        turn, moment = at.screws
        points = self.ends.frames(at.frames)[:, :3, 3]
        return self.ends.weighted(points - self.targets, moment - hat(points) @ turn)
