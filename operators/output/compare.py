"""Operators of Compare Solvers: compare, sort the table, use a solver, copy the table."""

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty

from ...rig.blender.counting import counted
from ...rig.blender.errors import RigError
from ...rig.live.uses import Use
from ...rig.output import compare
from ...rig.output.stepped import scene_frames
from ...solvers.table import SOLVERS
from ..movers import mover_at_hand, needs_use
from ..operator import Operator, UndoOperator
from ..stepwise import Stepwise
from ..subject import chain_of, needs_chain, rig_of

FRAMES = [
    ("CURRENT", "This Frame", "Solve the current frame, without the solution of the frame before"),
    (
        "RANGE",
        "Frame Range",
        "Solve the scene's frames in order, each from the solution before it, which also shows"
        " discontinuities",
    ),
]
LAST = 1_048_574  # Blender's largest frame number


class LIMBER_OT_compare_solvers(Stepwise):
    """Run every suitable solver on the same frames and compare the results. The scene is not changed. Esc
    cancels
    """

    bl_label = "Compare Solvers"
    bl_options = {"REGISTER"}

    frames: EnumProperty(
        name="Frames",
        description="Frames in which the solvers are compared",
        items=FRAMES,
        options={"SKIP_SAVE"},
    )
    frame_start: IntProperty(
        name="Start",
        description=(
            "First frame of the range. Unset: the first frame of the scene's frame range or preview range"
        ),
        max=LAST,
        options={"SKIP_SAVE"},
    )
    frame_end: IntProperty(
        name="End",
        description=(
            "Last frame of the range. Unset: the last frame of the scene's frame range or preview range"
        ),
        max=LAST,
        options={"SKIP_SAVE"},
    )

    nothing = "Nothing was compared"
    cancelled = "Comparing is cancelled: the scene is as it was"

    @classmethod
    def description(cls, context, properties):
        return (
            f"{next(text for key, _, text in FRAMES if key == properties.frames)}, with every suitable"
            " solver. The scene is not changed"
        )

    @classmethod
    def why_not(cls, context) -> str:
        return needs_use(context, Use.COMPARE, "solvers are compared")

    def _begin(self, context):
        scene, frames = context.scene, None
        if self.frames == "RANGE":
            played, is_set = scene_frames(scene), self.properties.is_property_set
            first = self.frame_start if is_set("frame_start") else played.start
            frames = range(first, self.frame_end + 1 if is_set("frame_end") else played.stop)
        return compare.Comparison(scene, *mover_at_hand(context), frames)

    def _says(self):
        return (
            f"Comparing {counted(len(self.work.contestants), 'solver')}: frame {self.work.frame} of"
            f" {self.work.frames[-1]}"
        )

    def _finish(self, context):
        table = self.work.finish()
        if table.remark:
            self.report({"WARNING"}, table.remark)
        able = sum(not row.why_not for row in table.rows)
        frames = f"frame {table.frames[0]}" if len(table.frames) == 1 else counted(len(table.frames), "frame")
        self.report({"INFO"}, f"Compared {able} of {len(table.rows)} solvers on {frames}")
        if not bpy.app.background:
            bpy.ops.wm.call_panel("INVOKE_DEFAULT", name="LIMBER_PT_comparison", keep_open=True)


def _needs_table(context) -> str:
    if why := needs_chain(context):
        return why
    if compare.table(rig_of(context), chain_of(context)) is None:
        return "The solvers were not compared yet: press This Frame or Frame Range"
    return ""


class LIMBER_OT_sort_comparison(Operator):
    """Sort the table by this column; click again to reverse the order"""

    bl_label = "Sort"
    bl_options = {"INTERNAL"}

    column: StringProperty(
        name="Column", description="Column to sort by, by its identifier in the table", options={"SKIP_SAVE"}
    )

    @classmethod
    def description(cls, context, properties):
        column = compare.COLUMNS.get(properties.column)
        return (
            f"{column.meaning if column else 'The solver'}. Click to sort, click again to reverse the order"
        )

    why_not = _needs_table

    def run(self, context):
        if self.column not in {"name", *compare.COLUMNS}:
            raise RigError(
                f"There is no column '{self.column}': choose one of name, {', '.join(compare.COLUMNS)}"
            )
        compare.table(rig_of(context), chain_of(context)).sort(self.column)


class LIMBER_OT_use_solver(UndoOperator):
    """Use this solver for the chain"""

    bl_label = "Use Solver"

    solver: StringProperty(
        name="Solver",
        description="Solver to use, by its identifier",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, context, properties):
        info = SOLVERS.get(properties.solver)
        return (
            f"Use {info.label} for the chain: {info.description}" if info else "Use this solver for the chain"
        )

    why_not = needs_chain

    def run(self, context):
        if self.solver not in SOLVERS:
            raise RigError(f"There is no solver '{self.solver}': choose one of {', '.join(SOLVERS)}")
        chain = chain_of(context)
        chain.solver = self.solver
        rig_of(context).update_tag()
        self.report({"INFO"}, f"Chain '{chain.name}' is solved by {SOLVERS[self.solver].label}")


class LIMBER_OT_copy_comparison(Operator):
    """Copy the table to the clipboard as comma-separated values, for a spreadsheet"""

    bl_label = "Copy as CSV"

    why_not = _needs_table

    def run(self, context):
        context.window_manager.clipboard = compare.table(rig_of(context), chain_of(context)).csv()
        self.report({"INFO"}, "The table is in the clipboard")
