"""Stores a posture, opens Blender's own pose library under the 3D view and clicks the posture there."""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp

TRIES = 100  # number of clicks, one per second


def click(stage, x: int, y: int) -> None:
    stage.move((x, y))
    for value in ("PRESS", "RELEASE"):
        stage.window.event_simulate(type="LEFTMOUSE", value=value, x=x, y=y)


def play(stage):
    rig, _ = lamp.build(stage)
    stored = [tuple(bone.rotation_euler) for bone in rig.pose.bones]
    for bone in rig.pose.bones:
        bone.rotation_euler = (0, 0, 0)
        holder = bone if hasattr(bone, "select") else bone.bone  # Blender poses the selected bones, or all
        holder.select = False
    yield 0.3
    with stage.context():
        bpy.ops.screen.region_toggle(region_type="ASSET_SHELF")
    for _ in range(TRIES):  # a job reads the content of the shelf, which takes time
        yield 0.5
        shelf = stage.region("ASSET_SHELF")
        click(stage, shelf.x + 40, shelf.y + shelf.height - 40)
        yield 0.5
        if any(any(bone.rotation_euler) for bone in rig.pose.bones):
            break
    posed = [tuple(bone.rotation_euler) for bone in rig.pose.bones]
    stage.facts["apart"] = max(
        abs(a - b) for one, other in zip(posed, stored, strict=True) for a, b in zip(one, other, strict=True)
    )
