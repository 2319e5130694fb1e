"""Tests limits of joints from MoveIt's joint_limits.yaml: for a robot's chains, for later ones, and for a
user's own armatures.
"""

from math import pi

import bpy
import pytest

from tests.blender.rigs import looking_chain, select
from tests.robots.robots import write

ROBOT = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="pan" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 .2"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" velocity="9" effort="1"/></joint>
<joint name="tilt" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0 0 .2"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" velocity="9" effort="1"/></joint></robot>"""
LIMITS = """default_velocity_scaling_factor: 0.1
joint_limits:
  pan: {has_velocity_limits: true, max_velocity: !degrees 90 * 2, has_acceleration_limits: true, max_acceleration: 4.5,
        has_jerk_limits: true, max_jerk: 50}
  tilt: {has_velocity_limits: true, max_velocity: 2, has_acceleration_limits: false, max_acceleration: 0,
         has_position_limits: true, min_position: -1, max_position: 1}
  finger: {max_velocity: 1}
"""


def robot(folder):
    bpy.ops.limber.import_robot(filepath=str(write(folder, ROBOT)))
    return bpy.context.active_object


def rates(chain) -> dict[str, tuple]:
    return {
        joint.bone: tuple(round(value, 5) for value in (joint.velocity, joint.acceleration, joint.jerk))
        for joint in chain.joints
    }


def chained(rig):
    select(rig, "b", "c")
    bpy.ops.limber.new_chain()
    return rig.limber.chains[-1]


def give(folder, text: str = LIMITS):
    return bpy.ops.limber.import_joint_limits(filepath=str(write(folder, text, "joint_limits.yaml")))


@pytest.mark.every_blender
@pytest.mark.parametrize("chain_first", [True, False])
def test_a_robots_joints_get_the_limits_of_their_names_also_where_the_chain_is_made_later(
    tmp_path, chain_first, capfd
):
    rig = robot(tmp_path)
    if chain_first:
        before = rates(chained(rig))
    assert give(tmp_path) == {"FINISHED"}
    found = rates(rig.limber.chains[0] if chain_first else chained(rig))
    assert found["b"] == (round(pi, 5), 4.5, 50.0)
    assert found["c"][0] == 2.0
    if chain_first:
        assert found["c"][1:] == before["c"][1:], "limits that are switched off are none"
    out = capfd.readouterr().out
    assert "has no joint for 'finger': left out" in out
    assert "The file's ranges of 'tilt' are not taken" in out


def test_the_parameters_of_a_ros_node_are_read_as_well_and_wrong_numbers_are_told(tmp_path, capfd):
    rig = robot(tmp_path)
    tilt = "tilt: {max_velocity: 3, max_acceleration: fast}"
    text = f"/**:\n  ros__parameters:\n    robot_description_planning:\n      joint_limits:\n        {tilt}\n"
    give(tmp_path, text)
    assert rates(chained(rig))["c"][0] == 3.0
    assert (
        "joint 'tilt', max_acceleration: expected a number above zero, found 'fast': it is left out"
        in capfd.readouterr().out
    )


def test_an_armature_of_ones_own_gets_limits_by_the_names_of_its_joints(tmp_path):
    rig, chain = looking_chain()
    joint = chain.joints[0]
    give(tmp_path, f"joint_limits:\n  '{joint.name}': {{max_velocity: 1.5}}\n")
    assert rig.limber.chains[0].joints[0].velocity == pytest.approx(1.5)


@pytest.mark.every_blender
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("joint_limits:\n  finger: {max_velocity: 1}\n", "has no joint of such a name"),
        ("limits: 3\n", "it has no joint under 'joint_limits'"),
        ("joint_limits: {pan: {max_velocity: !feet 3}}\n", "line 1: tag '!feet' is unknown"),
    ],
)
def test_a_file_that_cannot_be_used_changes_nothing(tmp_path, text, said):
    rig = robot(tmp_path)
    before = rates(chained(rig))
    with pytest.raises(RuntimeError, match=said):
        give(tmp_path, text)
    assert rates(rig.limber.chains[0]) == before
