"""Tests glTF files: corners, faces and colours as the file's scene shows them, within bounds."""

import base64
import json
import struct

import pytest
from limber.robots.faces import MeshError
from limber.robots.gltf import read_gltf

from tests.robots.gltfs import CORNERS, ORDER, binary, document, glb, write_glb

Z_UP = [(x, -z, y) for x, y, z in CORNERS]


def corners(mesh) -> list[tuple[float, ...]]:
    return [pytest.approx(corner, abs=1e-6) for corner in mesh.corners]


def test_a_mesh_has_its_corners_faces_and_colour(tmp_path):
    mesh = read_gltf(write_glb(tmp_path / "a.glb"), "IGNORE")
    assert mesh.corners == list(CORNERS)
    assert mesh.faces == [(0, 1, 2), (0, 2, 3)]
    assert mesh.colour_of == [0, 0]
    assert mesh.colours == [pytest.approx((1.0, 0.5, 0.0, 1.0), abs=1e-4)], (
        "linear in the file, sRGB in a robot's"
    )


@pytest.mark.parametrize(
    ("generator", "up_axis", "is_rotated"),
    [
        ("Khronos glTF Blender I/O v4.2.70", "AUTO", True),
        ("https://github.com/mikedh/trimesh", "AUTO", False),
        ("Open Asset Import Library (assimp v5.4.0)", "AUTO", False),
        ("https://github.com/mikedh/trimesh", "FILE", True),
        ("Khronos glTF Blender I/O v4.2.70", "IGNORE", False),
    ],
)
def test_y_is_up_unless_the_generator_writes_any_axes_or_the_user_says_otherwise(
    tmp_path, generator, up_axis, is_rotated
):
    mesh = read_gltf(write_glb(tmp_path / "a.glb", asset={"version": "2.0", "generator": generator}), up_axis)
    assert corners(mesh) == (Z_UP if is_rotated else list(CORNERS))
    assert mesh.rotated_from == ("Y_UP" if is_rotated else "")


def test_nodes_move_turn_and_scale_what_is_in_them(tmp_path):
    half = 0.5**0.5
    nodes = [
        {"children": [1], "translation": [10, 0, 0], "rotation": [0, 0, half, half]},
        {"mesh": 0, "scale": [2, 1, 1]},
        {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 7, 1]},
        {"mesh": 0},
    ]
    mesh = read_gltf(write_glb(tmp_path / "a.glb", nodes=nodes, scenes=[{"nodes": [0, 2]}]), "IGNORE")
    assert sorted(map(tuple, [[round(part, 6) for part in corner] for corner in mesh.corners])) == sorted(
        [(10 - y, 2 * x, z) for x, y, z in CORNERS] + [(x, y, z + 7) for x, y, z in CORNERS]
    ), "the last node is not in the scene"


@pytest.mark.parametrize(
    ("mode", "faces"),
    [(4, [(0, 1, 2)]), (5, [(0, 1, 2), (1, 3, 2)]), (6, [(1, 2, 0), (2, 3, 0)])],
)
def test_triangles_may_be_listed_or_share_corners_as_strips_and_fans(tmp_path, mode, faces):
    meshes = [
        {
            "primitives": [
                {"attributes": {"POSITION": 0}, "mode": mode},
                {"attributes": {"POSITION": 0}, "mode": 1},
            ]
        }
    ]
    assert read_gltf(write_glb(tmp_path / "a.glb", meshes=meshes), "IGNORE").faces == faces


def test_corners_may_be_quantized_and_lie_between_other_values(tmp_path):
    data = b"".join(
        struct.pack("<3hh", *(round(32767 * part / 3) for part in corner), 5) for corner in CORNERS
    )
    views = [{"buffer": 0, "byteLength": len(data), "byteStride": 8}]
    accessors = [{"bufferView": 0, "componentType": 5122, "normalized": True, "count": 4, "type": "VEC3"}]
    meshes = [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 5}]}]
    path = write_glb(
        tmp_path / "a.glb",
        data[:-2],
        nodes=[{"mesh": 0, "scale": [3, 3, 3]}],
        bufferViews=views,
        accessors=accessors,
        meshes=meshes,
    )
    found = read_gltf(path, "IGNORE").corners
    assert [tuple(round(part, 3) for part in corner) for corner in found] == list(CORNERS)


def test_the_data_of_a_gltf_file_are_in_it_or_in_a_file_beside_it(tmp_path):
    (tmp_path / "my data.bin").write_bytes(binary())
    for uri in (
        "my%20data.bin",
        "data:application/octet-stream;base64," + base64.b64encode(binary()).decode(),
    ):
        (tmp_path / "a.gltf").write_text(json.dumps(document(buffers=[{"uri": uri, "byteLength": 60}])))
        assert read_gltf(tmp_path / "a.gltf", "IGNORE").corners == list(CORNERS)


def test_a_material_with_a_texture_has_no_colour_and_glass_is_seen_through(tmp_path):
    surfaces = [{"baseColorTexture": {"index": 0}}, {"baseColorFactor": [0, 0, 0, 0.25]}]
    materials = [{"pbrMetallicRoughness": surface, "alphaMode": "BLEND"} for surface in surfaces]
    primitives = [{"attributes": {"POSITION": 0}, "indices": 1, "material": k} for k in (0, 1)] + [
        {"attributes": {"POSITION": 0}}
    ]
    mesh = read_gltf(write_glb(tmp_path / "a.glb", materials=materials, meshes=[{"primitives": primitives}]))
    assert mesh.colours == [None, (0.0, 0.0, 0.0, 0.25)]
    assert mesh.colour_of == [0, 0, 1, 1, 0]


def accessors_of(**changes):
    first, second = document()["accessors"]
    return {"accessors": [{**first, **changes}, second]}


WRONG = {
    "compressed": ({"extensionsRequired": ["KHR_draco_mesh_compression"]}, "export it without compression"),
    "a node of two parents": ({"nodes": [{"children": [1, 1]}, {"mesh": 0}]}, "several parents"),
    "nodes in a circle": ({"nodes": [{"children": [0]}]}, "several parents"),
    "more values than data": (accessors_of(count=50), "reaches beyond its data"),
    "values without end": (accessors_of(count=10**12), "reaches beyond its data"),
    "a negative place": (accessors_of(byteOffset=-12), "reaches beyond its data"),
    "no data": ({"accessors": [{"componentType": 5126, "count": 10**9, "type": "VEC3"}] * 2}, "has no data"),
    "values far apart": (
        {"bufferViews": [{"buffer": 0, "byteLength": 60, "byteStride": 10**12}] * 2},
        "reaches beyond its data",
    ),
    "a number below 0": ({"nodes": [{"mesh": -1}]}, "number -1 of its meshes"),
    "no faces": ({"meshes": [{"primitives": []}]}, "has no faces"),
    "no finite number": ({"nodes": [{"mesh": 0, "translation": [float("inf"), 0, 0]}]}, "not finite"),
    "no rotation": ({"nodes": [{"mesh": 0, "rotation": [0, 0, 0, 0]}]}, "a length is needed"),
    "no map": ({"meshes": 3}, "TypeError"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_read_is_an_error_that_says_why(tmp_path, case):
    changes, said = WRONG[case]
    with pytest.raises(MeshError, match=said):
        read_gltf(write_glb(tmp_path / "a.glb", **changes))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"glTF",
        b"glTF" + bytes(8),
        glb(json.dumps(document()), binary(), version=1),
        glb("{", b""),
        glb("[" * 99999, b""),
        b"{}",
        b"[]",
    ],
)
def test_content_that_is_hardly_gltf_is_an_error(tmp_path, content):
    (tmp_path / "a.glb").write_bytes(content)
    with pytest.raises(MeshError):
        read_gltf(tmp_path / "a.glb")


def test_a_file_that_ends_early_and_a_face_of_corners_that_are_missing_are_errors(tmp_path):
    with pytest.raises(MeshError, match="ends too early"):
        read_gltf(cut(write_glb(tmp_path / "a.glb")))
    with pytest.raises(MeshError, match="corners that do not exist"):
        read_gltf(write_glb(tmp_path / "a.glb", binary(order=(0, 1, 4, 0, 2, 3))))


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])
    return path


def test_meshes_that_repeat_without_end_are_refused(tmp_path, monkeypatch):
    from limber.robots import gltf

    data = binary(order=ORDER * 500)
    entries = document(nodes=[{"mesh": 0}] * 50, scenes=[{"nodes": list(range(50))}])
    entries["accessors"][1]["count"] = 3000
    entries["bufferViews"][1]["byteLength"] = 6000
    path = write_glb(tmp_path / "a.glb", data, **entries)
    assert len(read_gltf(path).faces) == 50_000
    monkeypatch.setattr(gltf, "MOST_REPEATED", 1000)
    with pytest.raises(MeshError, match="repeat each other so often"):
        read_gltf(path)
