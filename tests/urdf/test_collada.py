"""COLLADA files: corners, faces and colours as the file's scene shows them."""

import pytest
from limber.urdf.collada import ColladaError, read_collada

from tests.urdf.robots import write

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
INPUTS = '<input semantic="VERTEX" source="#g-vertices" offset="0"/><input semantic="NORMAL" source="#g-normals" offset="1"/>'
TRIANGLES = f'<triangles material="m" count="2">{INPUTS}<p>0 0 1 0 2 0 0 0 2 0 3 0</p></triangles>'
BOUND = '<bind_material><technique_common><instance_material symbol="m" target="#red"/></technique_common></bind_material>'
SHOWN = f'<instance_geometry url="#g">{BOUND}</instance_geometry>'


def read(tmp_path, faces: str = TRIANGLES, nodes: str = f"<node>{SHOWN}</node>"):
    return read_collada(write(tmp_path, DAE.replace("FACES", faces).replace("NODES", nodes), "a.dae"))


def test_triangles_are_read_in_metres_in_the_files_own_axes(tmp_path):
    made = read(tmp_path)
    assert made.corners == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert made.faces == [(0, 1, 2), (0, 2, 3)]
    assert made.colours == [(1.0, 0.5, 0.0, 1.0)]
    assert made.colour_of == [0, 0]


def test_polygons_of_any_size_are_read(tmp_path):
    made = read(tmp_path, f'<polylist count="2">{INPUTS}<vcount>4 3</vcount><p>0 0 1 0 2 0 3 0 0 0 2 0 3 0</p></polylist>')
    assert made.faces == [(0, 1, 2, 3), (0, 2, 3)]
    assert made.colours == [None]
    made = read(tmp_path, f'<polygons count="2">{INPUTS}<p>0 0 1 0 2 0</p><p>0 0 1 0 2 0 3 0</p></polygons>')
    assert made.faces == [(0, 1, 2), (0, 1, 2, 3)]


def test_corners_that_are_repeated_in_a_face_count_once_and_faces_of_two_not_at_all(tmp_path):
    made = read(tmp_path, f'<polylist count="2">{INPUTS}<vcount>4 3</vcount><p>0 0 1 0 1 0 3 0 0 0 2 0 2 0</p></polylist>')
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
    with pytest.raises(ColladaError):
        read(tmp_path, faces)


@pytest.mark.parametrize(
    "nodes", ["", '<node id="n"><instance_node url="#n"/></node>', '<node><instance_geometry url="#none"/></node>', "<node>"]
)
def test_a_scene_that_is_empty_or_goes_round_is_an_error_too(tmp_path, nodes):
    with pytest.raises(ColladaError):
        read(tmp_path, nodes=nodes)


def test_corners_that_are_no_numbers_are_an_error(tmp_path):
    text = DAE.replace("100 0 0", "nan 0 0").replace("FACES", TRIANGLES).replace("NODES", f"<node>{SHOWN}</node>")
    with pytest.raises(ColladaError):
        read_collada(write(tmp_path, text, "a.dae"))
