from bpy.props import BoolProperty

from ...rig.blender.counting import counted, named
from ...rig.live.uses import Use, with_company
from ...rig.output.bake import Bake
from ..movers import ActsOnMover, needs_use, own
from ..operator import UndoOperator
from ..stepwise import Stepwise
from .bake_reports import tell_held


class LIMBER_OT_bake(ActsOnMover, Stepwise, UndoOperator):
    """Compute the motion of the frame range, as live motion shows it, and insert it as keyframes on new
    actions. Previous actions stay. Esc cancels
    """

    bl_label = "Bake"

    everything: BoolProperty(
        name="Everything",
        description=(
            "Bake, over this range, everything of the object that is live, and also, unless its body is live,"
            " its chains that have a target. Each chain keeps its own Look Ahead. Chains that depend on each"
            " other must be baked together"
        ),
        options={"SKIP_SAVE"},
    )

    nothing = "Nothing was baked"
    cancelled = "Baking is cancelled: nothing was written"

    @classmethod
    def why_not(cls, context) -> str:
        return needs_use(context, Use.BAKE, "Bake works")

    def _begin(self, context):
        mover = own(self.mover(context))
        movers = with_company(Use.BAKE, mover) if self.everything else [mover]
        return Bake(context.scene, movers, *mover.frames)

    def _says(self):
        verb = "Looking ahead" if self.work.is_first_of_two else "Baking"
        return f"{verb}: frame {self.work.frame} of {self.work.end}"

    def _finish(self, context):
        work, muted = self.work, self.work.mute()
        actions = work.finish()
        self.warn([*(f"{label}: {remark}" for label, remark in work.remarks.items()), *muted])
        tell_held(self, work.held, "the goal could not")
        self.report(
            {"INFO"}, f"Baked {counted(work.length, 'frame')} to {named([action.name for action in actions])}"
        )
