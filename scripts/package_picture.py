"""Draws the packages: the purpose of each, and which imports which; the sub-packages of `rig` are drawn
inside it.

An arrow is an import, also one inside a function. Imports that follow from others are left out; imports from
a lower row to a higher one are red.
"""

import sys
import textwrap
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl

sys.path.insert(0, str(Path(__file__).resolve().parent))

import packages as source
from packages import ROOT, SPLIT, Counts

mpl.use("Agg")  # renders without a screen
from matplotlib import pyplot as plt
from matplotlib.patches import FancyBboxPatch

DOTS = 100  # resolution [dots per inch]
WIDTH, MARGIN = 980, 14  # [pixels] width of the picture; margin
# [pixels] width of a box; of a box inside `rig`; between two boxes; of an arrow that passes a row
BOX, INNER, GAP, BEND = (176, 296, 16, 26)
ROWS = 36  # [pixels] distance between two rows
LINE, PADDING = 14, 8  # [pixels] height of a line of text; padding inside a box
LETTER = 6.3  # [pixels] estimated width of a letter, rather too large
SWEEPS = 12  # number of passes over the rows in which connected packages are aligned
COLOURS = {
    "rig": "#dbe9f6",
    "character": "#fde0c5",
    "solvers": "#dcefdc",
    "motion": "#e9e1f3",
    "hardware": "#f8dcdc",
    "inputs": "#f8e6f0",
    "robots": "#fbf3cf",
}
OTHER = "#eeeeee"


@dataclass
class Node:
    """A package in its row, or the point at which an arrow passes a row.

    Attributes:
        name: Name of the package; "" for a point of an arrow.
        lines: Lines of text below the name.
        width, height: Size of the box [pixels].
        x, y: Middle of its upper edge [pixels].
        above, below: Nodes of the next rows with an arrow from or to it.
    """

    name: str
    lines: list[str]
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    above: list["Node"] = field(default_factory=list)
    below: list["Node"] = field(default_factory=list)


@dataclass
class Diagram:
    """Packages in rows, with arrows from row to row.

    Attributes:
        rows: Nodes of each row, from the top.
        arrows: For each arrow its nodes, from the importing package to the imported one.
        back: Nodes of arrows that lead to a higher row.
        height: Height of all rows [pixels].
    """

    rows: list[list[Node]]
    arrows: list[list[Node]]
    back: list[list[Node]]
    height: float = 0.0


def diagram(counts: Counts, nodes: dict[str, Node], left: float, right: float) -> Diagram:
    """Places nodes in rows between a left and a right edge [pixels], with y from 0 downward."""
    graph, back = source.one_way(counts, nodes)
    level = source.levels(graph)
    rows: list[list[Node]] = [
        [nodes[name] for name in nodes if level[name] == row] for row in range(max(level.values()) + 1)
    ]
    arrows = []
    for name, others in source.direct(graph).items():
        for other in sorted(others):
            passed = [Node("", [], BEND, 0.0) for _ in range(level[name] + 1, level[other])]
            for row, node in enumerate(passed, level[name] + 1):
                rows[row].append(node)
            arrows.append([nodes[name], *passed, nodes[other]])
            for upper, lower in pairwise(arrows[-1]):
                upper.below.append(lower)
                lower.above.append(upper)
    drawing = Diagram(rows, arrows, [[nodes[name], nodes[other]] for name, other in back])
    _place(drawing, left, right)
    return drawing


def _place(drawing: Diagram, left: float, right: float) -> None:
    for row in drawing.rows:
        _spread(row, left, right)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for row in drawing.rows if down else reversed(drawing.rows):
            for node in row:
                near = (node.above if down else node.below) or [node]
                node.x = sum(other.x for other in near) / len(near)
            row.sort(key=lambda node: node.x)
            _part(row, left, right)
    for row in drawing.rows:
        for node in row:
            node.y = drawing.height
        drawing.height += max(node.height for node in row) + ROWS
    drawing.height -= ROWS
    for row in drawing.rows:
        for node in row:
            if not node.name:  # an arrow passes between the row's packages in a straight line
                node.height = max(other.height for other in row)


def _spread(row: list[Node], left: float, right: float) -> None:
    """Places the nodes of a row side by side, centred between two edges [pixels]."""
    at = (left + right - sum(node.width + GAP for node in row) + GAP) / 2
    for node in row:
        node.x = at + node.width / 2
        at += node.width + GAP


def _part(row: list[Node], left: float, right: float) -> None:
    """Separates overlapping nodes of a row, in their order, near their desired positions and within the
    edges.
    """
    desired = sum(node.x for node in row) / len(row)
    for before, node in pairwise(row):
        node.x = max(node.x, before.x + (before.width + node.width) / 2 + GAP)
    moved = desired - sum(node.x for node in row) / len(row)
    moved = min(max(moved, left + row[0].width / 2 - row[0].x), right - row[-1].width / 2 - row[-1].x)
    for node in row:
        node.x += moved


def draw(file: Path, root: Path = ROOT) -> list[tuple[str, str]]:
    """Draws the packages of a checkout to a file; returns the imports that lead to a higher row."""
    counts = source.imports(root)
    names = source.folders(root)
    inside = {name: _box(name, root, INNER) for name in names if name.startswith(f"{SPLIT}/")}
    inner = diagram(counts, inside, 2 * MARGIN, WIDTH - 2 * MARGIN)
    frame = _box(SPLIT, root, WIDTH - 2 * MARGIN)
    title = frame.height
    frame.height += inner.height + PADDING
    at_top: Counts = {}
    for pair, count in counts.items():
        name, other = (package.split("/")[0] for package in pair)
        if name != other:
            at_top[name, other] = at_top.get((name, other), 0) + count
    nodes = {name: frame if name == SPLIT else _box(name, root, BOX) for name in names if "/" not in name}
    outer = diagram(at_top, nodes, MARGIN, WIDTH - MARGIN)
    for row in inner.rows:
        for node in row:
            node.x += frame.x - WIDTH / 2  # arrows that pass a node's frame have changed its position
    height = outer.height + 2 * MARGIN
    drawn_nodes = [node for row in outer.rows for node in row]
    left = min(node.x - node.width / 2 for node in drawn_nodes) - MARGIN
    right = max(node.x + node.width / 2 for node in drawn_nodes) + MARGIN
    figure = plt.figure(figsize=((right - left) / DOTS, height / DOTS), dpi=DOTS)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(left, right), ylim=(height, 0))
    axes.axis("off")
    _draw(axes, outer, MARGIN)
    _draw(axes, inner, MARGIN + frame.y + title)
    figure.savefig(file, dpi=DOTS)
    plt.close(figure)
    return [(arrow[0].name, arrow[-1].name) for arrow in (*outer.back, *inner.back)]


def _box(name: str, root: Path, width: float) -> Node:
    lines = textwrap.wrap(source.first_sentence(name, root), int((width - 2 * PADDING) / LETTER))
    return Node(name, lines, width, 2 * PADDING + LINE * (1 + len(lines)))


def _draw(axes: Any, drawing: Diagram, top: float) -> None:
    for row in drawing.rows:
        for node in row:
            if node.name:
                _draw_box(axes, node, top)
    for arrow in drawing.arrows:
        _draw_arrow(axes, arrow, top)
    for upper, lower in drawing.back:
        ends = [(node.x + node.width / 2, top + node.y + node.height / 2) for node in (lower, upper)]
        style = {
            "arrowstyle": "-|>",
            "connectionstyle": "arc3,rad=0.5",
            "color": "#cc0000",
            "shrinkA": 0,
            "shrinkB": 0,
        }
        axes.annotate("", *ends, arrowprops=style)


def _draw_box(axes: Any, node: Node, top: float) -> None:
    left, y = node.x - node.width / 2, top + node.y
    colour = COLOURS.get(node.name, "white" if "/" in node.name else OTHER)
    axes.add_patch(
        FancyBboxPatch(
            (left, y),
            node.width,
            node.height,
            boxstyle="round,pad=0,rounding_size=6",
            fc=colour,
            ec="#555555",
            lw=0.8,
        )
    )
    axes.text(
        left + PADDING, y + PADDING + LINE / 2, f"{node.name}/", va="center", fontsize=9.5, weight="bold"
    )
    for number, line in enumerate(node.lines, 1):
        axes.text(left + PADDING, y + PADDING + LINE * (number + 0.5), line, va="center", fontsize=8)


def _draw_arrow(axes: Any, arrow: list[Node], top: float) -> None:
    """Draws an arrow from the lower edge of its first node, through the nodes between, to the upper edge of
    the last.
    """
    points = []
    for upper, lower in pairwise(arrow):
        points.append((_end(upper, upper.below, lower), top + upper.y + upper.height))
        points.append((_end(lower, lower.above, upper), top + lower.y))
    axes.plot(*zip(*points[:-1], strict=True), color="#555555", lw=1)
    axes.annotate(
        "",
        points[-1],
        points[-2],
        arrowprops={"arrowstyle": "-|>", "color": "#555555", "shrinkA": 0, "shrinkB": 0},
    )


def _end(node: Node, others: list[Node], other: Node) -> float:
    """X coordinate [pixels] at which the arrow to or from `other` meets the node's edge: arrows are spread in
    the order of their other ends.
    """
    order = sorted(others, key=lambda near: near.x)
    return node.x + ((order.index(other) + 1) / (len(order) + 1) - 0.5) * min(node.width, BOX)
