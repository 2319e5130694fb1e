"""Draws the overlays over a live lamp, measures their time, and switches them off."""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))

import tabs

DRAWN = 20  # number of measured redraws


def open_check(stage) -> None:
    """Opens Motion Check before its first drawing, since Blender remembers closed panels."""
    check = next(cls for cls in tabs.panels(stage) if cls.__name__ == "LIMBER_PT_motion_check")
    stage.at_end.callback(tabs.show_all, stage)
    bpy.utils.unregister_class(check)
    check.bl_options, check.bl_parent_id = set(), ""  # alone, outside its group
    bpy.utils.register_class(check)


def play(stage):
    open_check(stage)
    with stage.context():
        bpy.ops.limber.add_demo_lamp()
    stage.open_tab()
    rig = bpy.context.view_layer.objects.active
    view = bpy.context.window_manager.limber_view
    budget = stage.part("rig.live.budget")
    budget.drawing.last.clear()  # measurements of earlier plays
    view.arcs = True
    yield 0.2
    stage.facts["drawn_before_live"] = len(budget.drawing.last)
    with stage.context():
        bpy.ops.limber.live()
    yield 0.2
    ball = rig.limber.chains[0].target
    ball.animation_data_clear()
    ball.location.x -= 0.4
    ball.location.z += 0.12
    yield 0.15
    stage.photograph("overlays_late")
    for _ in range(DRAWN):
        stage.redraw()
        yield 0.05
    yield from stage.until(lambda: stage.redraw() or len(budget.drawing.last) == budget.REMEMBERED)
    stage.facts["milliseconds"] = 1e3 * budget.drawing.seconds
    yield 0.2
    stage.photograph("overlays_drawn")

    view.arcs = view.rays = view.late = False
    budget.drawing.last.clear()
    stage.redraw()
    yield 0.2
    stage.facts["drawn_when_off"] = len(budget.drawing.last)
    view.arcs = view.rays = view.late = True
    with stage.context():
        bpy.ops.limber.end_live()
    yield 0.2
    budget.drawing.last.clear()
    stage.redraw()
    yield 0.2
    stage.facts["drawn_after_live"] = len(budget.drawing.last)

    for frame, side in ((1, -0.4), (12, 0.4)):
        ball.location.x = side
        ball.keyframe_insert("location", frame=frame)
    with stage.context():
        bpy.ops.limber.check_motion()
    yield 0.2
    stage.facts["findings"] = len(bpy.context.window_manager.limber_motion_check.findings)
    with stage.context():
        bpy.ops.limber.mark_findings()
    tabs.take_out(stage, "LIMBER_PT_next_step", "LIMBER_PT_motion_check")
    stage.open_tab()
    yield 0.2
    stage.photograph("motion_check")
