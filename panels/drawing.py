"""Drawing into the 3D viewport: lines, text, and draw handlers."""

from collections.abc import Callable

import blf
import bpy
import gpu
from gpu_extras.batch import batch_for_shader

LETTERS = 11  # font size at an interface scale of 1


def draw_lines(points, colour, width: float) -> None:
    """Draws lines `width` pixels wide between the first and the second point, the third and the fourth, and
    so on. `colour`: RGBA, 0 to 1.
    """
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", width)
    shader.uniform_float("color", colour)
    batch_for_shader(shader, "LINES", {"pos": points}).draw(shader)


def write(x: float, y: float, text: str, colour, scale: float) -> None:
    """Writes text at (x, y) [pixels] of the region.

    Args:
        x, y: Position of the text.
        text: The text.
        colour: RGBA, 0 to 1.
        scale: Interface scale.
    """
    blf.size(0, LETTERS * scale)
    blf.color(0, *colour)
    blf.position(0, x, y, 0)
    blf.draw(0, text)


class Overlay:
    """Draw handlers for every 3D viewport, active while registered.

    Args:
        in_space: Function that draws in world space.
        on_top: Function that draws in pixels of the region, called after `in_space`.
    """

    def __init__(self, in_space: Callable[[], None], on_top: Callable[[], None] | None = None) -> None:
        self._drawn = [(in_space, "POST_VIEW"), *([(on_top, "POST_PIXEL")] if on_top else [])]
        self._handles: list = []

    def register(self) -> None:
        """Adds the draw handlers, if Blender has a window."""
        if not bpy.app.background:
            self._handles = [
                bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", when) for draw, when in self._drawn
            ]

    def unregister(self) -> None:
        """Removes the draw handlers."""
        for handle in self._handles:
            bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
        self._handles = []
