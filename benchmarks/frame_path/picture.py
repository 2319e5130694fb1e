"""The picture of a frame: files of both processes in the order of their first calls, with a box for each
sequence of files in one package.
"""

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")  # renders without a screen
from matplotlib import pyplot as plt
from matplotlib.patches import FancyBboxPatch

from .report import package

DOTS = 100  # resolution [dots per inch]
WIDTH, MARGIN, GAP = 980, 12, 13  # [pixels] width of the picture; margin; distance between two boxes
COLUMN = (WIDTH - 3 * MARGIN) // 2  # [pixels] width of a column
LINE, PADDING = 15, 7  # [pixels] height of a line of text; padding inside a box
LETTERS, INDENT = 66, 12  # number of letters on a line; number of letters for the name of a sub-package
FONT = {"family": "DejaVu Sans Mono", "fontsize": 8.2}
HEADING = {"family": "DejaVu Sans", "fontsize": 9.5, "weight": "bold"}
COLOURS = {
    "rig": "#dbe9f6",
    "character": "#fde0c5",
    "solvers": "#dcefdc",
    "motion": "#e9e1f3",
    "hardware": "#f8dcdc",
}  # colours of packages
OTHER = "#eeeeee"


@dataclass(frozen=True)
class Box:
    """A heading and lines of text; a box without a colour is a start or end of the path, and no package."""

    heading: str
    lines: tuple[str, ...] = ()
    colour: str | None = None

    @property
    def height(self) -> int:
        return 2 * PADDING + LINE * (1 + len(self.lines))


def draw(blender: Iterable[str], worker: Iterable[str], file: Path) -> None:
    """Draws both processes side by side: Blender on the left, the hardware worker on the right.

    Args:
        blender: Files that ran in Blender, in the order of their first calls.
        worker: Files that ran in the worker, in the order of their first calls.
        file: Path of the picture, whose suffix determines its format.
    """
    columns = (
        [
            Box("Blender comes to a new frame"),
            *_boxes(blender),
            Box("memory that both processes share: the newest values win"),
        ],
        [
            Box("the hardware worker's next turn, 100 a second"),
            *_boxes(worker),
            Box("bytes on the wire, and a report back to Blender"),
        ],
    )
    height = MARGIN + max(sum(box.height + GAP for box in boxes) for boxes in columns)
    figure = plt.figure(figsize=(WIDTH / DOTS, height / DOTS), dpi=DOTS)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(height, 0))
    axes.axis("off")
    for number, boxes in enumerate(columns):
        _column(axes, MARGIN + number * (COLUMN + MARGIN), boxes)
    with mpl.rc_context({"svg.hashsalt": "limber"}):  # so that each run writes the same file
        figure.savefig(file, dpi=DOTS, metadata={"Date": None} if file.suffix == ".svg" else None)
    plt.close(figure)


def _boxes(files: Iterable[str]) -> list[Box]:
    """A box for each sequence of files in one package, with a row for each of its sub-packages, in the order
    of their first calls.
    """
    boxes = []
    for name, stay in groupby(files, key=lambda file: file.split("/")[0]):
        rows: dict[str, list[str]] = {}
        for file in stay:
            rows.setdefault(package(file), []).append(file.split("/")[-1].removesuffix(".py"))
        lines = [
            line
            for row, names in rows.items()
            for line in _wrapped(row.removeprefix(name).lstrip("/"), names)
        ]
        boxes.append(Box(f"{name}/", tuple(lines), COLOURS.get(name, OTHER)))
    return boxes


def _wrapped(sub_package: str, names: list[str]) -> list[str]:
    head = f"{sub_package + '/' if sub_package else '':{INDENT}}"
    return textwrap.wrap(
        head + ", ".join(names),
        LETTERS,
        drop_whitespace=True,
        initial_indent="",
        subsequent_indent=" " * INDENT,
    )


def _column(axes: Any, left: float, boxes: list[Box]) -> None:
    top = MARGIN
    for box in boxes:
        style = (
            {"fc": box.colour, "ec": "#555555", "lw": 0.8}
            if box.colour
            else {"fc": "#333333", "ec": "#333333"}
        )
        axes.add_patch(
            FancyBboxPatch((left, top), COLUMN, box.height, boxstyle="round,pad=0,rounding_size=5", **style)
        )
        text = {"x": left + PADDING + 2, "va": "center", "color": "black" if box.colour else "white"}
        axes.text(y=top + PADDING + LINE / 2, s=box.heading, **text, **HEADING)
        for number, line in enumerate(box.lines, 1):
            axes.text(y=top + PADDING + LINE * (number + 0.5), s=line, **text, **FONT)
        if box is not boxes[-1]:
            at = (left + COLUMN / 2, top + box.height)
            axes.annotate(
                "",
                (at[0], at[1] + GAP),
                at,
                arrowprops={"arrowstyle": "-|>", "color": "#555555", "shrinkA": 0, "shrinkB": 0},
            )
        top += box.height + GAP
