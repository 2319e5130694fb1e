"""Plays an animation while a robot follows it live, jumps, drags, repeats it, and changes its rate."""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp
from record_link import Recording

from robots import HELD, reached

LAST = 16  # last frame


def play(stage):
    rig, chain = lamp.build(stage)
    scene, target = bpy.context.scene, chain.target
    lamp.robots_path(chain, {1: (0.5, -0.6, 0.4), 8: (-0.5, -0.6, 0.3), LAST: (0.4, -0.7, 0.5)})
    scene.frame_start, scene.frame_end = 1, LAST
    scene.frame_set(1)
    with stage.context():
        bpy.ops.limber.live()
        bpy.ops.limber.connect()
    yield from reached(stage, rig, "ARMED", bpy.ops.limber.arm)
    record = Recording(stage, rig)
    yield from stage.until(record.is_there, HELD)

    def toggle() -> None:
        with stage.context():
            bpy.ops.screen.animation_play()

    toggle()
    yield from record.played(LAST + 4)  # from the last frame to the first
    for frame in (LAST - 3, 3):
        scene.frame_set(frame)
        yield from record.played(3)
    yield from drag(stage, record)
    for rate in (60, 12, 24):
        scene.render.fps = rate
        yield from record.played(4)
    scene.sync_mode = "FRAME_DROP"
    yield from record.played(LAST)
    stage.facts["plays"] = bpy.context.screen.is_animation_playing
    toggle()
    yield from reached(stage, rig, "ARMED", bpy.ops.limber.arm)
    yield from stage.until(record.is_there, HELD)
    target.animation_data_clear()
    target.location = (-0.4, -0.6, 0.4)
    before = record.newest
    yield from stage.until(lambda: record.is_there() and record.newest != before, HELD)
    stage.facts.update(record.facts)
    with stage.context():
        bpy.ops.limber.disconnect()


def drag(stage, record):
    """Drags the playhead back and forth in the timeline while it plays."""
    area, scene = "DOPESHEET_EDITOR", bpy.context.scene
    shown = set()
    ruler = stage.region(area=area)
    y = (
        ruler.y + ruler.height - 3
    )  # in the strip with the frame numbers: in a low editor only its upper half reacts to the mouse

    def place(frame: int) -> tuple[int, int]:
        return ruler.x + ruler.view2d.view_to_region(frame, 0, clip=False)[0], y

    x, _ = place(3)
    stage.move((x, y))
    stage.window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    for frame in (*range(4, 14), *range(14, 3, -1)):
        stage.move(place(frame))
        yield None
        shown.add(scene.frame_current)
        record.is_there()
    stage.window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=x, y=y)
    stage.facts["dragged over"] = sorted(shown)
    yield from record.played(3)
