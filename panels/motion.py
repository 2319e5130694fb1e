"""The character of the motion."""

import bpy

from ..operators.subject import rig_of
from ..rig import chains
from .tab import ChainTab


class LIMBER_PT_motion(ChainTab, bpy.types.Panel):
    """What makes the angles into movement"""

    bl_label = "Motion"
    bl_order = 4
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        chain = chains.active(rig_of(context))
        layout.use_property_split = True
        layout.prop(chain, "filter")
        layout.prop(chain, "sigma", slider=True)
        layout.prop(chain, "rho", slider=True)
