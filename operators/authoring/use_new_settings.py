from ...rig.authoring import chain_settings, look_sharing
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
        if why or chain_settings.is_of_earlier_version(chain_of(context)):
            return why
        return "The chain has the settings of new chains already, or its bones have fewer axes than three"

    def run(self, context):
        chain = chain_of(context)
        chain_settings.use_new_settings(rig_of(context), chain)
        sentences = (
            f"Chain '{chain.name}' keeps the rotations of its bones, and a look is shared among them",
            look_sharing.sentence(chain),
        )
        self.report({"INFO"}, "; ".join(filter(None, sentences)))
