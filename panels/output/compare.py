"""Panel Compare Solvers: results of all solvers in a table."""

import bpy

from ...operators.subject import rig_of
from ...rig.authoring import chains
from ...rig.output import compare
from ..tab import ChainTab, sentence

# [pixels at an interface scale of 1] widths of a column of numbers and of the Use column
FIGURE, USE = 46, 40
# [pixels at an interface scale of 1] width of the column of solvers' names: preferred, and smallest
NAME, LEAST_NAME = 230, 140
LEAST_FIGURES = 1  # smallest number of columns of figures, however narrow the panel is
MARGINS = 60  # [pixels at an interface scale of 1] width of the panel's margins
UNIT = 20  # [pixels] size of Blender's interface unit at an interface scale of 1
FULL = 35  # [interface units] width of the popover: the longest name and all columns of numbers


def draw_table(layout, table, chain, width: float) -> None:
    """Draws the table, with as many columns, most important first, as fit into `width` [pixels at an
    interface scale of 1], a button for each solver that uses it, and why solvers are unsuitable.
    """
    inside = width - MARGINS
    keys = table.columns[: max(LEAST_FIGURES, int((inside - LEAST_NAME - USE) / FIGURE))]
    name = min(NAME, max(LEAST_NAME, inside - len(keys) * FIGURE - USE))
    split = layout.split(factor=name / (name + len(keys) * FIGURE + USE))
    names, rest = split.column(align=True), split.row(align=True)
    _heading(names, table, "name", "Solver")
    figures = {key: rest.column(align=True) for key in keys}
    for key, column in figures.items():
        _heading(column, table, key, compare.COLUMNS[key].heading)
    uses = rest.column(align=True)
    uses.label(text="Use", translate=False)
    rows = table.sorted_rows()
    for row in rows:
        line = names.row()
        line.active = not row.why_not
        line.label(text=row.label, translate=False)
        for key, column in figures.items():
            cell = column.row()
            cell.alignment = "RIGHT"
            cell.active = not row.why_not
            cell.label(
                text=compare.set_as_text(key, row.figures[key]) if key in row.figures else "-",
                translate=False,
            )
        use = uses.row()
        use.enabled = not row.why_not
        is_used = row.name == chain.solver
        icon = "RADIOBUT_ON" if is_used else "RADIOBUT_OFF"
        use.operator("limber.use_solver", text="", icon=icon, depress=is_used).solver = row.name
    for row in rows:
        if row.why_not:
            # the table lists which solvers are suitable
            sentence(layout, row.why_not.partition(": ")[0], "INFO")


def _heading(column, table, key: str, text: str) -> None:
    """Draws the heading of a column as a button that sorts the table by it."""
    is_sorted = table.column == key
    arrow = (" ↑" if table.is_reversed else " ↓") if is_sorted else ""
    column.operator("limber.sort_comparison", text=text + arrow, depress=is_sorted).column = key


def _draw_whole(layout, table, chain, width: float) -> None:
    """Draws the table, as `draw_table`, with its frames, the button that copies it, and its remark."""
    draw_table(layout, table, chain, width)
    frames = table.frames
    row = layout.row()
    row.label(
        text=f"Of frame {frames[0]}" if len(frames) == 1 else f"Of frames {frames[0]} to {frames[-1]}",
        translate=False,
    )
    row.operator("limber.copy_comparison", text="", icon="COPYDOWN")
    if table.remark:
        sentence(layout, table.remark, "ERROR")


class LIMBER_PT_comparison(bpy.types.Panel):
    """All columns of the last comparison of solvers"""

    bl_label = "Compare Solvers"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"  # the panel is only a popover, which no editor shows by itself
    bl_options = {"INSTANCED"}
    bl_ui_units_x = FULL

    def draw(self, context):
        rig = rig_of(context)
        chain = chains.active(rig) if rig else None
        table = compare.table(rig, chain) if chain else None
        if table:
            self.layout.label(text=f"Solvers of chain '{chain.name}'", translate=False)
            _draw_whole(self.layout, table, chain, FULL * UNIT + MARGINS)


class LIMBER_PT_compare(ChainTab):
    """Results of all solvers on this chain"""

    bl_label = "Compare Solvers"
    bl_parent_id = "LIMBER_PT_solver"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 1

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
        _draw_whole(layout, table, chain, context.region.width / context.preferences.system.ui_scale)
        layout.popover("LIMBER_PT_comparison", text="All Figures", icon="SPREADSHEET")
