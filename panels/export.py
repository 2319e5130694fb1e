"""Motion without the computer."""

import bpy

from ..operators.subject import rig_of
from ..rig import chains
from .tab import Tab, sentence


class LIMBER_PT_export(Tab, bpy.types.Panel):
    """Motion that plays without the computer"""

    bl_label = "Export"
    bl_order = 7
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and chains.active(rig) is not None

    def draw(self, context):
        layout = self.layout
        names = [chain.name for chain in rig_of(context).limber.chains if chain.live]
        sentence(
            layout,
            f"Chains that are live go out filtered: {', '.join(names)}" if names else "No chain is live: the motion goes out as posed",
            "INFO",
        )
        layout.operator("limber.export_motion", icon="EXPORT")
