"""A chain as the solvers' skeleton: joints with their rest transforms, as a tree if it has several ends."""

from typing import NamedTuple

from ...solvers.kinematics import rotations
from ...solvers.kinematics.se3 import Array, Frame, frame_array
from ...solvers.kinematics.skeleton import End, Joint, Skeleton
from ..blender.errors import RigError
from ..bones import axes
from ..bones.axes import UNIT
from .skeleton import ORIGIN, ChainReader


class Motion(NamedTuple):
    """Motion limits of one joint, in the order of the properties (lower, upper, velocity, acceleration,
    jerk).
    """

    lower: float
    upper: float
    velocity: float
    acceleration: float
    jerk: float


class _JointFrame(NamedTuple):
    """A frame fixed to a joint's output."""

    joint: int  # index of the joint; -1: the base
    rotation: rotations.Quaternion
    offset: rotations.Vector  # [m]

    def carry(
        self, rotation: rotations.Quaternion, offset: rotations.Vector, size: float = 1.0
    ) -> "_JointFrame":
        """A frame fixed to the same joint, from its rotation and offset in this one; the offset is scaled by
        `size`.
        """
        moved = rotations.add(self.offset, rotations.scale(rotations.rotate(self.rotation, offset), size))
        return _JointFrame(self.joint, rotations.multiply(self.rotation, rotation), moved)


def joint_tree(reader: ChainReader, fixed: tuple, motions: list[Motion], tools: list[tuple]) -> Skeleton:
    """The chain as the solvers' skeleton.

    Args:
        reader: The chain's reader.
        fixed: The part of the pose that no joint moves, from `ChainReader.fixed`.
        motions: Motion limits, in the order of the joints' properties.
        tools: Tool frame of each end, the chain's own first: rotation and offset [m] in the end bone's frame.

    Raises:
        RigError: no joint moves an end.
    """
    joints, frames = _walked(reader, fixed, motions)
    ends = []
    for bone, (rotation, offset) in zip(reader.ends, tools, strict=True):
        index = reader.names.index(bone)
        frame = frames[index].carry(rotation, offset, fixed[index][2])
        if frame.joint < 0:
            raise RigError(
                f"No joint moves end '{bone}': unlock a rotation axis of it or of a bone above it, and press"
                " Match Joints"
            )
        ends.append(End(frame.joint, rotations.normalized(frame.rotation), frame.offset, bone))
    tool, *other_ends = ends
    return Skeleton(
        tuple(joints),
        tool.rotation,
        tool.offset,
        tool.joint if other_ends else -1,
        tuple(other_ends),
        tool.name,
    )


def bone_frames(reader: ChainReader, fixed: tuple, motions: list[Motion]) -> dict[str, tuple[int, Array]]:
    """For each bone of the chain that is not scaled the index of the joint that moves it last (-1: none), and
    the bone's frame (4, 4) in that joint's; arguments as for `joint_tree`.
    """
    _, frames = _walked(reader, fixed, motions)
    return {
        name: (frame.joint, frame_array(Frame(rotations.normalized(frame.rotation), frame.offset)))
        for name, frame, (_, _, size, _) in zip(reader.names, frames, fixed, strict=True)
        if size == 1.0
    }


def _walked(
    reader: ChainReader, fixed: tuple, motions: list[Motion]
) -> tuple[list[Joint], list[_JointFrame]]:
    """The joints of a chain, and the frames of its bones after their rotation."""
    joints: list[Joint] = []
    frames: list[_JointFrame] = []
    for part, (location, rotation, _, lead) in zip(reader.parts, fixed, strict=True):
        frame = _JointFrame(-1, rotations.IDENTITY, ORIGIN)
        if part.parent >= 0:  # the root has no parent here: its rest pose is part of the base
            size = fixed[part.parent][2]
            frame = frames[part.parent].carry(part.rest_rotation, part.rest_offset, size)
            frame = frame.carry(lead, location, size)
        for index in part.prismatic:
            axis = axes.REVOLUTE[index]
            joints.append(
                _joint(part.name, axes.prismatic(axis), frame, motions[reader.stored_index[len(joints)]])
            )
            frame = _JointFrame(len(joints) - 1, rotations.IDENTITY, ORIGIN)
        if not part.order:
            frame = frame.carry(rotations.normalized(rotation), ORIGIN)
        for axis, angle in zip(part.order, rotation, strict=False):
            if axis not in part.free:
                frame = frame.carry(rotations.about(UNIT[axis], angle), ORIGIN)
                continue
            joints.append(_joint(part.name, axis, frame, motions[reader.stored_index[len(joints)]]))
            frame = _JointFrame(len(joints) - 1, rotations.IDENTITY, ORIGIN)
        frames.append(frame)
    return joints, frames


def _joint(bone: str, axis: str, frame: _JointFrame, limits: Motion) -> Joint:
    return Joint(
        name=axes.label(bone, axis),
        parent=frame.joint,
        rest_rotation=rotations.normalized(frame.rotation),
        rest_offset=frame.offset,
        axis=UNIT[axes.letter(axis)],
        lower=limits.lower,
        upper=limits.upper,
        kind="prismatic" if axes.is_prismatic(axis) else "revolute",
        velocity=limits.velocity,
        acceleration=limits.acceleration,
        jerk=limits.jerk,
    )
