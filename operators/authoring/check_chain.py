from ...rig.chains.check import check
from ..operator import Operator
from ..subject import chain_of, needs_chain, rig_of


class LIMBER_OT_check_chain(Operator):
    """List what is wrong with the chain's setup and how to fix it"""

    bl_label = "Check"

    why_not = needs_chain

    def run(self, context):
        rig, chain = rig_of(context), chain_of(context)
        context.view_layer.update()
        sentences = [finding.sentence for finding in check(context, rig, chain)]
        if not sentences:
            self.report({"INFO"}, f"Chain '{chain.name}' is in order")
            return
        self.warn(sentences)
        self.show(context, f"Chain '{chain.name}'", sentences, "ERROR")
