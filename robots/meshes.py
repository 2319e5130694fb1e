"""Mesh file names of a URDF resolved to paths: `package://`, `file://`, `model://` and plain names."""

import os
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from ..files.presence import is_file

# number of folders above the URDF's in which a package may begin; robot/urdf/arm/robot.urdf needs two or
# three
FOLDERS_UP = 6


def find_mesh(name: str, urdf: str) -> Path | None:
    """Path of the file that a mesh name refers to; None if there is no such file.

    `package://PACKAGE/PATH` (also `model://`) is searched in the URDF's folder and `FOLDERS_UP` parents:
    first as PACKAGE/PATH, also below ROS_PACKAGE_PATH, then as PATH, for a package whose folder was renamed.
    A relative name is searched there too.

    Args:
        name: Name of the mesh as in the URDF.
        urdf: Path of the URDF file.
    """
    folder = Path(urdf).resolve().parent
    scheme, separator, rest = name.partition("://")
    if not separator:
        # exporters on Windows write backslashes
        plain = name.replace("\\", "/")
        return _first_file([Path(name) if os.path.isabs(name) else folder / plain, *_above(folder, plain)])
    # some exporters encode spaces as %20, some do not, and some write relative paths after file://
    if scheme == "file":
        return _first_file([Path(rest), Path(unquote(rest)), folder / rest])
    if scheme not in ("package", "model"):
        return None
    path = PurePosixPath(rest.lstrip("/").replace("\\", "/"))
    within = PurePosixPath(*path.parts[1:]) if len(path.parts) > 1 else path
    package_roots = [Path(root) for root in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if root]
    above = [folder, *folder.parents][: FOLDERS_UP + 1]
    return _first_file(
        [*(root / path for root in (*above, *package_roots)), *(root / within for root in above)]
    )


def _above(folder: Path, name: str) -> list[Path]:
    """Paths of a plain name relative to the folders above the URDF's folder; empty for an absolute name."""
    return [] if os.path.isabs(name) else [parent / name for parent in list(folder.parents)[:FOLDERS_UP]]


def _first_file(paths: list[Path]) -> Path | None:
    """The first path that is a file."""
    return next((path for path in paths if is_file(path)), None)
