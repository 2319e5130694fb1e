from ...rig.authoring import chains
from ..operator import UndoOperator
from ..subject import chain_of, needs_chain, rig_of


class LIMBER_OT_use_new_settings(UndoOperator):
    """Give the chain the settings of new chains: it keeps the rotations of its bones, shares a look among
    them by Look From, chooses the filter automatically and limits how far it looks
    """

    bl_label = "Use New Settings"

    @staticmethod
    def why_not(context) -> str:
        why = needs_chain(context)
        if why or chains.is_of_earlier_version(chain_of(context)):
            return why
        return "The chain has the settings of new chains already, or its bones have fewer axes than three"

    def run(self, context):
        chain = chain_of(context)
        chains.use_new_settings(rig_of(context), chain)
        self.report(
            {"INFO"},
            f"Chain '{chain.name}' keeps the rotations of its bones, and a look is shared among them",
        )
