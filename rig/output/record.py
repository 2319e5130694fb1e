"""Live, as it is shown, kept frame by frame while the scene plays, and keyed at the end: each pass over the frames is a take of its own."""

import re
from pathlib import Path

import bpy

from ..blender import actions
from ..blender.errors import RigError
from ..live import live
from ..live.registry import is_live
from ..reading import axes
from ..reading.body.columns import Column, columns_of, values_of
from . import take_copies
from .new_actions import new_action
from .take import Take
from .take_copies import Copy

TAKE = " Take "
NUMBERED = re.compile(re.escape(TAKE) + r"\d+(\.\d+)?$")  # the end of a take's name
SHORTEST = 2  # frames that make a take
STUB = 0.25  # of the longest take's frames: a shorter one was broken off, and does not play afterwards

_going: dict[int, list[Take]] = {}  # by the armature object's session_uid
_copies: dict[int, Copy] = {}  # of those


def start(rig) -> None:
    """What the armature's live chains and its body show is kept from now on, frame by frame.

    Raises:
        RigError: nothing of it is live.
    """
    if not is_live(rig):
        raise RigError(f"Nothing of '{rig.name}' is live: press Start Live first")
    _going[rig.session_uid] = [Take()]
    if take_copies.is_wanted():
        _copies[rig.session_uid] = Copy(rig.name)


def forget() -> None:
    """Drop all takes: the data that they speak of is gone. What was recorded until now stays as a copy."""
    for uid, copy in _copies.items():
        copy.add([*_going[uid], Take()])
    _going.clear()
    _copies.clear()
    take_copies.forget()


def is_going(rig) -> bool:
    return rig.session_uid in _going


def copy_problem(rig) -> str:
    """Why no copy of the recording is kept, as a sentence, or ""."""
    copy = _copies.get(rig.session_uid)
    return copy.problem if copy else ""


def takes(rig) -> list[Take]:
    """What was kept so far and is worth keys."""
    return [take for take in _going.get(rig.session_uid, ()) if len(take.frames) >= SHORTEST]


def note(scene) -> None:
    """The scene has come to a frame. Where it went back (playing begins anew), another take begins; what was kept stays."""
    if not _going:
        return
    # Bodies come before the chains that warp what they do.
    for rig, chain in (mover for mover in live.live_movers(scene) if mover.is_on_rig):
        passes = _going.get(rig.session_uid)
        session = live.session(rig, chain)
        if passes is None or session.outputs is None:
            continue
        frame = scene.frame_current
        if passes[-1].frames and frame < passes[-1].frames[-1]:
            passes.append(Take())
        take = passes[-1]
        if not take.frames or frame > take.frames[-1]:
            take.frames.append(frame)
            take.rows.append({})
        if chain == rig.limber.retarget:
            before = take.rows[-2] if len(take.rows) > 1 else {}
            take.rows[-1].update(values_of(rig, session, columns_of(rig, session.reader), before))
        else:
            columns = (Column(bone, axes.channel(axis), axes.index(axis)) for bone, axis in session.reader.places)
            take.rows[-1].update(zip(columns, session.outputs.angles.tolist(), strict=True))
    for uid, copy in _copies.items():
        copy.note(_going[uid])


def finish(rig) -> list[bpy.types.Action]:
    """Keys every take on an action of its own; the last one that is no stub plays, live ends, and the action that was there is kept.

    Returns the actions.

    Raises:
        RigError: nothing is being recorded, or nothing was recorded yet; then recording goes on.
    """
    if not is_going(rig):
        raise RigError("Nothing is being recorded: press Record Live first")
    kept = takes(rig)
    if not kept:
        raise RigError("No frame was recorded yet: let the scene play while the armature is live")
    made = _key(rig, kept)
    cancel(rig)
    return made


def restore(rig, path: Path) -> list[bpy.types.Action]:
    """Keys what a copy has of a recording that did not come to its end, as `finish` does. Returns the actions.

    Raises:
        RigError: it is no copy of a recording, or has nothing of this armature.
    """
    kept = []
    for take in take_copies.read(path):
        rows = [{column: value for column, value in row.items() if column.bone in rig.pose.bones} for row in take.rows]
        if len(rows) >= SHORTEST and all(rows):
            kept.append(Take(take.frames, rows))
    if not kept:
        raise RigError(f"{path.name} has no take of bones that '{rig.name}' has")
    return _key(rig, kept)


def _key(rig, kept: list[Take]) -> list[bpy.types.Action]:
    """Each take on an action of its own; live ends, and the last one that is no stub plays."""
    for mover in (rig.limber.retarget, *rig.limber.chains):
        if mover.live:
            live.stop(rig, mover)
    animation = rig.animation_data
    before = (animation.action, getattr(animation, "action_slot_handle", None)) if animation and animation.action else None
    made = []
    for take in kept:
        if before is not None:
            actions.assign(rig, *before)
        elif rig.animation_data is not None:
            rig.animation_data.action = None
        made.append(_write(rig, take, _name(before[0].name if before else rig.name)))
    longest = max(len(take.frames) for take in kept)
    actions.assign(rig, *next(one for one, take in zip(made[::-1], kept[::-1], strict=True) if len(take.frames) >= STUB * longest))
    return [action for action, _ in made]


def cancel(rig) -> None:
    """Records no more; what was recorded goes."""
    _going.pop(rig.session_uid, None)
    if copy := _copies.pop(rig.session_uid, None):
        copy.drop()


def _name(base: str) -> str:
    """Of the next take: numbered, as no action is called yet."""
    stem = NUMBERED.sub("", base)
    number = 1
    while bpy.data.actions.get(f"{stem}{TAKE}{number}"):
        number += 1
    return f"{stem}{TAKE}{number}"


def _write(rig, take: Take, name: str) -> tuple[bpy.types.Action, int | None]:
    """The new action, and the handle of the slot that plays on the armature."""
    action, handle, curves = new_action(rig, name)
    action.use_fake_user = True
    for column in dict.fromkeys(column for row in take.rows for column in row):
        known = [(frame, row[column]) for frame, row in zip(take.frames, take.rows, strict=True) if column in row]
        frames, values = zip(*known, strict=True)
        actions.bake_keys(curves, column.path, column.index, column.bone, list(frames), list(values))
    actions.assign(rig, action, handle)
    return action, handle
