"""Plot of a check: the aim error and each joint's values over the frames, with limits and coloured
findings.
"""

from collections.abc import Sequence
from math import degrees, isfinite
from pathlib import Path

import bpy
import numpy as np

from ....files import atomic
from ...blender.counting import counted
from ...blender.errors import RigError
from .check import Result
from .findings import KINDS, CheckedTake
from .letters import coverage

LEFT, RIGHT, TOP, ROW, GAP = 190, 20, 34, 84, 10  # [pixels]
PLOT = 960  # [pixels] width of the frames
LETTERS = 18  # [pixels] height of a line
BACK, PANEL, GRID, INK = (1.0, 1.0, 1.0), (0.96, 0.96, 0.96), (0.8, 0.8, 0.8), (0.1, 0.1, 0.1)
DESIRED, SHOWN = (0.55, 0.55, 0.55), (0.0, 0.3, 0.6)
SHADE = 0.45  # of a finding's colour over the panel
DEEPEST = 0.1  # [m] largest distance in a plot of zones, inside above and outside below
BROADEST = 0.05  # [rad] least range of an aim plot, so that noise does not look like an error


def write(result: Result, path: Path) -> None:
    """Writes the picture as a PNG.

    Raises:
        RigError: the file cannot be written.
    """
    pixels = draw(result)
    high, wide = pixels.shape[:2]
    image = bpy.data.images.new("Limber motion check", wide, high, alpha=False)
    try:
        flat = np.ones((high, wide, 4), dtype=np.float32)
        flat[..., :3] = pixels
        image.pixels.foreach_set(flat.ravel())
        with atomic.replacing(path) as temporary:
            image.filepath_raw, image.file_format = str(temporary), "PNG"
            image.save()
    except (OSError, RuntimeError) as error:
        raise RigError(
            f"The picture cannot be written to {path}: choose another folder ({str(error).strip()})"
        ) from error
    finally:
        bpy.data.images.remove(image)


def draw(result: Result) -> np.ndarray:
    """Image (rows from below, columns, 3), RGB 0 to 1."""
    rows = sum(1 + _has_zones(take) + len(take.joints) for take in result.takes)
    canvas = np.empty((TOP + rows * (ROW + GAP) + 2 * LETTERS + 2 * GAP, LEFT + PLOT + RIGHT, 3))
    canvas[:] = BACK
    top = canvas.shape[0] - TOP
    title = (
        f"Motion Check, frames {result.frames[0]} to {result.frames[-1]}:"
        f" {counted(len(result.findings), 'finding')}"
    )
    _write(canvas, LEFT, top + 8, title, INK)
    for take in result.takes:
        top = _draw_take(canvas, top, result, take)
    for frame in (result.frames[0], result.frames[len(result.frames) // 2], result.frames[-1]):
        x = LEFT + _column(result.takes[0], frame)
        _write(
            canvas,
            min(x, LEFT + PLOT - 40),
            GAP + LETTERS + 2,
            f"frame {frame}" if frame == result.frames[0] else str(frame),
            INK,
        )
    _legend(canvas)
    return canvas


def _draw_take(canvas: np.ndarray, top: int, result: Result, take: CheckedTake) -> int:
    """Draws the plots of a mover; returns the vertical position [pixels] for the next ones."""
    mine = [finding for finding in result.findings if finding.chain == take.chain]
    errors = np.array(take.errors), np.array(take.filtered_errors)
    most = max(BROADEST, float(errors[1].max()), float(errors[0].max()))
    shading = [f for f in mine if not f.joint]
    _row(canvas, top, take, errors, (0.0, most), shading, f"{take.chain}: aim", f"{degrees(most):.1f}°", "0°")
    top -= ROW + GAP
    if _has_zones(take):
        deepest = np.array(take.inside).max(axis=(1, 2)).clip(-DEEPEST, DEEPEST)
        shading = [f for f in mine if f.zone]
        edges = f"{1e3 * DEEPEST:.0f} mm", f"-{1e3 * DEEPEST:.0f} mm"
        _row(
            canvas,
            top,
            take,
            (deepest, deepest),
            (-DEEPEST, DEEPEST),
            shading,
            f"{take.chain}: in zones",
            *edges,
        )
        top -= ROW + GAP
    desired, filtered = np.array(take.desired), np.array(take.filtered)
    for k, joint in enumerate(take.joints):
        scale, unit = (1e3, " mm") if joint.is_prismatic else (degrees(1.0), "°")
        curves = desired[:, k], filtered[:, k]
        shading = [f for f in mine if f.joint == joint.name and not f.zone]
        span = [
            edge if isfinite(edge) else end
            for edge, end in ((joint.lower, np.min(curves)), (joint.upper, np.max(curves)))
        ]
        edges = f"{scale * span[1]:z.0f}{unit}", f"{scale * span[0]:z.0f}{unit}"
        _row(canvas, top, take, curves, span, shading, joint.name, *edges)
        top -= ROW + GAP
    return top


def _has_zones(take: CheckedTake) -> bool:
    return bool(take.zones and take.links)


def _row(
    canvas,
    top: int,
    take: CheckedTake,
    curves: tuple,
    span: Sequence[float],
    shading,
    name: str,
    high: str,
    low: str,
) -> None:
    """Draws one plot: desired values thin and grey, filtered values blue, over the colours of the
    findings.
    """
    bottom = top - ROW
    panel = canvas[bottom:top, LEFT : LEFT + PLOT]
    panel[:] = PANEL
    for finding in reversed(shading):  # the gravest findings are drawn last, on top
        first, last = (_column(take, frame) for frame in (finding.first, finding.last))
        colour = np.array(KINDS[finding.kind].colour)
        panel[:, max(first - 2, 0) : last + 3] = SHADE * colour + (1.0 - SHADE) * np.array(PANEL)
    panel[[0, ROW // 2, ROW - 1]] = GRID
    for curve, colour, width in ((curves[0], DESIRED, 1), (curves[1], SHOWN, 2)):
        _line(panel, take, curve, span, colour, width)
    _write(canvas, 8, bottom + ROW // 2 - LETTERS // 2, name, INK, most=LEFT - 70)
    _write(canvas, LEFT - 60, top - LETTERS, high, INK, most=56)
    _write(canvas, LEFT - 60, bottom, low, INK, most=56)


def _column(take: CheckedTake, frame: float) -> int:
    first, last = take.frames[0], take.frames[-1]
    return round((frame - first) / max(last - first, 1) * (PLOT - 1))


def _line(
    panel: np.ndarray, take: CheckedTake, values: np.ndarray, span: Sequence[float], colour, width: int
) -> None:
    """Draws a curve: each column of pixels spans from the previous column's value to its own."""
    columns = [_column(take, frame) for frame in take.frames]
    along = np.interp(np.arange(PLOT), columns, values)
    room = (span[1] - span[0]) or 1.0
    rows = np.clip((along - span[0]) / room, 0.0, 1.0) * (ROW - 1 - width)
    for column, (before, row) in enumerate(zip(np.r_[rows[:1], rows[:-1]], rows, strict=True)):
        panel[int(min(before, row)) : int(max(before, row)) + width, column] = colour


def _legend(canvas: np.ndarray) -> None:
    x = 8
    for text, colour in (
        ("solver", DESIRED),
        ("after the filter", SHOWN),
        *((kind.label, kind.colour) for kind in KINDS.values()),
    ):
        canvas[GAP + 3 : GAP + 15, x : x + 14] = colour
        x = _write(canvas, x + 19, GAP, text, INK) + 18


def _write(canvas: np.ndarray, x: int, y: int, text: str, colour, most: int = PLOT) -> int:
    """Draws a line of text from its lower left corner, cut at `most` [pixels]; returns the horizontal
    position of its end.
    """
    mask = coverage(text, LETTERS)[:, :most]
    patch = canvas[y : y + mask.shape[0], x : x + mask.shape[1]]
    mask = mask[: patch.shape[0], : patch.shape[1], None]
    patch[:] = mask * np.array(colour) + (1.0 - mask) * patch
    return x + mask.shape[1]
