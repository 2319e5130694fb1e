"""Drawing over the 3D views: lines, words, and when they are drawn."""

from collections.abc import Callable

import blf
import bpy
import gpu
from gpu_extras.batch import batch_for_shader

LETTERS = 11  # [points]


def draw_lines(points, colour, width: float) -> None:
    """Lines between every two points, `width` pixels wide."""
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", width)
    shader.uniform_float("color", colour)
    batch_for_shader(shader, "LINES", {"pos": points}).draw(shader)


def write(x: float, y: float, text: str, colour, scale: float) -> None:
    """Words that begin at a place [pixels] of the region.

    Args:
        scale: Of the interface.
    """
    blf.size(0, LETTERS * scale)
    blf.color(0, *colour)
    blf.position(0, x, y, 0)
    blf.draw(0, text)


class Overlay:
    """What is drawn over every 3D view, while it is registered.

    Args:
        in_space: Draws in the scene's space.
        on_top: Draws in the region's pixels, on top.
    """

    def __init__(self, in_space: Callable[[], None], on_top: Callable[[], None] | None = None) -> None:
        self._drawn = [(in_space, "POST_VIEW"), *([(on_top, "POST_PIXEL")] if on_top else [])]
        self._handles: list = []

    def register(self) -> None:
        if not bpy.app.background:
            self._handles = [bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", when) for draw, when in self._drawn]

    def unregister(self) -> None:
        for handle in self._handles:
            bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
        self._handles = []
