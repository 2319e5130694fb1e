"""What a user sets of the chain's solver."""

import bpy

from ..operators.subject import rig_of
from ..rig import chains
from ..rig.options import FIELDS, weighed
from ..solvers.expressive.options import Options as ExpressiveOptions
from ..solvers.table import SOLVERS
from .tab import ChainTab


class LIMBER_PT_options(ChainTab, bpy.types.Panel):
    """What the chain's solver lets you set"""

    bl_label = "Solver Options"
    bl_parent_id = "LIMBER_PT_gaze"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        info = SOLVERS.get(chains.active(rig_of(context)).solver)
        return info is not None and info.options in FIELDS

    def draw(self, context):
        layout = self.layout
        chain = chains.active(rig_of(context))
        kind = SOLVERS[chain.solver].options
        layout.use_property_split = True
        for name in FIELDS[kind]:
            if name == "wishes":
                column = layout.column(heading="Beneath")
                column.prop(chain.options, name)
            else:
                layout.prop(chain.options, name)
        if kind is ExpressiveOptions:
            layout.label(text="How much each bone counts:")
            column = layout.column(align=True)
            for joint in weighed(chain):
                column.prop(joint, "shape_weight", text=joint.bone)
