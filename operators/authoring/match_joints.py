import bpy

from ...rig.authoring import chains
from ...rig.blender.counting import counted
from ..errors import reports_errors
from ..subject import chain_of, poll_chain, rig_of


class LIMBER_OT_match_joints(bpy.types.Operator):
    """Update the chain's joints from its bones: add axes that were unlocked and remove axes that were locked"""

    bl_idname = "limber.match_joints"
    bl_label = "Match Joints"
    bl_options = {"REGISTER", "UNDO"}

    poll = classmethod(poll_chain)

    @reports_errors
    def execute(self, context):
        added, removed = chains.match_joints(rig_of(context), chain_of(context))
        self.report({"INFO"}, f"Added {counted(added, 'joint')}, removed {removed}" if added or removed else "Joints and bones agree")
        return {"FINISHED"}
