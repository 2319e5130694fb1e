"""The bone channels that a bake keys for a retargeted body, and their values in a frame."""

from typing import NamedTuple

from bpy.utils import escape_identifier
from mathutils import Euler, Quaternion

from ....solvers import rotations
from .. import mimic
from ..axes import is_euler

PARTS = {"rotation_quaternion": "WXYZ", "rotation_axis_angle": "WXYZ", "rotation_euler": "XYZ", "location": "XYZ"}


class Column(NamedTuple):
    """One keyed channel of a bone."""

    bone: str
    channel: str
    index: int

    @property
    def path(self) -> str:
        return f'pose.bones["{escape_identifier(self.bone)}"].{self.channel}'

    @property
    def part(self) -> str:
        """Letter of the channel's component: W, X, Y or Z."""
        return PARTS[self.channel][self.index]


def columns_of(rig, reader) -> list[Column]:
    """Channels of all bones that the body moves, except those that drivers set."""
    driven = set(mimic.driven(rig))
    found = []
    for bone in reader.bones:
        is_base = bone.parent < 0
        own = [axis for axis in (*bone.slides, *bone.turns) if (bone.name, axis) not in driven]
        slides = "XYZ" if is_base and not bone.connected else [axis[-1] for axis in own if axis in bone.slides]
        found += [Column(bone.name, "location", "XYZ".index(letter)) for letter in slides]
        turns = [axis for axis in own if axis in bone.turns]
        if not is_base and not turns:
            continue
        channel = _channel(rig.pose.bones[bone.name])
        letters = turns if channel == "rotation_euler" and not is_base else PARTS[channel]
        found += [Column(bone.name, channel, PARTS[channel].index(letter)) for letter in letters]
    return found


def values_of(rig, session, columns: list[Column], before: dict[Column, float]) -> dict[Column, float]:
    """Values of the channels after a tick; channels of bones that are not solved are left out.

    Args:
        rig: The armature object.
        session: The body's live session.
        columns: The channels.
        before: Values in the previous frame, to choose among equivalent rotations so that no curve jumps; empty in the first frame.
    """
    turned = {name: _rotation(rig.pose.bones[name], shown, before, session.reader.base) for name, shown in session.shown.items()}
    found = {}
    for column in columns:
        shown = session.shown.get(column.bone)
        if shown is not None:
            found[column] = (shown.location if column.channel == "location" else turned[column.bone])[column.index]
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


def _rotation(pose_bone, shown, before: dict[Column, float], base: str) -> tuple[float, ...]:
    """Values of the bone's rotation channel; of the equivalent ones, those nearest to the previous frame's."""
    channel = _channel(pose_bone)
    if channel == "rotation_axis_angle":
        return _axis_angle(shown.rotation)
    last = [before.get(Column(pose_bone.name, channel, index)) for index in range(len(PARTS[channel]))]
    if channel == "rotation_quaternion":
        turned = Quaternion(shown.rotation)
        return tuple(-turned if None not in last and turned.dot(Quaternion(last)) < 0.0 else turned)
    if pose_bone.name == base and None not in last:  # joints' angles are the solver's own, which do not jump
        near = Euler(shown.euler, pose_bone.rotation_mode)
        near.make_compatible(Euler(last, pose_bone.rotation_mode))
        return tuple(near)
    return shown.euler
