"""What the end does."""

import bpy

from ...operators.subject import chain_of
from ...rig.reading.goal import CUSTOM, LOOKS, REACHES, TURNS
from ..tab import ChainTab, GazePart


class LIMBER_PT_gaze(ChainTab, bpy.types.Panel):
    """Target of the chain's end"""

    bl_label = "Gaze"
    bl_order = 3

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        chain = chain_of(context)
        draw_task(layout, chain, is_own=True)
        layout.prop(chain, "influence", slider=True)


class LIMBER_PT_gaze_settings(GazePart, bpy.types.Panel):
    """How the end turns about its forward axis, and how much the posture counts"""

    bl_label = "Gaze Settings"
    bl_order = 0

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        chain = chain_of(context)
        draw_orientation(layout, chain)
        layout.prop(chain, "keep", slider=True)
        layout.operator("limber.look_into_camera", icon="OUTLINER_OB_CAMERA")


def draw_task(layout, wanted, is_own: bool = False) -> None:
    """What an end must do, and with which of its axes. `is_own`: the chain's own end, whose forward axis can be picked in the view."""
    layout.prop(wanted, "goal")
    layout.prop(wanted, "target")
    if wanted.goal == "DIRECTION":
        layout.prop(wanted, "target_axis")
    if _has_forward_axis(wanted):
        row = layout.row(align=True)
        row.prop(wanted, "look")
        if is_own:
            row.operator("limber.pick_forward_axis", text="", icon="EYEDROPPER")


def _has_forward_axis(wanted) -> bool:
    """Whether the forward axis of an end counts for its task."""
    return wanted.goal in LOOKS or (wanted.goal in TURNS and wanted.symmetric)


def draw_orientation(layout, wanted) -> None:
    """The properties of an end's task that count beside what `draw_task` shows."""
    may_be_upright = wanted.goal in LOOKS and wanted.roll == "UPRIGHT"
    if _has_forward_axis(wanted) and wanted.look == CUSTOM:
        layout.prop(wanted, "look_direction")
    if may_be_upright:
        layout.prop(wanted, "up")
    if wanted.goal in LOOKS:
        layout.prop(wanted, "roll")
    if wanted.goal in TURNS or (wanted.goal in LOOKS and wanted.roll != "FREE"):
        layout.prop(wanted, "symmetric")
    if wanted.goal in REACHES:
        layout.prop(wanted, "eye", text="Reach Point", slider=True)
    elif wanted.goal == "POINT":
        layout.prop(wanted, "eye", slider=True)
