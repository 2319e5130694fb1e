"""Motion without the computer."""

import bpy

from ..operators.subject import rig_of
from .tab import ChainTab, sentence


class LIMBER_PT_export(ChainTab, bpy.types.Panel):
    """Export of motion to files that play without Blender"""

    bl_label = "Export"
    bl_order = 7
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        names = [chain.name for chain in rig_of(context).limber.chains if chain.live]
        sentence(
            layout,
            f"Chains that are live go out filtered: {', '.join(names)}" if names else "No chain is live: the motion goes out as posed",
            "INFO",
        )
        layout.operator("limber.export_motion", icon="EXPORT")
