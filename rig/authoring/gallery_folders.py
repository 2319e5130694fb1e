"""The user's part of the gallery: folders of robots of their own, and makers' models with all meshes."""

from pathlib import Path

from ...files import atomic
from ...robots.gallery.description import FILE, Description, read_description
from ...robots.gallery.folders import OWN, Entry, entries
from ...robots.gallery.full_model import FullModel, find
from ..blender.counting import counted
from ..blender.errors import RigError
from ..blender.user_folder import user_folder

ROBOTS, MODELS = "robots", "robot_models"  # folders in the user's
MODEL = "robot.urdf"  # file of an installed model
LARGEST = 50_000_000  # [bytes] largest folder that is copied: a description with meshes has some millions


def listed() -> list[Entry]:
    """Robots of the gallery: Limber's and the user's."""
    own = user_folder(ROBOTS, create=False)
    return entries([OWN, *([own] if own is not None and own.is_dir() else [])])


def folder_of(robot: str) -> Path:
    """Folder of a robot: by its folder's name, or by a path.

    Raises:
        RigError: there is none.
    """
    if (Path(robot) / FILE).is_file():
        return Path(robot)
    known = {entry.folder.name: entry.folder for entry in listed()}
    if robot not in known:
        raise RigError(f"There is no robot '{robot}' in the gallery: choose one of {', '.join(known)}, or a folder with a {FILE}")
    return known[robot]


def keep(folder: Path) -> Path:
    """Copies a robot's folder into the user's gallery, over one of the same name; returns the copy. A folder that is in the gallery stays
    where it is.

    Raises:
        RigError: it is too large, or cannot be copied.
    """
    if folder in [entry.folder.resolve() for entry in listed()]:
        return folder
    place = _made(ROBOTS) / folder.name
    try:
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        size = sum(path.stat().st_size for path in files)
    except OSError as error:
        raise RigError(f"Folder '{folder}' cannot be read ({error}): check access rights") from error
    if size > LARGEST:
        raise RigError(f"Folder '{folder}' has {size // 1_000_000} MB, more than {LARGEST // 1_000_000}: leave only what the robot needs")
    for path in files:
        _copy(path, place / path.relative_to(folder))
    return place


def full_model(robot: Description) -> Path | None:
    """The maker's model of a robot that the user has installed; None where there is none."""
    place = user_folder(MODELS, create=False)
    path = place / robot.folder.name / MODEL if place is not None else None
    return path if path is not None and path.is_file() else None


def install(place: Path) -> list[str]:
    """Installs makers' models from a file or a folder, for all robots of the gallery that are found; returns a sentence for each.

    Raises:
        UrdfError: no robot's model is there.
        RigError: a file cannot be copied.
    """
    robots = [read_description(entry.folder) for entry in listed()]
    found = find(place, robots)
    return [_install(robot, found[robot.name]) for robot in robots if robot.name in found]


def _install(robot: Description, model: FullModel) -> str:
    folder = _made(MODELS) / robot.folder.name
    try:
        text = model.path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise RigError(f"{model.path} cannot be read ({error}): save it as UTF-8, and check access rights") from error
    for number, (name, path) in enumerate(model.meshes.items()):
        own = f"meshes/{number:03d}{path.suffix.lower()}"
        _copy(path, folder / own)
        text = text.replace(f'"{name}"', f'"{own}"').replace(f"'{name}'", f"'{own}'")
    _write(folder / MODEL, text.encode())
    return f"{robot.name}: {counted(len(model.meshes), 'mesh', 'meshes')} of {model.path.name} installed"


def _made(name: str) -> Path:
    place = user_folder(name)
    if place is None:
        raise RigError("The user's folder of Blender cannot be made: check its access rights")
    return place


def _copy(source: Path, path: Path) -> None:
    try:
        _write(path, source.read_bytes())
    except OSError as error:
        raise RigError(f"{source} cannot be copied to {path} ({error}): check space and access rights") from error


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(path, data)
    except OSError as error:
        raise RigError(f"{path} cannot be written ({error}): check space and access rights") from error
