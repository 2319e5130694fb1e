"""Objective: bodies near their last poses. Knows no Blender. Paper: Schumacher et al. 2021, section IV.C, R_state."""

import numpy as np

from ..kinematics.se3 import Array, half_angle, hat
from .task import Ends, Kinematics


class LastPose:
    """k ends near their last poses (R_state)."""

    def __init__(self, positions: Ends, rotations: Ends, last: Array) -> None:
        """The same ends with weights (k, 3) of positions [1 / m^2] and of rotations [1 / rad^2], and their last frames (k, 4, 4)."""
        self.positions, self.rotations = positions, rotations
        self.last, self.back = last[:, :3, 3], np.swapaxes(last[:, :3, :3], -1, -2)

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """As `Task.linear`."""
        turn, moment = at.screws
        frames = self.positions.frames(at.frames)
        points, (twists, slopes) = frames[:, :3, 3], half_angle(self.back @ frames[:, :3, :3])
        moved, moving = self.positions.weighted(points - self.last, moment - hat(points) @ turn)
        turned, turning = self.rotations.weighted(twists, slopes @ self.back @ turn)
        return np.concatenate((moved, turned)), np.concatenate((moving, turning))
