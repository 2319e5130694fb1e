"""Where a mesh's file is: `package://`, `file://`, `model://` and plain names, from the URDF's own folder. Knows no Blender."""

import os
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

FOLDERS_UP = 6  # how far above the URDF's folder a package may begin: robot/urdf/arm/robot.urdf needs two or three


def find_mesh(name: str, urdf: str) -> Path | None:
    """The file that a mesh's name means, or None where there is none.

    `package://PACKAGE/PATH` is looked for in the URDF's folder and those above it: PACKAGE/PATH there, and PATH where the folder is the
    package itself or has another name (a package that was unpacked or renamed). ROS_PACKAGE_PATH counts too.
    """
    folder = Path(urdf).resolve().parent
    scheme, separator, rest = name.partition("://")
    if not separator:
        plain = name.replace("\\", "/")
        return _first([Path(name) if os.path.isabs(name) else folder / plain, *_above(folder, plain)])
    if scheme == "file":
        return _first([Path(rest), Path(unquote(rest)), folder / rest])
    if scheme not in ("package", "model"):
        return None
    path = PurePosixPath(rest.lstrip("/").replace("\\", "/"))
    within = PurePosixPath(*path.parts[1:]) if len(path.parts) > 1 else path
    others = [Path(place) for place in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if place]
    above = [folder, *folder.parents][: FOLDERS_UP + 1]
    # The package's own folder first; then folders named otherwise, the nearest first.
    places = [place / path for place in (*above, *others)]
    return _first([*places, *(place / within for place in above)])


def _above(folder: Path, name: str) -> list[Path]:
    """Where a plain name that is not beside the URDF may be meant: from the folders above it."""
    return [] if os.path.isabs(name) else [place / name for place in list(folder.parents)[:FOLDERS_UP]]


def _first(paths: list[Path]) -> Path | None:
    for path in paths:
        try:
            if path.is_file():
                return path
        except (OSError, ValueError):  # a name that no file system has
            continue
    return None
