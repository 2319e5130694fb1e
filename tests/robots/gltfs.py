"""glTF files for the tests: one mesh of two triangles, as Blender's exporter writes it."""

import json
import struct
from pathlib import Path
from typing import Any

CORNERS = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0))
ORDER = (0, 1, 2, 0, 2, 3)


def document(**changes: Any) -> dict[str, Any]:
    """JSON of a file with one red mesh; `changes` replace its entries."""
    corners = len(CORNERS) * 12
    return {
        "asset": {"version": "2.0", "generator": "Khronos glTF Blender I/O v4.2.70"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1.0, 0.21404, 0.0, 1.0]}}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(CORNERS), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": len(ORDER), "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": corners},
            {"buffer": 0, "byteOffset": corners, "byteLength": len(ORDER) * 2},
        ],
        "buffers": [{"byteLength": corners + len(ORDER) * 2}],
        **changes,
    }


def binary(corners=CORNERS, order=ORDER) -> bytes:
    """The buffer of the mesh."""
    return b"".join(struct.pack("<3f", *corner) for corner in corners) + struct.pack(
        f"<{len(order)}H", *order
    )


def glb(text: str, data: bytes, version: int = 2) -> bytes:
    """Content of a .glb file."""
    chunks = [(0x4E4F534A, text.encode()), (0x004E4942, data)]
    body = b"".join(struct.pack("<II", len(chunk), kind) + chunk for kind, chunk in chunks)
    return struct.pack("<4sII", b"glTF", version, 12 + len(body)) + body


def write_glb(path: Path, data: bytes | None = None, **changes: Any) -> Path:
    """Writes a .glb file with a document and its buffer; returns its path."""
    path.write_bytes(glb(json.dumps(document(**changes)), binary() if data is None else data))
    return path
