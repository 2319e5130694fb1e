import bpy
from bpy.props import BoolProperty

from ...rig.blender.counting import counted
from ...rig.output.chain_bake import Bake
from ...rig.properties.frame_range import bake_range
from ...rig.reading.goal import followed
from ..stepwise import Stepwise
from ..subject import chain_of, poll_frames, rig_of
from .bake_reports import tell_held, tell_muted


class LIMBER_OT_bake(Stepwise, bpy.types.Operator):
    """Bake the filtered motion of the frame range to keyframes on a new action. The previous action is kept. Esc cancels"""

    bl_idname = "limber.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    all_chains: BoolProperty(
        name="All Chains",
        description="Bake all chains of the armature that have a target, over this chain's range, each with its own Look Ahead: chains that"
        " hang on each other belong together",
        options={"SKIP_SAVE"},
    )

    nothing = "Nothing was baked"
    cancelled = "Baking is cancelled: nothing was written"

    @classmethod
    def poll(cls, context):
        return poll_frames(cls, context, "Bake works")

    def _begin(self, context):
        rig, chain = rig_of(context), chain_of(context)
        pairs = [(rig, other) for other in rig.limber.chains if followed(other)] if self.all_chains else [(rig, chain)]
        return Bake(context.scene, pairs, *bake_range(chain, context.scene))

    def _says(self):
        verb = "Looking ahead" if self.work.is_scouting else "Baking"
        return f"{verb}: frame {self.work.frame} of {self.work.end}"

    def _finish(self, context):
        held, drivers = self.work.held, self.work.mute_drivers()
        actions = self.work.finish()
        for name, remark in self.work.remarks.items():
            self.report({"WARNING"}, f"Chain '{name}': {remark}")
        tell_muted(self, drivers)
        tell_held(self, held, "the goal could not")
        self.report({"INFO"}, f"Baked {counted(self.work.length, 'frame')} to {', '.join(repr(action.name) for action in actions)}")
        return {"FINISHED"}
