"""Lists the robots in folders of the gallery by the names in their descriptions, for menus."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ...files.content import SMALL, text
from .description import FILE

OWN = Path(__file__).parent  # folder of the robots supplied with Limber


class Entry(NamedTuple):
    """A robot of the gallery in a menu: its name, and the folder with its description."""

    title: str
    folder: Path


def entries(folders: Iterable[Path]) -> list[Entry]:
    """Robots in these folders, sorted by title. Hidden folders (incomplete copies) are left out. Of each
    description only the line with the name is used; errors in it are reported when the robot is added.
    """
    robots = [
        Entry(title_of(path), path.parent) for folder in folders for path in folder.glob(f"[!.]*/{FILE}")
    ]
    return sorted(robots, key=lambda entry: entry.title.lower())


def title_of(path: Path) -> str:
    """Name of the robot in a description file; the folder's name if the file has none or cannot be read."""
    return line_of(path, "name") or path.parent.name


def line_of(path: Path, key: str) -> str:
    """Value, as text, of a field at the top of a description, if it is on the line of its key; "" if there is
    no such line or the file cannot be read.
    """
    try:
        lines = text(path, SMALL).splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    start = f"{key}:"
    line = next((line.removeprefix(start) for line in lines if line.startswith(start)), "")
    return line.partition("#")[0].strip().strip("\"'")
