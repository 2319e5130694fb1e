"""A new user's first minutes: from Blender's own first scene to a lamp that looks at a moving ball, and a
virtual robot that follows.

Every action is a click of the mouse or a key, and all are counted. From the lamp on all clicks have the same
position.
"""

import sys
from math import degrees
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

from hand import STEP, Hand

TABS = 10  # [pixels] from the sidebar's right edge to the middle of its row of tabs
HELD = 60.0  # [s] longest waiting time; on an idle machine a second suffices


def first_scene() -> None:
    """Creates Blender's initial scene: a cube in the middle, a light and a camera."""
    bpy.ops.mesh.primitive_cube_add(size=2)


def open_tab(stage, hand: Hand):
    """Clicks on Limber's tab, which a user recognises by its name: counted as one click, although its
    position is found by trying.
    """
    region = stage.region("UI")
    for below in range(0, region.height, 2 * STEP):
        yield from hand.click((region.x + region.width - TABS, region.y + region.height - 1 - below))
        if region.active_panel_category == "Limber":
            break
    hand.clicks = 2


def play(stage):
    hand = Hand(stage)
    with stage.context():
        first_scene()
    yield from hand.key("N")
    yield from stage.until(lambda: stage.region("UI").width > 1)
    yield from open_tab(stage, hand)
    stage.facts["tab"] = stage.region("UI").active_panel_category
    stage.photograph("first_tab")

    spot = yield from hand.click_on("limber.add_demo_lamp")
    on_it = [spot]  # the mouse stays there, and Next Step's button changes under it
    yield from stage.until(lambda: bpy.context.view_layer.objects.active.type == "ARMATURE")
    rig = bpy.context.view_layer.objects.active
    stage.facts["lamp"] = rig.name
    chain = rig.limber.chains[0]

    yield from hand.click_on("limber.live", on_it)
    stage.photograph("first_lamp")  # the view has moved there smoothly in the meantime
    yield from stage.until(lambda: chain.live)
    stage.facts["live"] = True
    yield from hand.click_on("screen.animation_play", on_it)
    live = stage.part("rig.live.live")
    yield from stage.until(live.is_playing)
    first = bpy.context.scene.frame_current
    yield from stage.until(lambda: bpy.context.scene.frame_current > first + 10)
    stage.facts["clicks_to_look"] = hand.clicks
    stage.facts["miss"] = degrees(live.session(rig, chain).outputs.filtered_aim_error)
    stage.photograph("first_playing")

    hand.clicks = 0
    robot, states = stage.part("rig.robot.links"), stage.part("hardware.safety").State
    following = stage.part("hardware.safety").FOLLOWING
    yield from hand.click_on("limber.connect", on_it)
    yield from stage.until(
        lambda: robot.status(rig) is not None and robot.status(rig).state is states.DISARMED, HELD
    )
    yield from hand.click_on("limber.arm", on_it)
    stage.photograph("first_connected")
    yield from stage.until(lambda: robot.status(rig).state in following, HELD)
    stage.facts["clicks_to_follow"] = hand.clicks
    stage.photograph("first_robot")

    yield from hand.key("ESC", shift=True)
    yield from stage.until(lambda: robot.status(rig).state is states.FAULT, HELD)
    hand.clicks = 0
    yield from hand.click_on("limber.clear_fault", on_it)
    stage.photograph("first_stopped")
    yield from stage.until(lambda: robot.status(rig).state is states.DISARMED, HELD)
    yield from hand.click_on("limber.arm", on_it)
    yield from stage.until(lambda: robot.status(rig).state in following, HELD)
    stage.facts["clicks_back_after_stop"] = hand.clicks
    stage.facts["ghost"] = bpy.context.window_manager.limber_view.ghost
    stage.photograph("first_back")
    bpy.ops.screen.animation_cancel(restore_frame=False)
    robot.stop_all()
    robot.disconnect_all()
