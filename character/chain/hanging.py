"""Where the joints of a chain are in the world, for what hangs on them: another chain's base."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...solvers.kinematics.se3 import Array, Frame, frame_array
from ...solvers.kinematics.skeleton import Pose, Skeleton
from .inputs import Matrix

BASE = -1  # stands for the base frame, where a joint is named


@dataclass(frozen=True)
class ChainPose:
    """A chain in a frame.

    Attributes:
        base: World matrix of its base frame.
        skeleton: The chain.
        angles: (n,) [rad; prismatic joints m].
    """

    base: Matrix
    skeleton: Skeleton
    angles: tuple[float, ...]

    @cached_property
    def _pose(self) -> Pose:
        return self.skeleton.forward(self.angles)

    def on(self, joint: int, relative: Array) -> Array:
        """World matrix (4, 4) of a frame that is fixed to what a joint moves.

        Args:
            joint: Index of the joint, or `BASE`.
            relative: The frame (4, 4) in the joint's frame after its own rotation.
        """
        base = np.array(self.base)
        if joint == BASE:
            return base @ relative
        moved: Array = frame_array(Frame(self._pose.rotations[joint], self._pose.positions[joint]))
        return base @ moved @ relative
