"""Plot of a check as an SVG: the aim error, the depth in no-go zones and each joint's values over the frames,
with limits and coloured findings.
"""

from collections.abc import Iterator, Sequence
from html import escape
from math import degrees, isfinite
from typing import NamedTuple

import numpy as np

from ...blender.counting import counted
from .check import MotionCheckResult
from .findings import KINDS, CheckedTake, MotionFinding

# [pixels] margins to the left, to the right and above; height of a plot; distance between plots
LEFT, RIGHT, TOP, ROW, GAP = 190, 20, 34, 84, 10
PLOT = 960  # [pixels] width of the plots
WIDTH = LEFT + PLOT + RIGHT
LINE = 18  # [pixels] height of a line of text
LETTER = 7.5  # [pixels] average width of a letter of the legend
BACK, PANEL, GRID, INK = "#fff", "#f5f5f5", "#ccc", "#1a1a1a"
DESIRED, SHOWN = "#8c8c8c", "#004d99"
SHADE = 0.45  # opacity of a finding's colour over the background of a plot
LEAST = 5.0  # [pixels] smallest width of a finding's shading
# [m] range of a plot of zones to either side of a zone's surface: depths inside are above the middle,
# distances outside below; larger values lie on the edge
DEEPEST = 0.1
BROADEST = 0.05  # [rad] smallest range of a plot of the aim error, so that noise does not look like an error


class _Plot(NamedTuple):
    """One row of the picture: two curves over the frames, their range of values, and the texts."""

    name: str
    desired: np.ndarray  # (t,) values before the motion filter; for zones the same as `shown`
    shown: np.ndarray  # (t,) values after the motion filter
    span: tuple[float, float]  # values at the lower and at the upper edge
    high: str  # text at the upper edge
    low: str  # text at the lower edge
    shading: list[MotionFinding]  # findings whose frames are shaded


def svg(result: MotionCheckResult) -> str:
    """The picture as an SVG document; texts are kept as text elements."""
    rows = [(take, plot) for take in result.takes for plot in _plots(result, take)]
    height = TOP + len(rows) * (ROW + GAP) + 2 * LINE + 2 * GAP
    first, *_, last = frames = result.frames[0], result.frames[len(result.frames) // 2], result.frames[-1]
    title = f"Motion Check, frames {first} to {last}: {counted(len(result.findings), 'finding')}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
        f' font-family="sans-serif" font-size="14">',
        _rect(0, 0, WIDTH, height, BACK),
        _text(LEFT, TOP - LINE - 8, title),
    ]
    for number, (take, plot) in enumerate(rows):
        parts += _row(TOP + number * (ROW + GAP), take, plot)
    below = TOP + len(rows) * (ROW + GAP)
    for frame in dict.fromkeys(frames):
        x = LEFT + _column(result.takes[0], frame)
        parts.append(
            _text(min(x, LEFT + PLOT - 40), below, f"frame {frame}" if frame == first else str(frame))
        )
    return "\n".join([*parts, *_legend(below + LINE + GAP), "</svg>\n"])


def _plots(result: MotionCheckResult, take: CheckedTake) -> Iterator[_Plot]:
    """The plots of a mover: its aim, its depth in zones if it has any, and its joints."""
    findings = [finding for finding in result.findings if finding.chain == take.chain]
    errors = np.array(take.errors), np.array(take.filtered_errors)
    most = max(BROADEST, float(errors[1].max()), float(errors[0].max()))
    of_chain = [finding for finding in findings if not finding.joint]
    yield _Plot(f"{take.chain}: aim", *errors, (0.0, most), f"{degrees(most):.1f}°", "0°", of_chain)
    if take.zones and take.links:
        deepest = np.array(take.inside).max(axis=(1, 2))
        in_zones = [finding for finding in findings if finding.zone]
        edges = f"{1e3 * DEEPEST:.0f} mm", f"-{1e3 * DEEPEST:.0f} mm"
        yield _Plot(f"{take.chain}: in zones", deepest, deepest, (-DEEPEST, DEEPEST), *edges, in_zones)
    yield from _joint_plots(take, findings)


def _joint_plots(take: CheckedTake, findings: list[MotionFinding]) -> Iterator[_Plot]:
    """The plots of a mover's joint values, each over the joint's limits if it has any."""
    desired, filtered = np.array(take.desired), np.array(take.filtered)
    for k, joint in enumerate(take.joints):
        scale, unit = (1e3, " mm") if joint.is_prismatic else (degrees(1.0), "°")
        curves = desired[:, k], filtered[:, k]
        low, high = (
            float(edge if isfinite(edge) else end)
            for edge, end in ((joint.lower, np.min(curves)), (joint.upper, np.max(curves)))
        )
        of_joint = [finding for finding in findings if finding.joint == joint.name and not finding.zone]
        edges = f"{scale * high:z.0f}{unit}", f"{scale * low:z.0f}{unit}"
        yield _Plot(joint.name, *curves, (low, high), *edges, of_joint)


def _row(top: float, take: CheckedTake, plot: _Plot) -> Iterator[str]:
    """Elements of a plot: desired values thin and grey, filtered values blue, over the colours of the
    findings.
    """
    yield _rect(LEFT, top, PLOT, ROW, PANEL)
    for finding in reversed(plot.shading):  # the most serious findings are drawn last, on top
        first, last = (_column(take, frame) for frame in (finding.first, finding.last))
        start, end = max(first - LEAST / 2, 0.0), min(last + LEAST / 2, PLOT)
        yield _rect(LEFT + start, top, end - start, ROW, _colour(finding.kind), SHADE)
    for share in (0.0, 0.5, 1.0):
        yield _rect(LEFT, top + share * (ROW - 1), PLOT, 1, GRID)
    for values, colour, width in ((plot.desired, DESIRED, 1), (plot.shown, SHOWN, 2)):
        yield _curve(top, take, values, plot.span, colour, width)
    yield _text(8, top + (ROW - LINE) / 2, plot.name, LEFT - 70)
    yield _text(LEFT - 60, top, plot.high, 56)
    yield _text(LEFT - 60, top + ROW - LINE, plot.low, 56)


def _column(take: CheckedTake, frame: float) -> float:
    """Horizontal position [pixels] of a frame, from the plots' left edge."""
    first, last = take.frames[0], take.frames[-1]
    return (frame - first) / max(last - first, 1) * PLOT


def _curve(
    top: float, take: CheckedTake, values: np.ndarray, span: Sequence[float], colour: str, width: int
) -> str:
    """A curve of values (t,) over the frames, as SVG, in the plot whose upper edge is at `top` [pixels];
    values beyond the plot's range `span` lie on its edge.
    """
    low, high = span
    shares = np.clip((values - low) / ((high - low) or 1.0), 0.0, 1.0)
    points = [
        (LEFT + _column(take, frame), top + (1.0 - share) * (ROW - width) + width / 2)
        for frame, share in zip(take.frames, shares, strict=True)
    ]
    if len(points) == 1:  # the curve of a single frame is a line across the plot
        points = [(LEFT, points[0][1]), (LEFT + PLOT, points[0][1])]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def _legend(top: float) -> Iterator[str]:
    """Elements of the legend, whose upper edge is at `top` [pixels]."""
    x = 8.0
    kinds = ((kind.label, _colour(key)) for key, kind in KINDS.items())
    for text, colour in (("solver", DESIRED), ("after the filter", SHOWN), *kinds):
        yield _rect(x, top + 3, 14, 12, colour)
        yield _text(x + 19, top, text)
        x += 19 + LETTER * len(text) + 18


def _colour(kind: str) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in KINDS[kind].colour)


def _rect(x: float, y: float, width: float, height: float, colour: str, opacity: float = 1.0) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{colour}" opacity="{opacity:g}"/>'


def _text(x: float, y: float, text: str, most: float = PLOT) -> str:
    """A line of text from its upper left corner, cut at `most` [pixels]. Characters that XML does not allow
    are left out.
    """
    content = escape("".join(filter(str.isprintable, text)))
    return f'<svg x="{x:g}" y="{y:g}" width="{most:g}" height="{LINE}"><text y="14" fill="{INK}">{content}</text></svg>'
