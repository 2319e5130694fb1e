"""Panel Export: motion files that play without Blender."""

import bpy

from ...operators.subject import rig_of
from ..tab import BakePart, sentence


class LIMBER_PT_export(BakePart, bpy.types.Panel):
    """Export of motion to files that play without Blender"""

    bl_label = "Export"
    bl_order = 1

    def draw(self, context):
        layout = self.layout
        names = [chain.name for chain in rig_of(context).limber.chains if chain.live]
        sentence(
            layout,
            f"Chains that are live go out filtered: {', '.join(names)}" if names else "No chain is live: the motion goes out as posed",
            "INFO",
        )
        layout.operator("limber.export_motion", icon="EXPORT")
