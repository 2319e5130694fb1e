"""Tests robots of MJCF and xacro files: the result of Import Robot, their gaze, and the closing of loops that
files mark.
"""

import math

import bpy
import numpy as np
import pytest
from limber.rig.bones.imported_robot import pose_joints
from limber.robots.reading import read
from limber.robots.tree import build_tree
from limber.solvers.kinematics.rotations import angle_between, length, subtract

from tests.blender import mechanisms as those
from tests.blender.imported import joint_values, link_frames
from tests.blender.rigs import select, target
from tests.blender.shown import assert_looks, go_live
from tests.robots.mjcf import ARM as MJCF
from tests.robots.robots import SHARED, write
from tests.robots.xacros import ARM, LIMB, LIMITS

REACHY = SHARED / "robots" / "reachy_mini"
WRIST = '<joint name="nod" axis="0 1 0" range="-60 60"/>'
HEAD = (
    f'<body name="head" pos="0 0 .1">{WRIST}<geom type="ellipsoid" size=".05 .05 .08"/></body><site'
    ' name="grip"'
)
FOUR_BAR = """<mujoco model="four bar"><compiler angle="radian"/><worldbody><body name="base">
  <body name="left"><joint name="motor" axis="0 1 0"/><body name="top" pos="0 0 .2"><joint name="a" axis="0 1 0"/></body></body>
  <body name="right" pos=".3 0 0"><joint name="b" axis="0 1 0"/></body></body></worldbody>
  <equality><connect name="pin" body1="top" body2="right" anchor=".3 0 0"/></equality>
  <actuator><position joint="motor"/></actuator></mujoco>"""


def bring(path, **options):
    assert bpy.ops.limber.import_robot(filepath=str(path), **options) == {"FINISHED"}
    return bpy.context.active_object


def xacro_arm(folder):
    write(folder, LIMB, "limb.xacro")
    write(folder, LIMITS, "limits.yaml")
    return write(folder, ARM, "arm.xacro")


def check_links(rig, path, values: dict[str, float]) -> None:
    """Compares the shown links with those of the file, for joints' values."""
    tree = build_tree(read(path))
    pose_joints(rig, values)
    bpy.context.view_layer.update()
    shown = link_frames(rig, bpy.context.evaluated_depsgraph_get())
    assert joint_values(rig) == pytest.approx(tree.complete(values), abs=1e-6)
    for branch, frame in zip(tree.branches, tree.frames(tree.complete(values)), strict=True):
        assert length(subtract(shown[branch.link].offset, frame.offset)) < 1e-5, branch.link
        assert angle_between(shown[branch.link].rotation, frame.rotation) < 1e-5, branch.link


def test_an_mjcf_robots_bones_move_as_its_joints_do_also_where_several_are_in_one_body(tmp_path):
    path = write(tmp_path, MJCF, "arm.xml")
    rig = bring(path)
    assert rig.name == "arm"
    assert [bone.name for bone in rig.data.bones] == ["base", "upper", "lift_link", "hand", "grip", "eye"]
    for values in (
        {},
        {"shoulder": 0.5, "lift": 0.05, "turn": 1.0},
        {"shoulder": -1.0, "lift": 0.1, "turn": -2.0},
    ):
        check_links(rig, path, values)
    limit = rig.pose.bones["upper"].constraints[0]
    spans = [getattr(limit, f"{word}_{axis}") for axis in "xy" for word in ("min", "max")]
    assert any(
        number == pytest.approx(math.radians(45.0)) or number == pytest.approx(-math.radians(45.0))
        for number in spans
    )


@pytest.mark.every_blender
def test_an_mjcf_robot_looks_at_a_target(tmp_path):
    rig = bring(write(tmp_path, MJCF.replace('<site name="grip"', HEAD), "arm.xml"))
    assert [thing.name for thing in rig.children if thing.name.startswith("head")], "the ellipsoid is there"
    select(rig, "head")
    assert bpy.ops.limber.new_chain() == {"FINISHED"}
    chain = rig.limber.chains[0]
    assert [joint.bone for joint in chain.joints] == ["upper", "lift_link", "hand", "head"]
    chain.target = target((0.6, 0.9, 1.3))
    go_live(rig, chain)
    assert_looks(rig, chain)


def test_a_xacro_robot_looks_at_a_target_with_the_fingers_that_its_arguments_ask_for(tmp_path):
    path = xacro_arm(tmp_path)
    rig = bring(path, arguments="fingers:=1")
    assert [bone.name for bone in rig.data.bones] == ["base", "upper", "lower", "finger_1"]
    assert "finger_2" in bring(path).data.bones, "the file's own default"
    bpy.context.view_layer.objects.active = rig
    select(rig, "lower")
    assert bpy.ops.limber.new_chain() == {"FINISHED"}
    chain = rig.limber.chains[0]
    assert [joint.upper for joint in chain.joints] == pytest.approx([math.pi / 2] * 2)
    chain.target = target((0.7, 0.3, 0.5))
    go_live(rig, chain)
    assert_looks(rig, chain)


def test_an_argument_that_is_none_is_named(tmp_path):
    with pytest.raises(RuntimeError, match="Argument 'fingers' has no value: write name:=value"):
        bpy.ops.limber.import_robot(filepath=str(xacro_arm(tmp_path)), arguments="fingers 2")


def test_a_loop_that_an_mjcf_file_closes_is_closed_when_the_motor_moves(tmp_path):
    rig = bring(write(tmp_path, FOUR_BAR, "four_bar.xml"))
    kept = rig.limber.mechanism
    assert [motor.bone for motor in kept.motors] == ["motor"]
    kept.drive = "MOTORS"
    kept.motors[0].value = 0.6
    assert bpy.ops.limber.live() == {"FINISHED"}
    those.settle(rig)
    session = those.session(rig)
    assert session.problem == ""
    assert session.outputs.report.residual < 1e-8
    where = link_frames(rig, bpy.context.evaluated_depsgraph_get())
    assert where["top"].offset == pytest.approx((0.2 * math.sin(0.6), 0.0, 0.2 * math.cos(0.6)), abs=1e-5)
    assert length(subtract(where["closing_pin_1"].offset, where["closing_pin_2"].offset)) < 1e-5
    bpy.ops.limber.end_live()


def placed(path) -> dict[str, list[np.ndarray]]:
    """Lowest and highest corner (2, 3) of each imported mesh in the world, by the mesh's name."""
    bring(path)
    bpy.context.view_layer.update()
    found: dict[str, list[np.ndarray]] = {}
    for thing in bpy.context.active_object.children:
        corners = np.array([tuple(thing.matrix_world @ vertex.co) for vertex in thing.data.vertices])
        found.setdefault(thing.data.name.split(".")[0], []).append(
            np.array([corners.min(axis=0), corners.max(axis=0)])
        )
    return found


def test_the_meshes_of_an_mjcf_robot_are_where_those_of_its_urdf_are():
    folder = SHARED / "robots" / "so101"
    if not folder.exists():
        pytest.skip(f"no folder {folder}")
    first, second = placed(folder / "so101_new_calib.urdf"), placed(folder / "so101_new_calib.xml")
    assert set(first) == set(second)
    for name, boxes in first.items():
        assert len(boxes) == len(second[name]), name
        for box in boxes:
            assert min(np.abs(box - other).max() for other in second[name]) < 1e-5, name


def test_loops_stay_open_where_the_user_wants_them_so(tmp_path):
    rig = bring(write(tmp_path, FOUR_BAR, "four_bar.xml"), close_loops=False)
    assert not rig.limber.mechanism.use_bones
    assert not rig.limber.mechanism.motors


@pytest.mark.every_blender
@pytest.mark.parametrize("file", ["robot.urdf", "reachy_mini.xml"])
def test_reachy_minis_head_comes_as_a_closed_mechanism(file):
    if not REACHY.exists():
        pytest.skip(f"no folder {REACHY}")
    rig = bring(REACHY / file, with_meshes=False)
    motors = {"yaw_body", "right_antenna", "left_antenna", *(f"stewart_{k}" for k in range(1, 7))}
    assert {motor.bone for motor in rig.limber.mechanism.motors} == motors
    those.with_idle_goal(rig)
    assert bpy.ops.limber.live() == {"FINISHED"}
    session = those.session(rig)
    assert session.problem == ""
    assert session.outputs.report.residual < 1e-8
    shown = rig.evaluated_get(those.update()).pose.bones
    poses = session.solver.poses(session.state.shown)
    for k, part in enumerate(session.reading.parts):
        where = np.array(rig.matrix_world @ shown[part.bone].matrix) @ part.offset
        assert np.abs(where[:3, 3] - (session.base @ poses[k])[:3, 3]).max() < 1e-5, part.name
    bpy.ops.limber.end_live()
    select(rig, "head")
    with pytest.raises(RuntimeError, match="Bone 'head' is moved by the mechanism of"):
        bpy.ops.limber.new_chain()


@pytest.mark.every_blender
def test_keyframes_of_mjcf_are_pose_assets_that_a_chain_takes_as_postures(tmp_path):
    keyframes = '<keyframe><key name="home" qpos="-.5 .05 .3"/><key name="rest" qpos="0 0 0"/></keyframe>'
    rig = bring(write(tmp_path, MJCF.replace("</mujoco>", f"{keyframes}</mujoco>"), "arm.xml"))
    home = bpy.data.actions["home"]
    assert home.asset_data.description == "Posture of arm, from its file"
    assert "rest" in bpy.data.actions
    assert joint_values(rig)["shoulder"] == pytest.approx(0.0), "the robot itself stands as before"
    select(rig, "upper", "lift_link", "hand")
    bpy.ops.limber.new_chain()
    bpy.ops.limber.add_posture(name="home")
    bpy.ops.limber.apply_posture()
    assert joint_values(rig) == pytest.approx({"shoulder": -0.5, "lift": 0.05, "turn": 0.3}, abs=1e-6)
