"""Tests COLLADA files: corners, faces and colours as the file's scene shows them."""

import pytest
from limber.robots.collada import read_collada
from limber.robots.faces import MeshError

from tests.robots.robots import write

DAE = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
  <library_effects><effect id="red-effect"><profile_COMMON><technique sid="common"><phong>
    <emission><color>0 1 0 1</color></emission><diffuse><color sid="diffuse">1 0.5 0 1</color></diffuse>
  </phong></technique></profile_COMMON></effect></library_effects>
  <library_materials><material id="red"><instance_effect url="#red-effect"/></material></library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="g-corners"><float_array id="g-array" count="12">0 0 0 100 0 0 0 100 0 0 0 100</float_array>
      <technique_common><accessor source="#g-array" count="4" stride="3"/></technique_common></source>
    <source id="g-normals"><float_array id="g-narray" count="3">0 0 1</float_array></source>
    <vertices id="g-vertices"><input semantic="POSITION" source="#g-corners"/></vertices>
    FACES
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s">NODES</visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""
INPUTS = (
    '<input semantic="VERTEX" source="#g-vertices" offset="0"/><input semantic="NORMAL" source="#g-normals"'
    ' offset="1"/>'
)
TRIANGLES = f'<triangles material="m" count="2">{INPUTS}<p>0 0 1 0 2 0 0 0 2 0 3 0</p></triangles>'
BOUND = (
    '<bind_material><technique_common><instance_material symbol="m"'
    ' target="#red"/></technique_common></bind_material>'
)
SHOWN = f'<instance_geometry url="#g">{BOUND}</instance_geometry>'


def read(tmp_path, faces: str = TRIANGLES, nodes: str = f"<node>{SHOWN}</node>"):
    """Reads the file with its corners as written, without regard to its up axis."""
    return read_collada(
        write(tmp_path, DAE.replace("FACES", faces).replace("NODES", nodes), "a.dae"), "IGNORE"
    )


def standing(tmp_path, told: str, up_axis: str, tool: str = ""):
    """The corner that lies 1 m along each axis in a file with this <up_axis> element, and the axis from which
    it was rotated.
    """
    made_by = f"<contributor><authoring_tool>{tool}</authoring_tool></contributor>"
    text = (
        DAE.replace("FACES", TRIANGLES)
        .replace("NODES", f"<node>{SHOWN}</node>")
        .replace("<up_axis>Y_UP</up_axis>", made_by + told)
    )
    made = read_collada(write(tmp_path, text, "a.dae"), up_axis)
    return [tuple(map(round, corner)) for corner in made.corners[1:]], made.rotated_from


AS_WRITTEN = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
FROM_Y, FROM_X = [(1, 0, 0), (0, 0, 1), (0, -1, 0)], [(0, 0, 1), (-1, 0, 0), (0, -1, 0)]


@pytest.mark.parametrize(
    ("told", "up_axis", "tool", "wanted", "rotated_from"),
    [
        ("<up_axis>Y_UP</up_axis>", "AUTO", "Maya", FROM_Y, "Y_UP"),
        ("<up_axis> X_UP </up_axis>", "AUTO", "", FROM_X, "X_UP"),
        ("<up_axis>Z_UP</up_axis>", "AUTO", "Maya", AS_WRITTEN, ""),
        ("", "AUTO", "Maya", AS_WRITTEN, ""),
        ("<up_axis>?</up_axis>", "FILE", "Maya", AS_WRITTEN, ""),
        ("<up_axis>Y_UP</up_axis>", "AUTO", "VCGLib | MeshLab", AS_WRITTEN, ""),
        ("<up_axis>Y_UP</up_axis>", "FILE", "VCGLib | MeshLab", FROM_Y, "Y_UP"),
        ("<up_axis>Y_UP</up_axis>", "IGNORE", "Maya", AS_WRITTEN, ""),
    ],
)
def test_a_file_is_rotated_from_its_up_axis_to_z_except_those_of_meshlab(
    tmp_path, told, up_axis, tool, wanted, rotated_from
):
    assert standing(tmp_path, told, up_axis, tool) == (wanted, rotated_from)


def test_what_nodes_place_is_rotated_with_its_place(tmp_path):
    text = DAE.replace("FACES", TRIANGLES).replace(
        "NODES", f"<node><translate>0 300 0</translate>{SHOWN}</node>"
    )
    assert read_collada(write(tmp_path, text, "a.dae")).corners[0] == pytest.approx((0, 0, 3))


def test_triangles_are_read_in_metres_in_the_files_own_axes(tmp_path):
    made = read(tmp_path)
    assert made.corners == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert made.faces == [(0, 1, 2), (0, 2, 3)]
    assert made.colours == [(1.0, 0.5, 0.0, 1.0)]
    assert made.colour_of == [0, 0]


def test_polygons_of_any_size_are_read(tmp_path):
    made = read(
        tmp_path,
        f'<polylist count="2">{INPUTS}<vcount>4 3</vcount><p>0 0 1 0 2 0 3 0 0 0 2 0 3 0</p></polylist>',
    )
    assert made.faces == [(0, 1, 2, 3), (0, 2, 3)]
    assert made.colours == [None]
    made = read(tmp_path, f'<polygons count="2">{INPUTS}<p>0 0 1 0 2 0</p><p>0 0 1 0 2 0 3 0</p></polygons>')
    assert made.faces == [(0, 1, 2), (0, 1, 2, 3)]


def test_corners_that_are_repeated_in_a_face_count_once_and_faces_of_two_not_at_all(tmp_path):
    made = read(
        tmp_path,
        f'<polylist count="2">{INPUTS}<vcount>4 3</vcount><p>0 0 1 0 1 0 3 0 0 0 2 0 2 0</p></polylist>',
    )
    assert made.faces == [(0, 1, 3)]


def test_nodes_place_what_is_in_them_from_the_outside_in(tmp_path):
    nodes = f"""<node><translate>100 0 0</translate><rotate>0 0 1 90</rotate>
        <node><scale>1 2 3</scale>{SHOWN}</node></node>
        <node><matrix>1 0 0 0  0 0 -1 0  0 1 0 500  0 0 0 1</matrix>{SHOWN}</node>"""
    made = read(tmp_path, nodes=nodes)
    wanted = [(1, 0, 0), (1, 1, 0), (-1, 0, 0), (1, 0, 3), (0, 0, 5), (1, 0, 5), (0, 0, 6), (0, -1, 5)]
    for corner, place in zip(made.corners, wanted, strict=True):
        assert corner == pytest.approx(place, abs=1e-12)
    assert made.faces[2:] == [(4, 5, 6), (4, 6, 7)]


@pytest.mark.parametrize(
    "faces",
    [
        "",
        f'<triangles count="1">{INPUTS}<p>0 0 1 0 9 0</p></triangles>',
        f'<triangles count="1">{INPUTS}<p>0 0 1 0 -1 0</p></triangles>',
        f'<triangles count="1">{INPUTS}<p>0 0 x 0 1 0</p></triangles>',
        '<triangles count="1"><p>0 1 2</p></triangles>',
        '<triangles count="1"><input semantic="VERTEX" source="#none" offset="0"/><p>0 1 2</p></triangles>',
    ],
)
def test_what_cannot_be_read_is_an_error_of_its_own(tmp_path, faces):
    with pytest.raises(MeshError):
        read(tmp_path, faces)


@pytest.mark.parametrize(
    "nodes",
    [
        "",
        '<node id="n"><instance_node url="#n"/></node>',
        '<node><instance_geometry url="#none"/></node>',
        "<node>",
    ],
)
def test_a_scene_that_is_empty_or_goes_round_is_an_error_too(tmp_path, nodes):
    with pytest.raises(MeshError):
        read(tmp_path, nodes=nodes)


@pytest.mark.parametrize(
    ("sound", "damaged"),
    [
        ("100 0 0", "nan 0 0"),
        ("100 0 0", "1e999 0 0"),
        ('meter="0.01"', 'meter="nan"'),
        (f"<node>{SHOWN}", f"<node><translate>inf 0 0</translate>{SHOWN}"),
        (f"<node>{SHOWN}", f"<node><scale>1e200 1 1</scale><scale>1e200 1 1</scale>{SHOWN}"),
    ],
)
def test_corners_that_are_no_finite_numbers_are_an_error(tmp_path, sound, damaged):
    text = DAE.replace("FACES", TRIANGLES).replace("NODES", f"<node>{SHOWN}</node>")
    with pytest.raises(MeshError, match="not finite"):
        read_collada(write(tmp_path, text.replace(sound, damaged, 1), "a.dae"))


# small files that expand to large scenes
def instancing(depth: int, shown: str = SHOWN, times: int = 2) -> str:
    """Nodes each of which has `times` instances of the next one; the last one shows a mesh."""
    again = '<instance_node url="#n{}"/>' * times
    below = "".join(f'<node id="n{k}">' + again.format(*[k + 1] * times) + "</node>" for k in range(depth))
    return f'{below}<node id="n{depth}">{shown}</node>'


@pytest.mark.parametrize("shown", [SHOWN, "", '<instance_geometry url="#g"/>' * 50])
def test_nodes_that_instance_the_next_twice_are_refused_before_they_are_shown(tmp_path, shown):
    nodes = instancing(99, shown)
    assert len(nodes) < 10_000
    with pytest.raises(
        MeshError, match="so often that more than 4000000 corners, faces and nodes are instances"
    ):
        read(tmp_path, nodes=nodes)


def test_the_work_is_bounded_and_not_the_depth(tmp_path):
    made = read(tmp_path, nodes=instancing(500, times=1))
    assert len(made.faces) == 2 * 501  # the scene shows each of the nodes, and with each the last one
    repeated = read(tmp_path, nodes=f"<node>{instancing(6)}</node>")
    assert len(repeated.faces) == 2 * (2**7 - 1)


def test_a_node_is_read_once_however_often_it_is_shown(tmp_path, monkeypatch):
    from limber.robots import collada

    seen = []
    monkeypatch.setattr(collada, "_child_transform", lambda element: seen.append(element))
    many = read(tmp_path, nodes=instancing(10))
    assert len(many.faces) == 2 * (2**11 - 1)
    assert len(seen) == 10 * 2 + 1


@pytest.mark.parametrize(
    "nodes",
    [
        '<node id="a"><instance_node url="#a"/></node>',
        '<node id="a"><instance_node url="#b"/></node><node id="b"><instance_node url="#a"/></node>',
        '<node id="a"><node id="b"><instance_node url="#a"/></node></node>',
    ],
)
def test_nodes_that_instance_each_other_in_a_circle_are_refused(tmp_path, nodes):
    with pytest.raises(MeshError, match="circle"):
        read(tmp_path, nodes=nodes)


def test_many_geometries_that_name_one_list_of_corners_are_refused_before_they_are_read(tmp_path):
    again = "".join(f'<geometry id="g{k}"><mesh>{TRIANGLES}</mesh></geometry>' for k in range(60))
    nodes = "<node>" + "".join(f'<instance_geometry url="#g{k}"/>' for k in range(60)) + "</node>"
    text = DAE.replace("0 0 0 100 0 0 0 100 0 0 0 100", "0 " * 300_000).replace(
        "</library_geometries>", f"{again}</library_geometries>"
    )
    with pytest.raises(MeshError, match="repeat each other so often"):
        read_collada(
            write(tmp_path, text.replace("FACES", TRIANGLES).replace("NODES", nodes), "a.dae"), "IGNORE"
        )


def test_polygons_that_go_back_to_corners_of_others_are_refused(tmp_path):
    corners = "0 0 " * 3000
    with pytest.raises(MeshError, match="a polygon has -3000 corners"):
        read(
            tmp_path, f"<polylist>{INPUTS}<vcount>{'3000 -3000 ' * 1000}</vcount><p>{corners}</p></polylist>"
        )
