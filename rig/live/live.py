"""Live motion: which movers follow their goals, when they are ticked, and how their poses are shown.

Frame changes advance the motion by scene time, a clock by wall time while nothing plays. What a mover shows
goes to a proxy. A render ticks a copy of the stage, which starts from the state of live motion and does not
affect it. No state is saved (`runtime`): after undo, redo and loading it is rebuilt from the movers'
properties.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

import bpy

from ...character.fixed_steps import FixedSteps
from ...character.playback import Time
from ..behaviour import clip_rows
from ..blender import write_access
from ..blender.overrides import why_not_editable
from ..mechanisms import assembled
from ..scene.placement import Placement
from . import budget, rehearsal, runtime, shown_poses
from .mover import Mover
from .movers import mover_of
from .runtime import can_show, current, live_chains, live_movers, session
from .stage import SceneStage

__all__ = ["live_chains", "session"]  # used by panels, operators and tests


@contextmanager
def as_authored() -> Iterator[bpy.types.Depsgraph]:
    """Context manager in which the scene shows its authored pose, so that a mechanism can be read; yields the
    depsgraph. At the end, live poses are shown again (`sync`).
    """
    with current().writing():
        current().registry.show_authored()
    try:
        yield bpy.context.evaluated_depsgraph_get()
    finally:
        sync()


def start(owner: bpy.types.Object, settings: bpy.types.PropertyGroup) -> None:
    """Makes a mover live, at rest, and solves the shown frame for all live movers of the scene.

    Call within an operator that has UNDO, so that undo of an unrelated step does not revert it.

    Raises:
        RigError: the mover cannot be read or assembled; then it is not live.
    """
    switch_on(owner, settings)
    session(owner, settings).record.restart()
    current().stage.defects.pop(mover_of(owner, settings).key, None)
    _begin(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def switch_on(owner: bpy.types.Object, settings: bpy.types.PropertyGroup) -> None:
    """Switches a mover to live without solving, for a job that solves frames on its own stage. A rehearsal of
    a behaviour without live chains ends first, since it would direct this one.

    Raises:
        RigError: the mover cannot be read or assembled; then it is not live.
    """
    mover_of(owner, settings).make_ready(as_authored)
    rehearsal.end_without_chains()
    settings.live = True
    sync()


def stop(owner: bpy.types.Object, settings: bpy.types.PropertyGroup) -> None:
    """Ends live motion of a mover, whose authored pose is shown again, and rehearsals without live chains."""
    settings.live = False
    current().stage.drop(mover_of(owner, settings))
    sync()
    rehearsal.end_without_chains()


def prepare(stage: SceneStage, movers: Sequence[Mover]) -> None:
    """Reads from the scene what movers, live or not, need before their first tick on a stage.

    Raises:
        RigError: a mover cannot be read, or a mechanism cannot be assembled.
    """
    for mover in movers:
        stage.session(*mover).prepare(mover, as_authored)


def forget() -> None:
    """Discards all runtime state of live motion, before Blender frees the data to which it refers."""
    runtime.forget()
    assembled.forget()
    clip_rows.forget()


def drop_references() -> None:
    """Drops references to Blender's data, before it is replaced; nothing is live until the next `sync`."""
    current().registry.members = []


def sync() -> None:
    """Synchronises proxies and sessions with the movers that are switched to live: after undo, loading, and
    any change of movers.
    """
    current().must_sync = False
    with current().writing():
        current().registry.sync()
    _show_synced()


def _sync_rigs() -> None:
    """As `sync`, for files without mechanisms; takes a tenth of the time in a large file."""
    with current().writing():
        current().registry.sync_rigs()
    _show_synced()


def _show_synced() -> None:
    """Shows the last solved poses again; notes as its problem why a mover cannot be shown or read."""
    stage = current().stage
    for member in current().registry:
        if not can_show(member.rig):
            for mover in member.movers:
                stage.session(*mover).record.problem = why_not_editable(member.rig)
        shown_poses.show_member(member, member.movers, stage)
    for mover in current().registry.movers_of_mechanisms():
        if why := current().registry.unread.get(mover.owner.session_uid):
            stage.session(*mover).record.problem = why
        shown_poses.show_mechanism(mover, stage)
    current().registry.counted = len(bpy.data.objects)
    if not current().is_any:
        budget.forget()


def resume() -> None:
    """Synchronises and solves once, after loading a file or enabling the extension."""
    sync()
    if current().is_any:
        _begin(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def _begin(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Solves the shown frame of a scene, from which motion then goes on."""
    _advance(scene, depsgraph, 0.0)
    current().stage.playback.begin(scene.session_uid, scene.frame_current)


def movers_of_scene(scene: bpy.types.Scene) -> list[Mover]:
    """Live movers of a scene that can move (not linked, not in Edit Mode)."""
    return _able(live_movers(scene))


def _advance(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, dt: float) -> None:
    """Ticks all live movers of a scene, and shows their poses."""
    movers = live_movers(scene)
    moving = _able(movers)
    current().shown = None
    _tick(current().stage, scene, moving, depsgraph, dt)
    _present(scene, depsgraph, movers, moving)


def _tick(
    stage: SceneStage, scene: bpy.types.Scene, movers: list[Mover], depsgraph: bpy.types.Depsgraph, dt: float
) -> None:
    """Advances signals (on live motion's stage) and behaviour by `dt` [s], then ticks movers on a stage."""
    if stage is current().stage and runtime.advance_signals(scene, dt):
        shown_poses.evaluate(depsgraph)
    if scene.limber_behaviour.rehearse or stage.performers:
        rehearsal.perform(stage, scene, dt)
    stage.advance(movers, depsgraph, dt)


def _able(movers: list[Mover]) -> list[Mover]:
    """The movers in `movers` that can move (not linked, not in Edit Mode)."""
    return [mover for mover in movers if mover.can_move]


def _goes_on(scene: bpy.types.Scene) -> bool:
    """Whether live motion must continue although neither settings nor targets change."""
    is_rehearsed = scene.limber_behaviour.rehearse and rehearsal.is_on(scene)
    return is_rehearsed or runtime.are_signals_active(scene)


def is_ticking(owner: bpy.types.Object) -> bool:
    """Whether live motion continues in a scene of an object, so that commands to it wait for the next
    tick.
    """
    return current().is_any and any(
        movers_of_scene(scene) and (_goes_on(scene) or is_playing()) for scene in owner.users_scene
    )


def _present(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, movers: list[Mover], moving: list[Mover]
) -> None:
    """Shows the poses of a scene's live movers; records whether the ticked ones, `moving`, move on."""
    current().note_rest(scene, moving)
    shown_poses.show_all(scene, current().stage, depsgraph, movers)


def frame_changed(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
    """Handles a new frame: playing, stepping and rendering advance by scene time; a scrub restarts the
    motion. Returns whether the clock must run.

    Rendering in a window calls this off the main thread, so for a render it only reads the given scene and
    depsgraph, and writes to proxies.
    """
    if current().busy or current().suspended:
        return False
    if depsgraph.mode != "RENDER":
        _sync_changed(scene)
    if not current().is_any:
        return False
    movers = live_movers(scene)
    moving = _able(movers)
    if depsgraph.mode == "RENDER":
        current().shown = _go_to(_render_stage(scene), scene, moving, depsgraph, True)
        shown_poses.show_all(scene, current().shown, depsgraph, movers)
        return False
    current().steps.pop(scene.session_uid, None)
    live_stage = current().stage
    stage = current().shown = _go_to(live_stage, scene, moving, depsgraph, is_playing())
    if stage is not live_stage:  # a stage for a time between two frames is discarded after the tick
        shown_poses.show_all(scene, stage, depsgraph, movers)
        return False
    _present(scene, depsgraph, movers, moving)
    return scene.session_uid in current().moving or _goes_on(scene)


def _go_to(
    stage: SceneStage,
    scene: bpy.types.Scene,
    movers: list[Mover],
    depsgraph: bpy.types.Depsgraph,
    is_played: bool,
) -> SceneStage:
    """Ticks movers to the scene's current frame. Returns the stage with their poses there: `stage` itself, or
    a copy of it for a time between two frames. `is_played`: whether the scene plays, so that it may drop
    frames.
    """
    uid, seconds_a_frame = scene.session_uid, scene.render.fps_base / scene.render.fps
    time = Time(scene.frame_current, scene.frame_subframe, scene.frame_step, seconds_a_frame)
    step = stage.playback.go_to(uid, time, stage.snapshot(), is_played)
    ticked = stage if step.is_kept else stage.copy(step.origin)
    if step.restarts:
        ticked.restart(movers, uid)
    _tick(ticked, scene, movers, depsgraph, step.dt)
    return ticked


def _render_stage(scene: bpy.types.Scene) -> SceneStage:
    """The stage of the running render, made at its first frame: a copy of the live stage if live motion is at
    that frame, as for a still image; else a new stage, on which motion begins at rest.
    """
    if current().rendering is None:
        is_same = current().stage.playback.frame(scene.session_uid) == scene.frame_current
        current().rendering = current().stage.copy() if is_same else SceneStage(isolates_defects=True)
    return current().rendering


def is_playing() -> bool:
    """Whether a window plays its scene."""
    return any(
        window.screen.is_animation_playing
        for manager in bpy.data.window_managers
        for window in manager.windows
    )


def is_rendering() -> bool:
    """Whether Blender renders in the background while the user works. Viewports and animated values may then
    be those of a rendered frame.

    Blender's handlers cannot tell this: they are called before a render ends, on another thread, and not at
    all if the output file of a film cannot be written.
    """
    return bpy.app.is_job_running("RENDER")


def look_at_render() -> bool:
    """For timers: whether a render is running. After one has ended, this evaluates the scenes at their
    current frames.
    """
    was, current().has_rendered = current().has_rendered, is_rendering()
    if was and not current().has_rendered:
        for window in bpy.context.window_manager.windows:
            window.view_layer.update()
    return current().has_rendered


def scene_updated(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
    """Handles a depsgraph update; returns whether the clock must run, since inputs or movers changed."""
    if current().busy or current().suspended:
        return False
    _mark_dirty(depsgraph)
    if is_rendering():
        current().must_sync = True  # the clock synchronises after the render
        return current().is_any
    # adding or removing an object updates its scene or collection; a copy of a scene comes without an update
    has_new = depsgraph.id_type_updated("SCENE") or depsgraph.id_type_updated("COLLECTION")
    registry = current().registry
    if has_new or current().must_sync or registry.is_new(scene) or not registry.is_in_line():
        if write_access.is_refused():  # Blender is drawing: the clock synchronises later
            current().must_sync = True
            return True
        (_sync_rigs if registry.has_no_mechanism else sync)()
    if scene.session_uid not in current().moving and _has_changed(scene, depsgraph):
        current().moving.add(scene.session_uid)
    return scene.session_uid in current().moving


def _mark_dirty(depsgraph: bpy.types.Depsgraph) -> None:
    """Marks what must be read again: changed armatures; postures after a changed action; clips after both."""
    stage = current().stage
    if depsgraph.id_type_updated("ARMATURE"):
        clip_rows.forget()
        for update in depsgraph.updates:
            if isinstance(update.id, bpy.types.Armature):
                stage.mark_dirty(update.id.name)
    if depsgraph.id_type_updated("ACTION"):
        stage.mark_postures_dirty()
        clip_rows.forget()


def owner_updated(depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether an owner of a live mover has changed, for example its constraints, which panels report on."""
    if not current().is_any or not depsgraph.id_type_updated("OBJECT"):
        return False
    owners = {mover.owner.session_uid for mover in live_movers()}
    return any(update.id.original.session_uid in owners for update in depsgraph.updates)


def _has_changed(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether inputs of a live mover have changed."""
    return current().is_any and current().stage.has_changed(movers_of_scene(scene), depsgraph)


def _sync_changed(scene: bpy.types.Scene) -> None:
    """Synchronises if the scene is new, a live owner or its proxy was deleted, or an earlier `sync` waits."""
    registry = current().registry
    if current().must_sync or registry.is_new(scene) or registry.has_lost():
        write_access.granted(sync)()


def advance_clock(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, time: float | None = None) -> bool:
    """Advances live motion by whole steps of wall time, unless a scene plays or renders, or live motion is
    suspended; returns whether the clock must continue. `time`: wall time [s, time.perf_counter]; None: now.
    """
    time = perf_counter() if time is None else time
    if look_at_render() or is_playing() or current().suspended:
        current().steps.pop(scene.session_uid, None)
        return scene.session_uid in current().moving or current().has_rendered or current().must_sync
    _sync_changed(scene)
    if scene.session_uid in current().moving or _goes_on(scene) or _has_changed(scene, depsgraph):
        passed = current().steps.setdefault(scene.session_uid, FixedSteps()).due(time)
        if passed > 0.0:
            _advance(scene, depsgraph, passed)
    goes_on = scene.session_uid in current().moving or _goes_on(scene)
    if not goes_on:
        current().steps.pop(scene.session_uid, None)
    return goes_on


def placement(depsgraph: bpy.types.Depsgraph) -> Placement:
    """Predicted transforms of the scene with the movers' newest poses, which Blender has not evaluated
    yet.
    """
    stage = current().shown or current().stage
    return stage.placement(live_movers(), depsgraph)


def is_suspended() -> bool:
    """Whether live motion is switched off because a bake steps through the scene."""
    return current().suspended


def suspend(suspended: bool) -> None:
    """Switches live motion off (`suspended`) before a bake, an export or another job steps through the scene,
    or on again after it.
    """
    current().suspended = suspended


def begin_render() -> None:
    """Begins a render: its first frame makes a new stage."""
    current().rendering = None


def end_render(scene: bpy.types.Scene) -> None:
    """Ends a render: live poses are shown again in the viewport."""
    current().rendering = current().shown = None
    shown_poses.show_live(scene)


def clear() -> None:
    """Removes proxies and constraints until the next `sync`, before saving or disabling Limber."""
    with current().writing():
        current().registry.clear()
