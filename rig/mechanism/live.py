"""Live mechanisms: which follow their targets now, what moves them and what they show. After the chains, in every frame and tick.

All state of this module is runtime only: after undo, redo and file load it is rebuilt from what the mechanisms say of themselves.
"""

from dataclasses import dataclass, field
from time import perf_counter

import bpy

from .. import live as chains_live
from .. import robot
from ..errors import RigError
from ..identity import find
from ..playback import Playback
from ..roster import exists
from ..runtime import Runtime
from . import twin
from .owners import TYPES
from .stage import MechanismStage, Session, prepare


@dataclass
class _Runtime(Runtime):
    playback: Playback = field(default_factory=lambda: Playback(MechanismStage(chains_live.placement)))
    owners: dict[int, str] = field(default_factory=dict)  # session_uid -> name, of those that are live


_now = _Runtime()


def session(owner) -> Session:
    """What is known of a mechanism: for panels, the robot and tests."""
    return _now.playback.stage.session(owner)


def values(owner) -> tuple[float, ...] | None:
    """The motors' filtered values [rad, m], in the order of the mechanism's motors; None while it is not live."""
    kept = owner.limber.mechanism
    if not kept.live:
        return None
    known = _now.playback.stage.sessions.get(owner.session_uid)
    return known.outputs.values if known is not None and known.outputs is not None else None


def start(owner) -> None:
    """The mechanism goes live. Call within an operator that has UNDO.

    Raises:
        RigError: it cannot be read or assembled; then it is not live.
    """
    with _now.writing():
        twin.discard_others([uid for uid in _now.owners if uid != owner.session_uid])
    bpy.context.view_layer.update()
    _now.playback.stage.sessions[owner.session_uid] = prepare(owner, bpy.context.evaluated_depsgraph_get())
    owner.limber.mechanism.live = True
    look()
    _begin(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def stop(owner) -> None:
    """The bodies are where they are authored again."""
    owner.limber.mechanism.live = False
    _now.playback.stage.sessions.pop(owner.session_uid, None)
    look()


def forget() -> None:
    """Drop all runtime state: the data it speaks of is gone."""
    global _now
    _now = _Runtime()


def look() -> None:
    """Bring twins and constraints in line with the mechanisms that say they are live: after undo, load, and any change."""
    _now.owners = {
        thing.session_uid: thing.name
        for thing in bpy.data.objects
        if thing.type in TYPES and thing.limber.mechanism.live and thing.library is None and thing.users_scene
    }
    with _now.writing():
        twin.discard_others(list(_now.owners))
        for owner in owners():
            known = session(owner)
            if known.reading is None:
                _prepare(owner, known)
            if known.reading is not None:
                twin.equip(owner, known.reading)
                _show(owner, known)


def _prepare(owner, known: Session) -> None:
    """Reads a mechanism that was live when its file was opened."""
    twin.discard_others([uid for uid in _now.owners if uid != owner.session_uid])
    bpy.context.view_layer.update()
    try:
        _now.playback.stage.sessions[owner.session_uid] = known = prepare(owner, bpy.context.evaluated_depsgraph_get())
        twin.equip(owner, known.reading)
    except RigError as error:
        known.problem = str(error)


def owners(scene=None) -> list:
    """The owners of live mechanisms, of one scene where it is given."""
    found = [thing for uid, name in _now.owners.items() if (thing := find(name, uid)) is not None]
    return [thing for thing in found if scene is None or thing.name in scene.objects]


def _pairs(scene) -> list[tuple]:
    return [(owner, owner.limber.mechanism) for owner in owners(scene) if owner.limber.mechanism.live and owner.mode != "EDIT"]


def resume() -> None:
    """Look, and solve at once: the file was just loaded, or the extension enabled."""
    look()
    if _now.owners:
        _begin(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def _begin(scene, depsgraph) -> None:
    _advance(scene, depsgraph, 0.0)
    _now.playback.begin(scene)


def _advance(scene, depsgraph, dt: float) -> None:
    _now.playback.stage.advance(_pairs(scene), depsgraph, dt)
    _present(scene)


def _present(scene) -> None:
    """What the mechanisms have come to is shown and sent."""
    pairs = _pairs(scene)
    _now.note_rest(scene, pairs)
    for owner, _ in pairs:
        _show(owner, session(owner))
        robot.send(owner)


def _show(owner, known: Session) -> None:
    made = twin.find_twin(owner)
    if made is not None and exists(made) and known.outputs is not None and known.reading is not None:
        with _now.writing():
            twin.write(made, known.reading, known.base, known.outputs.poses)


def frame_changed(scene, depsgraph) -> bool:
    """Playing, stepping and rendering advance by scene time; a scrub starts the motion anew. Returns whether the clock has work."""
    if _now.busy or chains_live.is_suspended() or not _now.owners:
        return False
    pairs = _pairs(scene)
    if depsgraph.mode == "RENDER":
        stage = _render_playback(scene).go_to_frame(scene, pairs, depsgraph, lambda: True)
    else:
        _now.clock.stop(scene)
        stage = _now.playback.go_to_frame(scene, pairs, depsgraph, chains_live.is_playing)
    if stage is not _now.playback.stage:
        for owner, _ in pairs:
            _show(owner, stage.session(owner))
        return False
    _present(scene)
    return scene.session_uid in _now.moving


def _render_playback(scene) -> Playback:
    """A still shows what live shows; an animation begins at rest in its first frame."""
    if _now.rendering is None:
        _now.rendering = _now.playback.copy()
        if _now.playback.frame(scene) != scene.frame_current:
            _now.rendering.stage.restart()
    return _now.rendering


def scene_updated(scene, depsgraph) -> bool:
    """Something was evaluated anew. Returns whether the clock has work."""
    if _now.busy or chains_live.is_suspended() or _now.is_rendering:
        return False
    if not _now.owners:
        return False
    if depsgraph.id_type_updated("COLLECTION") or depsgraph.id_type_updated("SCENE") or not _is_in_line():
        look()
    if scene.session_uid not in _now.moving and _now.playback.stage.has_changed(_pairs(scene), depsgraph):
        _now.moving.add(scene.session_uid)
    return scene.session_uid in _now.moving


def _is_in_line() -> bool:
    """Whether owners and constraints are as they were at the last look."""
    for uid, name in _now.owners.items():
        owner = find(name, uid)
        known = _now.playback.stage.sessions.get(uid)
        if owner is None or known is None:
            return False
        if known.reading is not None and not twin.is_equipped(owner, known.reading):
            return False
    return True


def advance_clock(scene, depsgraph, now: float | None = None) -> bool:
    """Nothing plays: advance by the whole steps of wall time that have passed. Returns whether there is more to do."""
    now = perf_counter() if now is None else now
    if chains_live.is_playing() or chains_live.is_suspended() or _now.is_rendering:
        _now.clock.stop(scene)
        return scene.session_uid in _now.moving
    if scene.session_uid in _now.moving or (_now.owners and _now.playback.stage.has_changed(_pairs(scene), depsgraph)):
        passed = _now.clock.due(scene, now)
        if passed > 0.0:
            _advance(scene, depsgraph, passed)
    if scene.session_uid not in _now.moving:
        _now.clock.stop(scene)
    return scene.session_uid in _now.moving


def begin_render() -> None:
    _now.is_rendering, _now.rendering = True, None


def end_render(scene) -> None:
    """What live shows is seen again."""
    _now.is_rendering, _now.rendering = False, None
    for owner in owners(scene):
        _show(owner, session(owner))


def leave() -> None:
    """Until the next look everything is where it is authored, and nothing is left of live in the file: it is saved, or Limber goes."""
    with _now.writing():
        twin.discard_others([])
