"""Panel Eyes of a chain: blinks, eyelids, and looks away from the target."""

from ...operators.subject import chain_of
from ..tab import ChainTab, List, listed, props, sentence


class LIMBER_UL_lids(List):
    """Bones of the eyelids"""

    def draw_row(self, context, layout, owner, item, index):
        row = layout.row(align=True)
        row.label(text="", icon="HIDE_OFF")  # a cell without a text field, where a click selects the row
        row.prop_search(item, "bone", item.id_data.data, "bones", text="", icon="BONE_DATA")


class LIMBER_PT_eyes(ChainTab):
    """Blinks, eyelids that follow the gaze, and looks away from the target"""

    bl_label = "Eyes"
    bl_parent_id = "LIMBER_PT_motion"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 1

    def draw_header(self, context):
        self.layout.prop(chain_of(context).eyes, "enabled", text="")

    def draw(self, context):
        layout = self.layout
        eyes = chain_of(context).eyes
        layout.active = eyes.enabled
        layout.use_property_split = True
        props(layout.column(), eyes, "blinks", "aversion", "follow", "seed")
        layout.use_property_split = False
        lid = listed(
            layout,
            "LIMBER_UL_lids",
            eyes,
            "lids",
            "active_lid",
            add="limber.add_lid",
            remove="limber.remove_lid",
        )
        layout.use_property_split = True
        if lid is None:
            sentence(layout, "Bones that are lids: make one active in Pose Mode and press +", "INFO")
        else:
            layout.row().prop(lid, "axis", expand=True)
            layout.prop(lid, "closed")
        layout.operator("limber.add_lid_value", icon="DRIVER")
