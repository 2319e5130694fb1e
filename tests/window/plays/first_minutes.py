"""A new user's first minutes: from Blender's own first scene to a lamp that looks at a moving ball, and a virtual robot that follows.

Everything is done by clicks of the mouse and keys, each of which counts.
"""

from math import degrees

import bpy

TAB = 169  # [pixels] below the sidebar's top, beneath the tabs Item, Tool and View
MIDDLE = 0.45  # of the sidebar's width: on the panel's wide button
NEXT = 52  # [pixels] below the sidebar's top: the next step's button, whatever it says
STOP = 64  # [pixels] height of the stop button, which is above it while a robot is connected
TABS = 20  # [pixels] width of the row of tabs
HELD = 60.0  # [s] for what takes a second where nothing else is going on


class User:
    """Clicks and counts."""

    def __init__(self, stage) -> None:
        self.stage, self.clicks = stage, 0

    def at(self, x: float, below_top: int):
        """Moves the mouse to a place of the sidebar and clicks there: a step each, as a hand takes time."""
        region = self.stage.region("UI")
        yield from self._click((int(region.x + x), int(region.y + region.height - below_top)))

    def next_step(self, below: int = 0):
        """Clicks on the next step's button, so much [pixels] below its usual place."""
        yield from self.at(MIDDLE * self.stage.region("UI").width, NEXT + below)

    def _click(self, place):
        self.stage.move(place)
        yield 0.3
        self.stage.click(place)
        self.clicks += 1
        yield 0.7
        self.stage.redraw()
        yield 0.5

    def key(self, key: str, **modifiers: bool):
        self.stage.move(self.stage.point(0.4, 0.5))
        yield 0.3
        self.stage.press(key, self.stage.point(0.4, 0.5), **modifiers)
        self.clicks += 1
        yield 1.0


def first_scene() -> None:
    """What Blender starts with: a cube in the middle, a light and a camera."""
    bpy.ops.mesh.primitive_cube_add(size=2)


def play(stage):
    user = User(stage)
    with stage.context():
        first_scene()
    yield 1.0
    yield from user.key("N")
    region = stage.region("UI")
    yield from user.at(region.width - TABS / 2, TAB)
    stage.facts["tab"] = region.active_panel_category
    stage.photograph("first_tab")

    yield from user.next_step()
    yield 1.5  # the view goes there smoothly
    stage.photograph("first_lamp")
    rig = bpy.context.view_layer.objects.active
    stage.facts["lamp"] = rig.name
    chain = rig.limber.chains[0]

    yield from user.next_step()
    stage.photograph("first_live")
    stage.facts["live"] = chain.live
    yield from user.next_step()
    live = stage.part("rig.live.live")
    yield from stage.until(live.is_playing)
    first = bpy.context.scene.frame_current
    yield from stage.until(lambda: bpy.context.scene.frame_current > first + 10)
    stage.facts["clicks_to_look"] = user.clicks
    stage.facts["miss"] = degrees(live.session(rig, chain).outputs.filtered_aim_error)
    stage.photograph("first_playing")

    user.clicks = 0
    yield from user.next_step()
    robot, states = stage.part("rig.robot.links"), stage.part("hardware.safety").State
    following = stage.part("hardware.safety").FOLLOWING
    yield from stage.until(lambda: robot.status(rig) is not None and robot.status(rig).state is states.DISARMED, HELD)
    yield 1.0
    stage.photograph("first_connected")
    yield from user.next_step(STOP)
    yield from stage.until(lambda: robot.status(rig).state in following, HELD)
    yield 1.0
    stage.photograph("first_robot")
    stage.facts["clicks_to_follow"] = user.clicks

    yield from user.key("ESC", shift=True)
    yield from stage.until(lambda: robot.status(rig).state is states.FAULT, HELD)
    yield 1.0
    stage.photograph("first_stopped")
    user.clicks = 0
    yield from user.next_step(STOP)
    yield from stage.until(lambda: robot.status(rig).state is states.DISARMED, HELD)
    yield 1.0
    yield from user.next_step(STOP)
    yield from stage.until(lambda: robot.status(rig).state in following, HELD)
    stage.facts["clicks_back_after_stop"] = user.clicks
    stage.facts["ghost"] = bpy.context.window_manager.limber_view.ghost
    yield 1.0
    stage.photograph("first_back")
    bpy.ops.screen.animation_cancel(restore_frame=False)
    robot.stop_all()
    robot.disconnect_all()
