"""Record Live: stores the live motion, frame by frame, while the scene plays, and keys it at the end. Each
pass over the frames is a take.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import bpy

from ..blender import actions
from ..blender.errors import RigError
from ..bones.channels import Channel
from ..live import live
from ..live.mover import Mover
from ..live.movers import live_of
from ..live.runtime import after_frame, current
from ..live.stage import nothing
from ..scene.placement import Placement
from . import muting, take_copies
from .new_actions import keyed_action
from .take import RecordedTake
from .take_copies import Copy

TAKE = " Take "
NUMBERED = re.compile(re.escape(TAKE) + r"\d+(\.\d+)?$")  # end of the name of a take
SHORTEST = 2  # number of frames of a take; a pass over fewer frames is dropped
# share of the longest take's frames: a shorter take counts as interrupted, and its actions are not assigned
STUB = 0.25


class Keyed(NamedTuple):
    """Result of a recording."""

    actions: list[bpy.types.Action]  # the new actions
    takes: int  # number of takes
    after: int  # number of takes after the assigned one, which are too short to be assigned
    # sentences on movers that a defect stopped meanwhile, and on drivers and constraints that were muted
    # because they would override the keys
    warnings: list[str]


_going: dict[int, list[RecordedTake]] = {}  # current recordings by the object's session_uid
_copies: dict[int, Copy] = {}  # copies of these recordings on disk, by the same key


def start(owner: bpy.types.Object) -> None:
    """Starts to record the live movers of an object and, with a window, a copy of the recording on disk.

    Raises:
        RigError: no mover of it is live, or keyframes cannot represent its motion.
    """
    movers = live_of(owner)
    if not movers:
        raise RigError(f"Nothing of '{owner.name}' is live: press Start Live first")
    for mover in movers:
        live.session(*mover).check_keys()
    _going[owner.session_uid] = [RecordedTake()]
    after_frame[note] = None
    if take_copies.is_wanted():
        _copies[owner.session_uid] = Copy(owner.name)


def forget() -> None:
    """Discards all takes, before Blender frees the data that they refer to. The copy in the user's folder
    remains.
    """
    for uid, copy in _copies.items():
        copy.add([*_going[uid], RecordedTake()])
    _going.clear()
    _copies.clear()
    take_copies.forget()


def is_going(rig: bpy.types.Object) -> bool:
    """Whether an object's live motion is being recorded."""
    return rig.session_uid in _going


def copy_problem(rig: bpy.types.Object) -> str:
    """Why no copy of the recording can be written, as a sentence; "" if it can."""
    copy = _copies.get(rig.session_uid)
    return copy.problem if copy else ""


def takes(rig: bpy.types.Object) -> list[RecordedTake]:
    """The takes recorded so far that are long enough to be keyed."""
    return _long_enough(_going.get(rig.session_uid, ()))


def note(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Records the scene's new frame. If it is earlier than the last one (playback starts over), a new take
    begins.
    """
    if not _going:
        after_frame.pop(note)
    if live.is_suspended():
        return
    for uid, passes in _going.items():
        # takes are keyed in the order of live motion, so that a chain's keys win over those of the body
        movers = [mover for mover in live.live_movers(scene) if mover.key[0] == uid]
        recorded = [
            mover
            for mover in movers
            if live.session(*mover).has_defect or live.session(*mover).outputs is not None
        ]
        if recorded:
            _record(_take_at(passes, scene.frame_current), scene.frame_current, recorded, depsgraph)
    for uid, copy in _copies.items():
        copy.note(_going[uid])


def _take_at(passes: list[RecordedTake], frame: int) -> RecordedTake:
    """The take that a new frame belongs to: the last one, or a new one if playback has started over."""
    last_frame = passes[-1].last_frame
    if last_frame is not None and frame < last_frame:
        passes.append(RecordedTake())
    return passes[-1]


def _record(take: RecordedTake, frame: int, movers: list[Mover], depsgraph: bpy.types.Depsgraph) -> None:
    """Records a frame of a take: the movers' values. For a mover that a defect stopped it records only that,
    since the way in which it comes to rest is not its motion.
    """
    placement, before = live.placement(depsgraph), take.values_before(frame)
    values: dict[Channel, float] = {}
    for mover in movers:
        keys = _keys(mover, placement, before)
        if keys is None:
            take.note_gap(mover.label, frame)
        else:
            values |= keys
    if values:
        take.add(frame, values)


def _keys(mover: Mover, placement: Placement, before: Mapping[Channel, float]) -> dict[Channel, float] | None:
    """Values of a mover to key in this frame; None: a defect stopped it."""
    session = live.session(*mover)
    if session.has_defect:
        return None
    return current().stage.attempt(mover, partial(session.keys, mover, placement, before), nothing)


def finish(owner: bpy.types.Object) -> Keyed:
    """Keys every take on new actions, assigns those of the last one that is not a stub (`STUB`), ends live
    motion, and mutes what would override the keys; returns what it has keyed. Previous actions stay.

    Raises:
        RigError: nothing is being recorded; nothing was recorded yet, or all of it was deleted: then
            recording continues.
    """
    if not is_going(owner):
        raise RigError("Nothing is being recorded: press Record Live first")
    passes = _going[owner.session_uid]
    if not takes(owner):
        too_early = "No frame was recorded yet: let the scene play while something is live"
        raise RigError((_gap_sentences(passes) or [too_early])[-1])
    # bones and properties may have been deleted during the recording
    passes = [take.existing for take in passes]
    recorded = _long_enough(passes)
    if not recorded:
        raise RigError(
            f"All that was recorded of '{owner.name}' is deleted: undo that, or cancel the recording"
        )
    keyed = _key(owner, recorded, _gap_sentences(passes))
    cancel(owner)
    return keyed


def restore(owner: bpy.types.Object, path: Path) -> Keyed:
    """Keys the takes in a copy of an interrupted recording, as `finish` does.

    Raises:
        RigError: the file is no copy of a recording, or has no take that is long enough of objects in this
            .blend.
    """
    recorded = _long_enough([take.existing for take in take_copies.read(path)])
    if not recorded:
        raise RigError(f"{path.name} has no take of what '{owner.name}' moves")
    return _key(owner, recorded, [])


def _long_enough(passes: Sequence[RecordedTake]) -> list[RecordedTake]:
    """The passes that are long enough to be keyed as takes."""
    return [take for take in passes if len(take.frames) >= SHORTEST]


def _gap_sentences(passes: Sequence[RecordedTake]) -> list[str]:
    """Sentences on movers that a defect stopped, with the number of the take in which it did, or that the
    take is too short to keep.
    """
    names = {id(take): f"take {number}" for number, take in enumerate(_long_enough(passes), 1)}
    return [
        sentence
        for take in passes
        for sentence in take.gap_sentences(names.get(id(take), "a take too short to keep"))
    ]


def _key(owner: bpy.types.Object, recorded: list[RecordedTake], gaps: list[str]) -> Keyed:
    """Ends live motion, keys each take on new actions, assigns those of the last take that is not a stub, and
    mutes what would override the keys; `gaps`: sentences on what has no keys.
    """
    for mover in live_of(owner):
        live.stop(*mover)
    longest = max(len(take.frames) for take in recorded)
    last = max(k for k, take in enumerate(recorded) if len(take.frames) >= STUB * longest)
    owners = {channel.uid: channel.owner for take in recorded for row in take.rows for channel in row}
    new_actions = [
        action
        for obj in owners.values()
        if obj is not None  # None if the object was deleted during the recording
        for action in _key_takes(obj, recorded, last)
    ]
    muted = [sentence for take in recorded for sentence in muting.mute_what_wins(take.keys)]
    return Keyed(new_actions, len(recorded), len(recorded) - 1 - last, [*gaps, *muted])


def _key_takes(obj: bpy.types.Object, recorded: list[RecordedTake], last: int) -> list[bpy.types.Action]:
    """Keys each take of an object on a separate action with a fake user, which begins as a copy of the
    object's action, and assigns that of the take with index `last`.
    """
    animation = obj.animation_data
    before = (
        (animation.action, getattr(animation, "action_slot_handle", None))
        if animation and animation.action
        else None
    )
    keyed = []
    for take in recorded:
        if before is not None:
            actions.assign(obj, *before)
        elif obj.animation_data is not None:
            obj.animation_data.action = None
        keyed.append(keyed_action(obj, _name(before[0].name if before else obj.name), take))
        keyed[-1][0].use_fake_user = True
    actions.assign(obj, *keyed[last])
    return [action for action, _ in keyed]


def cancel(rig: bpy.types.Object) -> None:
    """Stops recording, and discards the takes and their copy on disk."""
    _going.pop(rig.session_uid, None)
    if copy := _copies.pop(rig.session_uid, None):
        copy.drop()


def _name(base: str) -> str:
    """Name for the next take: numbered so that no action has it yet."""
    stem = NUMBERED.sub("", base)
    number = 1
    while bpy.data.actions.get(f"{stem}{TAKE}{number}"):
        number += 1
    return f"{stem}{TAKE}{number}"
