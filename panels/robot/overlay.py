"""Viewport overlay of connected robots: the measured pose as a ghost, and a plot of commanded and measured
positions.
"""

from itertools import pairwise
from math import degrees
from time import monotonic

import blf
import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from ...operators.subject import rig_of
from ...rig.robot import ghost, links
from ...rig.robot import history as robot_history
from ..drawing import LETTERS, Overlay, draw_lines, write

GHOST = (1.0, 0.55, 0.1, 0.9)  # colour (RGBA) of the robot's measured pose
COMMANDED, MEASURED = (0.35, 0.7, 1.0, 1.0), GHOST
BACK, GRID, TEXT = (0.05, 0.05, 0.05, 0.6), (1.0, 1.0, 1.0, 0.15), (0.9, 0.9, 0.9, 1.0)
HEAD = 0.08  # share of a bone's length, from its head, that is drawn thicker
WIDTH, HEIGHT, MARGIN = 360, 130, 14  # [pixels at an interface scale of 1] size and margin of the plot
# [rad, or the joint's unit] smallest range of the plot, so that noise does not look like motion
LEAST_SPAN = 0.05


def _draw_ghosts() -> None:
    """Draws the measured poses of all connected robots whose armature or mechanism's owner is visible, if
    ghosts are shown.
    """
    view = bpy.context.window_manager.limber_view
    if not view.ghost:
        return
    for rig in links.connected_rigs():
        lines = ghost.segments(rig)
        if lines and rig.visible_get():
            _draw_ghost(lines)


def _draw_ghost(lines) -> None:
    """Draws a line for each bone, thick at its head."""
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    heads = [
        (head, tuple(a + HEAD * (b - a) for a, b in zip(head, tail, strict=True))) for head, tail in lines
    ]
    for segments, width in ((lines, 4.0), (heads, 10.0)):
        draw_lines(
            [point for segment in segments for point in segment],
            GHOST,
            width * bpy.context.preferences.system.ui_scale,
        )
    gpu.state.blend_set("NONE")


def _draw_plot() -> None:
    """Draws the plot of the chosen joint, else of the first one, of the robot in use, if plots are shown and
    the robot is connected.
    """
    context = bpy.context
    view, rig = context.window_manager.limber_view, rig_of(context)
    link, history = (links.link(rig), links.history(rig)) if rig else (None, None)
    if not view.plot or link is None or history is None:
        return
    index = next((k for k, joint in enumerate(link.device.joints) if joint.name == view.plot_joint), 0)
    Plot(link.device.joints[index], history, index, context.preferences.system.ui_scale).draw()


class Plot:
    """Plot of a joint's commanded and measured positions in the last seconds, in the viewport's lower left
    corner.

    Args:
        joint: Joint of the device.
        history: History of its robot.
        index: Index of the joint in the device.
        scale: Interface scale.
    """

    def __init__(self, joint, history, index: int, scale: float) -> None:
        # the unit in which values are written, and their factor to it
        self.unit = "°" if joint.unit == "rad" else " mm" if joint.unit == "m" else ""
        self.factor = degrees(1.0) if joint.unit == "rad" else 1000.0 if joint.unit == "m" else 1.0
        self.name, self.scale = joint.name, scale
        time = monotonic()
        # (age [s], value) of each sample, the oldest first
        self.commanded = [
            (time - sample.time, sample.commanded[index])
            for sample in history.samples
            if sample.commanded[index] is not None
        ]
        self.measured = [
            (time - sample.time, sample.measured[index])
            for sample in history.samples
            if sample.measured[index] is not None
        ]
        values = [value for _, value in self.commanded + self.measured] or [0.0]
        middle, half = (
            (min(values) + max(values)) / 2,
            max(max(values) - min(values), LEAST_SPAN * joint.scale) / 2,
        )
        # a margin, so that the curves do not touch the frame of the plot
        self.low, self.high = middle - 1.1 * half, middle + 1.1 * half

    def draw(self) -> None:
        """Draws the plot in pixels of the region."""
        gpu.state.blend_set("ALPHA")
        left, bottom = MARGIN * self.scale, 2 * MARGIN * self.scale
        width, height = WIDTH * self.scale, HEIGHT * self.scale
        self._fill(left, bottom, width, height)
        for share in (0.25, 0.5, 0.75):
            self._lines([(left, bottom + share * height), (left + width, bottom + share * height)], GRID, 1.0)
        for curve, colour in ((self.commanded, COMMANDED), (self.measured, MEASURED)):
            points = [
                (
                    left + width * (1 - age / robot_history.SECONDS),
                    bottom + height * (value - self.low) / (self.high - self.low),
                )
                for age, value in curve
                if age <= robot_history.SECONDS
            ]
            if len(points) > 1:
                self._lines(points, colour, 2.0)
        self._draw_text(left, bottom, width, height)
        gpu.state.blend_set("NONE")

    def _draw_text(self, left: float, bottom: float, width: float, height: float) -> None:
        """Writes the joint's name, the bounds of the plot, and the newest value of each curve."""
        gap = 5 * self.scale
        line = (LETTERS + 5) * self.scale
        self._write(
            left + gap, bottom + height + gap, f"{self.name}, last {robot_history.SECONDS:.0f} s", TEXT
        )
        self._write(left + gap, bottom + height - line, f"{self.high * self.factor:z.0f}{self.unit}", TEXT)
        self._write(left + gap, bottom + gap, f"{self.low * self.factor:z.0f}{self.unit}", TEXT)
        right = left + width
        for curve, colour, word in (
            (self.measured, MEASURED, "measured"),
            (self.commanded, COMMANDED, "commanded"),
        ):
            text = f"{word} {curve[-1][1] * self.factor:z.1f}{self.unit}" if curve else f"{word} -"
            blf.size(0, LETTERS * self.scale)
            right -= blf.dimensions(0, text)[0] + 2 * gap
            self._write(right, bottom + height + gap, text, colour)

    def _write(self, x: float, y: float, text: str, colour) -> None:
        write(x, y, text, colour, self.scale)

    def _fill(self, left: float, bottom: float, width: float, height: float) -> None:
        """Fills the plot's rectangle [pixels] with the colour of the background."""
        corners = [
            (left, bottom),
            (left + width, bottom),
            (left + width, bottom + height),
            (left, bottom + height),
        ]
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        shader.uniform_float("color", BACK)
        batch_for_shader(shader, "TRIS", {"pos": corners}, indices=[(0, 1, 2), (0, 2, 3)]).draw(shader)

    def _lines(self, points, colour, width: float) -> None:
        """Draws a line through points [pixels]; `width`: in pixels at an interface scale of 1."""
        draw_lines([(x, y, 0.0) for pair in pairwise(points) for x, y in pair], colour, width * self.scale)


_overlay = Overlay(_draw_ghosts, _draw_plot)
register, unregister = _overlay.register, _overlay.unregister
