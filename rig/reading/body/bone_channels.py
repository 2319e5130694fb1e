"""The bone channels that a bake keys for a retargeted body, and their values in a frame."""

from collections.abc import Mapping

from mathutils import Euler, Quaternion

from ....solvers.kinematics import rotations
from .. import mimic
from ..axes import is_euler
from ..channels import PARTS, Channel


def channels_of(rig, reader) -> list[Channel]:
    """Channels of all bones that the body moves, except those that drivers set."""
    driven = set(mimic.driven(rig))
    own_name, found = (rig.name, rig.session_uid), []
    for bone in reader.bones:
        is_base = bone.parent < 0
        own = [axis for axis in (*bone.prismatic, *bone.revolute) if (bone.name, axis) not in driven]
        slides = "XYZ" if is_base and not bone.connected else [axis[-1] for axis in own if axis in bone.prismatic]
        found += [Channel(*own_name, bone.name, "location", "XYZ".index(letter)) for letter in slides]
        turns = [axis for axis in own if axis in bone.revolute]
        if not is_base and not turns:
            continue
        channel = _channel(rig.pose.bones[bone.name])
        letters = turns if channel == "rotation_euler" and not is_base else PARTS[channel]
        found += [Channel(*own_name, bone.name, channel, PARTS[channel].index(letter)) for letter in letters]
    return found


def values_of(rig, session, before: Mapping[Channel, float]) -> dict[Channel, float]:
    """Values to key of the body's channels after a tick; channels of bones that are not solved are left out.

    Args:
        rig: The armature object.
        session: The body's live session.
        before: Values in the previous frame, to choose among equivalent rotations so that no curve jumps; empty in the first frame.
    """
    turned = {name: _rotation(rig, rig.pose.bones[name], shown, before, session.reader.base) for name, shown in session.shown.items()}
    found = {}
    for channel in channels_of(rig, session.reader):
        shown = session.shown.get(channel.bone)
        if shown is not None:
            found[channel] = (shown.location if channel.name == "location" else turned[channel.bone])[channel.index]
    return found


def _channel(pose_bone) -> str:
    if is_euler(pose_bone):
        return "rotation_euler"
    return "rotation_quaternion" if pose_bone.rotation_mode == "QUATERNION" else "rotation_axis_angle"


def _axis_angle(turn: rotations.Quaternion) -> tuple[float, float, float, float]:
    """Angle [rad] and unit axis of a rotation in double precision; mathutils is in single precision and loses small angles."""
    vector = rotations.logarithm(turn)
    angle = rotations.length(vector)
    return (angle, *rotations.scale(vector, 1.0 / angle)) if angle else (0.0, *rotations.Y)


def _rotation(rig, pose_bone, shown, before: Mapping[Channel, float], base: str) -> tuple[float, ...]:
    """Values of the bone's rotation channel; of the equivalent ones, those nearest to the previous frame's."""
    channel = _channel(pose_bone)
    if channel == "rotation_axis_angle":
        return _axis_angle(shown.rotation)
    last = [before.get(Channel(rig.name, rig.session_uid, pose_bone.name, channel, index)) for index in range(len(PARTS[channel]))]
    if channel == "rotation_quaternion":
        turned = Quaternion(shown.rotation)
        return tuple(-turned if None not in last and turned.dot(Quaternion(last)) < 0.0 else turned)
    if pose_bone.name == base and None not in last:  # joints' angles are the solver's own, which do not jump
        near = Euler(shown.euler, pose_bone.rotation_mode)
        near.make_compatible(Euler(last, pose_bone.rotation_mode))
        return tuple(near)
    return shown.euler
