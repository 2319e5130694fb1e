"""Live, as it is shown, kept frame by frame while the scene plays, and keyed at the end: each pass over the frames is a take of its own."""

import re
from pathlib import Path
from typing import NamedTuple

import bpy

from ..blender import actions
from ..blender.errors import RigError
from ..live import live
from ..live.movers import live_of
from . import muting, take_copies
from .new_actions import keyed_action
from .take import Take
from .take_copies import Copy

TAKE = " Take "
NUMBERED = re.compile(re.escape(TAKE) + r"\d+(\.\d+)?$")  # the end of a take's name
SHORTEST = 2  # frames that make a take
STUB = 0.25  # of the longest take's frames: a shorter one was broken off, and does not play afterwards


class Keyed(NamedTuple):
    """What came of a recording."""

    actions: list[bpy.types.Action]
    takes: int
    after: int  # takes after the one that plays, which are short
    muted: list[str]  # what would have won over the keys, as sentences


_going: dict[int, list[Take]] = {}  # by the object's session_uid
_copies: dict[int, Copy] = {}  # of those


def start(owner) -> None:
    """Records from now on, frame by frame, what of an object is live: its body, its chains, its mechanism.

    Raises:
        RigError: nothing of it is live, or keys cannot hold its motion.
    """
    movers = live_of(owner)
    if not movers:
        raise RigError(f"Nothing of '{owner.name}' is live: press Start Live first")
    for mover in movers:
        live.session(*mover).check_keys()
    _going[owner.session_uid] = [Take()]
    if take_copies.is_wanted():
        _copies[owner.session_uid] = Copy(owner.name)


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


def note(scene, depsgraph) -> None:
    """The scene has come to a frame. Where it went back (playing begins anew), another take begins; what was kept stays."""
    for uid, passes in _going.items():
        # In live's order: a chain's keys win over those of the body that it warps.
        solved = [mover for mover in live.live_movers(scene) if mover.key[0] == uid and live.session(*mover).outputs is not None]
        if not solved:
            continue
        frame = scene.frame_current
        if passes[-1].frames and frame < passes[-1].frames[-1]:
            passes.append(Take())
        take = passes[-1]
        if not take.frames or frame > take.frames[-1]:
            take.frames.append(frame)
            take.rows.append({})
        placement, before = live.placement(depsgraph), take.rows[-2] if len(take.rows) > 1 else {}
        for mover in solved:
            take.rows[-1] |= live.session(*mover).keys(mover, placement, before)
    for uid, copy in _copies.items():
        copy.note(_going[uid])


def finish(owner) -> Keyed:
    """Keys every take on actions of its own; the last one that is no stub plays, live ends, and the actions that were there are kept.

    Raises:
        RigError: nothing is being recorded, or nothing was recorded yet; then recording goes on.
    """
    if not is_going(owner):
        raise RigError("Nothing is being recorded: press Record Live first")
    kept = takes(owner)
    if not kept:
        raise RigError("No frame was recorded yet: let the scene play while something is live")
    made = _key(owner, kept)
    cancel(owner)
    return made


def restore(owner, path: Path) -> Keyed:
    """Keys what a copy has of a recording that did not come to its end, as `finish` does.

    Raises:
        RigError: it is no copy of a recording, or has nothing of what the file has.
    """
    kept = []
    for take in take_copies.read(path):
        rows = [{channel: value for channel, value in row.items() if channel.is_there} for row in take.rows]
        if len(rows) >= SHORTEST and all(rows):
            kept.append(Take(take.frames, rows))
    if not kept:
        raise RigError(f"{path.name} has no take of what '{owner.name}' moves")
    return _key(owner, kept)


def _key(owner, kept: list[Take]) -> Keyed:
    """Each take on new actions; live ends, and the last one that is no stub plays."""
    for mover in live_of(owner):
        live.stop(*mover)
    longest = max(len(take.frames) for take in kept)
    last = max(k for k, take in enumerate(kept) if len(take.frames) >= STUB * longest)
    made: list[bpy.types.Action] = []
    for thing in {channel.uid: channel.owner for take in kept for row in take.rows for channel in row}.values():
        if thing is None:
            continue  # deleted since
        animation = thing.animation_data
        before = (animation.action, getattr(animation, "action_slot_handle", None)) if animation and animation.action else None
        keyed = []
        for take in kept:
            if before is not None:
                actions.assign(thing, *before)
            elif thing.animation_data is not None:
                thing.animation_data.action = None
            keyed.append(keyed_action(thing, _name(before[0].name if before else thing.name), take))
            keyed[-1][0].use_fake_user = True
        actions.assign(thing, *keyed[last])
        made += [action for action, _ in keyed]
    muted = [sentence for take in kept for sentence in muting.mute_what_wins(take.keys)]
    return Keyed(made, len(kept), len(kept) - 1 - last, muted)


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
