"""Renders an animation in the window while a chain is live: handlers run outside the main thread, and the
user continues to work.
"""

import sys
import threading
import traceback
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp
import small_film

FRAMES = range(1, 13)


def play(stage):
    raised = []
    sys.excepthook = lambda *error: raised.append("".join(traceback.format_exception(*error)))
    rig, chain = lamp.build(stage)
    live = stage.part("rig.live.live")
    scene, target = bpy.context.scene, chain.target
    target.keyframe_insert("location", frame=FRAMES[0])
    target.location = (-0.6, 0.7, 0.2)
    target.keyframe_insert("location", frame=FRAMES[-1])
    other = bpy.data.objects.new("Other", None)
    scene.collection.objects.link(other)
    small_film.prepare(stage, FRAMES)
    scene.render.use_motion_blur = True
    scene.frame_set(1)
    with stage.context():
        bpy.ops.limber.live()
    yield 0.2
    session = live.session(rig, chain)

    rendered, threads, before = {}, set(), []

    def note(_scene, depsgraph):
        if depsgraph.mode == "RENDER":
            threads.add(threading.current_thread() is threading.main_thread())
            if _scene.frame_subframe == 0.0:
                rendered[_scene.frame_current] = (
                    live.current().rendering.session(rig, chain).outputs.angles.tolist()
                )

    bpy.app.handlers.frame_change_post.append(note)
    before.append(session.outputs.angles.tolist())
    with stage.context():
        bpy.ops.render.render("INVOKE_DEFAULT", animation=True)
    steps = 0
    while bpy.app.is_job_running("RENDER") or steps < 3:
        steps += 1
        other.location.x += 0.1  # the user works on another object
        if session.outputs.angles.tolist() != before[0] and bpy.app.is_job_running("RENDER"):
            before.append("live moved while something rendered")
        yield 0.02
    yield 0.2
    bpy.app.handlers.frame_change_post.remove(note)
    played = {}
    for frame in (200, *FRAMES):
        scene.frame_set(frame)
        played[frame] = session.outputs.angles.tolist()
    yield from render_to_the_end(stage, session, rig)
    yield from render_to_no_file(stage, session, rig)
    stage.facts["frames"] = len(rendered)
    stage.facts["off the main thread"] = threads == {False}
    stage.facts["apart"] = max(
        abs(a - b) for frame in FRAMES for a, b in zip(rendered[frame], played[frame], strict=True)
    )
    stage.facts["moved"] = max(abs(a - b) for a, b in zip(played[FRAMES[0]], played[FRAMES[-1]], strict=True))
    stage.facts["live while rendering"] = before[1:]
    stage.facts["raised"] = raised
    stage.facts["problem"] = session.problem
    stage.facts["looks"] = steps


def render_to_the_end(stage, session, rig):
    """Renders a still; its render has ended, but not its job, when the user moves the rig."""
    ended, looked = threading.Event(), threading.Event()

    def hold(*_):
        ended.set()
        looked.wait(30.0)

    bpy.app.handlers.render_complete.append(hold)
    with stage.context():
        bpy.ops.render.render("INVOKE_DEFAULT")
    yield from stage.until(ended.is_set)
    before = session.outputs.angles.tolist()
    rig.location.x += 0.3
    yield 0.3
    stage.facts["live before the job's end"] = (
        bpy.app.is_job_running("RENDER"),
        session.outputs.angles.tolist() != before,
    )
    looked.set()
    yield from stage.until(lambda: session.outputs.angles.tolist() != before)
    bpy.app.handlers.render_complete.remove(hold)


def render_to_no_file(stage, session, rig):
    """Renders a film whose file cannot be written, and whose end Blender reports to no handler; then the user
    moves the rig.
    """
    render = bpy.context.scene.render
    if hasattr(render.image_settings, "media_type"):
        render.image_settings.media_type = "VIDEO"
    render.image_settings.file_format = "FFMPEG"
    blocked = Path(bpy.app.tempdir) / "blocked"
    blocked.touch()
    render.filepath = str(blocked / "film.mp4")
    ended = []
    for handlers in (bpy.app.handlers.render_complete, bpy.app.handlers.render_cancel):
        handlers.append(lambda *_: ended.append(True))
    with stage.context():
        bpy.ops.render.render("INVOKE_DEFAULT", animation=True)
    yield from stage.until(lambda: not bpy.app.is_job_running("RENDER"))
    for handlers in (bpy.app.handlers.render_complete, bpy.app.handlers.render_cancel):
        handlers.pop()
    stage.facts["ends told of"] = len(ended)
    before = session.outputs.angles.tolist()
    rig.location.x -= 0.3
    yield from stage.until(lambda: session.outputs.angles.tolist() != before)
