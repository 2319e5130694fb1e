"""What the panels share: the tab, who may see them, and sentences that fit the sidebar."""

from textwrap import wrap

import bpy

from ..operators.subject import rig_of
from ..rig import chains

CHARACTER = 6.6  # mean width of a letter of Blender's interface font, in pixels at a scale of 1
FRAME = 72  # width of a panel's margins, of the icon and of the tabs


def sentence(layout, text: str, icon: str) -> None:
    """A sentence with its icon, over as many lines as the sidebar's width makes of it."""
    context = bpy.context
    width = int((context.region.width / context.preferences.system.ui_scale - FRAME) / CHARACTER)
    column = layout.column(align=True)
    column.scale_y = 0.85
    for number, line in enumerate(wrap(text, max(width, 16)) or [""]):
        column.label(text=line, icon=icon if number == 0 else "BLANK1")


class Tab:
    """A panel in the Limber tab of the 3D viewport's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Limber"


class ChainTab(Tab):
    """A panel that speaks of the selected chain."""

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and chains.active(rig) is not None
