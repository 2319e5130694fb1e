"""Baking a body that follows another armature, with the live chains on top of it: the same tick as live, to keys on a new action."""

from typing import NamedTuple

from bpy.utils import escape_identifier
from mathutils import Euler, Quaternion

from .. import mimic
from ..axes import is_euler
from ..bake import Bake
from ..errors import RigError
from ..stage import is_body
from .pairing import is_streamed

PARTS = {"rotation_quaternion": "WXYZ", "rotation_axis_angle": "WXYZ", "rotation_euler": "XYZ", "location": "XYZ"}


class _Column(NamedTuple):
    """A channel that is keyed."""

    bone: str
    channel: str
    index: int


class RetargetBake(Bake):
    """A bake of a rig's retarget and of its live chains over the retarget's range; otherwise as `Bake`.

    Raises:
        RigError: the range is empty, or something would play over the keys.
    """

    def __init__(self, scene, rig) -> None:
        retarget = rig.limber.retarget
        if is_streamed(retarget):
            raise RigError(
                "What is sent live has no frames to bake: record it as an armature's motion where it comes from, and follow that"
            )
        pairs = [(rig, retarget), *((rig, chain) for chain in rig.limber.chains if chain.live)]
        self.columns: list[_Column] = []
        super().__init__(scene, pairs, retarget.frame_start, retarget.frame_end)

    def _note(self, rig, chain, session) -> None:
        if not is_body(chain):
            super()._note(rig, chain, session)
            return
        rows = self.angles[rig.session_uid, chain.uid]
        if not rows:
            self.columns = _columns(rig, session.reader)
        before = dict(zip(self.columns, rows[-1], strict=True)) if rows else {}
        turned = {name: _rotation(rig.pose.bones[name], shown, before, session.reader.base) for name, shown in session.shown.items()}
        row = []
        for column in self.columns:
            shown = session.shown.get(column.bone)
            if shown is None:
                raise RigError(f"Frame {self.frame}: bone '{column.bone}' does not follow any more")
            row.append((shown.location if column.channel == "location" else turned[column.bone])[column.index])
        if rows and len(row) != len(rows[-1]):
            raise RigError(f"Frame {self.frame}: other bones follow than in the frames before: leave the pairs as they are in the range")
        rows.append(row)

    def channels(self, rig) -> list[tuple[str, int, str, str, list[float]]]:
        """What is baked: chains' joints as they warp what the body does."""
        found = {}
        rows = self.angles[rig.session_uid, rig.limber.retarget.uid]
        for k, (bone, channel, index) in enumerate(self.columns):
            path = f'pose.bones["{escape_identifier(bone)}"].{channel}'
            found[path, index] = (path, index, bone, PARTS[channel][index], [float(row[k]) for row in rows])
        chains = [pair for pair in self.pairs if not is_body(pair[1])]
        everything, self.pairs = self.pairs, chains
        found |= {(path, index): (path, index, *more) for path, index, *more in super().channels(rig)}
        self.pairs = everything
        return list(found.values())


def _columns(rig, reader) -> list[_Column]:
    """The channels of all bones that follow, but for those that drivers move."""
    driven = set(mimic.driven(rig))
    found = []
    for bone in reader.bones:
        is_base = bone.parent < 0
        own = [axis for axis in (*bone.slides, *bone.turns) if (bone.name, axis) not in driven]
        slides = "XYZ" if is_base and not bone.connected else [axis[-1] for axis in own if axis in bone.slides]
        found += [_Column(bone.name, "location", "XYZ".index(letter)) for letter in slides]
        turns = [axis for axis in own if axis in bone.turns]
        if not is_base and not turns:
            continue
        channel = _channel(rig.pose.bones[bone.name])
        letters = turns if channel == "rotation_euler" and not is_base else PARTS[channel]
        found += [_Column(bone.name, channel, PARTS[channel].index(letter)) for letter in letters]
    return found


def _channel(pose_bone) -> str:
    if is_euler(pose_bone):
        return "rotation_euler"
    return "rotation_quaternion" if pose_bone.rotation_mode == "QUATERNION" else "rotation_axis_angle"


def _rotation(pose_bone, shown, before: dict[_Column, float], base: str) -> tuple[float, ...]:
    """The rotation channel, near that of the frame before where there are several that mean the same."""
    channel = _channel(pose_bone)
    if channel == "rotation_axis_angle":
        axis, angle = Quaternion(shown.rotation).to_axis_angle()
        return (angle, *axis)
    last = [before.get(_Column(pose_bone.name, channel, index)) for index in range(len(PARTS[channel]))]
    if channel == "rotation_quaternion":
        turned = Quaternion(shown.rotation)
        return tuple(-turned if None not in last and turned.dot(Quaternion(last)) < 0.0 else turned)
    if pose_bone.name == base and None not in last:  # joints' angles are the solver's own, which do not jump
        near = Euler(shown.euler, pose_bone.rotation_mode)
        near.make_compatible(Euler(last, pose_bone.rotation_mode))
        return tuple(near)
    return shown.euler
