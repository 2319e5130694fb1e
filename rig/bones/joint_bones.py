"""Bones with the joints that move them, as all solvers of an armature see them: the joints with their rest
transforms, and the channels of the bones for values of the joints.

A bone's local transform is rest . translation . rotation . scale. A bone with several unlocked axes is
several joints at one position: the prismatic joints first, then the axes of its Euler order, the last letter
nearest the parent (order XYZ: R = Rz Ry Rx). A bone that rotates by quaternion or axis-angle has the joints
of order XYZ (`rotation_modes`). Rest transforms are Blender's own, in single precision, since it shows poses
with them.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from operator import attrgetter
from typing import NamedTuple, Self

import bpy

from ...solvers.kinematics import rotations
from ...solvers.kinematics.rotations import Quaternion, Vector
from ...solvers.kinematics.skeleton import End, Joint
from ..blender.errors import RigError
from . import axes, rotation_modes
from .axes import INDEX, UNIT, JointKey, parent_first

ORIGIN = (0.0, 0.0, 0.0)
NO_SCALE = (1.0, 1.0, 1.0)
SCALED = 1e-3  # relative difference above which two scales or lengths count as different
# decimals of fixed parts [rad, m]: noise of single precision must not lead to a new model in every frame
DIGITS = 6


class SolvedChannels(NamedTuple):
    """Solved channels of a bone that a body moves while it follows a motion, relative to the bone's rest pose
    on its parent.
    """

    rotation: Quaternion
    # [rad] angles of the bone's hinges in Euler order; () if no joint of the body rotates the bone
    euler: tuple[float, ...]
    location: tuple[float, float, float]
    scale: tuple[float, float, float] = NO_SCALE


class MotionLimits(NamedTuple):
    """Motion limits of one joint, in the order of its properties: position [rad or m], then velocity,
    acceleration and jerk [the same per s, s2, s3].
    """

    lower: float
    upper: float
    velocity: float = Joint.velocity
    acceleration: float = Joint.acceleration
    jerk: float = Joint.jerk

    @classmethod
    def of(cls, joint: bpy.types.PropertyGroup) -> Self:
        """The limits in the properties of a chain's joint."""
        return cls(*_MOTION(joint))


_MOTION = attrgetter(*MotionLimits._fields)  # faster for a few joints than one foreach_get per field


class UnjointedPose(NamedTuple):
    """The part of a bone's pose that no joint moves."""

    location: Vector  # [m]
    # angles (x, y, z) [rad] of the bone's hinges, 0 for hinges that are joints; for a bone without revolute
    # joints a unit quaternion
    rotation: tuple[float, ...]
    size: float = 1.0  # scale that the bone's children inherit
    # rotation of the frame of the bone's carrier, relative to its parent's
    lead: Quaternion = rotations.IDENTITY


class JointFrame(NamedTuple):
    """A frame fixed to a joint's output."""

    joint: int  # index of the joint; -1: the base
    rotation: Quaternion
    offset: Vector  # [m]

    def carry(self, rotation: Quaternion, offset: Vector, size: float = 1.0) -> "JointFrame":
        """A second frame on the same joint, given by its rotation and offset in this frame; `size` scales the
        offset.
        """
        moved = rotations.add(self.offset, rotations.scale(rotations.rotate(self.rotation, offset), size))
        return JointFrame(self.joint, rotations.multiply(self.rotation, rotation), moved)

    def end(self, name: str) -> End:
        """The end effector `name`, whose frame is this one."""
        return End(self.joint, rotations.normalized(self.rotation), self.offset, name)


@dataclass(frozen=True)
class JointBone:
    """A bone with its joints: the properties that do not change from frame to frame."""

    name: str
    parent: int  # index of the parent bone; -1 without one, where the bone's rest pose is part of the base
    rest_rotation: Quaternion  # rest rotation in the parent bone's frame
    rest_offset: Vector  # [m] rest offset in the parent bone's frame
    connected: bool  # whether the bone is connected to its parent, so that Blender ignores its location
    order: str  # axes of the bone's hinges, nearest the parent first; "" without revolute joints
    revolute: tuple[str, ...]  # axes of the bone's revolute joints, in that order
    prismatic: tuple[str, ...]  # axes of the bone's prismatic joints

    @classmethod
    def of(
        cls, pose_bone: bpy.types.PoseBone, parent: int, joint_axes: Container[str], **properties: object
    ) -> Self:
        """Reads a bone whose joints have these axes, named as in `axes`; `parent`: index of its parent bone,
        `properties`: values of a subclass's other fields.

        Raises:
            RigError: its rest pose is not finite.
        """
        bone = pose_bone.bone
        offset = tuple(bone.head)
        if bone.parent:  # Blender stores a bone's head relative to the tail of its parent
            offset = (offset[0], offset[1] + bone.parent.length, offset[2])
        if not isfinite(sum(map(sum, bone.matrix)) + sum(offset)):
            raise RigError(
                f"The rest pose of bone '{bone.name}' is not a number: position its head and tail again in"
                " Edit Mode"
            )
        order = parent_first(rotation_modes.hinge_order(pose_bone.rotation_mode))
        revolute = tuple(axis for axis in order if axis in joint_axes)
        return cls(
            bone.name,
            parent,
            rotations.from_matrix(bone.matrix),
            offset,
            bone.use_connect,
            order if revolute else "",
            revolute,
            tuple(axis for axis in axes.PRISMATIC if axis in joint_axes),
            **properties,
        )

    @property
    def joint_keys(self) -> list[JointKey]:
        """(bone, axis) of the bone's joints, nearest the parent first."""
        return [(self.name, axis) for axis in (*self.prismatic, *self.revolute)]

    @cached_property
    def hinges(self) -> tuple[tuple[bool, int, Vector], ...]:
        """For each axis of the Euler order: (whether the axis is a joint, its index, its unit vector)."""
        return tuple((axis in self.revolute, INDEX[axis], UNIT[axis]) for axis in self.order)

    @cached_property
    def displaced(self) -> tuple[int, ...]:
        """Indices of the location components that joints move."""
        return tuple(axes.index(axis) for axis in self.prismatic)

    @cached_property
    def unturned(self) -> tuple[int, ...]:
        """Indices of the bone's hinge angles that no joint determines; of the components of its quaternion if
        it has no revolute joints.
        """
        return (
            tuple(index for is_joint, index, _ in self.hinges if not is_joint) if self.order else (0, 1, 2, 3)
        )

    def values(self, location: Sequence[float], rotation: Sequence[float]) -> list[float]:
        """Values of the bone's joints [rad; prismatic joints m] for a location and angles of its hinges."""
        return [
            *[location[index] for index in self.displaced],
            *[rotation[index] for is_joint, index, _ in self.hinges if is_joint],
        ]

    def posed(
        self, location: Vector, rotation: Sequence[float], values: Iterator[float]
    ) -> tuple[Quaternion, Vector, list[float]]:
        """(rotation, location, hinge angles) of the bone for the next values of its joints; the angles are
        empty without revolute joints.

        Args:
            location: Location [m] along axes without joint.
            rotation: Angles [rad] of hinges that are no joints; for a bone without revolute joints a unit
                quaternion.
            values: Values [rad; prismatic joints m] of the joints, nearest the base first.
        """
        if self.prismatic:
            components = list(location)
            for index in self.displaced:
                components[index] = next(values)
            location = tuple(components)
        if not self.order:
            return rotation, location, []
        quaternion, angles = rotations.IDENTITY, list(rotation)
        for is_joint, index, axis in self.hinges:
            if is_joint:
                angles[index] = next(values)
            if angles[index]:
                turn = rotations.about(axis, angles[index])
                quaternion = (
                    turn if quaternion is rotations.IDENTITY else rotations.multiply(quaternion, turn)
                )
        return quaternion, location, angles


def joints_of(
    bones: Sequence[JointBone], unjointed: Sequence[UnjointedPose], motions: Sequence[MotionLimits]
) -> tuple[list[Joint], list[JointFrame]]:
    """The solvers' joints of bones, nearest the base first, and the frame of each bone.

    Args:
        bones: Parents before their children.
        unjointed: The part of each bone's pose that no joint moves, which becomes part of the rest
            transforms.
        motions: Motion limits of the joints, in their order.
    """
    joints: list[Joint] = []
    frames: list[JointFrame] = []
    for bone, pose in zip(bones, unjointed, strict=True):
        frame = JointFrame(-1, rotations.IDENTITY, ORIGIN)
        if bone.parent >= 0:
            size = unjointed[bone.parent].size
            frame = frames[bone.parent].carry(bone.rest_rotation, bone.rest_offset, size)
            frame = frame.carry(pose.lead, pose.location, size)
        for axis in (*bone.prismatic, *bone.order):
            if axis in bone.prismatic or axis in bone.revolute:
                joints.append(_joint(bone.name, axis, frame, motions[len(joints)]))
                frame = JointFrame(len(joints) - 1, rotations.IDENTITY, ORIGIN)
            else:
                angle = pose.rotation[INDEX[axis]]
                frame = frame.carry(rotations.about(UNIT[axis], angle), ORIGIN)
        if not bone.order:
            frame = frame.carry(rotations.normalized(pose.rotation), ORIGIN)
        frames.append(frame)
    return joints, frames


def _joint(bone: str, axis: str, frame: JointFrame, limits: MotionLimits) -> Joint:
    return Joint(
        name=axes.label(bone, axis),
        parent=frame.joint,
        rest_rotation=rotations.normalized(frame.rotation),
        rest_offset=frame.offset,
        axis=UNIT[axes.letter(axis)],
        kind="prismatic" if axes.is_prismatic(axis) else "revolute",
        **limits._asdict(),
    )
