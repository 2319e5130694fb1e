"""Operator Pick Forward Axis: the axis along which an end looks, or a point that it looks at, is picked in
the 3D viewport.
"""

from typing import NamedTuple

from bpy.props import EnumProperty, FloatVectorProperty
from bpy_extras.view3d_utils import (
    location_3d_to_region_2d,
    region_2d_to_location_3d,
    region_2d_to_origin_3d,
    region_2d_to_vector_3d,
)
from mathutils import Vector

from ...rig.authoring import forward
from ...rig.authoring.targets import view_under
from ...rig.blender.errors import RigError
from ...rig.properties.chains import FORWARD_AXES
from ...rig.robot import links
from ...rig.scene.goal import CUSTOM
from ...rig.showing import chain_lines
from ..operator import UndoOperator
from ..subject import chain_of, needs_chain, rig_of
from .look_at import NAVIGATION

REACH = 14  # [pixels at an interface scale of 1] largest distance of a click from an arrow


class Picking(NamedTuple):
    """State of Pick Forward Axis while it runs, for the viewport overlay."""

    rig: str
    chain: str  # uid of the chain
    axis: str  # axis whose arrow is under the mouse, "+X" to "-Z"; "": none


current_picking: Picking | None = None  # read by the overlay; None while nothing is picked


class LIMBER_OT_pick_forward_axis(UndoOperator):
    """Pick the forward axis of the chain's end: click one of the six arrows in the 3D viewport, or a point to
    look at. Esc to cancel
    """

    bl_label = "Pick Forward Axis"

    axis: EnumProperty(
        name="Forward Axis",
        description="Axis of the end bone that points at the target",
        items=FORWARD_AXES,
        default="+Y",
    )
    location: FloatVectorProperty(
        name="Point",
        description=(
            "Point in world space that the end should face in its current pose, which gives a custom"
            " forward axis"
        ),
        subtype="TRANSLATION",
        size=3,
    )

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_chain(context):
            return why
        return (
            f"Bone '{chain_of(context).end}' is missing: press Check"
            if chain_of(context).end not in rig_of(context).pose.bones
            else ""
        )

    def run(self, context):
        rig, chain = rig_of(context), chain_of(context)
        if self.axis != CUSTOM:
            forward.point(chain, rig, chain.end, forward.axis_at_rest(rig, chain.end, self.axis))
        elif not forward.face(chain, rig, chain.end, Vector(self.location)):
            raise RigError(f"The point is at the eye of '{chain.end}': click one that is farther away")
        rig.update_tag()
        self.report({"INFO"}, f"'{chain.end}' looks along {forward.described(chain)}")

    def invoke(self, context, event):
        if context.area is None or context.area.type != "VIEW_3D":
            self.report({"ERROR"}, "An axis is picked in a 3D view: press the button in the view's sidebar")
            return {"CANCELLED"}
        self._update_picking(context, event)
        context.workspace.status_text_set("Click an arrow, or a point that the end is to face. Esc: cancel")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if context.area is None or self.why_not(context):
            self.cancel(context)
            return {"CANCELLED"}
        if event.type == "MOUSEMOVE":
            self._update_picking(context, event)
            return {"RUNNING_MODAL"}
        if event.type == "LEFTMOUSE" and event.value == "PRESS":
            return self._pick(context, event)
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            # Shift Esc stops robots; a modal operator gets it before the keymap
            if event.type == "ESC" and event.shift:
                links.stop_all()
            self.cancel(context)
            return {"CANCELLED"}
        return {"PASS_THROUGH"} if event.type.startswith(NAVIGATION) else {"RUNNING_MODAL"}

    def _pick(self, context, event):
        """Picks the arrow or the point under the mouse and ends the picking; outside of the view it does
        neither. Returns the result of `modal`.
        """
        self._update_picking(context, event)
        axis = current_picking.axis if current_picking else ""
        point = None if axis else _point_under(context, event, rig_of(context), chain_of(context))
        if not axis and point is None:  # the mouse is outside of the view
            return {"RUNNING_MODAL"}
        self.axis = axis or CUSTOM
        if point is not None:
            self.location = point
        self.cancel(context)
        return self.execute(context)

    def _update_picking(self, context, event) -> None:
        """Updates `current_picking` to the arrow under the mouse."""
        global current_picking
        rig, chain = rig_of(context), chain_of(context)
        current_picking = Picking(rig.name, chain.uid, _arrow_under(context, event, rig, chain))
        context.area.tag_redraw()

    def cancel(self, context):
        """Ends the picking. Blender calls this too when the window closes."""
        global current_picking
        current_picking = None
        context.workspace.status_text_set(None)
        if context.area is not None:
            context.area.tag_redraw()


def _arrow_under(context, event, rig, chain) -> str:
    """Axis of the arrow that is nearest to the mouse, "+X" to "-Z"; "" if no arrow is within reach."""
    view = view_under(context.area, event.mouse_x, event.mouse_y)
    if view is None:
        return ""
    region, space, spot = view
    reach, nearest_axis = REACH * context.preferences.system.ui_scale, ""
    for axis, arrow in chain_lines.axes(rig, chain):
        start, tip = (location_3d_to_region_2d(region, space, point) for point in arrow)
        if start is None or tip is None:
            continue
        shaft = tip - start
        # 0.3: a click near the arrows' common start, where they cannot be told apart, picks none
        along = min(max((spot - start).dot(shaft) / max(shaft.length_squared, 1.0), 0.3), 1.0)
        distance = (start + along * shaft - spot).length
        if distance < reach:
            reach, nearest_axis = distance, axis
    return nearest_axis


def _point_under(context, event, rig, chain) -> Vector | None:
    """Point of the surface under the mouse, in world space [m]; without a surface, the point under the mouse
    at the end's depth. None if the mouse is outside of the view.
    """
    view = view_under(context.area, event.mouse_x, event.mouse_y)
    if view is None:
        return None
    region, space, spot = view
    origin, direction = (
        region_2d_to_origin_3d(region, space, spot),
        region_2d_to_vector_3d(region, space, spot),
    )
    hit, point, *_ = context.scene.ray_cast(context.evaluated_depsgraph_get(), origin, direction)
    return point if hit else region_2d_to_location_3d(region, space, spot, chain_lines.eye(rig, chain))
