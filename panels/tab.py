"""What the panels share: the tab, who may see them, and sentences that fit the sidebar."""

from textwrap import wrap

import bpy

from ..operators.subject import rig_of
from ..rig.authoring import chains
from ..rig.blender.selection import selected
from ..rig.properties.frame_range import has_own_range
from ..rig.robot import links, servo_lists

CHARACTER = 6.6  # mean width of a letter of Blender's interface font, in pixels at a scale of 1
FRAME = 72  # width of a panel's margins, of the icon and of the tabs


def sidebar_width() -> float:
    """Width of the sidebar that is drawn [pixels at a scale of 1]."""
    return bpy.context.region.width / bpy.context.preferences.system.ui_scale


def sentence(layout, text: str, icon: str, least: int = 1) -> None:
    """A sentence with its icon, over as many lines as the sidebar's width makes of it, and `least` lines high."""
    width = int((sidebar_width() - FRAME) / CHARACTER)
    column = layout.column(align=True)
    column.scale_y = 0.85
    lines = wrap(text, max(width, 16)) or [""]
    for number, line in enumerate(lines + [""] * (least - len(lines))):
        column.label(text=line, icon=icon if number == 0 else "BLANK1")


def listed(
    layout,
    list_name: str,
    owner,
    items: str,
    active: str,
    *,
    add: str = "",
    remove: str = "",
    rows: int = 2,
    move: str = "",
    menu: str = "",
):
    """A list with + and - beside it; returns what is selected in it, or None.

    Args:
        layout: Where it is drawn.
        list_name: Class of the list.
        owner, items, active: What has the list, and its names of the items and of their index.
        add, remove: Verbs of the two buttons; without one there is no such button.
        rows: Height [lines] where few items are listed.
        menu: Class of a menu of further verbs.
    """
    row = layout.row()
    row.template_list(list_name, "", owner, items, owner, active, rows=rows)
    column = row.column(align=True)
    for verb, icon in ((add, "ADD"), (remove, "REMOVE")):
        if verb:
            column.operator(verb, text="", icon=icon)
    if menu:
        column.menu(menu, text="", icon="DOWNARROW_HLT")
    return selected(getattr(owner, items), getattr(owner, active))


def draw_range(layout, kept, owner: str) -> None:
    """The frames to bake, with a button that goes back to the scene's.

    Args:
        layout: Where they are drawn.
        kept: A chain, a retarget or a mechanism.
        owner: Which of these it is, as Use Scene Range calls it.
    """
    row = layout.row(align=True)
    row.use_property_split = False
    row.prop(kept, "bake_start")
    row.prop(kept, "bake_end")
    if has_own_range(kept):
        row.operator("limber.use_scene_range", text="", icon="LOOP_BACK").owner = owner


class Tab:
    """A panel in the Limber tab of the 3D viewport's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Limber"


class RigTab(Tab):
    """A panel that speaks of the armature at hand, or of what has a mechanism."""

    @classmethod
    def poll(cls, context):
        return rig_of(context) is not None


class ArmatureTab(Tab):
    """A panel that speaks of the armature at hand, and not of what has a mechanism alone."""

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and rig.type == "ARMATURE"


class RobotTab(Tab):
    """A panel that speaks of the armature's robot while it is connected."""

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and links.link(rig) is not None


class ChainTab(Tab):
    """A panel that speaks of the selected chain."""

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and chains.active(rig) is not None


class ServoTab(Tab):
    """A panel that speaks of what has servos: joints of the selected chain, motors of the mechanism."""

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and bool(servo_lists.lists(rig))


class ClosedPart(ChainTab):
    """A part of a panel that speaks of the selected chain, closed until it is wanted; subclasses name the panel."""

    bl_options = {"DEFAULT_CLOSED"}


class GazePart(ClosedPart):
    """A part of the panel Gaze."""

    bl_parent_id = "LIMBER_PT_gaze"


class GazeSettingsPart(ClosedPart):
    """A part of Gaze Settings."""

    bl_parent_id = "LIMBER_PT_gaze_settings"


class LivePart(ClosedPart):
    """A part of the panel Live."""

    bl_parent_id = "LIMBER_PT_live"


class DiagnosticsPart(ClosedPart):
    """A part of Diagnostics, below Live."""

    bl_parent_id = "LIMBER_PT_diagnostics"


class SolverPart(ClosedPart):
    """A part of the panel Solver."""

    bl_parent_id = "LIMBER_PT_solver"


class MotionPart(ClosedPart):
    """A part of the panel Motion."""

    bl_parent_id = "LIMBER_PT_motion"


class BakePart(ClosedPart):
    """A part of Bake and Export."""

    bl_parent_id = "LIMBER_PT_bake"
