"""Goes live while nothing plays, drags the target, plays the animation, ends live motion."""

import math
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp


def shown(rig) -> list[float]:
    """Entries of the shown head's matrix."""
    evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [value for row in evaluated.pose.bones["head"].matrix for value in row]


def miss(rig, target) -> float:
    """Aim error [degrees] of the shown head."""
    evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    head = evaluated.pose.bones["head"]
    eye, look = rig.matrix_world @ head.tail, rig.matrix_world.to_3x3() @ head.vector
    return math.degrees(look.angle(target.matrix_world.translation - eye))


def play(stage):
    rig, chain = lamp.build(stage)
    target = chain.target
    stage.open_tab()
    yield 0.3
    authored, before = [tuple(bone.rotation_euler) for bone in rig.pose.bones], shown(rig)
    with stage.context():
        bpy.ops.limber.live()
    yield from stage.until(lambda: miss(rig, target) < 0.1)
    for step in range(1, 11):  # as a mouse drags it
        target.location = (0.5 - 0.1 * step, -0.6, 0.4 + 0.02 * step)
        yield 0.05
    yield from stage.until(lambda: miss(rig, target) < 0.1)
    stage.facts["miss_after_drag"] = miss(rig, target)
    stage.photograph("live_dragged")
    stage.facts["authored_while_live"] = [tuple(bone.rotation_euler) for bone in rig.pose.bones] == authored

    target.keyframe_insert("location", frame=1)
    target.location = (0.5, -0.6, 0.4)
    target.keyframe_insert("location", frame=40)
    bpy.context.scene.frame_set(1)
    first = shown(rig)
    with stage.context():
        bpy.ops.screen.animation_play()
    yield from stage.until(lambda: bpy.context.scene.frame_current > 20)
    stage.facts["moved_while_playing"] = max(abs(a - b) for a, b in zip(shown(rig), first, strict=True))
    stage.photograph("live_playing")
    with stage.context():
        bpy.ops.screen.animation_cancel(restore_frame=False)
    target.animation_data_clear()
    yield from stage.until(lambda: miss(rig, target) < 0.1)

    with stage.context():
        bpy.ops.limber.end_live()
    yield 0.3
    stage.facts["trace_after_live"] = max(abs(a - b) for a, b in zip(shown(rig), before, strict=True))
