"""How a chain follows its target, and which of several."""

import bpy

from ..operators.subject import rig_of
from ..rig import chains
from ..rig.goal import LOOKS
from .tab import ChainTab, listed, sentence


class LIMBER_PT_attention(ChainTab, bpy.types.Panel):
    """How the chain follows its target: eyes lead, a head follows, a torso hardly turns"""

    bl_label = "Attention"
    bl_parent_id = "LIMBER_PT_gaze"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        chain = chains.active(rig_of(context))
        layout.use_property_split = True
        column = layout.column()
        column.active = chain.goal in LOOKS
        column.prop(chain, "share", slider=True)
        column.prop(chain, "dead_zone")
        layout.prop(chain, "lag")
        layout.separator(factor=0.5)
        add, remove = "limber.add_target", "limber.remove_target"
        if listed(layout, "LIMBER_UL_targets", chain, "targets", "active_target", add=add, remove=remove) is None:
            sentence(layout, "Several things to look at, one after the other: press + for each", "INFO")
            return
        layout.prop(chain, "watch")
        layout.prop(chain, "change")
