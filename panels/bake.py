"""Motion to keys."""

import bpy

from ..operators.subject import rig_of
from ..rig import chains
from ..rig.bake import frames_ahead
from ..rig.goal import followed
from .tab import ChainTab


class LIMBER_PT_bake(ChainTab, bpy.types.Panel):
    """Motion to keys"""

    bl_label = "Bake"
    bl_order = 6
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        chain = chains.active(rig_of(context))
        row = layout.row(align=True)
        row.prop(chain, "frame_start")
        row.prop(chain, "frame_end")
        if frames_ahead(chain):
            layout.prop(chain, "look_ahead")
        layout.operator("limber.bake", icon="KEYFRAME")
        if sum(followed(other) is not None for other in rig_of(context).limber.chains) > 1:
            layout.operator("limber.bake", text="Bake All Chains", icon="KEYFRAME_HLT").all_chains = True
