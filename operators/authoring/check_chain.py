import bpy

from ...rig.authoring.check import check
from ..subject import chain_of, poll_chain, rig_of


class LIMBER_OT_check_chain(bpy.types.Operator):
    """List what is wrong with the chain's set-up and how to mend it"""

    bl_idname = "limber.check_chain"
    bl_label = "Check"

    poll = classmethod(poll_chain)

    def execute(self, context):
        rig, chain = rig_of(context), chain_of(context)
        context.view_layer.update()
        findings = check(context, rig, chain)
        for finding in findings:
            self.report({"WARNING"}, finding.sentence)
        if not findings:
            self.report({"INFO"}, f"Chain '{chain.name}' is in order")
            return {"FINISHED"}
        sentences = [finding.sentence for finding in findings]

        def draw(popup, _context):
            for sentence in sentences:
                popup.layout.label(text=sentence)

        if not bpy.app.background:
            context.window_manager.popup_menu(draw, title=f"Chain '{chain.name}'", icon="ERROR")
        return {"FINISHED"}
