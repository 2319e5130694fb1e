"""The user's part of the gallery: folders of the user's own robots, and makers' models with all meshes. Only
their paths are stored, and their files stay where they are; models downloaded from robots are copied.
"""

import json
from functools import partial
from pathlib import Path
from typing import Literal

from ...files import atomic
from ...files.content import SMALL, text
from ...files.folders import FolderWriter
from ...files.plain import json_of
from ...files.presence import is_file
from ...files.reasons import reason
from ...robots.gallery.description import FILE, Description, read_description
from ...robots.gallery.folders import OWN, Entry, entries, title_of
from ...robots.gallery.full_model import FullModel, finding
from ..blender.counting import counted
from ..blender.errors import RigError
from ..blender.file_reading import in_steps
from ..blender.user_folder import user_folder
from .work import Steps

# subfolder of the user's Limber folder, and the file in it that stores the models' paths
PATHS = "gallery", "paths.json"
# subfolders of the user's Limber folder: copies of robots and models made by earlier versions, and models
# that were downloaded from robots
ROBOTS, MODELS = "robots", "robot_models"
MODEL = "robot.urdf"  # file name of a copied model

Kind = Literal["robots", "models"]


def listed() -> list[Entry]:
    """Robots of the gallery, Limber's and the user's, sorted by title."""
    copies = user_folder(ROBOTS, create=False)
    robots = {entry.folder.name: entry for entry in entries([copies] if copies else [])}
    for name, path in _paths("robots").items():
        if is_file(path / FILE):
            robots[name] = Entry(title_of(path / FILE), path)
    return sorted([*entries([OWN]), *robots.values()], key=lambda entry: entry.title.lower())


def folder_of(robot: str) -> Path:
    """Folder of a gallery robot, given by the folder's name or by a path.

    Raises:
        RigError: there is no such folder.
    """
    if is_file(Path(robot) / FILE):
        return Path(robot)
    known = {entry.folder.name: entry.folder for entry in listed()}
    if robot in known:
        return known[robot]
    if path := _paths("robots").get(robot):
        raise RigError(
            f"Robot '{robot}' was in {path}: put it back there, or add it by Add Robot from Folder"
        )
    raise RigError(
        f"There is no robot '{robot}' in the gallery: choose one of {', '.join(known)}, or a folder with a {FILE}"
    )


def keep_robot(folder: Path) -> None:
    """Lists a robot's folder in the gallery. It replaces an earlier folder of the same robot.

    Raises:
        RigError: another robot's folder has that name, or the list cannot be written.
    """
    known = {entry.folder.name: entry for entry in listed() if entry.folder.parent != OWN}
    same = known.get(folder.name)
    if (same is None and folder.parent == OWN) or (same is not None and same.folder.resolve() == folder):
        return
    if same is not None and same.title != title_of(folder / FILE):
        raise RigError(
            f"Your gallery has '{same.title}' in a folder called '{folder.name}': rename '{folder}', then add it"
            " again"
        )
    _keep("robots", {folder.name: folder})


def full_model(robot: Description) -> Path | None:
    """Path of the maker's model with all meshes that the user has chosen or downloaded for a robot; None:
    there is none.
    """
    path = _paths("models").get(robot.folder.name)
    if path is not None and is_file(path):
        return path
    models_folder = user_folder(MODELS, create=False)
    copy = models_folder / robot.folder.name / MODEL if models_folder is not None else None
    return copy if copy is not None and copy.is_file() else None


def lost_model(robot: Description) -> list[str]:
    """List with a sentence if the maker's model that the user has chosen for a robot no longer exists, nor a
    downloaded one; else empty.
    """
    path = _paths("models").get(robot.folder.name)
    if path is None or full_model(robot) is not None:
        return []
    return [
        f"{robot.name} has Limber's simplified meshes, since {path} is not there: put it back, or press Install"
        " Full Meshes again"
    ]


def choosing_models(location: Path, is_watched: bool) -> Steps[list[str]]:
    """Finds makers' models in a file or folder, and stores their paths for the gallery's robots; returns a
    sentence for each of these. A generator of steps; `is_watched`: whether a user waits at a window, as for
    `FileReading`.

    Raises:
        UrdfError: no robot's model is there, or a file there or in the gallery cannot be used, as `finding`
            says.
        RigError: the list of models cannot be written.
    """
    robots = [read_description(entry.folder) for entry in listed()]
    models: dict[str, FullModel] = yield from finding(location, robots, partial(in_steps, is_watched))
    chosen = [(robot, models[robot.name]) for robot in robots if robot.name in models]
    _keep("models", {robot.folder.name: model.path.resolve() for robot, model in chosen})
    return [
        f"{robot.name}: {counted(len(model.meshes), 'mesh', 'meshes')} of {model.path}"
        for robot, model in chosen
    ]


def keep_download(robot: Description, folder: Path) -> Path:
    """Copies a folder with a downloaded model of a robot to the user's folder, where it replaces an earlier
    one of this robot, and chooses it for the robot; returns the model's path.

    Raises:
        RigError: the user's folder, the copy, or the list of models cannot be written.
    """
    models_folder = user_folder(MODELS)
    if models_folder is None:
        raise RigError("The user's folder of Blender cannot be made: check its access rights")
    path = models_folder / robot.folder.name
    writer = FolderWriter(path)
    try:
        for file in (file for file in folder.rglob("*") if file.is_file()):
            writer.write(file.relative_to(folder).as_posix(), file.read_bytes())
        writer.commit()
    except OSError as error:
        raise RigError(
            f"{path} cannot be replaced ({reason(error)}): close what uses it, and check space and access rights"
        ) from error
    finally:
        writer.discard()
    _keep("models", {robot.folder.name: path / MODEL})
    return path / MODEL


def _paths(kind: Kind) -> dict[str, Path]:
    """Name of a robot's folder -> path that the user has chosen; empty if the list cannot be read."""
    folder, name = PATHS
    user = user_folder(folder, create=False)
    try:
        content = json_of(text(user / name, SMALL)) if user is not None else {}
    except (OSError, ValueError):
        content = {}
    chosen = content.get(kind) if isinstance(content, dict) else None
    chosen = chosen if isinstance(chosen, dict) else {}
    return {robot: Path(path) for robot, path in chosen.items() if isinstance(path, str)}


def _keep(kind: Kind, chosen: dict[str, Path]) -> None:
    """Adds paths that the user has chosen to the stored ones, as `_paths` reads them; raises RigError if they
    cannot be written.
    """
    folder, name = PATHS
    user = user_folder(folder)
    if user is None:
        raise RigError("The user's folder of Blender cannot be made: check its access rights")
    content = {key: _paths(key) for key in ("robots", "models")}
    content[kind] |= chosen
    plain = {key: {robot: str(path) for robot, path in paths.items()} for key, paths in content.items()}
    try:
        atomic.write_text(user / name, json.dumps(plain, indent=2) + "\n")
    except OSError as error:
        raise RigError(
            f"{user / name} cannot be written ({reason(error)}): check space and access rights"
        ) from error
