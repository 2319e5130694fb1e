"""Films a robot of the gallery and its simulated copy: on the left the pose in Blender, on the right the pose
that the virtual robot reports.

build/window/film/NNN.png
"""

import sys
from math import radians
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

from film import clear_view, film

POSTURES = {1: "Curious", 81: "Shy", 161: "Attentive"}  # frame -> posture that is selected from then on
VIEW_FROM = (radians(77), 0.0, radians(72))  # rotation of the view
VIEW_AT, VIEW_DISTANCE = (0.08, 0.23, 0.165), 1.02  # [m] centre and distance of the view
BESIDE = (0.0, 0.5, 0.0)  # [m] offset of the simulated copy
BALL = 0.6  # size of the target relative to the gallery's: it must not hide the head


def play(stage):
    stage.maximise()
    yield 1.0
    with stage.context():
        bpy.ops.limber.add_robot(robot="reachy_mini")
        rig = bpy.context.view_layer.objects.active
        bpy.ops.limber.add_robot(robot="reachy_mini")
        twin = bpy.context.view_layer.objects.active
    yield 1.5  # the view moves there smoothly
    clear_view(stage, VIEW_FROM, VIEW_AT, VIEW_DISTANCE)
    twin.location = BESIDE
    twin.limber.chains[0].target.hide_set(True)
    rig.limber.chains[0].target.scale = (BALL, BALL, BALL)

    for armature in (rig, twin):
        armature.show_in_front = False
        armature.data.display_type = "WIRE"
        for part in armature.children:
            part.data.shade_smooth()
    self_shown = twin.limber.mechanism
    self_shown.drive = "MOTORS"
    bpy.context.view_layer.objects.active = twin
    with bpy.context.temp_override(limber_mover=self_shown):
        bpy.ops.limber.live()
    bpy.context.view_layer.objects.active = rig
    bpy.ops.limber.live_all()

    def show_positions(frame, positions):
        for motor, value in zip(self_shown.motors, positions, strict=True):
            motor.value = value
        bpy.context.scene.frame_set(frame)

    yield from film(stage, rig, POSTURES, has_ghost=False, before_picture=show_positions)
