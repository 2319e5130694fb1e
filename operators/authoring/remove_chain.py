import bpy

from ...rig.authoring import chains
from ...rig.live import live
from ..subject import chain_of, poll_chain, rig_of


class LIMBER_OT_remove_chain(bpy.types.Operator):
    """Remove the chain. Its stored postures are kept as pose assets"""

    bl_idname = "limber.remove_chain"
    bl_label = "Remove Chain"
    bl_options = {"REGISTER", "UNDO"}

    poll = classmethod(poll_chain)

    def execute(self, context):
        rig, chain = rig_of(context), chain_of(context)
        name = chain.name
        if chain.live:
            live.stop(rig, chain)
        chains.remove_chain(rig, chain)
        self.report({"INFO"}, f"Chain '{name}' is removed")
        return {"FINISHED"}
