from ...rig.authoring import chains
from ...rig.blender.counting import counted
from ..operator import UndoOperator
from ..subject import chain_of, needs_chain, rig_of


class LIMBER_OT_match_joints(UndoOperator):
    """Update the chain's joints from its bones: add axes that were unlocked and remove axes that
    were locked
    """

    bl_label = "Match Joints"

    why_not = needs_chain

    def run(self, context):
        added, removed = chains.match_joints(rig_of(context), chain_of(context))
        self.report(
            {"INFO"},
            (
                f"Added {counted(added, 'joint')}, removed {removed}"
                if added or removed
                else "Joints and bones agree"
            ),
        )
