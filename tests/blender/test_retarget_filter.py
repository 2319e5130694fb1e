"""Tests the motion filter of a body: its joints keep limits of velocity, acceleration and jerk, and come to
rest exactly at their targets.
"""

from math import radians

import bpy
import numpy as np
import pytest
from limber.motion import Kinematic
from limber.rig.authoring import motion_styles
from limber.rig.live import live

from tests.blender.figures import CMU, XSENS, called
from tests.blender.following import FRAMES, follower, motion
from tests.blender.rigs import apart, looking_chain, target
from tests.blender.shown import no_handler_raises, settle  # noqa: F401


def played(rig) -> list[dict[tuple[str, str], Kinematic]]:
    """Motion of the joints in each frame."""
    rows = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        rows.append(live.session(rig, rig.limber.retarget).motion())
    return rows


@pytest.mark.parametrize("name", ["default", "nutty"])
def test_a_filtered_body_keeps_the_limits_of_its_joints(name: str):
    rig, _ = follower()
    retarget = rig.limber.retarget
    retarget.filter, retarget.velocity, retarget.acceleration = name, radians(60), radians(400)
    bpy.ops.limber.live()
    rows = played(rig)
    fastest = max(abs(joint.velocity) for row in rows for joint in row.values())
    hardest = max(abs(joint.acceleration) for row in rows for joint in row.values())
    assert radians(20) < fastest <= radians(60) * (1 + 1e-6)
    assert hardest <= radians(400) * (1 + 1e-6)
    session = live.session(rig, retarget)
    lags = [abs(value - session.solved()[key]) for key, value in session.values().items()]
    assert max(lags) > radians(1), "the solver's pose is ahead of the filtered one"


def link_error(session, name: str, joints: dict) -> float:
    """Angle [rad] between a link's target and its orientation with these joint values."""
    state = session.state
    values = np.array([joints[key] for key in session.reader.joint_keys])
    frames = state.model.body.forward(values, session.outputs.state.base_rotation)
    k = session.linked.value.targets.index(name)
    body_link = session.reader.names.index(name)
    turned = state.inputs.rotation[k] @ state.model.body.placed(frames, np.array([body_link]))[0, :3, :3].T
    return float(2.0 * np.arcsin(np.linalg.norm(turned - np.eye(3)) / np.sqrt(8.0)))


@pytest.mark.every_blender
def test_a_filtered_bodys_error_is_that_of_its_filtered_pose():
    rig, _ = follower()
    retarget = rig.limber.retarget
    retarget.filter, retarget.velocity, retarget.acceleration = "default", radians(60), radians(400)
    bpy.ops.limber.live()
    session = live.session(rig, retarget)
    lags = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        name, solved, filtered = session.aim_errors()
        assert solved == pytest.approx(link_error(session, name[1:-1], session.solved()), abs=1e-5)
        assert filtered == pytest.approx(link_error(session, name[1:-1], session.values()), abs=1e-5)
        lags.append(filtered - solved)
    assert max(lags) > radians(1)


def test_a_filtered_body_comes_to_rest_exactly_in_the_solved_pose():
    rig, source = follower()
    rig.limber.retarget.filter = "default"
    bpy.ops.limber.live()
    settle()
    source.animation_data_clear()
    source.pose.bones[called(CMU, "left upper_arm")].rotation_euler.x += 0.6
    bpy.context.view_layer.update()
    settle()
    session = live.session(rig, rig.limber.retarget)
    assert session.values() == session.solved()
    assert session.record.is_at_rest


def test_joints_in_a_chain_are_filtered_within_the_limits_of_the_chains_table():
    rig, _ = follower()
    _, chain = looking_chain(
        rig, called(XSENS, "left upper_arm"), called(XSENS, "left forearm"), at=target((0.5, -3.0, 1.2))
    )
    joint = chain.joints[0]
    joint.lower, joint.upper, joint.velocity = -3.0, 3.0, radians(10)
    retarget = rig.limber.retarget
    retarget.filter = "default"
    live.start(rig, retarget)
    rows = played(rig)
    assert max(abs(row[joint.bone, joint.axis].velocity) for row in rows) <= radians(10) * (1 + 1e-6)
    others = [
        abs(one.velocity) for row in rows for key, one in row.items() if key != (joint.bone, joint.axis)
    ]
    assert max(others) > radians(10)


def test_a_joint_in_a_chain_is_no_faster_than_the_bodys_fastest_joint():
    rig, _ = follower()
    _, chain = looking_chain(
        rig, called(XSENS, "left upper_arm"), called(XSENS, "left forearm"), at=target((0.5, -3.0, 1.2))
    )
    for joint in chain.joints:
        joint.lower, joint.upper, joint.velocity = -3.0, 3.0, radians(300)
    retarget = rig.limber.retarget
    retarget.filter, retarget.velocity, retarget.own_velocities = "default", radians(20), False
    live.start(rig, retarget)
    of_chain = {(joint.bone, joint.axis) for joint in chain.joints}
    fastest = max(abs(joint.velocity) for row in played(rig) for key, joint in row.items() if key in of_chain)
    assert radians(10) < fastest <= radians(20) * (1 + 1e-6)


def test_a_bodys_motion_without_a_filter_is_as_solved():
    rig, _ = follower()
    assert rig.limber.retarget.filter == "none"
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(9)
    session = live.session(rig, rig.limber.retarget)
    assert session.values() == session.solved()


def test_a_bake_of_a_filtered_body_is_what_live_showed():
    rig, _ = follower()
    retarget = rig.limber.retarget
    motion_styles.use(retarget, motion_styles.BUILT_IN["Heavy"][1])
    retarget.bake_start, retarget.bake_end = FRAMES[0], FRAMES[-1]
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(FRAMES[0])
    shown = motion(rig, FRAMES)
    assert bpy.ops.limber.bake() == {"FINISHED"}
    assert apart(motion(rig, FRAMES), shown) < 5e-5


def test_a_body_uses_motion_styles_as_chains_do():
    rig, _ = follower()
    assert bpy.ops.limber.use_motion_style(name="Heavy") == {"FINISHED"}
    assert motion_styles.name_of(rig.limber.retarget) == "Heavy"
    assert np.isclose(rig.limber.retarget.velocity_share, 0.6)
