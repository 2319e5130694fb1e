"""A chain as the solvers' skeleton: joints with their rest transforms, as a tree if it has several ends."""

from collections.abc import Sequence

from ...solvers.kinematics import rotations
from ...solvers.kinematics.se3 import Array, RigidTransform, frame_array
from ...solvers.kinematics.skeleton import Skeleton
from ..blender.errors import RigError
from ..bones.joint_bones import MotionLimits, UnjointedPose, joints_of
from .skeleton import ChainReader


def joint_tree(
    reader: ChainReader,
    fixed: Sequence[UnjointedPose],
    motions: Sequence[MotionLimits],
    tools: Sequence[tuple],
) -> Skeleton:
    """The chain as the solvers' skeleton.

    Args:
        reader: The chain's reader.
        fixed: The part of the pose that no joint moves, from `ChainReader.fixed`.
        motions: Motion limits, in the order of the joints' properties.
        tools: Tool frame of each end, the main end's first: rotation and offset [m] in the end bone's frame.

    Raises:
        RigError: no joint moves an end.
        SkeletonError: a limit or another number of a joint cannot be used.
    """
    joints, frames = joints_of(reader.parts, fixed, [motions[k] for k in reader.stored_index])
    ends = []
    for bone, (rotation, offset) in zip(reader.ends, tools, strict=True):
        index = reader.names.index(bone)
        frame = frames[index].carry(rotation, offset, fixed[index].size)
        if frame.joint < 0:
            raise RigError(
                f"No joint moves end '{bone}': unlock a rotation axis of it or of a bone above it, and press"
                " Match Joints"
            )
        ends.append(frame.end(bone))
    tool, *other_ends = ends
    return Skeleton(
        tuple(joints),
        tool.rotation,
        tool.offset,
        tool.joint if other_ends else -1,
        tuple(other_ends),
        tool.name,
    )


def bone_frames(
    reader: ChainReader, fixed: Sequence[UnjointedPose], motions: Sequence[MotionLimits]
) -> dict[str, tuple[int, Array]]:
    """For each bone of the chain that is not scaled: (index of the last joint that moves it or -1, the bone's
    frame (4, 4) in the frame of that joint); arguments as for `joint_tree`.
    """
    _, frames = joints_of(reader.parts, fixed, [motions[k] for k in reader.stored_index])
    return {
        name: (frame.joint, frame_array(RigidTransform(rotations.normalized(frame.rotation), frame.offset)))
        for name, frame, pose in zip(reader.names, frames, fixed, strict=True)
        if pose.size == 1.0
    }
