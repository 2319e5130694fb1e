"""Viewport overlay of the selected chain before it is live: its forward axis, and all six axes while the user
picks one.
"""

import bpy
import gpu
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector

from ...operators.authoring import forward_axis
from ...operators.subject import rig_of
from ...rig.authoring import chains
from ...rig.scene.goal import LOOKS
from ...rig.showing import chain_lines
from ..drawing import Overlay, draw_lines, write

# colours (RGBA) of the chosen arrow and of the others
CHOSEN, OTHER = (0.94, 0.89, 0.26, 1.0), (0.34, 0.71, 0.91, 0.8)
TEXT = (1.0, 1.0, 1.0, 1.0)
BARB, FLARE = 0.15, 0.06  # length and half width of an arrow's head, as shares of the arrow's length
LABEL_OFFSET = 6  # [pixels at an interface scale of 1] distance of a label from its arrow


def arrows() -> list[tuple[str, tuple, tuple]]:
    """(label, (start, tip), colour) of each arrow to draw now, in world space [m]: all six axes of the
    selected chain's end while the user picks one, else its forward axis, if its goal is to look, it is not
    live, and gaze rays are shown.
    """
    rig = rig_of(bpy.context)
    chain = chains.active(rig) if rig is not None and rig.type == "ARMATURE" else None
    if chain is None or chain.end not in rig.pose.bones or not rig.visible_get():
        return []
    picking = forward_axis.current_picking
    if picking is not None and (picking.rig, picking.chain) == (rig.name, chain.uid):
        return [
            (axis, arrow, CHOSEN if axis == picking.axis else OTHER)
            for axis, arrow in chain_lines.axes(rig, chain)
        ]
    if chain.live or chain.goal not in LOOKS or not bpy.context.window_manager.limber_view.rays:
        return []
    return [(f"{chain.name}: forward", chain_lines.forward(rig, chain), CHOSEN)]


def _draw_arrows() -> None:
    """Draws the overlay in world space."""
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    width = 3.0 * bpy.context.preferences.system.ui_scale
    for _, (start, tip), colour in arrows():
        draw_lines(np.array(_lines(start, tip), np.float32), colour, width)
    gpu.state.blend_set("NONE")


def _lines(start: Vector, tip: Vector) -> list[Vector]:
    """Start and end of each line of an arrow in turn: of its shaft and its four barbs."""
    shaft = tip - start
    if shaft.length == 0.0:
        return [start, tip]
    side_axis = shaft.orthogonal().normalized()
    other = shaft.normalized().cross(side_axis)
    foot = tip - BARB * shaft
    barbs = (foot + FLARE * shaft.length * side for side in (side_axis, -side_axis, other, -other))
    return [start, tip, *(point for barb in barbs for point in (tip, barb))]


def _write_labels() -> None:
    context = bpy.context
    scale = context.preferences.system.ui_scale
    for label, (_, tip), _ in arrows():
        point = location_3d_to_region_2d(context.region, context.region_data, tip)
        if point is not None:
            write(point.x + LABEL_OFFSET * scale, point.y + LABEL_OFFSET * scale, label, TEXT, scale)


_overlay = Overlay(_draw_arrows, _write_labels)
register, unregister = _overlay.register, _overlay.unregister
