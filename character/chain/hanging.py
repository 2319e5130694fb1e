"""World frames of a chain's joints, for the base of another chain that this chain carries."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...solvers.kinematics.se3 import Array, RigidTransform, frame_array
from ...solvers.kinematics.skeleton import Pose, Skeleton
from .inputs import Matrix

BASE = -1  # index that stands for the base frame instead of a joint


@dataclass(frozen=True)
class ChainPose:
    """A chain in a frame.

    Attributes:
        base: World matrix (4, 4) of its base frame.
        skeleton: The chain.
        angles: (n,) [rad; prismatic joints m] values of its joints.
    """

    base: Matrix
    skeleton: Skeleton
    angles: tuple[float, ...]

    @cached_property
    def _pose(self) -> Pose:
        return self.skeleton.forward(self.angles)

    def on(self, joint: int, relative: Array) -> Array:
        """World matrix (4, 4) of a coordinate frame fixed to the part that a joint moves, rounded to single
        precision as in Blender. Without rounding, two chains that look at each other would never come to
        rest.

        Args:
            joint: Index of the joint, or `BASE`.
            relative: The frame (4, 4) in the joint's frame after its own rotation.
        """
        base = np.array(self.base)
        world = base @ relative
        if joint != BASE:
            moved = frame_array(RigidTransform(self._pose.rotations[joint], self._pose.positions[joint]))
            world = base @ moved @ relative
        rounded: Array = world.astype(np.float32).astype(float)
        return rounded
