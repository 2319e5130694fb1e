"""What the end does, and how well."""

from math import degrees

import bpy

from ..operators.subject import rig_of
from ..rig import axes, build, chains, live
from ..rig.errors import capitalised
from ..rig.goal import LOOKS, REACHES, TURNS, asked
from .tab import ChainTab, sentence


class LIMBER_PT_gaze(ChainTab, bpy.types.Panel):
    """Target of the chain's end"""

    bl_label = "Gaze"
    bl_order = 3

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        chain = chains.active(rig)
        layout.use_property_split = True
        draw_goal(layout, chain)
        column = layout.column(align=True)
        column.operator("limber.look_into_camera", icon="OUTLINER_OB_CAMERA")
        column.operator("limber.move_with_mouse", icon="RESTRICT_SELECT_OFF")
        layout.separator(factor=0.5)
        layout.prop(chain, "keep", slider=True)
        layout.prop(chain, "influence", slider=True)
        layout.separator(factor=0.5)
        trouble = build.why_not_solver(rig, chain)
        row = layout.row()
        row.alert = bool(trouble)
        row.prop(chain, "solver")
        if trouble:
            sentence(layout, trouble, "ERROR")
        row = layout.row()
        row.scale_y = 1.4
        if chain.live:
            row.operator("limber.end_live", icon="PAUSE", depress=True)
        else:
            row.operator("limber.live", icon="PLAY")
        if len(rig.limber.chains) > 1:
            live_ones = sum(other.live for other in rig.limber.chains)
            if live_ones < len(rig.limber.chains):
                row.operator("limber.live_all")
            if live_ones:
                row.operator("limber.end_live_all", depress=True)
        if chain.live:
            _draw_outcome(layout, chain, live.session(rig, chain), said=trouble)


def draw_goal(layout, wanted) -> None:
    """The properties that count for what an end must do."""
    layout.prop(wanted, "goal")
    layout.prop(wanted, "target")
    if wanted.goal == "DIRECTION":
        layout.prop(wanted, "target_axis")
    may_be_upright = wanted.goal in LOOKS and wanted.roll == "UPRIGHT"
    if wanted.goal in LOOKS or (wanted.goal in TURNS and wanted.symmetric):
        layout.prop(wanted, "look")
    if may_be_upright:
        layout.prop(wanted, "up")
    if wanted.goal in LOOKS:
        layout.prop(wanted, "roll", expand=True)
    if wanted.goal in TURNS or (wanted.goal in LOOKS and wanted.roll != "FREE"):
        layout.prop(wanted, "symmetric")
    if wanted.goal in REACHES:
        layout.prop(wanted, "eye", text="Reach Point", slider=True)
    elif wanted.goal == "POINT":
        layout.prop(wanted, "eye", slider=True)


def _draw_outcome(layout, chain, session, said: str) -> None:
    if session.problem and session.problem != said:
        sentence(layout, capitalised(session.problem), "ERROR")
    outputs = session.outputs
    if outputs is None:
        return
    solution = outputs.solution
    rows = [
        *_misses(chain, outputs),
        ("Filter lag", _held_back(outputs)),
        ("Shape deviation", f"{degrees(solution.shape_deviation):.1f}°"),
        ("Posture error (ERIK)", f"{solution.posture_error:.4f}"),
        ("Iterations", str(solution.iterations)),
        ("Limits hit", ", ".join(axes.label(*session.reader.places[k]) for k in solution.limits_hit) or "none"),
        ("Time", f"{1e3 * outputs.seconds:.2f} ms"),
    ]
    box = layout.box().column(align=True)
    for name, value in rows:
        row = box.split(factor=0.6)
        row.label(text=name)
        row.label(text=value)
    if not solution.converged and not session.problem:
        sentence(layout, capitalised(solution.reason), "INFO")
    if solution.remark:
        sentence(layout, capitalised(solution.remark), "INFO")


def _held_back(outputs) -> str:
    slides = f", {_length(outputs.slide_lag)}" if outputs.slide_lag else ""
    return f"{degrees(outputs.lag):.1f}°{slides}"


def _misses(chain, outputs) -> list[tuple[str, str]]:
    """How far each end is from what it must do, as solved and after the filter."""
    rows = []
    ends = asked(chain)
    missed = list(zip(ends, outputs.solution.misses, outputs.filtered_misses, strict=False))  # an end added since waits for its first tick
    for end, solved, filtered in missed:
        of = "" if len(ends) == 1 else f" of {end.bone}"
        if end.settings.goal != "POSITION":
            rows.append((f"Aim error{of}", f"{degrees(solved.angle):.3f}°"))
            rows.append(("Aim error after the filter" if not of else "   after the filter", f"{degrees(filtered.angle):.2f}°"))
        if end.settings.goal in REACHES:
            rows.append((f"Distance{of}", _length(solved.distance)))
            rows.append(("Distance after the filter" if not of else "   after the filter", _length(filtered.distance)))
    return rows


def _length(metres: float) -> str:
    return bpy.utils.units.to_string("METRIC", "LENGTH", metres, precision=4)
