"""Live: which chains and mechanisms follow their targets now, what moves them and what they show.

Frame changes advance the motion by scene time, a clock by wall time while nothing plays. What a chain shows goes to its rig's twin and,
where the rig has a connected robot, to the robot; so it is with mechanisms and their owners. Rendering goes its own way through the frames,
from where live was, and leaves live and the robot where they are. All state of this module is runtime only: after undo, redo and file load
it is rebuilt from what chains and mechanisms say of themselves.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

import bpy

from ...solvers.rotations import IDENTITY
from ..reading.mechanism import assembled
from ..reading.placement import Placement
from ..reading.skeleton import NO_SCALE, ORIGIN
from ..robot import links
from ..showing import proxy
from . import budget
from .chain_session import ChainSession
from .mechanism_registry import MechanismRoster
from .mechanism_registry import show as show_mechanism
from .playback import Playback
from .registry import Member, Roster, can_show, exists
from .runtime import Runtime
from .stage import Stage


@dataclass
class _Runtime(Runtime):
    roster: Roster = field(default_factory=Roster)
    mechanisms: MechanismRoster = field(default_factory=MechanismRoster)
    suspended: bool = False  # a bake has the scene
    shown: Stage | None = None  # whose poses the twins show since the last frame change; None: the playback's


_now = _Runtime()


def session(rig, mover) -> ChainSession:
    """What is known of a chain, a retarget or a mechanism: for panels, the robot and tests."""
    return _now.playback.stage.session(rig, mover)


def live_chains(scene=None) -> list[tuple]:
    """(rig, chain) of every live chain, of one scene where it is given."""
    return [(member.rig, chain) for member in _now.roster if scene is None or scene.session_uid in member.scenes for chain in member.chains]


def live_pairs(scene=None) -> list[tuple]:
    """The same with (rig, retarget) of every body that follows another armature, and (owner, mechanism) of every mechanism."""
    movers = [
        (member.rig, mover) for member in _now.roster if scene is None or scene.session_uid in member.scenes for mover in member.movers
    ]
    return movers + _now.mechanisms.pairs(scene)


@contextmanager
def as_authored() -> Iterator[bpy.types.Depsgraph]:
    """Meanwhile all shows what is authored, so that a mechanism can be read: what of it hangs on a live chain is elsewhere else."""
    with _now.writing():
        _show_authored()
    try:
        yield bpy.context.evaluated_depsgraph_get()
    finally:
        look()


def _show_authored() -> None:
    _now.roster.leave()
    _now.mechanisms.leave()
    bpy.context.view_layer.update()


def start(rig, mover) -> None:
    """The chain, the rig's retarget or the mechanism goes live.

    Call within an operator that has UNDO, so that an unrelated undo does not take it away.
    """
    mover.live = True
    look()
    session(rig, mover).restart()
    _begin(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def stop(rig, mover) -> None:
    """The chain, the retarget or the mechanism shows what is authored again."""
    mover.live = False
    _now.playback.stage.sessions.pop((rig.session_uid, mover.uid), None)
    look()


def forget() -> None:
    """Drop all runtime state: the data it speaks of is gone."""
    global _now
    _now = _Runtime()
    assembled.forget()


def drop_references() -> None:
    """Blender is about to replace its data: until the next look no rig is live."""
    _now.roster = Roster()


def look() -> None:
    """Bring everything that is shown in line with what says it is live: after undo, load, and any change of chains or mechanisms."""
    with _now.writing():
        _now.mechanisms.look()
        if _now.mechanisms.has_news:
            _show_authored()
            _now.mechanisms.read()
        _now.roster.look()
        _now.mechanisms.equip()
    _show_looked()


def _look_at_chains() -> None:
    """As `look`, where there is no mechanism: in a large file that takes a tenth of the time."""
    with _now.writing():
        _now.roster.look()
    _show_looked()


def _show_looked() -> None:
    """What was solved is shown again, after a look."""
    for member in _now.roster:
        if not can_show(member.rig):
            for chain in member.movers:
                session(member.rig, chain).problem = (
                    f"Armature '{member.rig.name}' is linked from another file: make a library override of it"
                    " (Object > Library Override > Make)"
                )
        _show(member, _now.playback.stage)
    for owner, mechanism in _now.mechanisms.pairs():
        if why := _now.mechanisms.unread.get(owner.session_uid):
            session(owner, mechanism).problem = why
        _show_mechanism(owner, _now.playback.stage)
    _now.mechanisms.counted = len(bpy.data.objects)
    if not _is_any():
        budget.forget()


def resume() -> None:
    """Look, and solve at once: the file was just loaded, or the extension enabled."""
    look()
    if _is_any():
        _begin(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def _is_any() -> bool:
    return bool(_now.roster.members or _now.mechanisms.owners)


def _begin(scene, depsgraph) -> None:
    _advance(scene, depsgraph, 0.0)
    _now.playback.begin(scene)


def _pairs(scene) -> list[tuple]:
    """What can move now."""
    return [(rig, mover) for rig, mover in live_pairs(scene) if can_show(rig) and rig.mode != "EDIT"]


def _advance(scene, depsgraph, dt: float) -> None:
    """One tick of all that is live in a scene: solve, filter, show, send."""
    pairs = _pairs(scene)
    _now.shown = None
    _now.playback.stage.advance(pairs, depsgraph, dt)
    _present(scene, depsgraph, pairs)


def _present(scene, depsgraph, pairs: list[tuple]) -> None:
    """What it has come to is shown and sent."""
    _now.note_rest(scene, pairs)
    _show_all(scene, _now.playback.stage, depsgraph)
    members = [member.rig for member in _now.roster if scene.session_uid in member.scenes]
    owners = [owner for owner, _ in _now.mechanisms.pairs(scene)]
    for rig in [*members, *(owner for owner in owners if owner not in members)]:
        links.send(rig)


def _show_all(scene, stage: Stage, depsgraph) -> None:
    for member in _now.roster:
        if scene.session_uid in member.scenes:
            _show(member, stage, depsgraph)
    for owner, _ in _now.mechanisms.pairs(scene):
        _show_mechanism(owner, stage)


def _show_mechanism(owner, stage: Stage) -> None:
    with _now.writing():
        show_mechanism(owner, stage.session(owner, owner.limber.mechanism))


def _show(member: Member, stage: Stage, depsgraph=None) -> None:
    """Writes what the sessions say to the rig's twin; bones of chains that were not solved yet stay as authored."""
    if not can_show(member.rig) or not exists(member.twin):
        return
    channels: dict[str, tuple] = {}
    for chain in member.movers:
        channels.update(stage.session(member.rig, chain).channels)
    authored = (member.rig.evaluated_get(depsgraph) if depsgraph else member.rig).pose.bones
    rotations, locations, scales = [], [], []
    for name in member.order:
        if name in channels:
            turn, place, size = channels[name]
        elif bone := authored.get(name):
            turn, place, size = bone.matrix_basis.to_quaternion(), bone.location, bone.scale
        else:  # deleted since the last look
            turn, place, size = IDENTITY, ORIGIN, NO_SCALE
        rotations.extend(turn)
        locations.extend(place)
        scales.extend(size)
    with _now.writing():
        proxy.write(member.twin, rotations, locations, scales)


def frame_changed(scene, depsgraph) -> bool:
    """Playing, stepping, rendering advance by scene time; a scrub starts the motion anew. Returns whether the clock has work.

    Rendering in a window calls this off the main thread: it reads the given scene and depsgraph and writes to twins, nothing else.
    """
    if _now.busy or _now.suspended or not _is_any():
        return False
    if depsgraph.mode != "RENDER" and _now.roster.has_lost():
        look()
    pairs = _pairs(scene)
    if depsgraph.mode == "RENDER":
        _now.shown = _render_playback(scene).go_to_frame(scene, pairs, depsgraph, is_playing=lambda: True)
        _show_all(scene, _now.shown, depsgraph)
        return False
    _now.clock.stop(scene)
    stage = _now.shown = _now.playback.go_to_frame(scene, pairs, depsgraph, is_playing)
    if stage is not _now.playback.stage:  # between two frames
        _show_all(scene, stage, depsgraph)
        return False
    _present(scene, depsgraph, pairs)
    return scene.session_uid in _now.moving


def _render_playback(scene) -> Playback:
    """A still shows what live shows; an animation begins at rest in its first frame."""
    if _now.rendering is None:
        is_same = _now.playback.frame(scene) == scene.frame_current
        _now.rendering = _now.playback.copy() if is_same else Playback()
    return _now.rendering


def is_playing() -> bool:
    return any(window.screen.is_animation_playing for manager in bpy.data.window_managers for window in manager.windows)


def scene_updated(scene, depsgraph) -> bool:
    """Something was evaluated anew. Returns whether the clock has work: a goal is no longer the one that was solved for."""
    if _now.busy or _now.suspended or _now.is_rendering:
        return False
    if depsgraph.id_type_updated("ARMATURE"):
        for update in depsgraph.updates:
            if isinstance(update.id, bpy.types.Armature):
                _now.playback.stage.doubt(update.id.name)
    if depsgraph.id_type_updated("ACTION"):
        _now.playback.stage.doubt_postures()
    # Objects that come or go change their scene or collection.
    if depsgraph.id_type_updated("SCENE") or depsgraph.id_type_updated("COLLECTION") or not _is_in_line():
        (_look_at_chains if _now.mechanisms.is_empty else look)()
    if scene.session_uid not in _now.moving and _now.playback.stage.has_changed(_pairs(scene), depsgraph):
        _now.moving.add(scene.session_uid)
    return scene.session_uid in _now.moving


def _is_in_line() -> bool:
    with _now.writing():
        return _now.roster.is_in_line() and _now.mechanisms.is_in_line()


def advance_clock(scene, depsgraph, now: float | None = None) -> bool:
    """Nothing plays: advance by the whole steps of wall time that have passed. Returns whether there is more to do."""
    now = perf_counter() if now is None else now
    if is_playing() or _now.suspended or _now.is_rendering:
        _now.clock.stop(scene)
        return scene.session_uid in _now.moving
    if _now.roster.has_lost():
        look()
    if scene.session_uid in _now.moving or (_is_any() and _now.playback.stage.has_changed(_pairs(scene), depsgraph)):
        passed = _now.clock.due(scene, now)
        if passed > 0.0:
            _advance(scene, depsgraph, passed)
    if scene.session_uid not in _now.moving:
        _now.clock.stop(scene)
    return scene.session_uid in _now.moving


def placement(depsgraph) -> Placement:
    """Where things are with the newest poses, before Blender has evaluated them."""
    stage = _now.shown or _now.playback.stage
    return stage.placement(live_pairs(), depsgraph)


def is_suspended() -> bool:
    return _now.suspended


def suspend(suspended: bool) -> None:
    """While a bake steps through the scene, live stands still where it is."""
    _now.suspended = suspended


def begin_render() -> None:
    _now.is_rendering, _now.rendering = True, None


def end_render(scene) -> None:
    """What live shows is seen again."""
    _now.is_rendering, _now.rendering, _now.shown = False, None, None
    _show_all(scene, _now.playback.stage, None)


def leave() -> None:
    """Until the next look all shows what is authored, and nothing is left of live in the file: it is saved, or Limber goes."""
    with _now.writing():
        _now.roster.leave()
        _now.mechanisms.leave()
