"""Panel Attention: how a chain follows its target, and which of several targets it follows."""

from ...motion import NO_FILTER
from ...operators.subject import chain_of
from ...rig.chains.chain import filter_in_use
from ...rig.scene.goal import LOOKS
from ..tab import ChainTab, draw_target_bone, listed, sentence


class LIMBER_PT_attention(ChainTab):
    """How closely the chain follows its target, and which of several targets it follows"""

    bl_label = "Attention"
    bl_parent_id = "LIMBER_PT_gaze_settings"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 0

    def draw(self, context):
        layout = self.layout
        chain = chain_of(context)
        layout.use_property_split = True
        column = layout.column()
        column.active = chain.goal in LOOKS
        column.prop(chain, "share", slider=True)
        for side in ("left", "right", "up", "down"):
            column.prop(chain, f"carried_{side}")
        column.prop(chain, "dead_zone")
        layout.prop(chain, "lag")
        layout.separator(factor=0.5)
        add, remove = "limber.add_target", "limber.remove_target"
        target = listed(
            layout, "LIMBER_UL_targets", chain, "targets", "active_target", add=add, remove=remove
        )
        if target is None:
            sentence(layout, "Several things to look at, one after the other: press + for each", "INFO")
        else:
            draw_target_bone(layout, target)
            layout.prop(chain, "watch")
        row = layout.row()  # drawn even without effect, so that the rows below keep their positions
        row.active = bool(chain.targets) or filter_in_use(chain.id_data, chain) == NO_FILTER
        row.prop(chain, "change")
