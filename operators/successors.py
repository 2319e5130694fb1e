"""Operators of earlier versions that scripts may still call: each reports which operator to use instead."""

from bpy.props import StringProperty

from ..rig.blender.errors import RigError
from .operator import Operator


class Successor:
    """Base of removed operators. `successor` says what replaces the operator, as the end of a sentence."""

    bl_options = {"INTERNAL"}
    successor: str

    name: StringProperty(
        name="Name",
        description="Option of the removed operator; it has no effect",
        options={"HIDDEN", "SKIP_SAVE"},
    )
    filepath: StringProperty(
        name="File",
        description="Option of the removed operator; it has no effect",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    def run(self, context):
        name = type(self).__name__.replace("LIMBER_OT_", "limber.")
        raise RigError(f"There is no operator {name} any more: {self.successor}")


class LIMBER_OT_use_character(Successor, Operator):
    """Removed operator: it reports that limber.use_motion_style replaces it"""

    bl_label = "Use Character"
    successor = "use limber.use_motion_style, with the same name"


class LIMBER_OT_load_character(Successor, Operator):
    """Removed operator: it reports that limber.load_motion_style replaces it"""

    bl_label = "Load Character"
    successor = "use limber.load_motion_style, with the same file"


class LIMBER_OT_save_character(Successor, Operator):
    """Removed operator: it reports that motion styles are saved in the .blend now"""

    bl_label = "Save Character"
    successor = (
        "a motion style is in its .blend; limber.use_motion_style gives it to another chain, and Blender's Append"
        " takes it to another file"
    )
