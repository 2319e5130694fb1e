"""The maker's own model of a gallery robot with all its meshes: found among the files of a folder, and
read.
"""

import os
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...files.presence import is_file, is_folder
from ...solvers.kinematics.rotations import conjugate, multiply, subtract
from ..errors import MalformedError, UrdfError
from ..lfs import IS_POINTER, is_lfs_pointer
from ..meshes import find_mesh
from ..model import MeshFile, Robot
from ..reading import read
from ..tree import build_tree
from .description import Description

# number of .urdf files that are read in one step, since a separate process takes some tenths of a second
# to start
BATCH = 20
MOST_FILES = 400  # largest number of .urdf files that are read in a folder
# [m, rad] largest difference between the poses of a link in two models of one robot; files that write pi/2 as
# 1.5708 differ by 4e-6
SAME = 1e-5


class Progress(NamedTuple):
    """Progress of a long job: its share done, 0 to 1, and a phrase for the user."""

    share: float
    says: str


class FullModel(NamedTuple):
    """A maker's model, and its mesh files by their names in the model."""

    path: Path
    meshes: dict[str, Path]


def find(location: Path, robots: Iterable[Description]) -> dict[str, FullModel]:
    """The makers' models of robots, by the robot's name, in one call; arguments and errors as `finding`."""
    steps = finding(location, robots)
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            models: dict[str, FullModel] = ended.value
            return models


def in_one_go(
    progress: Progress, function: Callable[..., Any], *arguments: Any
) -> Generator[Progress, None, Any]:
    """Generator that yields `progress`, then calls a function that reads files, and returns its value."""
    yield progress
    return function(*arguments)


def finding(
    location: Path,
    robots: Iterable[Description],
    read_in_steps: Callable[..., Generator[Progress, None, Any]] = in_one_go,
) -> Generator[Progress, None, dict[str, FullModel]]:
    """Generator that yields its progress, and returns the makers' models by the robots' names: of the URDF
    files with the same links in the same poses as the robot, the one with the most meshes. Robots without
    such a file, or without a mesh in it, are left out.

    Args:
        location: A URDF file, or a folder, as a clone of the maker's repository.
        robots: Robots of the gallery.
        read_in_steps: Calls a function that reads files, as `in_one_go` does, for each `BATCH` of files.

    Raises:
        UrdfError: there is no such file or folder, no robot has a model there, or a mesh of a model was not
            downloaded from Git's large file storage.
    """
    if not (is_file(location) or is_folder(location)):
        raise MalformedError(str(location), 0, "", "there is no such file or folder: choose another")
    robots = list(robots)
    paths = (yield from _urdf_files(location)) if is_folder(location) else [location]
    best: dict[str, FullModel] = {}
    for first in range(0, len(paths), BATCH):
        some = paths[first : first + BATCH]
        progress = Progress(
            first / len(paths), f"Reading {some[0].name}, URDF file {first + 1} of {len(paths)}"
        )
        _keep_best(best, (yield from read_in_steps(progress, models_in, some, robots)))
    if not best:
        looked = f"none of its {len(paths)} URDF files" if paths else "no URDF file"
        names = ", ".join(robot.name for robot in robots)
        what = (
            f"{looked} has the links and joints of {names} with meshes: choose a clone of the maker's"
            " repository"
        )
        raise MalformedError(str(location), 0, "", what)
    return best


def models_in(paths: Iterable[Path], robots: Iterable[Description]) -> dict[str, FullModel]:
    """For each robot that has a model with meshes among these files, the one with the most meshes, by the
    robot's name. Files that cannot be used are left out.

    Raises:
        UrdfError: a mesh of a model was not downloaded from Git's large file storage, or the file of a robot
            in the gallery cannot be used.
    """
    urdf_by_name = {robot.name: read(robot.model) for robot in robots}
    best: dict[str, FullModel] = {}
    for path in paths:
        try:
            model = read(path)
        except UrdfError:
            continue
        meshes = _meshes(model)
        same = [name for name, robot in urdf_by_name.items() if is_same(robot, model)]
        if same and (pointer := next((mesh for mesh in meshes.values() if is_lfs_pointer(mesh)), None)):
            raise MalformedError(str(path), 0, "", f"its mesh {pointer.name} {IS_POINTER}")
        _keep_best(best, {name: FullModel(path, meshes) for name in same})
    return best


def _keep_best(best: dict[str, FullModel], candidates: Mapping[str, FullModel]) -> None:
    """Adds to `best` those of the candidates that have at least one mesh and more than the model there."""
    for name, model in candidates.items():
        if len(model.meshes) > len(best[name].meshes if name in best else ()):
            best[name] = model


def _urdf_files(folder: Path) -> Generator[Progress, None, list[Path]]:
    """Generator that yields its progress, and returns the URDF files below a folder, the first `MOST_FILES`
    of them; links to folders are not followed.
    """
    paths: list[Path] = []
    for directory, names, files in os.walk(folder):
        names.sort()
        paths += [Path(directory, name) for name in sorted(files) if name.endswith(".urdf")]
        if len(paths) >= MOST_FILES:
            break
        yield Progress(0.0, f"Looking in {directory}, URDF files so far: {len(paths)}")
    return paths[:MOST_FILES]


def is_same(robot: Robot, other: Robot) -> bool:
    """Whether two models have the same links, and these have the same poses (up to `SAME`) relative to the
    models' roots while all joints are at 0.
    """
    if {link.name for link in robot.links} != {link.name for link in other.links}:
        return False
    trees = build_tree(robot), build_tree(other)
    link_frames = [
        dict(zip((branch.link for branch in tree.branches), tree.frames({}), strict=True)) for tree in trees
    ]
    for link, frame in link_frames[0].items():
        other_frame = link_frames[1][link]
        # vector part of the rotation between the two frames: half the angle, if that is small
        _, *apart = multiply(conjugate(frame.rotation), other_frame.rotation)
        if max(map(abs, (*subtract(frame.offset, other_frame.offset), *apart))) > SAME:
            return False
    return True


def _meshes(robot: Robot) -> dict[str, Path]:
    """Paths of the existing mesh files of a model, by their names in the model."""
    names = {
        visual.shape.name
        for link in robot.links
        for visual in link.visuals
        if isinstance(visual.shape, MeshFile)
    }
    return {name: path for name in sorted(names) if (path := find_mesh(name, robot.file)) is not None}
