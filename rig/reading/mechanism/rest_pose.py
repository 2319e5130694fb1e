"""Where a mechanism's motors are at zero: in the pose of its sketch, which is kept with its objects for when these move by themselves.

What stands still is read where it is, so that a sketch can be edited. What has keys, drivers or constraints, or hangs on what has, is
elsewhere in every frame: its place in the sketch is a record on the object itself, which goes through saving, renaming, duplicating, undo
and library overrides with it. Records of one sketch have a mark in common, which the mechanism knows.
"""

import json
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from uuid import uuid4

import bpy
import numpy as np

from ....files.plain import json_of
from ....solvers.mechanism.frames import Array, inverse
from ...blender import actions
from ...blender.identity import find
from ..placement import is_on_shape
from .owners import has_mechanism
from .poses import is_same, rigid

OWN = "Limber"  # constraints of Limber's own begin so
ROTATIONS = ("rotation_euler", "rotation_quaternion", "rotation_axis_angle")
TRANSFORMS = ("location", *ROTATIONS, "scale", "delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale")
UNMOVED = 1e-6  # of a matrix' numbers: single precision
SAME = 1e-4  # [m or rad] keys nearer to where an object was pass through there


@dataclass(frozen=True)
class Record:
    """Where an object is in a sketch."""

    pose: Array  # (4, 4) in the sketch's own world
    basis: Array  # (4, 4) the object's own channels there
    hangs: str  # how it hung on its parent
    channels: Mapping[str, list[float]]  # the same by data path
    is_sure: bool  # it was kept when the object moved by itself already

    def write(self) -> list:
        return [self.pose[:3].ravel().tolist(), self.basis[:3].ravel().tolist(), self.hangs, dict(self.channels), self.is_sure]


def record_of(thing, mark: str) -> Record | None:
    """What an object keeps of a sketch."""
    try:
        pose, basis, hangs, channels, is_sure = json_of(thing.limber.part.zero or "{}")[mark]
        made = [np.vstack((np.reshape(np.array(numbers, float), (3, 4)), (0.0, 0.0, 0.0, 1.0))) for numbers in (pose, basis)]
        return Record(*made, str(hangs), {str(path): list(map(float, numbers)) for path, numbers in channels.items()}, bool(is_sure))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):  # none, or not Limber's
        return None


class Sketch:
    """Where objects are in a mechanism's sketch.

    Args:
        mark: Of the records that hold; None where the sketch is what there is now.
        things: Bodies, and what says where joints are.
        anchor: What the mechanism is mounted on; where that is and goes does not count.
        matrix: World matrix of an object as it is authored in this frame.
    """

    def __init__(self, mark: str | None, things: Iterable, anchor, matrix: Callable) -> None:
        self.things = {thing.session_uid: thing for thing in [anchor, *things]}
        self.anchor, self._matrix = anchor, matrix
        self._now = {uid: rigid(matrix(thing)) for uid, thing in self.things.items()}
        self._moved_by = {uid: moved_by(thing) for uid, thing in self.things.items()}
        self.poses = dict(self._now)  # (4, 4) by session_uid, in the sketch's world
        self.shown = np.eye(4)  # (4, 4) from the world to the sketch's
        self.is_kept = False  # places are from records
        self.lost = ""  # name of what moves by itself and has no place in the sketch
        if mark is not None and any(not self._is_still(thing) for thing in self.things.values()):
            self._take({uid: record_of(thing, mark) for uid, thing in self.things.items()})

    def _is_still(self, thing) -> bool:
        return self._moved_by[thing.session_uid] == self._moved_by[self.anchor.session_uid]

    def _is_moving(self, thing) -> bool:
        """Whether keys move it; a bone or constraint alone may well leave it where it is."""
        between = self._moved_by[thing.session_uid] ^ self._moved_by[self.anchor.session_uid]
        return any(is_moving for *_, is_moving in between)

    def _take(self, records: Mapping[int, Record | None]) -> None:
        """The records, where they say it all; else the sketch is what there is now."""
        under = records[self.anchor.session_uid]
        if under is not None:
            self.shown = self._shown(under, records)
        ordered = sorted(self.things.values(), key=self._is_still)  # what moves is named first
        unknown = next((thing.name for thing in ordered if not self._is_known(thing, records[thing.session_uid])), "")
        if unknown or under is None:
            self.shown = np.eye(4)
            is_moving = any(map(self._is_moving, self.things.values()))
            self.lost = (unknown or self.anchor.name) if is_moving else ""
            return
        self.is_kept = True
        self.poses = {uid: self._place(thing, records) for uid, thing in self.things.items()}

    def _shown(self, under: Record, records: Mapping[int, Record | None]) -> Array:
        """(4, 4) from the world to the sketch's: all was moved with the anchor, unless what stands still beside it stayed where it was."""
        whole: Array = under.pose @ inverse(self._now[self.anchor.session_uid])
        if is_keyed(self.anchor) or under.hangs != how_it_hangs(self.anchor):
            return whole
        alone: Array = under.pose @ self._edit(self.anchor, under) @ inverse(self._now[self.anchor.session_uid])
        beside = [uid for uid, thing in self.things.items() if thing != self.anchor and self._is_still(thing) and records[uid] is not None]

        def agreeing(shown: Array) -> int:
            return sum(is_same(shown @ self._now[uid], records[uid].pose, SAME) for uid in beside)

        return alone if agreeing(alone) > agreeing(whole) else whole

    def _is_known(self, thing, record: Record | None) -> bool:
        if self._is_still(thing):
            if record is None:
                return not thing.is_editable  # else it came later
            return not record.is_sure or is_keyed(thing) or self._is_there(thing, record)
        if self._carrier(thing) is not None:
            return True
        if record is None:
            return False
        return record.is_sure or passes(thing, record.channels) if is_keyed(thing) else record.hangs == how_it_hangs(thing)

    def _is_there(self, thing, record: Record) -> bool:
        """Whether an object that lost its keys was left where the sketch has it."""
        return is_same(self.shown @ self._now[thing.session_uid], record.pose, SAME)

    def _place(self, thing, records: Mapping[int, Record | None]) -> Array:
        now, carrier, record = self._now[thing.session_uid], self._carrier(thing), records[thing.session_uid]
        if self._is_still(thing):
            made: Array = self.shown @ now
        elif carrier is not None:
            made = self._place(carrier, records) @ inverse(self._now[carrier.session_uid]) @ now
        else:
            made = record.pose if is_keyed(thing) else record.pose @ self._edit(thing, record)
        return made

    def _carrier(self, thing):
        """The body or joint on which an object is, and does not move; None where there is none."""
        above = thing.parent
        while above is not None and above.session_uid not in self.things:
            above = above.parent
        return above if above is not None and self._moved_by[above.session_uid] == self._moved_by[thing.session_uid] else None

    def _edit(self, thing, record: Record) -> Array:
        """(4, 4) how an object was moved by hand since its place was kept, in its own frame."""
        basis, was = np.array(thing.matrix_basis), record.basis
        if np.abs(basis - was).max() < UNMOVED:
            return np.eye(4)
        now = self._matrix(thing)
        then = now @ thing.matrix_basis.inverted_safe() @ type(now)(was.tolist())
        made: Array = inverse(rigid(then)) @ self._now[thing.session_uid]
        return made


def moved_by(thing) -> frozenset:
    """What moves an object in time, itself or what it hangs on: each with whether keys do, or might."""
    found: set[tuple] = set()
    while thing is not None:
        is_moving = is_keyed(thing)
        if is_moving or any(not held.mute and not held.name.startswith(OWN) for held in thing.constraints):
            found.add((thing.session_uid, is_moving))
        above = thing.parent
        if above is not None and thing.parent_type == "BONE":
            found.add((above.session_uid, thing.parent_bone, bool(actions.playing(above)) or _has_drivers(above)))
        elif above is not None and is_on_shape(thing):
            found.add((above.session_uid, *thing.parent_vertices, False))
        thing = above
    return frozenset(found)


def _has_drivers(thing) -> bool:
    return thing.animation_data is not None and len(thing.animation_data.drivers) > 0


def how_it_hangs(thing) -> str:
    """Tells when an object was parented anew."""
    if thing.parent is None:
        return ""
    return json.dumps([thing.parent_type, *(list(row) for row in thing.matrix_parent_inverse)])


def is_keyed(thing) -> bool:
    """Whether keys or drivers move an object's own channels."""
    curves = [curve for action, slot in actions.playing(thing) for curve in actions.fcurves(action, slot)]
    drivers = thing.animation_data.drivers if thing.animation_data else ()
    return any(curve.data_path in TRANSFORMS and not curve.mute for curve in [*curves, *drivers])


def passes(thing, channels: Mapping[str, list[float]]) -> bool:
    """Whether an object's keys have it at these channels' numbers at any time: else it was moved before it was keyed."""
    found = [curve for action, slot in actions.playing(thing) for curve in actions.fcurves(action, slot)]
    curves = [curve for curve in found if curve.data_path in channels and not curve.mute]
    frames = {point.co.x for curve in curves for point in curve.keyframe_points}

    def is_at(frame: float) -> bool:
        return all(abs(curve.evaluate(frame) - channels[curve.data_path][curve.array_index]) < SAME for curve in curves)

    return any(map(is_at, frames))


def keep(owner, places: Iterable[tuple[str, int, Array]], is_known: bool, keyed: Container[int] = ()) -> None:
    """Keeps a sketch with its objects. Call within an operator that has UNDO.

    Args:
        owner: Whose mechanism it is.
        places: Name, session_uid and pose (4, 4) of its objects.
        is_known: The sketch is the one that was kept already: a copy of the mechanism may share it.
        keyed: session_uids of what gets its keys from Limber now.
    """
    kept = owner.limber.mechanism
    if not is_known or not kept.zero:
        kept.zero = uuid4().hex
    used = {other.limber.mechanism.zero for other in bpy.data.objects if has_mechanism(other)}
    for name, uid, pose in places:
        thing = find(name, uid)
        if thing is None or not thing.is_editable:
            continue
        channels = {path: list(getattr(thing, path)) for path in ("location", *ROTATIONS)}
        record = Record(pose, np.array(thing.matrix_basis), how_it_hangs(thing), channels, uid in keyed or is_keyed(thing))
        try:
            others = {mark: found for mark, found in json_of(thing.limber.part.zero or "{}").items() if mark in used}
        except (ValueError, AttributeError):
            others = {}
        thing.limber.part.zero = json.dumps({**others, kept.zero: record.write()})
