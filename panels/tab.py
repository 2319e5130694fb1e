"""Shared parts of panels: base classes with their polls, wrapped sentences, lists, and the frame range.

No button moves unless the user acts: a text that changes by itself is a `message`, which has a fixed height,
and a button that cannot be used now is greyed out in its position.
"""

from collections.abc import Iterable
from textwrap import wrap

import bpy
from bpy.types import Panel, UIList

from ..operators.movers import names_mover
from ..operators.subject import rig_of
from ..rig.authoring import chains
from ..rig.blender.selection import selected
from ..rig.bones.axes import is_prismatic
from ..rig.live.movers import chosen_of, movers_of
from ..rig.properties.frame_range import has_own_range
from ..rig.robot import links, servo_lists

CHARACTER = 6.6  # [pixels at an interface scale of 1] mean width of a letter of Blender's interface font
ENDS = ".,:; "  # characters that are removed from the end of a line before an ellipsis is added
FRAME = 72  # [pixels at an interface scale of 1] width of a panel's margins, an icon and the tabs together


def sidebar_width() -> float:
    """Width of the sidebar that is being drawn [pixels at an interface scale of 1]."""
    return bpy.context.region.width / bpy.context.preferences.system.ui_scale


def sentence(layout, text: str, icon: str) -> None:
    """Draws a sentence with an icon, wrapped to the width of the sidebar. A text that changes without an
    action of the user is drawn by `message`.
    """
    column = _lines(layout)
    for line, shown in _with_icons(text, icon):
        column.label(text=line, icon=shown, translate=False)


def message(layout, sentences: Iterable[tuple[str, str]], lines: int) -> None:
    """Draws sentences, each with its icon, in exactly `lines` lines, so that the buttons below keep their
    positions. If they need more lines, the last line is a button that ends in an ellipsis; its tooltip and a
    click on it show the whole text.
    """
    sentences = [each for each in sentences if each[0]]
    column = _lines(layout)
    wrapped = [line for each in sentences for line in _with_icons(*each)]
    for line, icon in wrapped[: lines if len(wrapped) <= lines else lines - 1]:
        column.label(text=line, icon=icon, translate=False)
    if len(wrapped) > lines:
        line, icon = wrapped[lines - 1]
        row = column.row()
        row.alignment = "LEFT"
        whole = row.operator("limber.show_message", text=f"{line.rstrip(ENDS)} ...", icon=icon, emboss=False)
        whole.text = "\n".join(text for text, _ in sentences)
    for _ in range(lines - len(wrapped)):
        column.label(text="")


def _lines(layout):
    """New column of `layout` for lines of text, drawn one close below the other."""
    column = layout.column(align=True)
    column.scale_y = 0.85
    return column


def _with_icons(text: str, icon: str) -> list[tuple[str, str]]:
    """The lines of a sentence, each with its icon: the first line has `icon`, the others none."""
    return [(line, icon if number == 0 else "BLANK1") for number, line in enumerate(_wrapped(text))]


def address(layout, text: str) -> None:
    """Draws an address, wrapped after its slashes."""
    for number, line in enumerate(_wrapped(text.replace("/", "/ "))):
        layout.label(text=line.replace("/ ", "/"), icon="NONE" if number == 0 else "BLANK1", translate=False)


def _wrapped(text: str) -> list[str]:
    """Lines of a text, wrapped to the width of the sidebar."""
    return wrap(text, max(int((sidebar_width() - FRAME) / CHARACTER), 16))


def props(layout, owner, *names: str) -> None:
    """Draws properties of an owner, one below the other."""
    for name in names:
        layout.prop(owner, name)


def draw_target_bone(layout, settings) -> None:
    """Draws the choice of a bone if the target in these settings is an armature."""
    if settings.target is not None and settings.target.type == "ARMATURE":
        layout.prop_search(settings, "target_bone", settings.target.data, "bones")


def draw_limits(layout, joint) -> None:
    """Draws the limits of a joint or motor, as angles or, if it is prismatic, as lengths."""
    unit = "linear_" if is_prismatic(joint.axis) else ""
    for names in (("lower", "upper"), ("velocity", "acceleration", "jerk")):
        props(layout.column(align=True), joint, *(unit + name for name in names))


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
    menu: str = "",
):
    """Draws a list with buttons that add and remove items; returns its selected item, or None.

    Args:
        layout: Layout to draw into.
        list_name: Class of the list.
        owner, items, active: The owner, and its property names of the collection and of the index.
        add, remove: Operators of the two buttons; "": no button.
        rows: Minimum height [lines].
        menu: Class of a menu with further operators; "": no menu.
    """
    row = layout.row()
    row.template_list(list_name, "", owner, items, owner, active, rows=rows)
    column = row.column(align=True)
    for operator, icon in ((add, "ADD"), (remove, "REMOVE")):
        if operator:
            column.operator(operator, text="", icon=icon)
    if menu:
        column.menu(menu, text="", icon="DOWNARROW_HLT")
    return selected(getattr(owner, items), getattr(owner, active))


def draw_range(layout, settings) -> None:
    """Draws the frame range of a mover's bake, with a button that resets it to the scene's range. Buttons
    that are drawn after it act on that mover.
    """
    names_mover(layout, settings)
    row = layout.row(align=True)
    row.use_property_split = False
    props(row, settings, "bake_start", "bake_end")
    if has_own_range(settings):
        row.operator("limber.use_scene_range", text="", icon="LOOP_BACK")


class List(UIList):
    """Base of lists. Subclasses implement `draw_row(context, layout, owner, item, index)`, where `owner` has
    the list property.
    """

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        self.draw_row(context, layout, data, item, index)


class Tab(Panel):
    """Base of all panels: in the Limber tab of the 3D viewport's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Limber"


class RigTab(Tab):
    """Base of panels that need an armature or mechanism to act on (see `rig_of`)."""

    @classmethod
    def poll(cls, context):
        return rig_of(context) is not None


class ArmatureTab(Tab):
    """Base of panels that need an armature to act on (see `rig_of`)."""

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and rig.type == "ARMATURE"


class RobotTab(Tab):
    """Base of panels that need a robot, connected or not: a connection, or a chain or mechanism, whose joints
    can have servos.
    """

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and (
            links.link(rig) is not None or any(mover.has_servos for mover in movers_of(rig))
        )


class ChainTab(Tab):
    """Base of panels that need a selected chain."""

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and chains.active(rig) is not None


class MoverTab(Tab):
    """Base of panels that need a mover: a selected chain, a body or a mechanism."""

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and bool(chosen_of(rig))


class ServoTab(Tab):
    """Base of panels that need a selected chain, or a mechanism with motors: joints that can have servos."""

    @classmethod
    def poll(cls, context):
        rig = rig_of(context)
        return rig is not None and bool(servo_lists.lists(rig))
