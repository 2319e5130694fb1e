"""All handlers and timers of the extension, each with its purpose.

Handlers find their data by name at each call, since undo and loading invalidate references. They ignore
changes that Limber itself makes.
"""

from collections.abc import Callable
from functools import wraps
from time import monotonic, perf_counter

import bpy
from bpy.app.handlers import persistent

from ..blender import defects, overrides
from ..blender.write_access import granted
from ..bodies import receiver
from ..chains import kept_posture
from ..live import budget, live
from ..live.runtime import after_frame
from ..output import compare, record
from ..output.motion_check import view as motion_check
from ..properties import stored_numbers
from ..robot import background_jobs, calibrating, links, page, playhead, puppeteer, remote, sending
from ..robot import view as robot_view
from ..showing.thumbnails import gallery

# [s] time between two calls of the clock while playback or a render advances the motion; also the time to the
# next call of a timer that waits for the end of playback, or of the clock after an error
IDLE = 0.25
FIGURES = 0.15  # [s] time between two redraws of the robots' figures: their measured values and plots
# [s] time between two redraws of the figures if drawing or playback takes too long, since the robot's
# heartbeat and the motion have priority
RARE_FIGURES = 1.0
LATE = 0.12  # [s] time since the last heartbeat above which the next one counts as delayed by drawing

# [s, monotonic clock] times of the last heartbeat and of the next redraw of the figures
_beat_at = _figures_at = 0.0


def lasting(every: float) -> Callable[[Callable[[], float | None]], Callable[[], float | None]]:
    """Decorator for a timer that continues after an error. Blender would end the timer, and with it a robot's
    heartbeat or the reception of another program's stop command. The error is printed to the console
    (`defects.print_once`).

    Args:
        every: Time [s] from an error to the timer's next call.
    """

    def decorate(timer: Callable[[], float | None]) -> Callable[[], float | None]:
        @wraps(timer)
        def run() -> float | None:
            try:
                return timer()
            # an unexpected error is a defect of Limber: it is printed, and the timer continues
            except Exception:
                defects.print_once()
                return every

        return run

    return decorate


@persistent
def _frame_change_post(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """A new frame while playing, scrubbing or rendering: solves and shows live movers and, outside of
    renders, records and sends values to robots.
    """
    begun = perf_counter()
    sending.note_change()
    if live.frame_changed(scene, depsgraph):
        wake_clock()
    if depsgraph.mode != "RENDER":
        for function in list(after_frame):
            granted(function)(scene, depsgraph)
        plays = live.is_playing()
        playhead.note(scene)
        sending.send_scene(scene, depsgraph, playhead.due(scene) if plays else 0.0)
        if plays:
            budget.playing.note(perf_counter() - begun, scene.render.fps_base / scene.render.fps)


@persistent
def _depsgraph_update_post(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Something changed (a target was dragged, a bone posed, an object added): clamps stored numbers that may
    be new, marks thumbnails as outdated, and starts the clock if the change concerns live movers. The clock
    lets them follow, and redraws panels.
    """
    sending.note_change()
    if stored_numbers.may_be_new():
        granted(stored_numbers.bring_within_bounds)()
    gallery.scene_updated(depsgraph)
    if live.scene_updated(scene, depsgraph) or live.owner_updated(depsgraph):
        wake_clock()


@persistent
def _render_init(*_: object) -> None:
    """Before a render: lets its first frame make a separate stage."""
    sending.note_change()
    live.begin_render()


@persistent
def _render_done(scene: bpy.types.Scene, *_: object) -> None:
    """A render ended or was cancelled: shows live poses again. Blender does not call this if the output file
    of a film cannot be written.
    """
    live.end_render(scene)


@persistent
@granted
def _save_pre(*_: object) -> None:
    """Before saving: removes proxies and constraints, so that the file has only the authored pose; protects
    chains of overridden armatures.
    """
    live.clear()
    overrides.prepare_to_save()


@persistent
@granted
def _save_post(*_: object) -> None:
    """After saving or a failed save: attaches the proxies again."""
    live.sync()


@persistent
def _load_pre(*_: object) -> None:
    """Before another file is loaded: disarms robots, ends background jobs, streams, remote control and pages,
    and forgets all references to the old file's data.
    """
    puppeteer.forget()
    calibrating.forget()
    links.disconnect_all()
    playhead.forget()
    background_jobs.end_all()
    receiver.end_all()
    remote.end_all()
    page.end_all()
    live.forget()
    compare.forget()
    motion_check.forget()
    record.forget()
    gallery.forget()
    budget.forget()


@persistent
@granted
def _load_post(*_: object) -> None:
    """After loading, or a failed attempt: removes leftovers of a recovered session, and resumes movers that
    were saved live.
    """
    live.clear()
    live.forget()
    _resume()


def _resume() -> None:
    """Clamps stored numbers to their bounds, converts data of older versions, resumes what was saved live,
    and starts the clock.
    """
    stored_numbers.bring_within_bounds()
    for rig in bpy.data.objects:
        if rig.type == "ARMATURE" and rig.is_editable:
            kept_posture.modernise(rig)
    live.resume()
    wake_clock()


@persistent
def _undo_pre(*_: object) -> None:
    """Before undo or redo: drops references to Blender's data, which become invalid."""
    live.drop_references()


@persistent
@granted
def _undo_post(*_: object) -> None:
    """After undo or redo: synchronises live movers and thumbnails with the chains, bones, proxies and
    postures that exist now; objects that were connected stay marked as robots'.
    """
    sending.note_change()
    links.mark_connected()
    live.sync()
    gallery.invalidate()
    wake_clock()


@lasting(IDLE)
def _clock() -> float | None:
    """Timer: advances live motion by wall time while nothing plays, for a dragged target or a filter that is
    still moving; sends the values to robots, and redraws. Ends when nothing moves.
    """
    # a set, since two windows may show one scene
    shown = {(window.scene, window.view_layer) for window in bpy.context.window_manager.windows}
    begun = perf_counter()
    moving = {
        scene: live.advance_clock(scene, view_layer.depsgraph)
        for scene, view_layer in shown
        if view_layer.depsgraph
    }
    # during playback each frame is sent by the frame handler
    if not live.is_playing():
        budget.clock.begin(begun)
        for scene, view_layer in shown:
            sending.send_scene(scene, view_layer.depsgraph, budget.clock.due if moving.get(scene) else 0.0)
        budget.clock.note(perf_counter() - begun)
    if live.is_playing() or not any(moving.values()):
        budget.clock.stop()
    redraw()
    if not any(moving.values()):
        return None
    return IDLE if live.is_playing() or live.is_rendering() else budget.clock.interval


def wake_clock() -> None:
    """Starts the clock of live motion, if it does not run; never in background mode."""
    if not bpy.app.background and not bpy.app.timers.is_registered(_clock):
        bpy.app.timers.register(_clock, first_interval=0.0)


def _figures_due(time: float) -> bool:
    """Whether to redraw robots' figures at a time [s, monotonic clock]: only if they have changed, and less
    often if drawing delays the heartbeat, or playback needs all the time.
    """
    global _beat_at, _figures_at
    is_late = time - _beat_at > LATE or (budget.playing.is_short and live.is_playing())
    _beat_at = time
    if time < _figures_at or not (links.figures_changed(time) or robot_view.plot_moves(time)):
        return False
    _figures_at = time + (RARE_FIGURES if is_late else FIGURES)
    return True


@lasting(sending.HEARTBEAT)
def _heartbeat() -> float | None:
    """Timer: sends heartbeats to the robots, lets objects follow robots that are moved by hand, and updates
    panels with the state of robots and background jobs. Ends without robots and jobs.
    """
    # scenes whose values the clock sends, so that the heartbeat does not send them
    clocked = (
        [window.scene for window in bpy.context.window_manager.windows]
        if bpy.app.timers.is_registered(_clock)
        else ()
    )
    has_new_state, is_posed = sending.heartbeat(clocked), False
    if puppeteer.is_going():
        is_posed = granted(puppeteer.follow)(bpy.context.scene)
    calibrating.note()
    if background_jobs.look() or is_posed:
        redraw()
    elif has_new_state:
        robot_view.redraw_sidebars()
    if _figures_due(monotonic()):
        robot_view.redraw_figures()
    if puppeteer.is_going():
        return sending.QUICK
    return sending.HEARTBEAT if links.is_any_connected() or background_jobs.are_going() else None


def wake_heartbeat() -> None:
    """Starts the timer of the robots' heartbeats, if it does not run."""
    if not bpy.app.timers.is_registered(_heartbeat):
        bpy.app.timers.register(_heartbeat, first_interval=0.0)


@lasting(remote.EVERY)
def _remote() -> float | None:
    """Timer: executes commands of other programs and of the page, while Limber listens to one of them."""
    has_obeyed = page.look()
    if remote.look() or has_obeyed:
        wake_clock()  # received numbers wait for the clock's ticks
        redraw()
    return remote.EVERY if remote.is_listening() or page.is_served() else None


def wake_remote() -> None:
    """Starts the timer that executes commands of other programs and of the page, if it does not run."""
    if not bpy.app.timers.is_registered(_remote):
        bpy.app.timers.register(_remote, first_interval=0.0)


@granted
def _pictures() -> float | None:
    """Timer: renders requested thumbnails of postures one by one while nothing plays, and redraws when all
    are ready.
    """
    if live.is_playing():
        return IDLE
    if gallery.advance():
        return 0.0
    redraw()
    return None


def wake_pictures() -> None:
    """Starts the timer that renders thumbnails; called by draw functions if a thumbnail is missing or
    outdated.
    """
    if gallery.is_pending() and not bpy.app.timers.is_registered(_pictures):
        bpy.app.timers.register(_pictures, first_interval=0.0)


def _redraw_later() -> None:
    """Timer: redraws once, when the content of panels has changed by the passing of time alone."""
    redraw()


def redraw_in(seconds: float) -> None:
    """Redraws all 3D viewports and their sidebars after a time [s], unless such a redraw already waits;
    called by draw functions.
    """
    if not bpy.app.background and not bpy.app.timers.is_registered(_redraw_later):
        bpy.app.timers.register(_redraw_later, first_interval=seconds)


def redraw() -> None:
    """Redraws all 3D viewports and their sidebars."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


HANDLERS = (
    ("frame_change_post", _frame_change_post),
    ("depsgraph_update_post", _depsgraph_update_post),
    ("render_init", _render_init),
    ("render_complete", _render_done),
    ("render_cancel", _render_done),
    ("save_pre", _save_pre),
    ("save_post", _save_post),
    ("save_post_fail", _save_post),
    ("load_pre", _load_pre),
    ("load_post", _load_post),
    ("load_post_fail", _load_post),
    ("undo_pre", _undo_pre),
    ("redo_pre", _undo_pre),
    ("undo_post", _undo_post),
    ("redo_post", _undo_post),
)


def register() -> None:
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)
    if hasattr(bpy.data, "objects"):
        _after_enable()
    else:  # while Blender starts, its data must not be accessed
        bpy.app.timers.register(_after_enable, first_interval=0.0)


@granted
def _after_enable() -> None:
    """Resumes the open file's live motion when the extension is enabled."""
    _resume()


def unregister() -> None:
    puppeteer.forget()
    calibrating.forget()
    links.disconnect_all()
    background_jobs.end_all()
    receiver.end_all()
    remote.end_all()
    page.end_all()
    live.clear()
    live.forget()
    for timer in (_clock, _heartbeat, _remote, _pictures, _redraw_later, _after_enable):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)
    for name, handler in reversed(HANDLERS):
        handlers = getattr(bpy.app.handlers, name)
        if handler in handlers:
            handlers.remove(handler)
