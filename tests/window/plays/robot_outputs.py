"""Checks the motion, renders and bakes it while a robot that follows live is armed; then the robot follows
the keyframes.
"""

import sys
import threading
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp
import small_film
from record_link import Recording

from robots import HELD, reached

LAST = 30  # last frame
# number of heartbeats for which a render waits at each frame: at the second one the viewport has been drawn
# in that frame
BEATS = 2
LIMIT = 30.0  # [s] longest time for these heartbeats


def play(stage):
    rig, chain = lamp.build(stage)
    scene = bpy.context.scene
    lamp.robots_path(chain, {1: (0.5, -0.6, 0.4), LAST: (-0.5, -0.6, 0.3)})
    jaw = (
        rig.limber.device.auxiliaries.add()
    )  # movers that are not live would follow the frames that a job evaluates
    jaw.name, jaw.owner, jaw.path, jaw.servo = "jaw", rig, '["jaw"]', 40
    for frame, opening in ((1, 0.0), (LAST, 1.0)):
        rig["jaw"] = opening
        rig.keyframe_insert('["jaw"]', frame=frame)
    small_film.prepare(stage, range(1, LAST + 1))
    scene.frame_set(10)
    with stage.context():
        bpy.ops.limber.live()
        bpy.ops.limber.connect()
    yield from reached(stage, rig, "ARMED", bpy.ops.limber.arm)
    record = Recording(stage, rig)
    yield from stage.until(record.is_there, HELD)

    def modal(operator: str) -> bool:
        return any(one.bl_idname == operator for one in stage.window.modal_operators)

    def rendering() -> bool:
        return bpy.app.is_job_running("RENDER")

    stage.facts["stray"], stage.facts["beats"], stage.facts["stepped"] = {}, {}, {}
    jobs = {
        "check": (bpy.ops.limber.check_motion, {}, lambda: modal("LIMBER_OT_check_motion")),
        "render": (bpy.ops.render.render, {"animation": True}, rendering),
        "bake": (bpy.ops.limber.bake, {}, lambda: modal("LIMBER_OT_bake")),
    }
    for name, (operator, options, runs) in jobs.items():
        yield from reached(stage, rig, "ARMED", bpy.ops.limber.arm)
        yield from stage.until(record.is_there, HELD)
        yield from watched(stage, record, name, operator, options, runs)
        if chain.live:  # it follows again
            before = record.newest
            scene.frame_set(scene.frame_current + 3)
            yield from stage.until(lambda before=before: record.is_there() and record.newest != before, HELD)
    yield from reached(stage, rig, "DISARMED")
    stage.facts["live after the bake"] = chain.live
    yield from reached(stage, rig, "ARMED", bpy.ops.limber.arm)
    scene.frame_set(LAST)
    yield from stage.until(record.is_there, HELD)
    stage.facts.update(record.facts)
    with stage.context():
        bpy.ops.limber.disconnect()


def watched(stage, record, name: str, operator, options: dict, runs):
    """Starts a long job, and records the data sent to the robot until its end."""
    rest, sent = record.newest, len(record.frames)
    shown = set()

    def note(scene, depsgraph) -> None:
        shown.add(scene.frame_current)

    held, enough = [], threading.Event()

    def hold(*_) -> None:
        enough.clear()
        held.append(len(record.frames) + BEATS)
        enough.wait(LIMIT)

    bpy.app.handlers.frame_change_post.append(note)
    bpy.app.handlers.render_post.append(hold)
    with stage.context():
        operator("INVOKE_DEFAULT", **options)
    yield None
    while runs():
        stage.redraw()  # as if the user works: then viewports show the frame that a render is in
        yield None
        if held and len(record.frames) >= held[-1]:
            enough.set()
    bpy.app.handlers.frame_change_post.remove(note)
    bpy.app.handlers.render_post.remove(hold)
    if held:
        after = len(record.frames) + BEATS
        yield from stage.until(lambda: len(record.frames) >= after)
    got = [states for _, _, states, _ in record.frames[sent:] if states]
    stage.facts["stray"][name] = max(
        abs(state[0] - at) for states in got for state, at in zip(states, rest, strict=True)
    )
    stage.facts["beats"][name] = len(got)
    stage.facts["stepped"][name] = len(shown)
