"""A robot of the gallery: from an empty scene to its gaze, and to the virtual robot that follows. Each click
of the mouse is counted.
"""

import sys
from math import degrees
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

from hand import Hand

HELD = 60.0  # [s] longest waiting time; on an idle machine a second suffices


def play(stage):
    stage.open_tab()
    yield 0.1
    hand = Hand(stage)
    yield from hand.click_on("LIMBER_MT_add_robot")
    yield from hand.click_on("gallery/reachy_mini")
    yield from stage.until(lambda: bpy.context.view_layer.objects.active is not None)
    rig = bpy.context.view_layer.objects.active
    stage.facts["robot"] = rig.name
    yield from hand.click_on("limber.live")
    stage.photograph("gallery_added")
    chain, live = rig.limber.chains[0], stage.part("rig.live.live")
    yield from stage.until(lambda: chain.live and rig.limber.mechanism.live)
    stage.facts["live"] = True
    yield from hand.click_on("screen.animation_play")
    yield from stage.until(live.is_playing)
    first = bpy.context.scene.frame_current
    yield from stage.until(lambda: bpy.context.scene.frame_current > first + 10)
    stage.facts["clicks_to_gaze"] = hand.clicks
    stage.facts["miss"] = degrees(live.session(rig, chain).outputs.filtered_aim_error)
    stage.photograph("gallery_playing")

    hand.clicks = 0
    robot, states = stage.part("rig.robot.links"), stage.part("hardware.safety").State
    yield from hand.click_on("limber.connect")
    yield from stage.until(
        lambda: robot.status(rig) is not None and robot.status(rig).state is states.DISARMED, HELD
    )
    yield from hand.click_on("limber.arm")
    yield from stage.until(lambda: robot.status(rig).state in stage.part("hardware.safety").FOLLOWING, HELD)
    stage.facts["clicks_to_follow"] = hand.clicks
    stage.photograph("gallery_follows")
    bpy.ops.screen.animation_cancel(restore_frame=False)
    robot.stop_all()
    robot.disconnect_all()
