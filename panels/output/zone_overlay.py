"""Viewport overlay of Motion Check: links that are in a no-go zone at the current frame, with the names of
bone and zone.
"""

import bpy
import gpu
from bpy_extras.view3d_utils import location_3d_to_region_2d

from ...rig.output.motion_check.check import Entered, entered
from ..authoring.chain_overlay import LABEL_OFFSET, free_label_position
from ..drawing import Overlay, draw_lines, write

# colour (RGBA) of a link that is in a zone, from a colour-blind-safe palette (Okabe & Ito 2008)
INSIDE = (0.83, 0.37, 0.0, 1.0)
TEXT = (1.0, 0.8, 0.6, 1.0)
WIDTH = 6.0  # [pixels at an interface scale of 1] width of a link's line


def _entered_now() -> list[Entered]:
    """Links of visible armatures that are in a zone at the current frame; empty while this overlay is
    switched off.
    """
    context = bpy.context
    if not context.window_manager.limber_view.entered:
        return []
    rigs = (obj for obj in context.view_layer.objects if obj.type == "ARMATURE" and obj.visible_get())
    return entered(context.scene.frame_current, rigs)


def _draw_links() -> None:
    """Draws a line along each link that is in a zone."""
    entered_links = _entered_now()
    if not entered_links:
        return
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    scale = bpy.context.preferences.system.ui_scale
    draw_lines([tuple(point) for link in entered_links for point in link.line], INSIDE, WIDTH * scale)
    gpu.state.blend_set("NONE")


def _write_names() -> None:
    """Writes the names of bone and zone beside each link that is in a zone."""
    context = bpy.context
    scale = context.preferences.system.ui_scale
    taken: list[tuple[float, float]] = []
    for link in _entered_now():
        point = location_3d_to_region_2d(context.region, context.region_data, link.line.mean(axis=0))
        if point is not None:
            taken.append(free_label_position(point.x + LABEL_OFFSET, point.y + LABEL_OFFSET, taken, scale))
            write(*taken[-1], link.words, TEXT, scale)


_overlay = Overlay(_draw_links, _write_names)
register, unregister = _overlay.register, _overlay.unregister
