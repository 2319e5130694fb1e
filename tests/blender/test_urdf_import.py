"""Tests the objects that Import Robot creates and their positions; an error leaves nothing, and undo removes
all of them.
"""

import struct
from dataclasses import replace
from string import ascii_lowercase

import bpy
import pytest
from limber.rig.authoring.robot_import import importing
from limber.robots.robot_files import read_files

from tests.blender.modal import step_by_step
from tests.blender.rigs import UPRIGHT, build, make_active
from tests.robots.gltfs import write_glb
from tests.robots.robots import ARM, write
from tests.robots.test_collada import DAE, SHOWN, TRIANGLES

pytestmark = pytest.mark.every_blender

KINDS = ("objects", "armatures", "meshes", "materials", "collections", "scenes", "images")


def everything() -> dict[str, list[str]]:
    return {kind: sorted(thing.name for thing in getattr(bpy.data, kind)) for kind in KINDS}


def bring(path, **options):
    assert bpy.ops.limber.import_robot(filepath=str(path), **options) == {"FINISHED"}
    return bpy.context.active_object


def refusal(path, **options) -> str:
    with pytest.raises(RuntimeError) as error:
        bpy.ops.limber.import_robot(filepath=str(path), **options)
    return str(error.value)


def stl(path, size: float = 1.0) -> None:
    """Writes a tetrahedron as a binary STL file."""
    corners = [(0, 0, 0), (size, 0, 0), (0, size, 0), (0, 0, size)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    triangles = [struct.pack("<12fH", 0, 0, 0, *corners[a], *corners[b], *corners[c], 0) for a, b, c in faces]
    path.write_bytes(bytes(80) + struct.pack("<I", len(faces)) + b"".join(triangles))


OBJ = (
    "mtllib a.mtl\no one\nv 0 0 0\nv 1 0 0\nv 0 2 0\nusemtl red\nf 1 2 3\no two\nv 0 0 3\nv 1 0 3\nv 0 1 3\nf"
    " 4 5 6\n"
)
SHAPES = """<robot name="shapes">
  <link name="a">
    <visual><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><geometry><box size="2 4 6"/></geometry>
      <material name="m"><color rgba="0.5 0 1 0.25"/></material></visual>
    <visual><origin xyz="0 0 9"/><geometry><cylinder radius="0.5" length="2"/></geometry></visual>
    <visual><origin xyz="0 0 -9"/><geometry><sphere radius="0.5"/></geometry></visual>
  </link>
</robot>"""


def test_each_visual_of_a_link_is_a_step(tmp_path):
    files = read_files(str(write(tmp_path, SHAPES)), "", True, "AUTO", None)
    steps = [progress.says for progress in importing(bpy.context, files, True, "AUTO", True)]
    assert steps.count("Adding the meshes of link 'a'") > len(files.robot.link["a"].visuals)


def extent(thing) -> tuple[float, ...]:
    """Lowest and highest corner of an object in the world: x, y, z, x, y, z."""
    bpy.context.view_layer.update()
    corners = [thing.matrix_world @ vertex.co for vertex in thing.data.vertices]
    return *map(min, *corners), *map(max, *corners)


def near(*numbers: float):
    return pytest.approx(numbers, abs=1e-5)


def meshed(tmp_path, *visuals: str, material: str = ""):
    """A robot of one link with these mesh files."""
    body = "".join(f"<visual><geometry><mesh {visual}/></geometry>{material}</visual>" for visual in visuals)
    return write(tmp_path, f'<robot name="r"><link name="a">{body}</link></robot>')


def visuals(rig) -> list:
    return sorted(rig.children, key=lambda thing: thing.name)


def test_a_robot_comes_in_active_and_alone_selected_in_a_collection_of_its_own(tmp_path):
    other = build(UPRIGHT)
    rig = bring(write(tmp_path, ARM))
    assert rig.type == "ARMATURE"
    assert rig.name == "arm"
    assert [thing.name for thing in bpy.context.selected_objects] == ["arm"]
    assert {bone.name for bone in rig.data.bones} == {"base", "upper", "lower", "hand", "left", "right"}
    assert [collection.name for collection in rig.users_collection] == ["arm"]
    assert set(rig.users_collection[0].objects) == {rig, *rig.children}
    assert other.mode == "OBJECT", "edit and pose modes are left, as by Blender's own importers"


def test_undo_takes_all_of_it_back(tmp_path, undo_step):
    before = everything()
    path = write(tmp_path, ARM)
    bring(path)
    assert everything() != before
    bpy.ops.ed.undo_push(message="import")
    bpy.ops.ed.undo()
    assert everything() == before


BROKEN = {
    "loop": ARM.replace('<child link="left"/>', '<child link="lower"/>'),
    "axis": ARM.replace('<axis xyz="0 0 2"/>', '<axis xyz="0 0 0"/>'),
    "not closed": ARM[:-20],
}


@pytest.mark.parametrize("case", BROKEN)
def test_an_error_names_file_line_and_element_and_leaves_nothing(tmp_path, case):
    rig = build(UPRIGHT)
    before = everything()
    path = write(tmp_path, BROKEN[case])
    said = refusal(path)
    assert str(path) in said
    assert "line " in said
    assert "<" in said
    assert everything() == before
    assert (bpy.context.active_object, rig.mode) == (rig, "POSE"), "and the user is where he was"


def test_an_error_while_things_are_made_leaves_nothing(tmp_path, monkeypatch):
    from limber.rig.authoring import robot_import, robot_meshes

    stl(tmp_path / "a.stl")
    path = meshed(
        tmp_path,
        'filename="a.stl"',
        'filename="b.stl"',
        material='<material name="m"><color rgba="1 0 0 1"/></material>',
    )
    before = everything()
    for module, name in (
        (robot_meshes, "_placeholder"),
        (robot_import, "_prepare_pose"),
        (robot_import, "to_text"),
    ):

        def fail(*_arguments):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(module, name, fail)
            with pytest.raises(KeyboardInterrupt):
                robot_import.import_robot(bpy.context, path)
        assert everything() == before, name


def test_whenever_it_is_cancelled_nothing_is_left(tmp_path, monkeypatch):
    from limber.operators.authoring.import_robot import LIMBER_OT_import_robot
    from limber.rig.authoring import robot_import

    monkeypatch.setattr(robot_import, "SOME_BONES", 2)
    stl(tmp_path / "a.stl")
    path, before, seen = meshed(tmp_path, 'filename="a.stl"'), everything(), set()
    asked = {
        "filepath": str(path),
        "root": "",
        "with_meshes": True,
        "up_axis": "AUTO",
        "close_loops": True,
        "arguments": "",
    }
    for length in range(100):
        window = step_by_step(monkeypatch, LIMBER_OT_import_robot, **asked, allow_large=False)
        window.start()
        while window.work.says in ("Beginning", "Reading robot.urdf") and window.send("TIMER") == {
            "RUNNING_MODAL"
        }:
            pass
        is_working = [window.send("TIMER") == {"RUNNING_MODAL"} for _ in range(length)]
        seen.add(window.work.says.rpartition(" ")[0])
        if not all(is_working):
            break
        assert window.send("ESC") == {"CANCELLED"}
        assert everything() == before
    assert {"Making"} < seen
    assert everything() != before


def test_a_robot_file_of_over_50_mb_is_asked_about(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(ARM + " " * 50_000_000)
    assert "it has 50 MB, more than 50: is this a robot? Tick Large File to import it" in refusal(path)
    bring(path, allow_large=True)


def test_a_short_text_that_stands_for_many_parts_is_asked_about(tmp_path, monkeypatch):
    from limber.robots import robot_files

    monkeypatch.setattr(robot_files, "ASKED_PARTS", 12)
    path = write(tmp_path, ARM)
    bring(path)
    monkeypatch.setattr(robot_files, "ASKED_PARTS", 5)
    assert "it has 6 links with 2 visuals: is this a robot? Tick Large File to import it" in refusal(path)
    bring(path, allow_large=True)


def test_the_root_can_be_another_link_and_an_unknown_one_is_refused(tmp_path):
    path = write(tmp_path, ARM)
    rig = bring(path, root="hand")
    assert [bone.name for bone in rig.data.bones if bone.parent is None] == ["hand"]
    assert "no link 'foot'" in refusal(path, root="foot")


def test_the_links_to_choose_the_root_from_are_the_files(tmp_path):
    from limber.operators.authoring.import_robot import links_of

    assert links_of(str(write(tmp_path, ARM)))[:2] == ["base", "upper"]
    assert (
        links_of(str(tmp_path / "none.urdf"))
        == links_of("")
        == links_of(str(write(tmp_path, "<robot>")))
        == []
    )


def test_without_a_file_the_operator_says_so():
    with pytest.raises(RuntimeError, match="No file is chosen"):
        bpy.ops.limber.import_robot()


def test_boxes_cylinders_and_spheres_have_their_places_sizes_and_colours(tmp_path):
    rig = bring(write(tmp_path, SHAPES))
    box, cylinder, sphere = visuals(rig)
    assert extent(box) == near(-1, 1, 0, 3, 3, 6)
    assert extent(cylinder) == near(-0.5, -0.5, 8, 0.5, 0.5, 10)
    assert extent(sphere) == near(-0.5, -0.5, -9.5, 0.5, 0.5, -8.5)
    material = box.material_slots[0].material
    assert material.name == "m"
    assert tuple(material.diffuse_color) == pytest.approx((0.21404, 0.0, 1.0, 0.25), abs=1e-4), (
        "sRGB becomes linear"
    )
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    assert tuple(shader.inputs["Base Color"].default_value)[:3] == pytest.approx(
        tuple(material.diffuse_color)[:3]
    )
    assert shader.inputs["Alpha"].default_value == 0.25
    for thing in (box, cylinder, sphere):
        assert not thing.data.validate(), "faces are sound"
        normals = [polygon.normal.dot(polygon.center) for polygon in thing.data.polygons]
        assert min(normals) > 0, "faces look outwards"


def test_visuals_move_with_their_links(tmp_path):
    from limber.rig.bones.imported_robot import pose_joints

    from tests.blender.imported import link_frames

    rig = bring(write(tmp_path, ARM))
    hand = next(thing for thing in rig.children if thing.parent_bone == "hand")
    pose_joints(rig, {"shoulder": 1.0, "elbow": 1.5})
    corners = extent(hand)
    frame = link_frames(rig, bpy.context.evaluated_depsgraph_get())["hand"]
    assert [(low + high) / 2 for low, high in zip(corners[:3], corners[3:], strict=True)] == near(
        *frame.offset
    )


def test_stl_and_obj_files_come_in_as_they_are_with_their_scale(tmp_path):
    stl(tmp_path / "a.stl", 2.0)
    (tmp_path / "b.obj").write_text(OBJ)
    (tmp_path / "a.mtl").write_text("newmtl red\nKd 1 0 0\n")
    selected = build(UPRIGHT)
    make_active(selected)
    rig = bring(meshed(tmp_path, 'filename="a.stl" scale="0.5 1 1"', 'filename="package://any/b.obj"'))
    first, second = visuals(rig)
    assert extent(first) == near(0, 0, 0, 1, 2, 2)
    assert extent(second) == near(0, 0, 0, 1, 2, 3)
    assert second.material_slots[0].material.name == "red", (
        "an OBJ file's own colours stay where the URDF gives none"
    )
    assert len(bpy.data.objects) == 4
    assert len(bpy.data.scenes) == 1


def test_meshes_and_robots_in_millimetres_are_named_with_what_mends_it(tmp_path, capfd):
    stl(tmp_path / "a.stl", 120.0)
    stl(tmp_path / "b.stl", 80.0)
    scaled = 'filename="a.stl" scale="0.001 0.001 0.001"'
    bring(meshed(tmp_path, scaled))
    assert "in millimetres" not in capfd.readouterr().out
    bring(meshed(tmp_path, scaled, 'filename="a.stl"', 'filename="b.stl"'))
    large = "mesh 'a.stl' is 120 m large, and 1 more mesh is too large"
    assert (
        f'{large}: if it is in millimetres, write scale="0.001 0.001 0.001" into its <mesh>'
        in capfd.readouterr().out
    )
    bring(write(tmp_path, ARM))
    assert "in millimetres" not in capfd.readouterr().out
    bring(write(tmp_path, ARM.replace('xyz="0 0 0.3"', 'xyz="0 0 300"')))
    words = (
        "joint 'elbow' is 300 m from its parent link's origin: if the file is in millimetres, export it again"
        " in metres"
    )
    assert words in capfd.readouterr().out


BLUE = '<material name="m"><color rgba="0 0 1 1"/></material>'


def colours(thing) -> list[tuple]:
    return [tuple(slot.material.diffuse_color)[:3] for slot in thing.material_slots]


def test_dae_files_come_in_with_their_own_colours_and_the_urdfs_where_they_tell_none(tmp_path):
    more = (
        TRIANGLES.replace('material="m"', 'material="none"')
        .replace("0 0 1 0 2 0", "0 0 1 0 3 0")
        .replace("0 0 2 0 3 0", "1 0 2 0 3 0")
    )
    for name, faces in (("a.dae", TRIANGLES), ("b.dae", more), ("c.dae", TRIANGLES + more)):
        write(tmp_path, DAE.replace("FACES", faces).replace("NODES", f"<node>{SHOWN}</node>"), name)
    rig = bring(meshed(tmp_path, 'filename="a.dae"', 'filename="b.dae"', 'filename="c.dae"', material=BLUE))
    own, urdfs, both = visuals(rig)
    assert extent(own) == near(0, -1, 0, 1, 0, 1)
    orange, blue = pytest.approx((1.0, 0.21404, 0.0), abs=1e-4), (0.0, 0.0, 1.0)
    assert colours(own) == [orange]
    assert colours(urdfs) == [blue]
    assert colours(both) == [orange, blue]
    assert [polygon.material_index for polygon in both.data.polygons] == [0, 0, 1, 1]


def test_colours_that_an_obj_file_names_and_lacks_are_the_urdfs(tmp_path):
    (tmp_path / "b.obj").write_text(OBJ)
    (only,) = visuals(bring(meshed(tmp_path, 'filename="b.obj"', material=BLUE)))
    assert colours(only) == [(0.0, 0.0, 1.0)]
    assert [material.name for material in bpy.data.materials] == ["m"]


def test_a_mesh_of_two_links_is_read_once_and_may_have_two_colours(tmp_path):
    stl(tmp_path / "a.stl")
    colours = [
        f'<material name="{name}"><color rgba="{rgba}"/></material>'
        for name, rgba in (("m", "1 0 0 1"), ("m", "0 1 0 1"))
    ]
    body = "".join(
        f'<visual><geometry><mesh filename="a.stl"/></geometry>{colour}</visual>' for colour in colours
    )
    rig = bring(write(tmp_path, f'<robot name="r"><link name="a">{body}</link></robot>'))
    first, second = visuals(rig)
    assert first.data == second.data
    assert {tuple(thing.material_slots[0].material.diffuse_color)[:2] for thing in (first, second)} == {
        (1.0, 0.0),
        (0.0, 1.0),
    }


@pytest.mark.parametrize(
    ("up_axis", "size"), [("AUTO", (1, 1, 2)), ("FILE", (1, 1, 2)), ("IGNORE", (1, 2, 1))]
)
def test_a_dae_file_stands_as_its_up_axis_says_unless_that_is_to_be_ignored(tmp_path, up_axis, size, capfd):
    tall = (
        DAE.replace("100 0 0 0 100 0", "100 0 0 0 200 0")
        .replace("FACES", TRIANGLES)
        .replace("NODES", f"<node>{SHOWN}</node>")
    )
    write(tmp_path, tall, "a.dae")
    bpy.ops.limber.import_robot(filepath=str(meshed(tmp_path, 'filename="a.dae"')), up_axis=up_axis)
    (mesh,) = bpy.context.active_object.children
    corners = [mesh.matrix_world @ corner.co for corner in mesh.data.vertices]
    assert [max(c[k] for c in corners) - min(c[k] for c in corners) for k in range(3)] == pytest.approx(size)
    said = (
        "Rotated 1 DAE file ('a.dae') from Y up to Z up: if meshes lie on their side, import again"
        in capfd.readouterr().out
    )
    assert said == (up_axis == "AUTO"), "who has asked for it need not be told"


@pytest.mark.parametrize(
    ("up_axis", "size"), [("AUTO", (1, 3, 2)), ("FILE", (1, 3, 2)), ("IGNORE", (1, 2, 3))]
)
def test_a_gltf_file_is_shown_with_its_colour_and_stands_as_y_is_up_in_it(tmp_path, up_axis, size, capfd):
    write_glb(tmp_path / "a.glb")
    bpy.ops.limber.import_robot(
        filepath=str(meshed(tmp_path, 'filename="a.glb"', material=BLUE)), up_axis=up_axis
    )
    (mesh,) = bpy.context.active_object.children
    corners = [mesh.matrix_world @ corner.co for corner in mesh.data.vertices]
    assert [max(c[k] for c in corners) - min(c[k] for c in corners) for k in range(3)] == pytest.approx(size)
    assert colours(mesh) == [pytest.approx((1.0, 0.21404, 0.0), abs=1e-4)]
    assert ("Rotated 1 GLB file ('a.glb') from Y up to Z up" in capfd.readouterr().out) == (up_axis == "AUTO")


def test_a_gltf_file_that_cannot_be_read_says_why(tmp_path, capfd):
    write_glb(tmp_path / "a.glb", extensionsRequired=["KHR_draco_mesh_compression"])
    bpy.ops.limber.import_robot(filepath=str(meshed(tmp_path, 'filename="a.glb"')))
    assert (
        "it is compressed by KHR_draco_mesh_compression: export it without compression"
        in capfd.readouterr().out
    )


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


def test_a_robot_file_that_is_a_git_lfs_pointer_is_named_as_one(tmp_path):
    path = write(tmp_path, POINTER.decode())
    with pytest.raises(
        RuntimeError, match=r"robot\.urdf: this is a Git LFS pointer, not the file itself: run `git lfs pull`"
    ):
        bpy.ops.limber.import_robot(filepath=str(path))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none.stl", None, "is not there"),
        ("a.ply", b"ply", "only STL, OBJ, DAE and glTF can be read"),
        ("a.glb", b"glTF", "cannot be read, or is empty"),
        ("a.dae", b"<COLLADA/>", "cannot be read, or is empty"),
        ("a.dae", b"<COLLADA>", "cannot be read, or is empty"),
        ("a.stl", b"", "cannot be read, or is empty"),
        ("a.stl", bytes(84), "cannot be read, or is empty"),
        ("a.stl", bytes(80) + b"\xff\xff\xff\xff" + bytes(50), "cannot be read, or is empty"),
        ("a.obj", b"v 0 0 0\n", "cannot be read, or is empty"),
        ("a.obj", bytes(range(256)), "cannot be read, or is empty"),
        ("a.stl", POINTER, "is a Git LFS pointer, not the file itself: run `git lfs pull`"),
        ("a.dae", POINTER, "is a Git LFS pointer, not the file itself: run `git lfs pull`"),
    ],
)
def test_a_mesh_that_cannot_be_had_is_a_warning_with_its_name_and_a_stand_in(tmp_path, name, content, said):
    from limber.rig.authoring.robot_import import import_robot

    if content is not None:
        (tmp_path / name).write_bytes(content)
    came = import_robot(bpy.context, meshed(tmp_path, f'filename="{name}"'))
    (warning,) = came.warnings
    assert f"mesh '{name}'" in warning
    assert "link 'a'" in warning
    assert said in warning
    assert warning in came.sentence
    (stand_in,) = came.rig.children
    assert stand_in.name == "a (placeholder)"
    assert len(stand_in.data.polygons) == 6
    assert len(bpy.data.scenes) == 1


def test_robots_can_come_in_without_meshes(tmp_path):
    rig = bring(write(tmp_path, SHAPES), with_meshes=False)
    assert not rig.children
    assert not bpy.data.meshes


def test_long_and_foreign_names_of_links_give_bones_of_their_own(tmp_path):
    names = ["金" * 30 + "a", "金" * 30 + "b", "x" * 70, "x" * 71, "x" * 63]
    links = "".join(f'<link name="{name}"/>' for name in names)
    joints = "".join(
        f'<joint name="{k}" type="fixed"><parent link="{names[0]}"/><child link="{name}"/></joint>'
        for k, name in enumerate(names[1:])
    )
    rig = bring(write(tmp_path, f'<robot name="r">{links}{joints}</robot>'))
    from limber.rig.bones.imported_robot import tree_of

    tree, bones = tree_of(rig)
    assert {branch.link for branch in tree.branches} == set(names)
    assert len(set(bones)) == 5


def test_the_same_robot_can_come_in_twice(tmp_path):
    path = write(tmp_path, ARM)
    first, second = bring(path), bring(path)
    assert first != second
    assert {bone.name for bone in first.data.bones} == {bone.name for bone in second.data.bones}


def test_it_is_in_the_import_menu_and_a_dropped_file_finds_it():
    drawn = [function.__module__ for function in bpy.types.TOPBAR_MT_file_import._dyn_ui_initialize()]
    assert "limber.operators.authoring.import_robot" in drawn
    handler = bpy.types.LIMBER_FH_robot
    assert (handler.bl_import_operator, handler.bl_file_extensions) == (
        "limber.import_robot",
        ".urdf;.xacro;.xml;.mjcf",
    )


def test_all_warnings_that_the_message_counts_are_reported(tmp_path, monkeypatch, capfd):
    from limber.operators.authoring import import_robot

    lacking = [f"There is no {letter}{letter}" for letter in ascii_lowercase]

    def read_with_warnings(*call):
        files = read_files(*call)
        return replace(files, robot=replace(files.robot, warnings=tuple(lacking)))

    monkeypatch.setattr(import_robot, "read_files", read_with_warnings)
    bring(write(tmp_path, SHAPES), with_meshes=False)
    said = capfd.readouterr().out
    assert f"{lacking[0]}, and {len(lacking) - 1} more warnings in the Info editor" in said
    assert [warning for warning in lacking if f"Warning: {warning}\n" not in said] == []
