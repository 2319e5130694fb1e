"""The bone channels that a bake keys for a retargeted body, and their values in a frame."""

from collections.abc import Mapping

from ..bones import mimic, rotation_modes
from ..bones.axes import is_euler
from ..bones.channels import PARTS, Channel, rotations_of


def channels_of(rig, reader) -> list[Channel]:
    """Channels of all bones that the body moves, except those that drivers set."""
    driven = set(mimic.driven(rig))
    own_name, channels = (rig.name, rig.session_uid), []
    for bone in reader.bones:
        is_base = bone.parent < 0
        undriven_axes = [
            axis for axis in (*bone.prismatic, *bone.revolute) if (bone.name, axis) not in driven
        ]
        slides = (
            "XYZ"
            if is_base and not bone.connected
            else [axis[-1] for axis in undriven_axes if axis in bone.prismatic]
        )
        channels += [Channel(*own_name, bone.name, "location", "XYZ".index(letter)) for letter in slides]
        turns = [axis for axis in undriven_axes if axis in bone.revolute]
        if not is_base and not turns:
            continue
        channel = rotation_modes.channel(rig.pose.bones[bone.name].rotation_mode)
        letters = turns if channel == rotation_modes.EULER and not is_base else PARTS[channel]
        channels += [
            Channel(*own_name, bone.name, channel, PARTS[channel].index(letter)) for letter in letters
        ]
    return channels


def values_of(rig, session, before: Mapping[Channel, float]) -> dict[Channel, float]:
    """Values to key of the body's channels after a tick; channels of bones that are not solved are left out.

    Args:
        rig: The armature object.
        session: The body's live session.
        before: Values in the previous frame, to choose among equivalent rotations so that no curve jumps;
            empty in the first frame.
    """
    turned = {
        name: _rotation(rig, rig.pose.bones[name], shown, before, session.reader.base)
        for name, shown in session.shown.items()
    }
    channel_values = {}
    for channel in channels_of(rig, session.reader):
        shown = session.shown.get(channel.bone)
        if shown is not None:
            channel_values[channel] = (
                shown.location if channel.name == "location" else turned[channel.bone]
            )[channel.index]
    return channel_values


def _rotation(rig, pose_bone, shown, before: Mapping[Channel, float], base: str) -> tuple[float, ...]:
    """Values of the bone's rotation channel; of the equivalent ones, those nearest to the previous
    frame's.
    """
    if (
        is_euler(pose_bone) and pose_bone.name != base
    ):  # joints' angles are the solver's own, which do not jump
        return shown.euler
    last = [before.get(channel) for channel in rotations_of(rig, pose_bone)]
    return rotation_modes.numbers(pose_bone.rotation_mode, shown.rotation, None if None in last else last)
