"""Panels Solver and Solver Options of a chain."""

import bpy

from ...operators.subject import chain_of, rig_of
from ...rig.reading import chain as build
from ...rig.reading.options import FIELDS, weighed
from ...solvers.expressive.options import Options as ExpressiveOptions
from ...solvers.table import SOLVERS
from ..tab import ChainTab, SolverPart, sentence


class LIMBER_PT_solver(ChainTab, bpy.types.Panel):
    """Method that solves for the joint angles"""

    bl_label = "Solver"
    bl_order = 7
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        chain = chain_of(context)
        trouble = build.why_not_solver(rig_of(context), chain)
        row = layout.row()
        row.use_property_split = True
        row.alert = bool(trouble)
        row.prop(chain, "solver")
        if trouble:
            sentence(layout, trouble, "ERROR")


class LIMBER_PT_options(SolverPart, bpy.types.Panel):
    """Options of the chain's solver"""

    bl_label = "Solver Options"
    bl_order = 0

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
            if name == "secondary_objectives":
                column = layout.column(heading="Secondary Objective")
                column.prop(chain.options, name)
            else:
                layout.prop(chain.options, name)
        if kind is ExpressiveOptions:
            layout.label(text="Shape weights of bones:")
            column = layout.column(align=True)
            for joint in weighed(chain):
                column.prop(joint, "shape_weight", text=joint.bone)
