"""Solvers side by side."""

import bpy

from ..operators.subject import rig_of
from ..rig import chains, compare
from .tab import ChainTab, sentence

NAME, FIGURE, USE = 110, 46, 28  # widths in pixels at a scale of 1: of a solver's name, of a figure, of the button behind them
MARGINS = 60  # of the panel


def draw_table(layout, table, chain, width: float) -> None:
    """The table, with as many columns as fit into a width [pixels at a scale of 1], the most telling first."""
    fitting = max(1, int((width - MARGINS - NAME - USE) / FIGURE))
    keys = table.columns[:fitting]
    split = layout.split(factor=NAME / max(width - MARGINS, NAME + FIGURE + USE))
    names, rest = split.column(align=True), split.row(align=True)
    _heading(names, table, "name", "Solver")
    figures = {key: rest.column(align=True) for key in keys}
    for key, column in figures.items():
        _heading(column, table, key, compare.COLUMNS[key].heading)
    uses = rest.column(align=True)
    uses.label(text="")
    rows = table.sorted_rows()
    for row in rows:
        line = names.row()
        line.active = not row.why_not
        line.label(text=row.label)
        for key, column in figures.items():
            cell = column.row()
            cell.alignment = "RIGHT"
            cell.active = not row.why_not
            cell.label(text=compare.set_as_text(key, row.figures[key]) if key in row.figures else "-")
        use = uses.row()
        use.enabled = not row.why_not
        is_used = row.name == chain.solver
        use.operator("limber.use_solver", text="", icon="RADIOBUT_ON" if is_used else "RADIOBUT_OFF", emboss=False).solver = row.name
    for row in rows:
        if row.why_not:
            sentence(layout, row.why_not, "INFO")


def _heading(column, table, key: str, text: str) -> None:
    is_sorted = table.column == key
    icon = ("TRIA_UP" if table.is_reversed else "TRIA_DOWN") if is_sorted else "NONE"
    column.operator("limber.sort_comparison", text=text, icon=icon, depress=is_sorted).column = key


class LIMBER_PT_compare(ChainTab, bpy.types.Panel):
    """How well each solver does on this chain"""

    bl_label = "Compare Solvers"
    bl_parent_id = "LIMBER_PT_gaze"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        rig = rig_of(context)
        chain = chains.active(rig)
        row = layout.row(align=True)
        row.operator("limber.compare_solvers", text="This Frame", icon="SORTTIME").frames = "CURRENT"
        row.operator("limber.compare_solvers", text="Frame Range", icon="PREVIEW_RANGE").frames = "RANGE"
        table = compare.table(rig, chain)
        if table is None:
            return
        draw_table(layout, table, chain, context.region.width / context.preferences.system.ui_scale)
        frames = table.frames
        of = f"frame {frames[0]}" if len(frames) == 1 else f"frames {frames[0]} to {frames[-1]}"
        row = layout.row()
        row.label(text=f"Of {of}")
        row.operator("limber.copy_comparison", text="", icon="COPYDOWN")
        if table.remark:
            sentence(layout, table.remark, "ERROR")
