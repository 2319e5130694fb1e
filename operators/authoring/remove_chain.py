from ...rig.authoring import chains
from ...rig.live import live
from ..operator import UndoOperator
from ..subject import chain_of, needs_chain, rig_of


class LIMBER_OT_remove_chain(UndoOperator):
    """Remove the chain. Its stored postures stay as pose assets"""

    bl_label = "Remove Chain"

    why_not = needs_chain

    def run(self, context):
        rig, chain = rig_of(context), chain_of(context)
        name = chain.name
        if chain.live:
            live.stop(rig, chain)
        chains.remove_chain(rig, chain)
        self.report({"INFO"}, f"Chain '{name}' is removed")
