"""Panels Gaze and Gaze Settings: goal, target and orientation of the chain's end."""

from ...operators.subject import chain_of
from ...rig.chains.measure import is_of_bones
from ...rig.scene.goal import ALONG, CUSTOM, LOOKS, ORIENTS, REACHES
from ..tab import ChainTab, draw_target_bone, props


class LIMBER_PT_gaze(ChainTab):
    """Goal and target of the chain's end, and the goal's influence"""

    bl_label = "Gaze"
    bl_order = 3

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        chain = chain_of(context)
        draw_task(layout, chain, is_own=True)
        layout.prop(chain, "influence", slider=True)
        if is_of_bones(chain, chain.solver):
            layout.prop(chain.options.expressive, "look_from", slider=True)


class LIMBER_PT_gaze_settings(ChainTab):
    """Roll of the end, limit and offset of its look, and how much of the posture the solver keeps"""

    bl_label = "Gaze Settings"
    bl_parent_id = "LIMBER_PT_gaze"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 0

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        chain = chain_of(context)
        draw_orientation(layout, chain)
        if chain.goal in LOOKS:
            props(layout, chain, "widest_look", "look_aside", "look_up")
        layout.prop(chain, "keep", slider=True)
        layout.operator("limber.look_into_camera", icon="OUTLINER_OB_CAMERA")


def draw_task(layout, end, is_own: bool = False) -> None:
    """Draws the goal and target of an end and, if the goal uses it, its forward axis. `is_own`: it is the
    chain's own end, with buttons that make a target and pick the forward axis in the viewport.
    """
    props(layout, end, "goal", "target")
    draw_target_bone(layout, end)
    if is_own:
        layout.operator("limber.make_target", icon="EMPTY_AXIS")
    if end.goal in ALONG:
        layout.prop(end, "target_axis")
    if _has_forward_axis(end):
        row = layout.row(align=True)
        row.prop(end, "forward_axis")
        if is_own:
            row.operator("limber.pick_forward_axis", text="", icon="EYEDROPPER")


def _has_forward_axis(end) -> bool:
    """Whether the end's goal uses its forward axis."""
    return end.goal in LOOKS or (end.goal in ORIENTS and end.symmetric)


def draw_orientation(layout, end) -> None:
    """Draws the remaining properties of an end's goal, below `draw_task`."""
    may_be_upright = end.goal in LOOKS and end.roll == "UPRIGHT"
    if _has_forward_axis(end) and end.forward_axis == CUSTOM:
        layout.prop(end, "forward_direction")
    if may_be_upright:
        layout.prop(end, "up")
    if end.goal in LOOKS:
        layout.prop(end, "roll")
    if end.goal in ORIENTS or (end.goal in LOOKS and end.roll != "FREE"):
        layout.prop(end, "symmetric")
    if end.goal in REACHES:
        layout.prop(end, "eye", text="Reach Point", slider=True)
    elif end.goal == "POINT":
        layout.prop(end, "eye", slider=True)
