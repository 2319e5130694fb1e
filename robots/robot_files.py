"""Reads all files of a robot for its import: the robot's file, and the mesh files that it names."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .collada import read_collada
from .display import BoneShape, bone_shapes
from .errors import LargeRobotError
from .faces import Faces, MeshError, UpAxis
from .gltf import read_gltf
from .lfs import is_lfs_pointer
from .meshes import find_mesh
from .model import MeshFile, Robot
from .reading import read
from .tree import LinkTree, build_tree

# suffix -> reader of meshes that Blender's importers do not read
MESH_READERS = {".dae": read_collada, ".glb": read_gltf, ".gltf": read_gltf}
# number of links and visuals above which the user is asked first: adding this many blocks Blender's window
# for up to a tenth of a second; the largest public robots have some hundred
ASKED_PARTS = 600


@dataclass(frozen=True)
class FoundMesh:
    """A mesh named in a robot's file.

    Attributes:
        path: Path of its file; None if the file is missing.
        is_pointer: Whether the file is a Git LFS pointer.
        faces: The mesh of a DAE or glTF file; None for other files, and for one that cannot be read.
        problem: Why a DAE or glTF file cannot be read; "" if it can.
    """

    path: Path | None
    is_pointer: bool = False
    faces: Faces | None = None
    problem: str = ""


@dataclass(frozen=True)
class RobotFiles:
    """A robot's model, the tree of its links with their bones, and the meshes by their names in its file."""

    robot: Robot
    tree: LinkTree
    shapes: tuple[BoneShape, ...]
    meshes: Mapping[str, FoundMesh]


def read_files(
    path: str,
    root: str,
    with_meshes: bool,
    up_axis: UpAxis,
    arguments: Mapping[str, str] | None,
    allow_large: bool = False,
) -> RobotFiles:
    """Reads a robot's model and its meshes, and lays out the bones of its links.

    Args:
        path: The URDF, xacro or MJCF file.
        root: Link that becomes the root; "": the file's own root.
        with_meshes: Whether to read mesh files.
        up_axis: Up axis of DAE and glTF files; see `read_collada` and `read_gltf`.
        arguments: Texts for the arguments of a xacro file, by name.
        allow_large: Whether the robot's file may be larger than 50 MB, and the robot may have more than
            ASKED_PARTS links and visuals.

    Raises:
        LargeRobotError: the file is larger, or the robot has more parts.
        UrdfError: the robot's file cannot be used, or has no such link.
    """
    robot = read(path, arguments=arguments, allow_large=allow_large)
    tree = build_tree(robot, root)
    shapes = [visual.shape for link in robot.links for visual in link.visuals] if with_meshes else []
    if len(robot.links) + len(shapes) > ASKED_PARTS and not allow_large:
        what = (
            f"it has {len(robot.links)} links with {len(shapes)} visuals: is this a robot? Tick Large File to"
            " import it"
        )
        raise LargeRobotError(path, 0, "", what)
    names = dict.fromkeys(shape.name for shape in shapes if isinstance(shape, MeshFile))
    return RobotFiles(
        robot, tree, bone_shapes(robot, tree), {name: _mesh(name, robot.file, up_axis) for name in names}
    )


def link_names(path: str, arguments: Mapping[str, str]) -> list[str]:
    """Names of the links of a robot's file; raises UrdfError as `read`."""
    return [link.name for link in read(path, arguments=arguments).links]


def _mesh(name: str, file: str, up_axis: UpAxis) -> FoundMesh:
    """The file of a mesh with its faces, or the reason why there are none."""
    path = find_mesh(name, file)
    if path is None or is_lfs_pointer(path):
        return FoundMesh(path, path is not None)
    read_mesh = MESH_READERS.get(path.suffix.lower())
    try:
        return FoundMesh(path, faces=None if read_mesh is None else read_mesh(path, up_axis))
    except MeshError as error:
        return FoundMesh(path, problem=str(error))
