"""The bone channels that a bake keys for a body that follows a motion, and their values in a frame."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import bpy

from ..bones import mimic, rotation_modes
from ..bones.axes import is_euler
from ..bones.channels import PARTS, Channel, rotations_of
from ..bones.joint_bones import SolvedChannels
from .body_reader import BodyBone, BodyReader


class FollowingBody(Protocol):
    """A body's live session: its bones, and their rotations and locations after the last tick."""

    reader: BodyReader
    shown: Mapping[str, SolvedChannels]


def channels_of(rig: bpy.types.Object, reader: BodyReader) -> list[Channel]:
    """Channels to key of all bones that the body moves, except those of mimic joints, which drivers set."""
    driven, channels = set(mimic.driven(rig)), []
    for bone in reader.bones:
        undriven = [axis for axis in (*bone.prismatic, *bone.revolute) if (bone.name, axis) not in driven]
        channels += [
            Channel(rig.name, rig.session_uid, bone.name, name, PARTS[name].index(letter))
            for name, letter in (*_locations(bone, undriven), *_rotations(rig, bone, undriven))
        ]
    return channels


def _locations(bone: BodyBone, undriven: Sequence[str]) -> list[tuple[str, str]]:
    """The location channels of a bone, as (channel, letter): all three of the base unless it is connected,
    else those of the bone's prismatic joints among the axes `undriven`.
    """
    if bone.parent < 0 and not bone.connected:
        return [("location", letter) for letter in "XYZ"]
    return [("location", axis[-1]) for axis in undriven if axis in bone.prismatic]


def _rotations(rig: bpy.types.Object, bone: BodyBone, undriven: Sequence[str]) -> list[tuple[str, str]]:
    """The rotation channels to key of a bone with these undriven axes, as (channel, letter): those of its
    revolute joints; all channels if the rotation is not in Euler angles, or if the bone is the base. Empty
    for other bones without an undriven revolute joint.
    """
    hinge_axes = [axis for axis in undriven if axis in bone.revolute]
    is_base = bone.parent < 0
    if not is_base and not hinge_axes:
        return []
    channel = rotation_modes.channel(rig.pose.bones[bone.name].rotation_mode)
    letters = hinge_axes if channel == rotation_modes.EULER and not is_base else PARTS[channel]
    return [(channel, letter) for letter in letters]


def values_of(
    rig: bpy.types.Object, session: FollowingBody, before: Mapping[Channel, float]
) -> dict[Channel, float]:
    """Values to key of the body's channels after a tick; channels of bones that are not solved are left out.

    Args:
        rig: The armature object.
        session: The body's live session.
        before: Values in the previous frame, to choose among equivalent rotations so that no curve jumps;
            empty in the first frame.
    """
    rotation_values = {
        name: _rotation(rig, rig.pose.bones[name], shown, before, session.reader.base)
        for name, shown in session.shown.items()
    }
    channel_values = {}
    for channel in channels_of(rig, session.reader):
        shown = session.shown.get(channel.bone)
        if shown is not None:
            channel_values[channel] = (
                shown.location if channel.name == "location" else rotation_values[channel.bone]
            )[channel.index]
    return channel_values


def _rotation(
    rig: bpy.types.Object,
    pose_bone: bpy.types.PoseBone,
    shown: SolvedChannels,
    before: Mapping[Channel, float],
    base: str,
) -> tuple[float, ...]:
    """Values of the bone's rotation channel: the solver's angles for Euler angles; for other modes, and for
    the base, of all values of the same rotation those nearest to the previous frame's, `before`.
    """
    # the solver's joint angles do not jump by full revolutions, so they are used as they are
    if is_euler(pose_bone) and pose_bone.name != base:
        return shown.euler
    last = [before.get(channel) for channel in rotations_of(rig, pose_bone)]
    return rotation_modes.numbers(pose_bone.rotation_mode, shown.rotation, None if None in last else last)
