"""Visuals of links: meshes from files, boxes, cylinders, spheres and colours; placeholders for
missing ones.
"""

from collections.abc import Callable, Generator
from math import cos, pi, radians, sin
from pathlib import Path

import bpy
from mathutils import Matrix, Quaternion, Vector

from ...files.presence import is_file
from ...robots.faces import UpAxis
from ...robots.gallery.full_model import Progress
from ...robots.lfs import IS_POINTER
from ...robots.model import Box, Colour, Cylinder, Ellipsoid, Material, MeshFile, ModelLink, Sphere, Visual
from ...robots.robot_files import MESH_READERS, FoundMesh, RobotFiles
from ...robots.transform import Transform
from ..blender.counting import counted
from . import robot_size

# suffix of a file -> name of Blender's import operator (bpy.ops.wm)
IMPORTERS = {".stl": "stl_import", ".obj": "obj_import"}
SIDES = 32  # number of segments of a cylinder; a sphere has half as many rings
SLENDER = 0.2  # thickness of a placeholder bar, relative to its length
NO_BAR = 0.05  # length up to which no placeholder bar is drawn, relative to the bone's length
MOST_BONES = 2.0  # length of a placeholder bar, relative to the bone's, above which its thickness is constant
PLAIN: Colour = (0.6, 0.6, 0.6, 1.0)  # colour of visuals without a colour of their own
SHARP = radians(35.0)  # [rad] angle between two faces above which their edge is sharp
LINEAR_BELOW, LINEAR_SLOPE = 0.04045, 12.92  # constants of the sRGB curve (IEC 61966-2-1)


def adding(
    files: RobotFiles,
    rig: bpy.types.Object,
    bones: list[str],
    collection: bpy.types.Collection,
    up_axis: UpAxis,
) -> Generator[Progress, None, list[str]]:
    """Adds the meshes of all links to the collection, parented to their bones. A generator: it yields its
    progress after each visual, and returns warnings about missing files, files that were rotated, and sizes.

    Args:
        files: The robot's files, which are already read.
        rig: The robot's armature object.
        bones: Name of each link's bone, in the tree's order.
        collection: Collection for the new objects.
        up_axis: Up axis that was assumed when DAE and glTF files were read.
    """
    visuals = _VisualBuilder(files, collection, up_axis)
    frames = files.tree.frames({})
    for k, (branch, name) in enumerate(zip(files.tree.branches, bones, strict=True)):
        progress = Progress(k / len(bones), f"Adding the meshes of link '{branch.link}'")
        yield progress
        for _ in visuals.dressing(files.robot.link[branch.link], rig, rig.data.bones[name], frames[k]):
            yield progress
    return [*robot_size.of_meshes(visuals.sizes), *visuals.warnings, *visuals.rotations()]


class _VisualBuilder:
    """Builds the visuals of one robot; each mesh file is read once."""

    def __init__(self, files: RobotFiles, collection: bpy.types.Collection, up_axis: UpAxis) -> None:
        self.files, self.collection, self.up_axis = files, collection, up_axis
        self.warnings: list[str] = []
        self.sizes: dict[str, float] = {}  # [m] largest dimension of the mesh of each file, after scaling
        # (kind of file, its up axis other than Z) -> names of the rotated files
        self._rotated: dict[tuple[str, str], list[str]] = {}
        self._meshes: dict[str, bpy.types.Mesh | None] = {}
        self._materials: dict[tuple[str, Colour], bpy.types.Material] = {}

    def dressing(
        self, link: ModelLink, rig: bpy.types.Object, bone: bpy.types.Bone, frame: Transform
    ) -> Generator[None, None, None]:
        """Adds all visuals of a link, one per step, and one placeholder for all that cannot be read."""
        # children of a bone are placed relative to its tail
        from_tail = Matrix.Translation((0.0, -bone.length, 0.0))
        link_in_bone = bone.matrix_local.inverted() @ _matrix(frame)
        missing: Visual | None = None
        for visual in link.visuals:
            mesh, size = self._mesh(link, visual)
            if mesh is None:
                missing = missing or visual
                continue
            mesh_in_bone = link_in_bone @ _matrix(visual.origin) @ Matrix.Diagonal((*size, 1.0))
            self._put(link.name, mesh, visual.material, rig, bone, from_tail @ mesh_in_bone)
            yield
        if missing is not None:
            self._put(
                f"{link.name} (placeholder)", _placeholder(bone), missing.material, rig, bone, from_tail
            )

    def _put(
        self,
        name: str,
        mesh: bpy.types.Mesh,
        material: Material | None,
        rig: bpy.types.Object,
        bone: bpy.types.Bone,
        matrix: Matrix,
    ) -> None:
        mesh_object = bpy.data.objects.new(name, mesh)
        mesh_object.parent, mesh_object.parent_type, mesh_object.parent_bone = rig, "BONE", bone.name
        mesh_object.matrix_basis = matrix
        if not mesh.materials:
            mesh.materials.append(None)
        for slot in mesh_object.material_slots:
            if slot.material is None:  # a slot with a material keeps the colours of the file
                # assigned to the object, since links in different colours may share the mesh
                slot.link = "OBJECT"
                slot.material = self._material(material)
        self.collection.objects.link(mesh_object)

    def _mesh(
        self, link: ModelLink, visual: Visual
    ) -> tuple[bpy.types.Mesh | None, tuple[float, float, float]]:
        """Mesh of a visual and its scale along its own axes; the mesh is None if it cannot be read."""
        shape = visual.shape
        if isinstance(shape, Box):
            return self._shared("Box", _box), shape.size
        if isinstance(shape, Cylinder):
            return self._shared("Cylinder", _cylinder), (shape.radius, shape.radius, shape.length)
        if isinstance(shape, Sphere):
            return self._shared("Sphere", _sphere), (shape.radius,) * 3
        if isinstance(shape, Ellipsoid):
            return self._shared("Sphere", _sphere), shape.radii
        if isinstance(shape, MeshFile):
            if shape.name not in self._meshes:
                self._meshes[shape.name] = self._read(link, shape.name)
            mesh = self._meshes[shape.name]
            if mesh is not None:
                self.sizes[shape.name] = max(
                    self.sizes.get(shape.name, 0.0), robot_size.size_of(mesh, shape.scale)
                )
            return mesh, shape.scale
        return None, (1.0, 1.0, 1.0)  # the robot file's parser has already added a warning

    def _shared(self, name: str, make: Callable[[], tuple]) -> bpy.types.Mesh:
        """Mesh of a basic shape, which all visuals of this shape share; `make` returns its geometry."""
        mesh = self._meshes.get(f"<{name}>")
        if mesh is None:
            mesh = self._meshes[f"<{name}>"] = bpy.data.meshes.new(name)
            mesh.from_pydata(*make())
            _shade(mesh)
        return mesh

    def _read(self, link: ModelLink, name: str) -> bpy.types.Mesh | None:
        """Mesh of a file; None, with a warning, if it cannot be read."""
        mesh_file = self.files.meshes[name]
        path = mesh_file.path
        if path is None:
            return self._warn(link, name, "is not there")
        if mesh_file.is_pointer:
            return self._warn(link, name, IS_POINTER)
        suffix = path.suffix.lower()
        if suffix not in (*IMPORTERS, *MESH_READERS):
            return self._warn(
                link,
                name,
                f"is a {suffix or 'file without a suffix'}: only STL, OBJ, DAE and glTF can be read;"
                " convert it",
            )
        mesh = self._mesh_from_file(path, mesh_file) if suffix in MESH_READERS else _imported(path)
        if mesh is None:
            return self._warn(
                link,
                name,
                f"cannot be read, or is empty{f' ({mesh_file.problem})' if mesh_file.problem else ''}",
            )
        mesh.name = path.stem
        _shade(mesh)
        return mesh

    def _mesh_from_file(self, path: Path, mesh_file: FoundMesh) -> bpy.types.Mesh | None:
        """Mesh of a DAE or glTF file with its own colours; None if it could not be read."""
        faces = mesh_file.faces
        if faces is None:
            return None
        if faces.rotated_from:
            self._rotated.setdefault((path.suffix[1:].upper(), faces.rotated_from), []).append(path.name)
        mesh = bpy.data.meshes.new(path.stem)
        mesh.from_pydata(faces.corners, [], faces.faces)
        mesh.polygons.foreach_set("material_index", faces.colour_of)
        for colour in faces.colours:
            mesh.materials.append(None if colour is None else self._material(Material(path.stem, colour)))
        mesh.validate()
        return mesh

    def rotations(self) -> list[str]:
        """A sentence for each kind of file and up axis from which files were rotated, unless the user chose
        that axis.
        """
        return [
            f"Rotated {counted(len(names), f'{kind} file')} ('{names[0]}'{' ...' if len(names) > 1 else ''})"
            f" from {axis[0]} up to Z up: if meshes lie on their side, import again with Mesh Up Axis set to"
            " Ignore"
            for (kind, axis), names in self._rotated.items()
            if self.up_axis == "AUTO"
        ]

    def _warn(self, link: ModelLink, name: str, fault: str) -> None:
        """Adds a warning about a mesh file; `fault`: part of a sentence."""
        self.warnings.append(f"mesh '{name}' of link '{link.name}' {fault}; a placeholder is shown instead")

    def _material(self, material: Material | None) -> bpy.types.Material:
        name, colour = (
            ("Robot", PLAIN)
            if material is None or material.colour is None
            else (material.name or "Robot", material.colour)
        )
        blender_material = self._materials.get((name, colour))
        if blender_material is None:
            blender_material = self._materials[name, colour] = _new_material(name, colour)
        return blender_material


def _placeholder(bone: bpy.types.Bone) -> bpy.types.Mesh:
    """Bars from the bone's head to each child joint of the link, except very near ones, or along the bone if
    none is left; in the bone's frame [m].
    """
    into_bone = bone.matrix_local.inverted()
    ends = [into_bone @ child.head_local for child in bone.children]
    ends = [end for end in ends if end.length > NO_BAR * bone.length] or [Vector((0.0, bone.length, 0.0))]
    vertices, faces = [], []
    for end in ends:
        thick = SLENDER * min(end.length, MOST_BONES * bone.length)
        bar = end.to_track_quat("Y", "Z").to_matrix() @ Matrix.Diagonal((thick, end.length, thick))
        corners, _, sides = _box()
        faces += [tuple(len(vertices) + corner for corner in side) for side in sides]
        vertices += [bar @ Vector(corner) + 0.5 * end for corner in corners]
    mesh = bpy.data.meshes.new(bone.name)
    mesh.from_pydata(vertices, [], faces)
    return mesh


def _imported(path: Path) -> bpy.types.Mesh | None:
    """Mesh of a file, with materials only if the file has colours; None if it has no faces or cannot be
    read.
    """
    mesh = _read_by_blender(path)
    if mesh is not None and mesh.materials and not _has_colours(path):
        unknown = [material for material in mesh.materials if material is not None]
        mesh.materials.clear()
        bpy.data.batch_remove(list(dict.fromkeys(material for material in unknown if not material.users)))
    return mesh


def _read_by_blender(path: Path) -> bpy.types.Mesh | None:
    """First mesh with faces that Blender's importer makes from a file, in a temporary scene; None if there is
    none.
    """
    scene = bpy.data.scenes.new("Limber import")
    before = {obj.session_uid for obj in bpy.data.objects}
    try:
        options = (
            {"use_split_objects": False} if path.suffix.lower() == ".obj" else {"use_mesh_validate": True}
        )
        with bpy.context.temp_override(
            scene=scene, view_layer=scene.view_layers[0], collection=scene.collection
        ):
            getattr(bpy.ops.wm, IMPORTERS[path.suffix.lower()])(
                filepath=str(path), forward_axis="Y", up_axis="Z", **options
            )
    except RuntimeError:  # the importer could not read the file
        pass
    finally:
        new_objects = [obj for obj in bpy.data.objects if obj.session_uid not in before]
        mesh = next((obj.data for obj in new_objects if obj.type == "MESH" and len(obj.data.polygons)), None)
        bpy.data.batch_remove(
            [*new_objects, *(obj.data for obj in new_objects if obj.data is not None and obj.data != mesh)]
        )
        bpy.data.scenes.remove(scene)
    return mesh


def _shade(mesh: bpy.types.Mesh) -> None:
    """Shades curved surfaces smooth, unless the file has normals of its own."""
    if not mesh.has_custom_normals:
        mesh.shade_smooth()
        mesh.set_sharp_from_angle(angle=SHARP)


def _has_colours(path: Path) -> bool:
    """Whether a file names a material library that exists, as OBJ files do."""
    with path.open("rb") as file:
        libraries = [
            line.split(maxsplit=1)[1].strip().decode(errors="replace")
            for line in file
            if line.startswith(b"mtllib ")
        ]
    return any(is_file(path.parent / library) for library in libraries)


def _new_material(name: str, colour: Colour) -> bpy.types.Material:
    material = bpy.data.materials.new(name)
    red, green, blue, opacity = colour
    linear = (_linear(red), _linear(green), _linear(blue))
    material.diffuse_color = (*linear, opacity)
    if not material.node_tree:  # from Blender 5.0 on every material has nodes
        material.use_nodes = True
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*linear, 1.0)
    shader.inputs["Alpha"].default_value = opacity
    return material


def _linear(part: float) -> float:
    """Linear value of an sRGB component: URDF's colours are sRGB, Blender's are linear."""
    return part / LINEAR_SLOPE if part <= LINEAR_BELOW else ((part + 0.055) / 1.055) ** 2.4


def _matrix(frame: Transform) -> Matrix:
    return Matrix.Translation(frame.offset) @ Quaternion(frame.rotation).to_matrix().to_4x4()


def _box() -> tuple[list, list, list]:
    """(vertices, edges, faces) of a cube of side 1, centred at the origin."""
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    return corners, [], [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def _cylinder() -> tuple[list, list, list]:
    """(vertices, edges, faces) of a cylinder of radius 1 and length 1 along z, centred at the origin."""
    ring = [(cos(2 * pi * k / SIDES), sin(2 * pi * k / SIDES)) for k in range(SIDES)]
    vertices = [(x, y, z) for z in (-0.5, 0.5) for x, y in ring]
    sides = [(k, (k + 1) % SIDES, SIDES + (k + 1) % SIDES, SIDES + k) for k in range(SIDES)]
    return vertices, [], [*sides, tuple(range(SIDES))[::-1], tuple(range(SIDES, 2 * SIDES))]


def _sphere() -> tuple[list, list, list]:
    """(vertices, edges, faces) of a sphere of radius 1, centred at the origin."""
    rings = SIDES // 2
    vertices = [(0.0, 0.0, -1.0)]
    for ring in range(1, rings):
        height, radius = -cos(pi * ring / rings), sin(pi * ring / rings)
        vertices += [
            (radius * cos(2 * pi * k / SIDES), radius * sin(2 * pi * k / SIDES), height) for k in range(SIDES)
        ]
    vertices.append((0.0, 0.0, 1.0))
    top = len(vertices) - 1
    faces = [(0, 1 + (k + 1) % SIDES, 1 + k) for k in range(SIDES)]
    for ring in range(rings - 2):
        low, high = 1 + ring * SIDES, 1 + (ring + 1) * SIDES
        faces += [(low + k, low + (k + 1) % SIDES, high + (k + 1) % SIDES, high + k) for k in range(SIDES)]
    last = 1 + (rings - 2) * SIDES
    return vertices, [], [*faces, *((last + k, last + (k + 1) % SIDES, top) for k in range(SIDES))]
