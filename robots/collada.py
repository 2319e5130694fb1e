"""Faces and colours of COLLADA files (.dae), which not every Blender can import.

It reads the parts of COLLADA 1.4 that robot meshes use: triangles and polygons, the scene's transforms, the
unit, the up axis, plain colours. docs/decisions.md explains why no library is used.
"""

import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from itertools import accumulate
from math import cos, radians, sin
from pathlib import Path
from xml.parsers import expat

from ..files.content import content
from ..solvers.kinematics.rotations import Vector
from .faces import (
    IDENTITY,
    LARGEST,
    MOST_REPEATED,
    TO_Z_UP,
    Affine,
    Faces,
    MeshError,
    UpAxis,
    checked,
    moved,
    product,
)
from .model import Colour

POLYGONS = ("triangles", "polylist", "polygons")
TOO_OFTEN = (
    f"its nodes or geometries repeat each other so often that more than {MOST_REPEATED} corners, faces and"
    " nodes are instances"
)
# authoring tool that writes Y_UP into every file, for any up axis of the mesh (vcglib, UpAxisTag)
MESHLAB = "VCGLib"


def read_collada(path: Path, up_axis: UpAxis = "AUTO") -> Faces:
    """Mesh of everything in the file's scene, in metres, with z up.

    Args:
        path: The file.
        up_axis: "FILE": rotate from the file's up axis to z up. "IGNORE": do not rotate, as RViz does.
            "AUTO": as "FILE", but do not rotate MeshLab's files.

    Raises:
        MeshError: the file cannot be read, contains no faces, or has a corner that is not finite.
    """
    try:
        return checked(_ColladaFile(_parsed(data := content(path, LARGEST)), len(data)).read(up_axis))
    except MeshError:
        raise
    except (OSError, expat.ExpatError, LookupError, ValueError, AttributeError, StopIteration) as error:
        raise MeshError(f"{type(error).__name__}: {error}") from error


def _parsed(data: bytes) -> ET.Element:
    """Root element of an XML text; tags keep their prefixes. Raises MeshError if it declares entities or
    attributes, which could make a short text expand.
    """

    def refuse(*_declared: object) -> None:
        raise MeshError("it declares entities or attributes")

    builder, parser = ET.TreeBuilder(), expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = (
        builder.start,
        builder.end,
        builder.data,
    )
    parser.EntityDeclHandler = parser.AttlistDeclHandler = refuse
    parser.Parse(data, True)
    return builder.close()


@dataclass
class _Node:
    """Node of the scene: its transform, child nodes, and geometries with their materials by symbol."""

    transform: Affine
    children: list[ET.Element]
    geometries: list[tuple["_Geometry", dict[str | None, str | None]]] = field(default_factory=list)


@dataclass
class _Geometry:
    """Corners and faces of a geometry, and its parts: material and number of faces of each."""

    corners: list[Vector] = field(default_factory=list)
    faces: list[tuple[int, ...]] = field(default_factory=list)
    parts: list[tuple[str | None, int]] = field(default_factory=list)


class _ColladaFile:
    """State while one file is read; each element is read once, however many instances it has."""

    def __init__(self, root: ET.Element, size: int) -> None:
        for element in root.iter():
            element.tag = element.tag.rpartition(":")[2]  # without the namespace
        self.root = root
        self.by_id = {element_id: element for element in root.iter() if (element_id := element.get("id"))}
        self.mesh = Faces()
        # each face takes more than a byte, so that a file without instances never exceeds this
        self.most_work = size + MOST_REPEATED
        self._corner_count = 0
        self._nodes: dict[ET.Element, _Node] = {}
        self._geometries: dict[ET.Element, _Geometry] = {}
        self._positions: dict[str | None, str] = {}
        self._corners_of: dict[str, list[Vector]] = {}
        self._colours: dict[str | None, Colour | None] = {}
        self._index_of: dict[Colour | None, int] = {}

    def read(self, up_axis: UpAxis) -> Faces:
        """Mesh of the whole scene in metres, with Z up; `up_axis` says how the file's up axis is read."""
        unit = self.root.find("asset/unit")
        metre = float(unit.get("meter", "1")) if unit is not None else 1.0
        self.mesh.rotated_from = self._rotated_from(up_axis)
        scaled = ((metre, 0.0, 0.0, 0.0), (0.0, metre, 0.0, 0.0), (0.0, 0.0, metre, 0.0))
        size = product(TO_Z_UP.get(self.mesh.rotated_from, IDENTITY), scaled)
        shown = self.root.find("scene/instance_visual_scene")
        scene = (
            self._target(shown.get("url"))
            if shown is not None
            else self.root.find("library_visual_scenes/visual_scene")
        )
        tops = scene.findall("node") if scene is not None else []
        self._check_work(tops)
        self._add_nodes(tops, size)
        return self.mesh

    def _rotated_from(self, up_axis: UpAxis) -> str:
        """The file's up axis, if the mesh must be rotated from it; else ""."""
        tool = self.root.findtext("asset/contributor/authoring_tool") or ""
        if up_axis == "IGNORE" or (up_axis == "AUTO" and tool.startswith(MESHLAB)):
            return ""
        axis = (self.root.findtext("asset/up_axis") or "").strip()
        return axis if axis in TO_Z_UP else ""

    def _target(self, url: str | None) -> ET.Element:
        """Element that a URL of this file refers to. Raises KeyError."""
        return self.by_id[(url or "").lstrip("#")]

    def _node(self, element: ET.Element) -> _Node:
        """The scene's node that an element describes; made once for all its instances."""
        if element not in self._nodes:
            transform = IDENTITY
            for step in filter(None, map(_child_transform, element)):
                transform = product(transform, step)
            instances = [self._target(instance.get("url")) for instance in element.findall("instance_node")]
            node = self._nodes[element] = _Node(transform, [*element.findall("node"), *instances])
            for instance in element.findall("instance_geometry"):
                bound = {
                    each.get("symbol"): each.get("target") for each in instance.iter("instance_material")
                }
                node.geometries.append((self._geometry(self._target(instance.get("url"))), bound))
        return self._nodes[element]

    def _check_work(self, tops: list[ET.Element]) -> None:
        """Raises MeshError if instances of nodes multiply the corners and faces too often, or contain
        themselves.

        The work of a node is counted once, children first: its own corners and faces, and the work of its
        children.
        """
        # the count saturates, since two instances in each of a thousand nodes would be 2^1000
        work: dict[ET.Element, int] = {}
        is_open: set[ET.Element] = set()
        waiting = [(top, False) for top in tops]
        while waiting:
            element, children_are_counted = waiting.pop()
            if element in work:
                continue
            node = self._node(element)
            if children_are_counted:
                own_work = 1 + sum(
                    1 + len(geometry.corners) + len(geometry.faces) for geometry, _ in node.geometries
                )
                work[element] = min(
                    own_work + sum(work[child] for child in node.children), self.most_work + 1
                )
                is_open.discard(element)
                continue
            if element in is_open:
                raise MeshError("its nodes are instances of each other in a circle")
            is_open.add(element)
            waiting += [(element, True), *((child, False) for child in node.children if child not in work)]
        if sum(work[top] for top in tops) > self.most_work:
            raise MeshError(TOO_OFTEN)

    def _add_nodes(self, tops: list[ET.Element], outer: Affine) -> None:
        """Adds the transformed geometries of nodes to the mesh: children before their parent."""
        waiting = [(top, outer, False) for top in reversed(tops)]
        while waiting:
            element, transform, children_are_done = waiting.pop()
            node = self._node(element)
            if children_are_done:
                for geometry, bound in node.geometries:
                    self._add_geometry(geometry, transform, bound)
                continue
            transform = product(transform, node.transform)
            waiting += [
                (element, transform, True),
                *((child, transform, False) for child in reversed(node.children)),
            ]

    def _geometry(self, element: ET.Element) -> _Geometry:
        """Corners and faces of a geometry's element."""
        if element not in self._geometries:
            geometry = self._geometries[element] = _Geometry()
            known: dict[str, tuple[int, int]] = {}  # source of corners -> first and last index
            mesh = element.find("mesh")
            for part in mesh if mesh is not None else ():
                if part.tag not in POLYGONS:
                    continue
                source, faces = self._faces(part)
                if source not in known:
                    first = len(geometry.corners)
                    self._add_corners(geometry, self._corners(source))
                    known[source] = first, len(geometry.corners)
                first, last = known[source]
                named = [corner for face in faces for corner in face]
                if named and not 0 <= min(named) <= max(named) < last - first:
                    raise MeshError("a face refers to corners that do not exist")
                sound = [
                    tuple([first + corner for corner in face])
                    for face in map(_without_repeats, faces)
                    if len(face) > 2
                ]
                geometry.faces += sound
                geometry.parts.append((part.get("material"), len(sound)))
        return self._geometries[element]

    def _add_corners(self, geometry: _Geometry, corners: list[Vector]) -> None:
        """Adds corners to a geometry. Raises MeshError if the file has too many in all."""
        # a list is counted for every geometry that refers to it, so that a small file cannot fill the memory
        self._corner_count += len(corners)
        if self._corner_count > self.most_work:
            raise MeshError(TOO_OFTEN)
        geometry.corners += corners

    def _add_geometry(
        self, geometry: _Geometry, transform: Affine, bound: dict[str | None, str | None]
    ) -> None:
        first = len(self.mesh.corners)
        self.mesh.corners += [moved(transform, corner) for corner in geometry.corners]
        self.mesh.faces += [tuple([first + corner for corner in face]) for face in geometry.faces]
        for material, count in geometry.parts:
            self.mesh.colour_of += [self._colour_index(bound.get(material) or material)] * count

    def _faces(self, part: ET.Element) -> tuple[str, list[tuple[int, ...]]]:
        """Source of a part's corners, and its faces as indices into it."""
        inputs = part.findall("input")
        stride = 1 + max(int(each.get("offset", "0")) for each in inputs)
        vertex = next(each for each in inputs if each.get("semantic") == "VERTEX")
        offset = int(vertex.get("offset", "0"))
        source = self._position(vertex.get("source"))
        lists = [list(map(int, (each.text or "").split()))[offset::stride] for each in part.findall("p")]
        return source, _split(part, lists)

    def _position(self, vertices: str | None) -> str:
        """Source of the corners of a <vertices> element."""
        if vertices not in self._positions:
            inputs = self._target(vertices).findall("input")
            self._positions[vertices] = (
                next(each for each in inputs if each.get("semantic") == "POSITION").get("source") or ""
            )
        return self._positions[vertices]

    def _corners(self, source: str) -> list[Vector]:
        if source not in self._corners_of:
            self._corners_of[source] = self._read_corners(source)
        return self._corners_of[source]

    def _read_corners(self, source: str) -> list[Vector]:
        """Corners of a <source> element."""
        element = self._target(source)
        array, accessor = element.find("float_array"), element.find("technique_common/accessor")
        numbers = [float(word) for word in (array.text or "").split()] if array is not None else []
        stride = int(accessor.get("stride", "3")) if accessor is not None else 3
        return list(zip(numbers[0::stride], numbers[1::stride], numbers[2::stride], strict=False))

    def _colour_index(self, material: str | None) -> int:
        """Index of a material's colour in the mesh's colours, to which it is added if it is new."""
        if material not in self._colours:
            self._colours[material] = self._colour(material)
        colour = self._colours[material]
        if colour not in self._index_of:
            self._index_of[colour] = len(self.mesh.colours)
            self.mesh.colours.append(colour)
        return self._index_of[colour]

    def _colour(self, name: str | None) -> Colour | None:
        """Plain diffuse colour of a material; None if it has a texture or no colour."""
        material = self.by_id.get((name or "").lstrip("#"))
        instance = None if material is None else material.find("instance_effect")
        effect = None if instance is None else self.by_id.get((instance.get("url") or "").lstrip("#"))
        diffuse = None if effect is None else next(effect.iter("diffuse"), None)
        colour = None if diffuse is None else diffuse.find("color")
        if colour is None:
            return None
        red, green, blue, *_ = (min(max(float(word), 0.0), 1.0) for word in (colour.text or "").split())
        return red, green, blue, 1.0  # files write opacity in three contradictory ways, and robots are opaque


def _split(part: ET.Element, lists: list[list[int]]) -> list[tuple[int, ...]]:
    """Faces of a part, from its lists of corner indices."""
    if part.tag == "polygons":
        return [tuple(corners) for corners in lists]
    counts = part.find("vcount")
    if part.tag == "triangles" or counts is None:
        return [
            face
            for corners in lists
            for face in zip(corners[0::3], corners[1::3], corners[2::3], strict=False)
        ]
    sizes = list(map(int, (counts.text or "").split()))
    if sizes and min(sizes) < 0:
        # with negative sizes faces would share corners, so that a small file could have any number of faces
        raise MeshError(f"a polygon has {min(sizes)} corners")
    ends = list(accumulate(sizes))
    corners = lists[0] if lists else []  # COLLADA 1.4.1, <polylist>: one <p> at most
    return [tuple(corners[start:end]) for start, end in zip([0, *ends], ends, strict=False)]


def _without_repeats(face: tuple[int, ...]) -> tuple[int, ...]:
    """The face with each corner only once, since some files repeat corners."""
    return face if len(set(face)) == len(face) else tuple(dict.fromkeys(face))


def _child_transform(element: ET.Element) -> Affine | None:
    """Transform that a child element of a node gives; None if it is no <matrix>, <translate>, <rotate> or
    <scale>.
    """
    if element.tag not in ("matrix", "translate", "rotate", "scale"):
        return None
    numbers = [float(word) for word in (element.text or "").split()]
    if element.tag == "matrix":
        return tuple((a, b, c, d) for a, b, c, d in (numbers[0:4], numbers[4:8], numbers[8:12]))
    x, y, z = numbers[:3]
    if element.tag == "translate":
        return ((1.0, 0.0, 0.0, x), (0.0, 1.0, 0.0, y), (0.0, 0.0, 1.0, z))
    if element.tag == "scale":
        return ((x, 0.0, 0.0, 0.0), (0.0, y, 0.0, 0.0), (0.0, 0.0, z, 0.0))
    c, s = cos(radians(numbers[3])), sin(radians(numbers[3]))
    t = 1.0 - c
    return (
        (t * x * x + c, t * x * y - s * z, t * x * z + s * y, 0.0),
        (t * x * y + s * z, t * y * y + c, t * y * z - s * x, 0.0),
        (t * x * z - s * y, t * y * z + s * x, t * z * z + c, 0.0),
    )
