"""A robot of the gallery: from an empty scene to its gaze, and to the virtual robot that follows. Each click of the mouse counts."""

from math import degrees
from time import perf_counter

import bpy

MIDDLE = 0.45  # of the sidebar's width
NEXT, MENU, REACHY = 52, 83, 149  # [pixels] below the sidebar's top: the next step's button, the menu of robots, its third entry
STOP = 64  # [pixels] height of the stop button, which is above it while a robot is connected
HELD = 60.0  # [s] for what takes a second where nothing else is going on


def play(stage):
    stage.open_tab()
    yield 1.0
    clicks = 0

    def click(below_top: int):
        nonlocal clicks
        region = stage.region("UI")
        place = (int(region.x + MIDDLE * region.width), int(region.y + region.height - below_top))
        stage.move(place)
        yield 0.3
        stage.click(place)
        clicks += 1
        yield 0.7
        stage.redraw()
        yield 0.5

    yield from click(MENU)
    began = perf_counter()
    yield from click(REACHY)
    yield from stage.until(lambda: bpy.context.view_layer.objects.active is not None)
    stage.facts["seconds_to_come"] = perf_counter() - began
    rig = bpy.context.view_layer.objects.active
    stage.facts["robot"] = rig.name
    yield 1.5  # the view goes there smoothly
    stage.photograph("gallery_added")
    yield from click(NEXT)
    chain, live = rig.limber.chains[0], stage.part("rig.live.live")
    stage.facts["live"] = chain.live and rig.limber.mechanism.live
    yield from click(NEXT)
    yield from stage.until(live.is_playing)
    first = bpy.context.scene.frame_current
    yield from stage.until(lambda: bpy.context.scene.frame_current > first + 10)
    stage.facts["clicks_to_gaze"] = clicks
    stage.facts["miss"] = degrees(live.session(rig, chain).outputs.filtered_aim_error)
    stage.photograph("gallery_playing")

    clicks = 0
    robot, states = stage.part("rig.robot.links"), stage.part("hardware.safety").State
    yield from click(NEXT)
    yield from stage.until(lambda: robot.status(rig) is not None and robot.status(rig).state is states.DISARMED, HELD)
    yield 1.0
    yield from click(NEXT + STOP)
    yield from stage.until(lambda: robot.status(rig).state in stage.part("hardware.safety").FOLLOWING, HELD)
    stage.facts["clicks_to_follow"] = clicks
    yield 1.0
    stage.photograph("gallery_follows")
    bpy.ops.screen.animation_cancel(restore_frame=False)
    robot.stop_all()
    robot.disconnect_all()
