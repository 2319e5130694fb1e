"""Tests a chain on an imported robot without further settings: limits of the file, postures, gaze."""

import random

import bpy
import pytest
from limber.rig.authoring.robot_import import import_robot
from limber.rig.bones.imported_robot import pose_joints
from mathutils import Vector

from tests.blender.imported import joint_values
from tests.blender.rigs import select, target
from tests.blender.shown import no_handler_raises  # noqa: F401 a fixture
from tests.robots.robots import ARM, NO_PUBLIC, PUBLIC, write

LAMP = next((path for path in PUBLIC if path.name == "lelamp.urdf"), None)
WRISTED = ARM.replace(
    'name="wrist" type="fixed"><parent link="lower"/><child link="hand"/><origin xyz="0 0 0.25"/><axis xyz="0'
    ' 0 0"/>',
    'name="wrist" type="continuous"><parent link="lower"/><child link="hand"/><origin xyz="0 0 0.25"/><axis'
    ' xyz="0 1 0"/><limit velocity="6" effort="1"/>',
)


HOVERING = """<robot name="hovering">
  <link name="base"/><link name="roll"/><link name="waist"/><link name="neck"/><link name="head"/>
  <link name="left_leg"/><link name="left_foot"/><link name="right_leg"/><link name="right_foot"/>
  <joint name="roll" type="continuous"><parent link="base"/><child link="roll"/><origin xyz="0 0 1"/><axis xyz="1 0 0"/></joint>
  <joint name="waist" type="continuous"><parent link="roll"/><child link="waist"/><axis xyz="0 0 1"/></joint>
  <joint name="neck" type="continuous"><parent link="waist"/><child link="neck"/><origin xyz="0 0 0.4"/><axis xyz="0 0 1"/></joint>
  <joint name="head" type="continuous"><parent link="neck"/><child link="head"/><origin xyz="0 0 0.1"/><axis xyz="0 1 0"/></joint>
  <joint name="left" type="continuous"><parent link="waist"/><child link="left_leg"/><origin xyz="0 0.1 -0.1"/><axis xyz="0 1 0"/></joint>
  <joint name="right" type="continuous"><parent link="waist"/><child link="right_leg"/>
  <origin xyz="0 -0.1 -0.1"/><axis xyz="0 1 0"/></joint>
  <joint name="left_foot" type="fixed"><parent link="left_leg"/><child link="left_foot"/><origin xyz="0 0 -0.8"/></joint>
  <joint name="right_foot" type="fixed"><parent link="right_leg"/><child link="right_foot"/><origin xyz="0 0 -0.8"/></joint>
</robot>
"""


def chain_on(rig, *names: str):
    select(rig, *names)
    assert bpy.ops.limber.new_chain() == {"FINISHED"}
    return rig.limber.chains[-1]


def test_a_robots_chain_has_all_motors_up_to_its_base_also_those_that_carry_legs(tmp_path):
    rig = import_robot(bpy.context, write(tmp_path, HOVERING)).rig
    chain = chain_on(rig, "head")
    assert chain.root == "base"
    assert [joint.bone for joint in chain.joints] == ["roll", "waist", "neck", "head"]


def test_joints_of_chains_have_the_files_accelerations_jerks_and_soft_limits_where_it_has_any(tmp_path):
    rates = (
        'velocity="3" acceleration="7" deceleration="6" jerk="70" effort="4"/><safety_controller'
        ' soft_upper_limit="1"/>'
    )
    rig = import_robot(bpy.context, write(tmp_path, WRISTED.replace('velocity="3" effort="4"/>', rates))).rig
    shoulder, elbow, _ = chain_on(rig, "hand").joints
    usual = type(elbow).bl_rna.properties
    assert (shoulder.upper, shoulder.velocity, shoulder.acceleration, shoulder.jerk) == pytest.approx(
        (1.0, 3.0, 6.0, 70.0)
    )
    assert (elbow.acceleration, elbow.jerk) == pytest.approx(
        (usual["acceleration"].default, usual["jerk"].default)
    )


def test_a_chains_joints_have_the_files_limits_and_velocities(tmp_path):
    rig = import_robot(bpy.context, write(tmp_path, WRISTED)).rig
    chain = chain_on(rig, "hand")
    assert [joint.bone for joint in chain.joints] == ["upper", "lower", "hand"]
    shoulder, elbow, wrist = chain.joints
    assert (shoulder.lower, shoulder.upper, shoulder.velocity) == pytest.approx((-2.0, 1.5, 3.0))
    assert (elbow.lower, elbow.upper, elbow.velocity) == pytest.approx((-1.0, 2.0, 2.0))
    assert wrist.upper > 6, "a continuous joint can go round"
    assert wrist.velocity == pytest.approx(6.0)


def test_limits_of_a_joint_that_counts_backwards_are_exchanged(tmp_path):
    rig = import_robot(
        bpy.context, write(tmp_path, WRISTED.replace('axis xyz="0 0 2"', 'axis xyz="0 0 -2"'))
    ).rig
    shoulder = chain_on(rig, "hand").joints[0]
    assert (shoulder.lower, shoulder.upper) == pytest.approx((-1.5, 2.0))


def test_limits_that_no_constraint_can_have_are_the_chains_all_the_same(tmp_path):
    rig = import_robot(
        bpy.context, write(tmp_path, WRISTED.replace('lower="-2" upper="1.5"', 'lower="-5" upper="4"'))
    ).rig
    shoulder = chain_on(rig, "hand").joints[0]
    assert (shoulder.lower, shoulder.upper) == pytest.approx((-5.0, 4.0))


def test_a_narrower_constraint_of_the_users_counts(tmp_path):
    rig = import_robot(bpy.context, write(tmp_path, WRISTED)).rig
    constraint = rig.pose.bones["lower"].constraints[0]
    constraint.max_x = 1.0
    assert chain_on(rig, "hand").joints[1].upper == pytest.approx(1.0)


def miss(rig, end: str, at) -> float:
    """The angle [rad] between the shown direction of the end's bone and the direction to the target."""
    bone = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[end]
    return bone.y_axis.angle(Vector(at.matrix_world.translation) - bone.tail)


def play(frames: int) -> None:
    for frame in range(1, frames + 1):
        bpy.context.scene.frame_set(frame)


def test_a_robot_looks_at_a_target_and_keeps_a_posture_within_its_limits(tmp_path):
    rig = import_robot(bpy.context, write(tmp_path, WRISTED)).rig
    chain = chain_on(rig, "hand")
    pose_joints(rig, {"shoulder": 0.4, "elbow": 0.8, "wrist": -0.3})
    assert bpy.ops.limber.store_posture(name="Bow") == {"FINISHED"}
    chain.target = at = target((0.8, 0.3, 0.2))
    assert bpy.ops.limber.check_chain() == {"FINISHED"}
    assert bpy.ops.limber.live() == {"FINISHED"}
    play(90)
    assert miss(rig, "hand", at) < 1e-3
    assert joint_values(rig) == pytest.approx(
        {"shoulder": 0.4, "elbow": 0.8, "wrist": -0.3, "grip": 0.0, "counter_grip": 0.001}
    )
    bpy.ops.limber.end_live()


@pytest.mark.skipif(LAMP is None, reason=NO_PUBLIC)
@pytest.mark.parametrize("seed", range(3))
def test_the_lamp_on_its_foot_looks_where_it_can(seed):
    from limber.rig.chains.chain import skeleton_now

    draw = random.Random(seed)
    rig = import_robot(bpy.context, LAMP, "scs215_v5").rig
    chain = chain_on(rig, "diffuser")
    assert len(chain.joints) == 5
    skeleton = skeleton_now(rig, chain)
    pose = skeleton.forward(
        [draw.uniform(lo, hi) for lo, hi in zip(skeleton.lower, skeleton.upper, strict=True)]
    )
    look = Vector(pose.tool_position) + 0.4 * Vector(_look(pose.tool_rotation))
    base = rig.data.bones[chain.root].matrix_local
    chain.target = at = target(tuple(base @ look))
    bpy.ops.limber.live()
    play(150)
    assert miss(rig, "diffuser", at) < 1e-3
    bpy.ops.limber.end_live()


def _look(rotation) -> tuple:
    from limber.solvers.kinematics.rotations import Y, rotate

    return rotate(rotation, Y)
