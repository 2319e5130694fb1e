"""Stored postures."""

import bpy

from ..operators.subject import chain_of
from ..rig import handlers
from .tab import ChainTab, listed

PICTURE = 5.0  # times as high as a button: what tells postures apart, in a narrow sidebar


class LIMBER_PT_postures(ChainTab, bpy.types.Panel):
    """Postures that the chain can keep while it looks"""

    bl_label = "Postures"
    bl_order = 2

    def draw(self, context):
        layout = self.layout
        chain = chain_of(context)
        add, remove = "limber.store_posture", "limber.remove_posture"
        move = "limber.move_posture" if len(chain.postures) > 1 else ""
        listed(layout, "LIMBER_UL_postures", chain, "postures", "active_posture", add=add, remove=remove, rows=3, move=move)
        if chain.postures:
            layout.template_icon_view(chain, "pictured_posture", show_labels=True, scale=PICTURE, scale_popup=PICTURE)
            handlers.wake_pictures()
        layout.prop(chain, "base", text="")
        row = layout.row(align=True)
        row.operator("limber.store_posture", icon="POSE_HLT")
        row.operator("limber.apply_posture", text="Apply", icon="PASTEDOWN")
        row = layout.row(align=True)
        row.operator("limber.add_posture", icon="ASSET_MANAGER")
        row.operator("limber.mirror_posture", text="Mirror", icon="MOD_MIRROR")
