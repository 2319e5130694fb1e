"""In the 3D view: links that Motion Check has found in a no-go zone at this frame, with the names of bone and zone."""

import bpy
import gpu
from bpy_extras.view3d_utils import location_3d_to_region_2d

from ...rig.output.motion_check.check import Entered, entered
from ..authoring.chain_overlay import ASIDE, free_place
from ..drawing import Overlay, draw_lines, write

INSIDE = (0.83, 0.37, 0.0, 1.0)  # told apart also by eyes that see few colours (Okabe & Ito 2008)
TEXT = (1.0, 0.8, 0.6, 1.0)
WIDTH = 6.0  # [pixels] of a link


def _now() -> list[Entered]:
    """Of the armatures that can be seen."""
    context = bpy.context
    if not context.window_manager.limber_view.entered:
        return []
    rigs = (thing for thing in context.view_layer.objects if thing.type == "ARMATURE" and thing.visible_get())
    return entered(context.scene.frame_current, rigs)


def _draw_links() -> None:
    found = _now()
    if not found:
        return
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    scale = bpy.context.preferences.system.ui_scale
    draw_lines([tuple(point) for one in found for point in one.line], INSIDE, WIDTH * scale)
    gpu.state.blend_set("NONE")


def _write_names() -> None:
    context = bpy.context
    scale = context.preferences.system.ui_scale
    taken: list[tuple[float, float]] = []
    for one in _now():
        place = location_3d_to_region_2d(context.region, context.region_data, one.line.mean(axis=0))
        if place is not None:
            taken.append(free_place(place.x + ASIDE, place.y + ASIDE, taken, scale))
            write(*taken[-1], one.words, TEXT, scale)


_overlay = Overlay(_draw_links, _write_names)
register, unregister = _overlay.register, _overlay.unregister
