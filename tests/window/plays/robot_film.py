"""Films a robot of the gallery beside its simulated self: left what Blender shows, right the pose that the
virtual robot reports.

build/window/film/NNN.png
"""

import sys
from math import degrees, radians
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

from film import FOLLOWS, HELD, LEAD_IN, ROUND, STEP, clear_view

POSTURES = {1: "Curious", 81: "Shy", 161: "Attentive"}  # from which frame on which posture is selected
VIEW_FROM = (radians(77), 0.0, radians(72))  # the view's rotation
VIEW_AT, VIEW_DISTANCE = (0.08, 0.23, 0.165), 1.02  # [m]
BESIDE = (0.0, 0.5, 0.0)  # [m] of the simulated self
BALL = 0.6  # size of the target against the gallery's: it must not hide the head


def play(stage):
    stage.maximise()
    yield 1.0
    with stage.context():
        bpy.ops.limber.add_robot(robot="reachy_mini")
        rig = bpy.context.view_layer.objects.active
        bpy.ops.limber.add_robot(robot="reachy_mini")
        twin = bpy.context.view_layer.objects.active
    yield 1.5  # the view goes there smoothly
    clear_view(stage, VIEW_FROM, VIEW_AT, VIEW_DISTANCE)
    twin.location = BESIDE
    twin.limber.chains[0].target.hide_set(True)
    rig.limber.chains[0].target.scale = (BALL, BALL, BALL)

    for one in (rig, twin):
        one.show_in_front = False
        one.data.display_type = "WIRE"
        for part in one.children:
            part.data.shade_smooth()
    chain, self_shown = rig.limber.chains[0], twin.limber.mechanism
    names = [posture.name for posture in chain.postures]
    self_shown.drive = "MOTORS"
    bpy.context.view_layer.objects.active = twin
    with bpy.context.temp_override(limber_mover=self_shown):
        bpy.ops.limber.live()
    bpy.context.view_layer.objects.active = rig
    bpy.ops.limber.live_all()

    robot, safety = stage.part("rig.robot.links"), stage.part("hardware.safety")
    bpy.ops.limber.connect()
    bpy.context.window_manager.limber_view.ghost = False  # its simulated self stands beside
    yield from stage.until(
        lambda: robot.status(rig) is not None and robot.status(rig).state is safety.State.DISARMED, HELD
    )
    bpy.ops.limber.arm()

    def has_followed() -> bool:
        status = robot.status(rig)
        pairs = zip(status.positions, status.commanded or (), strict=False)
        return status.state is safety.State.ARMED and all(abs(degrees(at - to)) < FOLLOWS for at, to in pairs)

    for frame in range(1 - LEAD_IN, ROUND + 1):
        posture = POSTURES.get((frame - 1) % ROUND + 1)
        if posture:
            chain.shown_posture = names.index(posture)
        bpy.context.scene.frame_set(frame)
        if frame >= 1 and (frame - 1) % STEP == 0:
            yield from stage.until(has_followed, HELD)
            for motor, value in zip(self_shown.motors, robot.status(rig).positions, strict=True):
                motor.value = value
            bpy.context.scene.frame_set(frame)
            stage.redraw()
            yield 0.05
            stage.photograph(f"film/{(frame - 1) // STEP:03}")
    robot.stop_all()
    robot.disconnect_all()
    region = stage.region()
    stage.facts["box"] = [
        region.x,
        stage.window.height - region.y - region.height,
        region.width,
        region.height,
    ]
    stage.facts["captions"] = {(first - 1) // STEP: name for first, name in POSTURES.items()}
