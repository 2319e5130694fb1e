"""Operators of a solver's settings."""

import bpy

from ...solvers.settings import settings_of
from ...solvers.table import SOLVERS
from ..subject import chain_of, poll_chain


class LIMBER_OT_reset_solver_settings(bpy.types.Operator):
    """Set all settings of the chain's solver to their defaults, those of other solvers stay. Keyed and driven ones follow their curves"""

    bl_idname = "limber.reset_solver_settings"
    bl_label = "Reset Solver Settings"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not poll_chain(cls, context):
            return False
        if chain_of(context).solver not in SOLVERS:
            cls.poll_message_set("The chain has a solver that this version does not know: choose its Solver again")
            return False
        return True

    def execute(self, context):
        chain = chain_of(context)
        info = SOLVERS[chain.solver]
        for name in settings_of(info.options):
            getattr(chain.options, info.name).property_unset(name)
        self.report({"INFO"}, f"The settings of {info.label} in chain '{chain.name}' are the defaults")
        return {"FINISHED"}
