"""Compares the solvers on a range, sorts the table by clicks on its headings, and uses the best one."""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import lamp
from hand import STEP, Hand

MANY, FRAMES = 2_000, 24  # number of frames: too many to end before Esc is pressed; a few


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
    yield 0.2
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
    yield 0.1
    stage.photograph("compared")

    hand = Hand(stage)
    step = int(STEP * bpy.context.preferences.view.ui_scale)
    area = stage.area()  # its middle is in the table, where the mouse must stay: otherwise the table closes
    x, y = area.x + area.width // 2, area.y + area.height // 2
    x, y = yield from hand.find(
        "limber.sort_comparison", [(x, above) for above in range(y, stage.window.height, step)]
    )
    x, y = yield from hand.click_on('column="shape"', [(left, y) for left in range(x, 0, -2 * step)])
    stage.facts["sorted_by"] = compare.table(rig, chain).column
    best = compare.table(rig, chain).sorted_rows()[0].name
    x, y = yield from hand.find(
        "limber.use_solver", [(right, y - 3 * step) for right in range(x, stage.window.width, step)]
    )
    yield from hand.click_on(f'"{best}"', [(x, around) for around in range(y + 3 * step, 0, -step)])
    stage.facts["used"] = chain.solver == best != before
    stage.photograph("compare_used")
    stage.move(stage.point(0.1, 0.1))  # closes the table
    yield 0.1
    with stage.context():
        bpy.ops.ed.undo()
    stage.facts["after_undo"] = bpy.data.objects[rig_name].limber.chains[0].solver
    stage.facts["before_use"] = before
