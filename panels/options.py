"""What a user sets of the chain's solver."""

import bpy

from ..operators.subject import chain_of
from ..rig.options import FIELDS, weighed
from ..solvers.expressive.options import Options as ExpressiveOptions
from ..solvers.table import SOLVERS
from .tab import GazePart


class LIMBER_PT_options(GazePart, bpy.types.Panel):
    """Options of the chain's solver"""

    bl_label = "Solver Options"

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        info = SOLVERS.get(chain_of(context).solver)
        return info is not None and info.options in FIELDS

    def draw(self, context):
        layout = self.layout
        chain = chain_of(context)
        kind = SOLVERS[chain.solver].options
        layout.use_property_split = True
        for name in FIELDS[kind]:
            if name == "wishes":
                column = layout.column(heading="Secondary Objective")
                column.prop(chain.options, name)
            else:
                layout.prop(chain.options, name)
        if kind is ExpressiveOptions:
            layout.label(text="Shape weights of bones:")
            column = layout.column(align=True)
            for joint in weighed(chain):
                column.prop(joint, "shape_weight", text=joint.bone)
