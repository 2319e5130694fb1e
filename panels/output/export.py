"""Panel Export: import and export of motion files, and export of the character."""

from ...operators.subject import rig_of
from ...rig.live.movers import live_of
from ..tab import ChainTab, sentence


class LIMBER_PT_export(ChainTab):
    """Import of motion files, and export of motion to files that play without Blender"""

    bl_label = "Export"
    bl_parent_id = "LIMBER_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 1

    def draw(self, context):
        layout = self.layout
        draw_export(layout, rig_of(context))


def draw_export(layout, owner) -> None:
    """Draws the buttons for motion files and character files, and says which movers of an object are live,
    and so exported with their filter.
    """
    labels = ", ".join(mover.label for mover in live_of(owner))
    sentence(
        layout,
        (
            f"Filtered, as live: {labels}"
            if labels
            else "Nothing is live: the motion goes out as posed or animated"
        ),
        "INFO",
    )
    row = layout.row(align=True)
    row.operator("limber.import_motion", icon="IMPORT")
    row.operator("limber.export_motion", icon="EXPORT")
    row = layout.row(align=True)
    row.operator("limber.export_character", icon="OUTLINER_OB_ARMATURE")
    row.operator("limber.check_character", text="", icon="CHECKMARK")
