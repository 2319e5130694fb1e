"""Visuals of MJCF bodies: geoms with primitives and meshes, and their colours."""

import os
from pathlib import Path, PurePosixPath

from ...files.presence import is_file
from ...solvers.kinematics.rotations import add, length, rotate, scale, subtract
from ..errors import UnknownNameError
from ..model import Box, Colour, Cylinder, Ellipsoid, Material, MeshFile, Shape, Sphere, Visual
from ..transform import IDENTITY_TRANSFORM, Transform
from ..xml_tree import Element
from .document import NO_LENGTH, Document, from_z

LAST_SHOWN_GROUP = 2  # MuJoCo's viewer shows groups 0 to 2; collision shapes are in 3 and above
# count of the numbers that define a geom
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
FROM_TO = ("capsule", "cylinder", "box", "ellipsoid")  # geoms that can be defined by two points
NOT_SHOWN = ("plane", "hfield", "sdf")


class ShapeReader:
    """Reads the geoms of one document."""

    def __init__(self, document: Document) -> None:
        self.document, self.reader = document, document.reader
        self._meshes: dict[str, tuple[MeshFile | None, Transform]] = {}
        self._materials: dict[str, Material] = {}
        for element in document.sections("asset"):
            if element.tag == "mesh":
                self._mesh(document.with_defaults(element, ""))
            elif element.tag == "material":
                element = document.with_defaults(element, "")
                name = element.attributes.get("name", "")
                self._materials[name] = Material(name, self._colour(element))

    def visuals(self, geom: Element) -> list[Visual]:
        """Visuals of a <geom> with its defaults; empty if it is hidden in MuJoCo, is a shape that Limber does
        not show, or lacks a mesh file or usable sizes. Raises UnknownNameError if its mesh is not among the
        assets.
        """
        group = self.reader.number(geom, "group") or 0.0
        kind = geom.attributes.get(
            "type", "mesh" if "mesh" in geom.attributes and "type" not in geom.attributes else "sphere"
        )
        if group > LAST_SHOWN_GROUP or kind in NOT_SHOWN:
            return []
        material = self._material(geom)
        if material is not None and material.colour is not None and material.colour[3] == 0.0:
            return []  # invisible geoms, such as contact pads
        if "mesh" in geom.attributes:
            name = geom.attributes["mesh"]
            if name not in self._meshes:
                what = f"there is no mesh '{name}' among the assets: add <mesh name='{name}' file='...'/>"
                raise self.reader.error(UnknownNameError, geom, what)
            mesh, within = self._meshes[name]
            return [] if mesh is None else [Visual(mesh, self.document.pose(geom).then(within), material)]
        if kind not in SIZES:
            self.reader.warn(geom, f"a geom of type '{kind}' cannot be shown: it is left out")
            return []
        return self._primitive(geom, kind, material)

    def _primitive(self, geom: Element, kind: str, material: Material | None) -> list[Visual]:
        """Visuals of a geom of a kind in SIZES: one, or three for a capsule; empty, with a warning, if its
        sizes cannot be used.
        """
        size = list(self.document.numbers(geom, "size", 3) or ())
        pose = self.document.pose(geom)
        # `fromto` replaces the pose and the length along Z; the width is still in `size`
        ends = self.reader.numbers(geom, "fromto", 6) if kind in FROM_TO else None
        if ends is not None:
            first, second = (ends[0], ends[1], ends[2]), (ends[3], ends[4], ends[5])
            along = subtract(first, second)
            if length(along) < NO_LENGTH:
                self.reader.warn(geom, "both points of fromto are one: it is left out")
                return []
            pose = Transform(from_z(along), scale(add(first, second), 0.5))
            size = [*size[:1], *([size[0] if size else 0.0] if SIZES[kind] == 3 else []), 0.5 * length(along)]
        size = size[: SIZES[kind]]
        if len(size) < SIZES[kind] or min(size) <= 0.0:
            self.reader.warn(geom, f"a {kind} needs {SIZES[kind]} sizes above zero: it is left out")
            return []

        def ball(z: float) -> Visual:
            return Visual(
                Sphere(size[0]),
                Transform(pose.rotation, add(pose.offset, rotate(pose.rotation, (0.0, 0.0, z)))),
                material,
            )

        shapes: dict[str, Shape] = {"sphere": Sphere(size[0])}
        if len(size) == 2:
            shapes["cylinder"] = shapes["capsule"] = Cylinder(size[0], 2.0 * size[1])
        if len(size) == 3:
            shapes["box"] = Box((2.0 * size[0], 2.0 * size[1], 2.0 * size[2]))
            shapes["ellipsoid"] = Ellipsoid((size[0], size[1], size[2]))
        # Blender has no capsule: a cylinder with a ball at each end has the same surface
        ends_of_capsule = [ball(size[1]), ball(-size[1])] if kind == "capsule" else []
        return [Visual(shapes[kind], pose, material), *ends_of_capsule]

    def _mesh(self, element: Element) -> None:
        """Records a mesh of the assets, with the pose of the file's frame in the geom's; None instead of the
        mesh, with a warning, if it names no file.
        """
        file = element.attributes.get("file", "").strip().replace("\\", "/")
        name = element.attributes.get("name") or PurePosixPath(file).stem
        if not file:
            self.reader.warn(element, "it has no file: its shape is left out")
            self._meshes[name] = None, IDENTITY_TRANSFORM
            return
        quat = self.reader.numbers(element, "refquat", 4)
        turned = Element(
            "mesh",
            {} if quat is None else {"quat": element.attributes["refquat"]},
            element.line,
            [],
            element.file,
        )
        reference = Transform(self.document.orientation(turned), self.document.vector(element, "refpos"))
        size = self.document.vector(element, "scale", (1.0, 1.0, 1.0))
        self._meshes[name] = MeshFile(self._path(element, file), size), reference.inverse()

    def _path(self, element: Element, file: str) -> str:
        """Path of a mesh file in the form for `meshes.find_mesh`: below meshdir (or assetdir) in the main
        file's folder or, if it is only there, below the same directory in the folder of the included file
        that names it. With strippath, only the last part of `file` counts.
        """
        compiler = self.document.compiler
        if compiler.get("strippath", "false") == "true":
            file = PurePosixPath(file).name
        folder = compiler.get("meshdir", compiler.get("assetdir", "")).replace("\\", "/")
        name = file if os.path.isabs(file) else os.path.join(folder, file)
        beside = Path(element.file).parent / name
        return str(beside) if not is_file(self.document.folder / name) and is_file(beside) else name

    def _material(self, geom: Element) -> Material | None:
        """Material of a geom, with the geom's own colour if it has one; None without colour and material."""
        colour = self._colour(geom)
        material = self._materials.get(geom.attributes.get("material", ""))
        return Material(material.name if material else "", colour) if colour is not None else material

    def _colour(self, element: Element) -> Colour | None:
        """The element's colour, with parts in 0 to 1; None if it has none."""
        rgba = self.reader.numbers(element, "rgba", 4)
        if rgba is None:
            return None
        red, green, blue, opacity = (min(max(part, 0.0), 1.0) for part in rgba)
        return red, green, blue, opacity
