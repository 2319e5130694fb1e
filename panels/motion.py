"""The character of the motion."""

import bpy

from ..operators.subject import chain_of
from ..rig import characters
from .tab import ChainTab


class LIMBER_MT_characters(bpy.types.Menu):
    """Characters, built in and your own"""

    bl_label = "Characters"
    bl_idname = "LIMBER_MT_characters"

    def draw(self, context):
        layout = self.layout
        for name in characters.BUILT_IN:
            layout.operator("limber.use_character", text=name).name = name
        own = characters.own()
        if own:
            layout.separator()
        for name in own:
            layout.operator("limber.use_character", text=name, icon="USER").name = name
        layout.separator()
        layout.operator("limber.load_character", icon="FILEBROWSER")
        layout.operator("limber.save_character", icon="FILE_TICK")


class LIMBER_PT_motion(ChainTab, bpy.types.Panel):
    """What makes the angles into movement"""

    bl_label = "Motion"
    bl_order = 4
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        chain = chain_of(context)
        layout.menu("LIMBER_MT_characters", text=f"Character: {characters.name_of(chain) or 'own'}", icon="PRESET")
        layout.use_property_split = True
        layout.prop(chain, "filter")
        layout.prop(chain, "sigma", slider=True)
        layout.prop(chain, "rho", slider=True)
        column = layout.column(align=True)
        column.prop(chain, "velocity_share", slider=True)
        column.prop(chain, "acceleration_share", slider=True)
        column.prop(chain, "jerk_share", slider=True)
