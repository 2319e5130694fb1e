"""Compares the solvers on a range, sorts the table by a click on its headings, and uses the one that is best."""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp

MANY, FRAMES = 2_000, 24  # too many to end before Esc is pressed; a few
# [pixels] In the table, which opens with the used solver, the last of all, under the mouse: from the left, and above that solver's row
SHAPE, FIRST_USE = (366, 210), (714, 189)


def is_comparing(stage) -> bool:
    return any(operator.bl_idname == "LIMBER_OT_compare_solvers" for operator in stage.window.modal_operators)


def play(stage):
    rig, chain = lamp.build(stage)
    target, rig_name, before = chain.target, rig.name, "transpose"
    chain.solver = before
    target.keyframe_insert("location", frame=1)
    target.location = (-0.6, -0.5, 0.2)
    target.keyframe_insert("location", frame=FRAMES)
    bpy.context.scene.frame_end = MANY
    bpy.context.scene.frame_set(7)
    stage.open_tab()
    yield 0.5
    compare = stage.part("rig.output.compare")
    with stage.context():
        bpy.ops.ed.undo_push(message="keys")
        bpy.ops.limber.compare_solvers("INVOKE_DEFAULT", frames="RANGE")
    yield from stage.until(lambda: bpy.context.scene.frame_current not in (1, 7), limit=120)
    stage.photograph("comparing")
    stage.press("ESC")
    yield from stage.until(lambda: not is_comparing(stage))
    stage.facts["frame_after_cancel"] = bpy.context.scene.frame_current
    bpy.context.scene.frame_end = FRAMES
    with stage.context():
        bpy.ops.limber.compare_solvers("INVOKE_DEFAULT", frames="RANGE")
    yield from stage.until(lambda: not is_comparing(stage), limit=120)
    stage.facts["frames"] = len(compare.table(rig, chain).frames)
    stage.facts["frame_after"] = bpy.context.scene.frame_current
    yield 0.5
    stage.photograph("compared")

    row = stage.point(0.5, 0.5)[1]
    shape, first_use = ((x, row + above) for x, above in (SHAPE, FIRST_USE))
    stage.click(shape)
    yield 0.5
    stage.facts["sorted_by"] = compare.table(rig, chain).column
    stage.move(first_use)
    yield 0.5
    stage.click(first_use)
    yield 0.5
    stage.facts["used"] = chain.solver == compare.table(rig, chain).sorted_rows()[0].name
    stage.photograph("compare_used")
    stage.move(stage.point(0.1, 0.1))
    yield 0.5
    with stage.context():
        bpy.ops.ed.undo()
    stage.facts["after_undo"] = bpy.data.objects[rig_name].limber.chains[0].solver
    stage.facts["before_use"] = before
