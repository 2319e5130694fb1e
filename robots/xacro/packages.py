"""Folders of ROS packages, found from the file that names them."""

import os
import re
from pathlib import Path

from ...files.content import SMALL, content
from ...files.presence import is_folder

# largest number of folders above, as for meshes: robot/urdf/arm/robot.urdf.xacro needs two or three
FOLDERS_UP = 6
NAME = re.compile(r"<name>\s*([\w.-]+)\s*</name>")


def find_package(name: str, file: str) -> Path | None:
    """Folder of a ROS package; None if there is none. It is the file's folder, one above it (up to
    `FOLDERS_UP`), or at most two levels inside one of these, a folder on ROS_PACKAGE_PATH, or the folder
    share of one on AMENT_PREFIX_PATH. A folder with another name is accepted if its package.xml has the
    package's name.
    """
    folder = Path(file).resolve().parent
    above = [folder, *folder.parents][: FOLDERS_UP + 1]
    roots = [*_folders_in("ROS_PACKAGE_PATH"), *(root / "share" for root in _folders_in("AMENT_PREFIX_PATH"))]
    # the package that contains the file takes precedence over an installed version of it
    for parent in above:
        if _declared(parent) == name:
            return parent
    named = [parent for parent in above if parent.name == name] + [root / name for root in (*above, *roots)]
    for candidate in named:
        if is_folder(candidate):
            return candidate
    for root in (*above[:-1], *roots):
        for candidate in _folders(root):
            if _declared(candidate) == name:
                return candidate
            if is_folder(candidate / name):
                return candidate / name
    return None


def _folders_in(variable: str) -> list[Path]:
    """Folders listed in an environment variable."""
    return [Path(folder) for folder in os.environ.get(variable, "").split(os.pathsep) if folder]


def _declared(folder: Path) -> str:
    """Package name in a folder's package.xml; "" without one."""
    try:
        match = NAME.search(content(folder / "package.xml", SMALL).decode("utf-8", errors="replace"))
    except (OSError, ValueError):
        return ""
    return match[1] if match else ""


def _folders(root: Path) -> list[Path]:
    """Folders inside a folder, sorted; empty if it cannot be read."""
    try:
        return sorted(path for path in root.iterdir() if is_folder(path))
    except OSError:
        return []
