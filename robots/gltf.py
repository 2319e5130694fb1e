"""Faces and colours of glTF 2.0 files (.glb, .gltf).

It reads the parts that robot meshes use: triangles, the scene's transforms, plain colours. Textures, skins
and animation are left out. Numbers in comments are sections of the glTF 2.0 specification (Khronos, 2021).
"""

import struct
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ..files.content import content
from ..files.plain import json_of, shown
from ..solvers.kinematics.rotations import Vector, normalized, rotate
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

# section 4.4: magic number, types of chunks
MAGIC, JSON_CHUNK, BINARY_CHUNK = b"glTF", 0x4E4F534A, 0x004E4942
# component type (section 3.6.2.2) -> letter for `struct`
COMPONENTS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
# value of a normalized component that represents 1
LARGEST_OF = {"b": 127.0, "B": 255.0, "h": 32767.0, "H": 65535.0}
SIZES = {"SCALAR": 1, "VEC3": 3}  # number of components of the types that are read
TRIANGLES, STRIP, FAN = 4, 5, 6  # modes of primitives
COMPRESSED = ("KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression")
# generators that write the axes of any mesh unchanged
NOT_ROTATED = ("https://github.com/mikedh/trimesh", "Open Asset Import Library")
WIDEST = 252  # [bytes] largest distance from a value to the next (3.6.2.4)
SRGB_BELOW, SRGB_SLOPE = 0.0031308, 12.92  # constants of the sRGB curve (IEC 61966-2-1)


def read_gltf(path: Path, up_axis: UpAxis = "AUTO") -> Faces:
    """Mesh of everything in the file's scene, in metres, with z up.

    Args:
        path: The file; files that it refers to are in its folder.
        up_axis: "FILE": rotate from glTF's y up to z up. "IGNORE": do not rotate, as RViz does. "AUTO": as
            "FILE", but do not rotate files whose generator does not convert the axes.

    Raises:
        MeshError: the file cannot be read, contains no faces, or has a corner that is not finite.
    """
    try:
        data = content(path, LARGEST)
        document, binary = (
            _chunks(data) if data.startswith(MAGIC) else (json_of(data.decode("utf-8-sig")), None)
        )
        return checked(_GltfFile(document, binary, path.parent, len(data)).read(up_axis))
    except MeshError:
        raise
    except (
        OSError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
        struct.error,
        Base64Error,
    ) as error:
        raise MeshError(f"{type(error).__name__}: {error}") from error


def _chunks(data: bytes) -> tuple[Any, bytes | None]:
    """(JSON value, binary chunk) of a .glb file; the chunk is None if there is none. Raises MeshError for a
    version other than 2, and for a file that ends too early.
    """
    version = struct.unpack_from("<I", data, 4)[0]
    if version != 2:
        raise MeshError(f"it is glTF {version}, not 2: export it again")
    chunks: dict[int, bytes] = {}
    start = 12
    while start + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, start)
        if start + 8 + length > len(data):
            raise MeshError("it ends too early")
        chunks.setdefault(kind, data[start + 8 : start + 8 + length])
        start += 8 + length
    return json_of(chunks[JSON_CHUNK].decode("utf-8")), chunks.get(BINARY_CHUNK)


class _GltfFile:
    """State while one file is read; each accessor is read once, however many meshes use it."""

    def __init__(self, document: Any, binary: bytes | None, folder: Path, size: int) -> None:
        self.document, self.binary, self.folder = document, binary, folder
        self.mesh = Faces()
        self.work_left = size + MOST_REPEATED
        self._buffers: dict[int, bytes] = {}
        self._accessors: dict[int, list[tuple[float, ...]]] = {}
        self._index_of: dict[Colour | None, int] = {}

    def read(self, up_axis: UpAxis) -> Faces:
        """Mesh of the whole scene."""
        for extension in self.document.get("extensionsRequired", ()):
            if extension in COMPRESSED:
                raise MeshError(f"it is compressed by {extension}: export it without compression")
        generator = str(self.document.get("asset", {}).get("generator", ""))
        is_rotated = up_axis == "FILE" or (up_axis == "AUTO" and not generator.startswith(NOT_ROTATED))
        self.mesh.rotated_from = "Y_UP" if is_rotated else ""
        visited: set[int] = set()  # 3.5.2: nodes are strict trees
        waiting = [(index, TO_Z_UP.get(self.mesh.rotated_from, IDENTITY)) for index in self._roots()]
        while waiting:
            index, outer = waiting.pop()
            if index in visited:
                raise MeshError(f"its node {index} has several parents")
            visited.add(index)
            node = self._entry("nodes", index)
            transform = product(outer, _transform(node))
            if "mesh" in node:
                for primitive in self._entry("meshes", node["mesh"])["primitives"]:
                    self._add_primitive(primitive, transform)
            waiting += [(child, transform) for child in node.get("children", ())]
        return self.mesh

    def _entry(self, key: str, index: Any) -> Any:
        """An entry of one of the file's lists. Raises MeshError for an index that is no number from 0 up."""
        if not isinstance(index, int) or index < 0:
            raise MeshError(f"it refers to number {shown(index)} of its {key}")
        return self.document[key][index]

    def _roots(self) -> list[int]:
        """Nodes of the default scene; without a scene, the nodes that are not children."""
        if self.document.get("scenes"):
            return list(self._entry("scenes", self.document.get("scene", 0)).get("nodes", []))
        nodes = self.document.get("nodes", [])
        children = {child for node in nodes for child in node.get("children", ())}
        return [index for index in range(len(nodes)) if index not in children]

    def _add_primitive(self, primitive: dict[str, Any], transform: Affine) -> None:
        """Adds the triangles of a primitive. Points, lines, and triangles without area are left out."""
        mode = primitive.get("mode", TRIANGLES)
        if mode not in (TRIANGLES, STRIP, FAN) or "POSITION" not in primitive["attributes"]:
            return
        corners = self._accessor(primitive["attributes"]["POSITION"], "VEC3")
        if "indices" in primitive:
            order = [int(index) for (index,) in self._accessor(primitive["indices"], "SCALAR")]
        else:
            order = list(range(len(corners)))
        self._spend(len(corners) + len(order))
        if order and not 0 <= min(order) <= max(order) < len(corners):
            raise MeshError("a face refers to corners that do not exist")
        first = len(self.mesh.corners)
        self.mesh.corners += [moved(transform, (x, y, z)) for x, y, z in corners]
        # degenerate triangles join the parts of a strip; as faces they would have no area
        faces = [
            (first + a, first + b, first + c)
            for a, b, c in _triangles(order, mode)
            if a != b and b != c and c != a
        ]
        self.mesh.faces += faces
        self.mesh.colour_of += [self._colour_index(primitive.get("material"))] * len(faces)

    def _spend(self, work: int) -> None:
        """Counts corners, indices and other values that are read; raises MeshError if they are far more than
        a file of this size can have.
        """
        self.work_left -= work
        if self.work_left < 0:
            raise MeshError(
                f"its meshes repeat each other so often that more than {MOST_REPEATED} corners and faces are"
                " repeated"
            )

    def _accessor(self, index: Any, kind: str) -> list[tuple[float, ...]]:
        """Values of an accessor (3.6.2). Raises MeshError if its type is not `kind`, or its data are
        incomplete.
        """
        if index not in self._accessors:
            accessor = self._entry("accessors", index)
            if "sparse" in accessor or "bufferView" not in accessor or accessor["type"] != kind:
                raise MeshError(
                    f"its accessor {index} is sparse, has no data or is no {kind}: export the mesh again"
                )
            view = self._entry("bufferViews", accessor["bufferView"])
            letter, count, start = (
                COMPONENTS[accessor["componentType"]],
                accessor["count"],
                accessor.get("byteOffset", 0),
            )
            element = struct.Struct(f"<{SIZES[kind]}{letter}")
            stride = view.get("byteStride", element.size)
            data = self._view(view)
            if (
                not element.size <= stride <= WIDEST
                or count < 1
                or start < 0
                or start + (count - 1) * stride + element.size > len(data)
            ):
                raise MeshError(f"its accessor {index} reaches beyond its data")
            self._spend(count)
            # the last value may end without the padding that separates it from the next
            padded = struct.Struct(f"<{SIZES[kind]}{letter}{stride - element.size}x")
            values = list(
                padded.iter_unpack(data[start : start + count * stride].ljust(count * stride, b"\0"))
            )
            # the lowest signed integer has no positive counterpart, and also means -1
            if accessor.get("normalized") and letter in LARGEST_OF:
                values = [tuple(max(part / LARGEST_OF[letter], -1.0) for part in value) for value in values]
            self._accessors[index] = values
        return self._accessors[index]

    def _view(self, view: dict[str, Any]) -> bytes:
        """Bytes of a buffer view."""
        index, start, length = view["buffer"], view.get("byteOffset", 0), view["byteLength"]
        if index not in self._buffers:
            self._buffers[index] = self._buffer(self._entry("buffers", index), index)
        if start < 0 or length < 0:
            raise MeshError("a part of its data begins before it")
        return self._buffers[index][start : start + length]

    def _buffer(self, buffer: dict[str, Any], index: int) -> bytes:
        """Bytes of a buffer: the binary chunk, data in a URI, or a file, whose path is relative to the
        folder.
        """
        if "uri" not in buffer:
            if index != 0 or self.binary is None:
                raise MeshError("it has no data")
            return self.binary
        if buffer["uri"].startswith("data:"):
            return b64decode(buffer["uri"].partition(",")[2])
        return content(self.folder / unquote(buffer["uri"]), LARGEST)

    def _colour_index(self, material: Any) -> int:
        """Index of a material's colour in the mesh's colours, to which it is added if it is new."""
        colour = None if material is None else _colour(self._entry("materials", material))
        if colour not in self._index_of:
            self._index_of[colour] = len(self.mesh.colours)
            self.mesh.colours.append(colour)
        return self._index_of[colour]


def _transform(node: dict[str, Any]) -> Affine:
    """Transform of a node (3.5.3): its matrix, column by column, or its translation, rotation (x, y, z, w)
    and scale.
    """
    if "matrix" in node:
        numbers = [float(number) for number in node["matrix"]]
        return tuple(
            (numbers[row], numbers[4 + row], numbers[8 + row], numbers[12 + row]) for row in range(3)
        )
    x, y, z, w = (float(number) for number in node.get("rotation", (0.0, 0.0, 0.0, 1.0)))
    along_x, along_y, along_z = (float(number) for number in node.get("scale", (1.0, 1.0, 1.0)))
    offset = [float(number) for number in node.get("translation", (0.0, 0.0, 0.0))]
    axes: tuple[Vector, ...] = ((along_x, 0.0, 0.0), (0.0, along_y, 0.0), (0.0, 0.0, along_z))
    columns = [rotate(normalized((w, x, y, z)), axis) for axis in axes]
    return tuple((columns[0][row], columns[1][row], columns[2][row], offset[row]) for row in range(3))


def _triangles(order: list[int], mode: int) -> Iterator[tuple[int, int, int]]:
    """Triangles of a primitive, as triples of corner indices. `order`: indices of its corners; `mode`:
    `TRIANGLES`, `STRIP` or `FAN` (3.7.2.1).
    """
    if mode == TRIANGLES:
        return zip(order[0::3], order[1::3], order[2::3], strict=False)
    if mode == STRIP:
        return ((order[k], order[k + 1 + k % 2], order[k + 2 - k % 2]) for k in range(len(order) - 2))
    return ((order[k + 1], order[k + 2], order[0]) for k in range(len(order) - 2))


def _colour(material: dict[str, Any]) -> Colour | None:
    """Plain colour of a material (3.9.2), in sRGB; None if it has a texture."""
    surface = material.get("pbrMetallicRoughness", {})
    if "baseColorTexture" in surface:
        return None
    red, green, blue, opacity = (
        min(max(float(part), 0.0), 1.0) for part in surface.get("baseColorFactor", (1.0, 1.0, 1.0, 1.0))
    )
    return _srgb(red), _srgb(green), _srgb(blue), opacity if material.get("alphaMode") == "BLEND" else 1.0


def _srgb(part: float) -> float:
    """sRGB value of a linear component, as glTF stores colours linearly."""
    return part * SRGB_SLOPE if part <= SRGB_BELOW else 1.055 * part ** (1.0 / 2.4) - 0.055
