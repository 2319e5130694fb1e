"""What the end looks at, and how well it does."""

from math import degrees

import bpy

from ..operators.subject import rig_of
from ..rig import chains, live
from .tab import ChainTab, sentence


class LIMBER_PT_gaze(ChainTab, bpy.types.Panel):
    """What the end looks at, and how"""

    bl_label = "Gaze"
    bl_order = 3

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        chain = chains.active(rig)
        layout.use_property_split = True
        layout.prop(chain, "target")
        layout.prop(chain, "base")
        if chain.base == "POSTURE":
            layout.prop(chain, "active_posture")
        row = layout.row(align=True)
        row.prop(chain, "look")
        if chain.roll == "UPRIGHT":
            layout.prop(chain, "up")
        layout.prop(chain, "roll", expand=True)
        layout.prop(chain, "eye", slider=True)
        layout.prop(chain, "solver")
        row = layout.row()
        row.scale_y = 1.4
        if chain.live:
            row.operator("limber.end_live", icon="PAUSE", depress=True)
        else:
            row.operator("limber.live", icon="PLAY")
        _draw_outcome(layout, live.session(rig, chain) if chain.live else None)


def _draw_outcome(layout, session) -> None:
    if session is None:
        return
    if session.problem:
        sentence(layout, session.problem, "ERROR")
    outputs = session.outputs
    if outputs is None:
        return
    solution = outputs.solution
    rows = (
        ("Aim error", f"{degrees(solution.aim_error):.3f}°"),
        ("Aim error after the filter", f"{degrees(outputs.filtered_aim_error):.2f}°"),
        ("The filter holds back", f"{degrees(outputs.lag):.1f}°"),
        ("Shape deviation", f"{degrees(solution.shape_deviation):.1f}°"),
        ("Posture error (ERIK)", f"{solution.posture_error:.4f}"),
        ("Iterations", str(solution.iterations)),
        ("Limits hit", ", ".join(" ".join(session.reader.places[k]) for k in solution.limits_hit) or "none"),
        ("Time", f"{1e3 * outputs.seconds:.2f} ms"),
    )
    box = layout.box().column(align=True)
    for name, value in rows:
        row = box.split(factor=0.6)
        row.label(text=name)
        row.label(text=value)
    if not solution.converged:
        sentence(layout, "The target cannot be looked at within the limits: this is as near as they allow", "INFO")
