"""Limber in Blender's preferences."""

import bpy

from ..solvers.kernel import library

PACKAGE = __package__.rpartition(".")[0]


class LimberPreferences(bpy.types.AddonPreferences):
    """Add-on preferences: whether solvers run in compiled code on this computer."""

    bl_idname = PACKAGE

    def draw(self, context: bpy.types.Context) -> None:
        if library.kernel() is not None:
            self.layout.label(
                text="Solvers run in compiled code on this computer", icon="CHECKMARK", translate=False
            )
            return
        column = self.layout.column(align=True)
        column.label(text="No compiled code for solvers fits this computer", icon="INFO", translate=False)
        column.label(
            text="Results are the same; a frame of Expressive takes some fifteen times as long",
            translate=False,
        )
