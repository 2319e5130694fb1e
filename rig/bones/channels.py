"""Channels of objects, bones and motors: the numbers that bakes and recordings key."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import bpy
from bpy.types import Object
from bpy.utils import escape_identifier

from ...solvers.kinematics.rotations import Quaternion
from ..blender.presence import find
from . import axes, rotation_modes
from .axes import JointKey
from .rotation_modes import Limits

# data path of a channel with several components -> their letters
PARTS = {
    "rotation_quaternion": "WXYZ",
    "rotation_axis_angle": "WXYZ",
    "rotation_euler": "XYZ",
    "location": "XYZ",
}
MOTOR = re.compile(r"limber\.mechanism\.motors\[\d+\]\.value")
SAME = 1e-6  # [rad or m] difference up to which two stored values count as equal (single precision)
MOTORS, OBJECT = "Motors", "Object Transforms"  # names of groups of F-curves


class Channel(NamedTuple):
    """A keyable number of an object or of one of its bones, identified by names, so that it stays valid over
    undo.
    """

    object_name: str
    uid: int  # session_uid of the object
    bone: str  # name of the bone; "" for a channel of the object itself
    name: str  # data path, relative to the object or the bone
    index: int

    @property
    def owner(self) -> Object | None:
        """The channel's object; None if it was deleted."""
        return find(self.object_name, self.uid)

    @property
    def is_there(self) -> bool:
        """Whether the channel's object, bone and property still exist."""
        owner = self.owner
        try:
            return owner is not None and owner.path_resolve(self.path) is not None
        except ValueError:
            return False

    @property
    def path(self) -> str:
        """Data path of the channel's property from the object."""
        return f'pose.bones["{escape_identifier(self.bone)}"].{self.name}' if self.bone else self.name

    @property
    def group(self) -> str:
        """Name of the channel group for the channel's F-curve."""
        return self.bone or (OBJECT if self.name in PARTS else MOTORS)

    @property
    def part(self) -> str:
        """Letter of the channel's component ("X" for index 0 of a location); "" for a property that is a
        single number.
        """
        return PARTS[self.name][self.index] if self.name in PARTS else ""


def of_joint(rig: bpy.types.Object, bone: str, axis: str) -> Channel:
    """Channel that stores the value of a bone's joint; for a revolute joint the bone must rotate by Euler
    angles.
    """
    return Channel(rig.name, rig.session_uid, bone, axes.channel(axis), axes.index(axis))


def of_motor(owner: bpy.types.Object, number: int) -> Channel:
    """Channel that stores the value of a mechanism's motor with the index `number`."""
    return Channel(owner.name, owner.session_uid, "", f"limber.mechanism.motors[{number}].value", 0)


def of_bone(rig: bpy.types.Object, key: JointKey) -> Channel | None:
    """Channel that stores the value of a single joint (bone, axis); None if the bone is missing, or if it
    rotates by quaternion or axis-angle, whose channels store all its hinges together.
    """
    bone, axis = rig.pose.bones.get(key[0]), key[1]
    return (
        of_joint(rig, bone.name, axis)
        if bone is not None and (axes.is_prismatic(axis) or axes.is_euler(bone))
        else None
    )


def rotations_of(rig: bpy.types.Object, pose_bone: bpy.types.PoseBone) -> list[Channel]:
    """Channels of a bone's rotation, in its own rotation mode."""
    name = rotation_modes.channel(pose_bone.rotation_mode)
    return [
        Channel(rig.name, rig.session_uid, pose_bone.name, name, index) for index in range(len(PARTS[name]))
    ]


def of_rotation(
    rig: bpy.types.Object, bone: str, rotation: Quaternion, before: Mapping[Channel, float]
) -> dict[Channel, float]:
    """Channels of a bone's rotation with the values for a unit quaternion that are nearest to the values in
    `before`, else to the authored values.
    """
    pose_bone = rig.pose.bones[bone]
    channels = rotations_of(rig, pose_bone)
    return dict(
        zip(
            channels,
            rotation_modes.numbers(pose_bone.rotation_mode, rotation, _last(pose_bone, channels, before)),
            strict=True,
        )
    )


def _last(
    pose_bone: bpy.types.PoseBone, channels: Sequence[Channel], before: Mapping[Channel, float]
) -> Sequence[float]:
    """Values of the bone's rotation channels in `before`; its authored ones if one is missing there."""
    last = [before[channel] for channel in channels if channel in before]
    return last if len(last) == len(channels) else rotation_modes.stored(pose_bone)


def of_joints(
    rig: bpy.types.Object,
    values: Mapping[JointKey, float],
    before: Mapping[Channel, float] = MappingProxyType({}),
    limits: Limits = MappingProxyType({}),
) -> dict[Channel, float]:
    """Channels that store the values [rad or m] of joints, with the values to key. Joints without a bone are
    left out.

    A revolute joint of a bone that rotates by quaternion or axis-angle has all four rotation channels of the
    bone; the bone's other hinges keep their authored angles.

    Args:
        rig: The armature object.
        values: (bone, axis) -> value.
        before: Values in the previous frame, so that no curve jumps; authored values are used for missing
            ones.
        limits: (lower, upper) [rad or m] of the joints whose limits are known.
    """
    channel_values: dict[Channel, float] = {}
    hinges_by_bone: dict[str, dict[str, float]] = {}
    for key, value in values.items():
        if (channel := of_bone(rig, key)) is not None:
            channel_values[channel] = value
        elif key[0] in rig.pose.bones:
            hinges_by_bone.setdefault(key[0], {})[key[1]] = value
    for bone, hinges in hinges_by_bone.items():
        pose_bone = rig.pose.bones[bone]
        channels = rotations_of(rig, pose_bone)
        last, spans = _last(pose_bone, channels, before), rotation_modes.spans_of(limits, bone)
        numbers = rotation_modes.with_hinges(pose_bone, hinges, last, spans)
        channel_values |= zip(channels, numbers, strict=True)
    return channel_values


def over_time(
    rig: bpy.types.Object, values: Mapping[JointKey, Sequence[float]], limits: Limits
) -> Iterator[dict[Channel, float]]:
    """As `of_joints` for values of joints over a number of frames: yields the channels' values for each
    frame, without jumps from frame to frame.
    """
    before: dict[Channel, float] = {}
    for row in zip(*values.values(), strict=True):
        before = of_joints(rig, dict(zip(values, row, strict=True)), before, limits)
        yield before


def value_of(
    rig: bpy.types.Object, key: JointKey, read: Callable[[Channel], float | None], limits: Limits
) -> float | None:
    """Value [rad or m] of a joint, from the values of channels that `read` returns; None if `read` returns
    None for one of them, or if the bone is missing. `limits`: (lower, upper) of joints, by (bone, axis).
    """
    if (channel := of_bone(rig, key)) is not None:
        return read(channel)
    bone = rig.pose.bones.get(key[0])
    numbers = [read(channel) for channel in rotations_of(rig, bone)] if bone is not None else [None]
    if None in numbers:
        return None
    rotation = rotation_modes.quaternion(bone.rotation_mode, numbers)
    return rotation_modes.angles_of(
        rotation, rotation_modes.HINGES, spans=rotation_modes.spans_of(limits, bone.name)
    )[axes.index(key[1])]


def pose(
    rig: bpy.types.Object, values: Mapping[JointKey, float], limits: Limits = MappingProxyType({})
) -> bool:
    """Writes authored values [rad or m] of joints, by (bone, axis), where they differ by more than `SAME`;
    returns whether any did. `limits`: (lower, upper) of joints, by (bone, axis).
    """
    changed = False
    for channel, value in of_joints(rig, values, limits=limits).items():
        numbers = getattr(rig.pose.bones[channel.bone], channel.name)
        if abs(numbers[channel.index] - value) > SAME:
            numbers[channel.index] = value
            changed = True
    return changed
