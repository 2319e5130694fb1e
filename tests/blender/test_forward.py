"""Tests the forward axis of a new chain's end: guessed from cameras, sides and a robot's own axes, stored,
and chosen by hand.
"""

from math import degrees, pi
from pathlib import Path

import bpy
import pytest
from limber.rig.authoring import forward
from limber.rig.scene.goal import AXES, forward_axis
from limber.rig.showing import chain_lines
from mathutils import Matrix, Vector

from tests.blender.characters import character
from tests.blender.generated import generated
from tests.blender.rigs import build, looking_chain, select, target
from tests.blender.shown import go_live, missed
from tests.robots.robots import write

SHARED = Path(__file__).resolve().parents[3] / "shared"
ROBOTS = [  # file, end, direction of its view in the world at rest
    ("robots/open_duck_mini_v2/robot.urdf", "head_assembly", (1, 0, 0)),
    ("robots/reachy_mini/robot.urdf", "xl_330", (1, 0, 0)),
    ("data/human-gazebo/humanSubject01_66dof.urdf", "Head", (1, 0, 0)),
]


def link(name: str) -> str:
    return f'<link name="{name}"/>'


def joint(name: str, parent: str, child: str, place: str, axis: str = "", rpy: str = "0 0 0") -> str:
    moves = f'<axis xyz="{axis}"/><limit lower="-1" upper="1" effort="1" velocity="1"/>' if axis else ""
    kind = "revolute" if axis else "fixed"
    origin = f'<origin xyz="{place}" rpy="{rpy}"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child'
        f' link="{child}"/>{origin}{moves}</joint>'
    )


BOTH = (("left", 0.2), ("right", -0.2))  # name and Y position [m] of both
OPTICAL = f"{-pi / 2} 0 {-pi / 2}"  # Z forward, X to the right, Y down: ROS's REP 103


def robot(tmp_path, *more: str, turned: str = "0 0 0"):
    """A head on a neck on a base; its camera is aside and above, so that no axis of its bone points
    forward.
    """
    parts = [link(name) for name in ("base", "neck_link", "head_link", "eyes_optical_frame")]
    parts += [
        joint("pan", "base", "neck_link", "0 0 0.3", "0 0 1"),
        joint("tilt", "neck_link", "head_link", "0.05 0 0.1", "0 1 0"),
    ]
    parts += [joint("view", "head_link", "eyes_optical_frame", "0.1 0 0.08", rpy=turned)]
    bpy.ops.limber.import_robot(
        filepath=str(write(tmp_path, f'<robot name="r">{"".join([*parts, *more])}</robot>'))
    )
    return bpy.context.active_object


def chain_on(rig, *bones: str, **options):
    select(rig, *bones)
    bpy.ops.limber.new_chain(**options)
    return rig.limber.chains[-1]


def off(rig, chain, way) -> float:
    """The angle [degrees] between the shown view of a chain's end and a direction in the world."""
    start, tip = chain_lines.forward(rig, chain)
    return degrees((tip - start).angle(Vector(way)))


@pytest.mark.parametrize(("file", "end", "ahead"), ROBOTS)
def test_robots_that_people_own_look_ahead(file, end, ahead):
    if not (SHARED / file).exists():
        pytest.skip(f"no {SHARED / file}")
    bpy.ops.limber.import_robot(filepath=str(SHARED / file), with_meshes=False)
    rig = bpy.context.active_object
    assert off(rig, chain_on(rig, end), ahead) < 0.5


def test_generated_controls_and_their_metarig_look_ahead():
    with generated("basic_human") as rig:
        for bone in ("head", "chest"):
            assert off(rig, chain_on(rig, bone), (0, -1, 0)) < 2


def test_an_optical_frame_tells_the_view_exactly_where_no_axis_of_the_bone_does(tmp_path):
    rig = robot(tmp_path, turned=f"{-pi / 2} 0 {-pi / 2 + 0.2}")
    chain = chain_on(rig, "head_link")
    assert chain.forward_axis == "CUSTOM"
    looks = (0.980067, 0.198669, 0)
    assert off(rig, chain, looks) < 0.01
    chain.target = target((2.0, 0.7, 0.6))
    go_live(rig, chain)
    assert missed(rig, chain) < 0.01


def test_a_camera_that_looks_behind_does_not_count_against_the_bodys_front(tmp_path):
    sides = [
        link(f"{side}_wheel") + joint(f"{side}_axle", "base", f"{side}_wheel", f"0 {y} 0")
        for side, y in (("left", 0.2), ("right", -0.2))
    ]
    rig = robot(tmp_path, *sides, turned=f"{-pi / 2} 0 {pi / 2}")
    assert off(rig, chain_on(rig, "head_link"), (1, 0, 0)) < 0.5


@pytest.mark.every_blender
def test_sides_tell_the_front_of_a_robot_that_is_built_backwards(tmp_path):
    sides = [
        link(f"{side}_arm") + joint(f"{side}_joint", "base", f"{side}_arm", f"0 {y} 0.2")
        for side, y in (("l", -0.2), ("r", 0.2))
    ]
    rig = robot(tmp_path, *sides, turned=f"{-pi / 2} 0 {pi / 2}")
    assert off(rig, chain_on(rig, "head_link"), (-1, 0, 0)) < 0.5


def test_a_characters_head_looks_ahead_however_its_armature_is_turned():
    for names, turned in (
        ("own", None),
        ("Mixamo", Matrix.Rotation(-pi / 2, 4, "X")),
        ("mannequin", Matrix.Rotation(pi / 2, 4, "Z")),
    ):
        rig = character(names, turned=turned)
        assert off(rig, chain_on(rig, "Head" if names == "Mixamo" else "head"), (0, -1, 0)) < 0.5


def test_arms_lamps_and_grippers_look_along_their_bones(tmp_path):
    _, chain = looking_chain()
    assert (chain.forward_axis, chain.up) == ("+Y", "+Z"), "a lamp's head has no sides"
    rig = build(
        {"arm": "X", "wrist": "X", "hand": "X", "left_finger": "X", "right_finger": "X"},
        "Arm",
        parents={"right_finger": "hand"},
    )
    assert chain_on(rig, "hand").forward_axis == "+Y"
    assert (
        forward.guess(
            character(),
            "arm_left" if "arm_left" in bpy.data.objects["Character"].data.bones else "shoulder.L",
        ).reason
        == ""
    )


@pytest.mark.parametrize(
    ("bones", "looks"), [({"neck": "Y"}, "+Z"), ({"turntable": "Y", "pan": "Y"}, "+Z"), ({"pan": "XY"}, "+Y")]
)
def test_an_end_whose_joints_only_twist_its_bone_looks_across_it(bones, looks, capfd):
    rig = build({"stand": "", **bones}, "Stand")
    chain = chain_on(rig, list(bones)[-1])
    way = forward.axis_at_rest(rig, chain.end, chain.forward_axis)
    assert (chain.forward_axis == "+Y") == (looks == "+Y")
    assert ("across its bone, since its joints only twist that" in capfd.readouterr().out) == (looks != "+Y")
    if looks != "+Y":
        assert abs(way.dot(forward.axis_at_rest(rig, chain.end, "+Y"))) < 1e-3
        target = bpy.data.objects.new("Target", None)
        bpy.context.collection.objects.link(target)
        target.location = (2.0, -1.0, 0.3)
        chain.target, chain.roll = target, "FREE"
        assert go_live(rig, chain).outputs.solution.limits_hit == ()


def test_a_last_bone_that_rolls_a_view_which_only_nods_is_told_with_the_way_to_another_axis(capfd):
    chain_on(build({"stand": "", "tilt": "X", "pan": "Y"}, "Stand"), "pan")
    assert "Bone 'pan' only twists, which rolls its view and does not turn it" in capfd.readouterr().out
    chain_on(build({"base": "Y", "arm": "X", "roll": "Y"}, "Lamp", parents={}), "roll")
    said = capfd.readouterr().out
    assert "rolls its view" in said, "base and roll are parallel in a straight arm"
    chain_on(build({"base": "Z", "arm": "X", "roll": "Y"}, "Arm"), "roll")
    assert "rolls its view" not in capfd.readouterr().out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("CameraLeftEye_frame", ["camera", "left", "eye", "frame"]),
        ("LHipJoint", ["l", "hip", "joint"]),
        ("leg_left_6_link", ["leg", "left", "6", "link"]),
        ("upper_arm.L", ["upper", "arm", "l"]),
    ],
)
def test_names_are_taken_apart_into_words(name, said):
    assert forward.words(name) == said


@pytest.mark.every_blender
def test_the_axis_can_be_chosen_with_the_chain_and_is_told(capfd):
    rig = character()
    chain = chain_on(rig, "head")
    assert "it looks along +Z (the body's front, by its left and right sides)" in capfd.readouterr().out
    bpy.ops.limber.remove_chain()
    chain = chain_on(rig, "head", forward="-X")
    assert chain.forward_axis == "-X"
    assert chain.up[1] != "X"


@pytest.mark.every_blender
def test_picking_an_axis_or_a_point_sets_it_and_undo_takes_it_back(undo_step, capfd):
    rig, chain = looking_chain()
    rig.pose.bones["lower"].rotation_euler.x = 0.7
    bpy.context.view_layer.update()
    undo_step("chain")
    assert bpy.ops.limber.pick_forward_axis(axis="-Z") == {"FINISHED"}
    assert (chain.forward_axis, chain.up) == ("-Z", "+Y")
    place = Vector((0.4, 1.0, 0.3))
    assert bpy.ops.limber.pick_forward_axis(axis="CUSTOM", location=place) == {"FINISHED"}
    assert chain.forward_axis == "CUSTOM"
    start, tip = chain_lines.forward(rig, chain)
    assert (tip - start).angle(place - start) < 1e-5, "as it stands, the end faces the point"
    assert "degrees from" in capfd.readouterr().out
    eye = chain_lines.eye(rig, chain)
    with pytest.raises(RuntimeError, match="The point is at the eye of 'head'"):
        bpy.ops.limber.pick_forward_axis(axis="CUSTOM", location=eye)
    undo_step("picked")
    bpy.ops.ed.undo()
    assert bpy.data.objects["Rig"].limber.chains[0].forward_axis == "+Y"


def test_a_direction_without_length_is_told_with_what_mends_it():
    _, chain = looking_chain()
    chain.forward_axis, chain.forward_direction = "CUSTOM", (0, 0, 0)
    assert not any(forward_axis(chain))
    with pytest.raises(
        RuntimeError, match="The Forward Direction of chain 'head' has no length: press Pick Forward Axis"
    ):
        bpy.ops.limber.live()


@pytest.mark.every_blender
def test_what_is_drawn_before_live_is_the_forward_axis_and_while_picking_all_six():
    from limber.operators.authoring import forward_axis as picking
    from limber.panels.authoring import forward_overlay

    rig, chain = looking_chain()
    ((words, (start, tip), _),) = forward_overlay.arrows()
    assert words == "head: forward"
    assert (tip - start).normalized().dot(rig.pose.bones["head"].matrix.col[1].to_3d()) == pytest.approx(1)
    picking.current_picking = picking.Picking(rig.name, chain.uid, "+X")
    try:
        assert [words for words, _, _ in forward_overlay.arrows()] == list(AXES)
    finally:
        picking.current_picking = None
    bpy.ops.limber.live()
    assert not forward_overlay.arrows(), "a live chain has its ray"
