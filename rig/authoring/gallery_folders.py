"""Folders of the user's part of the gallery: the user's own robots, and makers' models with all meshes."""

from pathlib import Path

from ...files.presence import is_file
from ...robots.gallery.description import FILE, Description
from ...robots.gallery.folders import OWN, Entry, entries
from ..blender.errors import RigError
from ..blender.user_folder import user_folder

ROBOTS, MODELS = "robots", "robot_models"  # folders in the user's
MODEL = "robot.urdf"  # file of an installed model


def listed() -> list[Entry]:
    """Robots of the gallery: Limber's and the user's."""
    user_robots = user_folder(ROBOTS, create=False)
    return entries([OWN, *([user_robots] if user_robots is not None and user_robots.is_dir() else [])])


def folder_of(robot: str) -> Path:
    """Folder of a gallery robot, given by the folder's name or by a path.

    Raises:
        RigError: there is no such folder.
    """
    if is_file(Path(robot) / FILE):
        return Path(robot)
    known = {entry.folder.name: entry.folder for entry in listed()}
    if robot not in known:
        raise RigError(
            f"There is no robot '{robot}' in the gallery: choose one of {', '.join(known)}, or a folder with"
            f" a {FILE}"
        )
    return known[robot]


def full_model(robot: Description) -> Path | None:
    """Path of the maker's model that the user has installed for a robot; None: not installed."""
    models_folder = user_folder(MODELS, create=False)
    path = models_folder / robot.folder.name / MODEL if models_folder is not None else None
    return path if path is not None and path.is_file() else None


def made(name: str) -> Path:
    """Folder of that name in the user's folder, created if it is missing. Raises RigError."""
    folder = user_folder(name)
    if folder is None:
        raise RigError("The user's folder of Blender cannot be made: check its access rights")
    return folder
