"""Tests chains of a body that follows: their gaze is added to its motion, and a robot receives both."""

from math import degrees

import bpy
import numpy as np
import pytest
from limber.rig.live import live
from limber.rig.robot import device, values

from tests.blender import at_hand
from tests.blender.figures import CMU, XSENS, called, way
from tests.blender.following import FRAMES, follower, limbs_apart
from tests.blender.rigs import build, looking_chain, select, target
from tests.blender.shown import missed, settle


def test_a_body_and_another_who_look_at_each_other_come_to_rest():
    rig, _ = follower()
    _, chain = looking_chain(
        rig, called(XSENS, "neck"), called(XSENS, "head"), at=target((0, 0, 0), "Eye of Other")
    )
    other, watcher = looking_chain(
        build({"neck": "YX", "head": "XZ"}, name="Other"), "neck", "head", at=target((0, 0, 0), "Eye of Body")
    )
    chain.forward_axis, chain.up = "+Z", "+Y"
    other.location = (0.4, -1.5, 1.2)
    for eye, owner, bone in ((chain.target, other, "head"), (watcher.target, rig, called(XSENS, "head"))):
        eye.parent, eye.parent_type, eye.parent_bone = owner, "BONE", bone
    for thing in (other, rig):
        select(thing)
        bpy.ops.limber.live()
    at_hand.live(rig.limber.retarget)
    settle()
    assert missed(other, watcher) < 0.2
    assert degrees(live.session(rig, chain).outputs.filtered_aim_error) < 0.2


@pytest.mark.parametrize("arms_out", [True, False])
def test_a_chain_on_top_looks_at_its_target_while_the_rest_follows(arms_out: bool):
    rig, source = follower(arms_out=arms_out)
    _, chain = looking_chain(rig, called(XSENS, "neck"), called(XSENS, "head"), at=target((0.5, -3.0, 1.2)))
    chain.forward_axis, chain.up = "+Z", "+Y"
    for joint in chain.joints:
        joint.velocity = joint.acceleration = joint.jerk = 1e4
    at_hand.live(rig.limber.retarget)
    bpy.ops.limber.live()
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        session = live.session(rig, chain)
        assert session.problem == ""
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[called(XSENS, "head")]
        ahead = chain.target.location - (shown.tail if chain.eye else shown.head)
        looked = shown.matrix.to_3x3().col[2].angle(ahead)
        assert degrees(session.outputs.solution.aim_error) < 0.01, frame
        assert looked == pytest.approx(session.outputs.filtered_aim_error, abs=1e-3), (
            "but for the filter the look is met"
        )
        assert limbs_apart(rig, source) < 0.2
    bpy.ops.limber.end_live()
    bpy.context.scene.frame_set(12)
    neck = degrees(way(rig, XSENS, "neck", "head").angle(way(source, CMU, "neck", "head")))
    assert neck < 0.5, "without the gaze the neck follows as well"


def test_the_posture_that_a_chain_warps_is_what_the_body_does():
    rig, _ = follower()
    _, chain = looking_chain(rig, called(XSENS, "neck"), called(XSENS, "head"))
    at_hand.live(rig.limber.retarget)
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(12)
    joints = live.session(rig, rig.limber.retarget).values()
    session = live.session(rig, chain)
    assert session.goal.posture == pytest.approx([joints[key] for key in session.reader.joint_keys])
    assert np.abs(session.goal.posture).max() > 0.05


@pytest.mark.every_blender
def test_a_robot_is_sent_what_the_body_does_and_how_fast_for_joints_of_chains_that_do_not_look():
    rig, _ = follower()
    select(rig, called(XSENS, "left upper_arm"), called(XSENS, "left forearm"))
    bpy.ops.limber.new_chain()
    at_hand.live(rig.limber.retarget)
    for frame in (11, 12):
        bpy.context.scene.frame_set(frame)
    session = live.session(rig, rig.limber.retarget)
    joints = session.motion()
    sources = device.sources(rig)
    handed = values.with_rates(rig, sources, values.newest(rig, sources, [0.0] * len(sources)))
    assert handed
    for source, sent in zip(sources, handed, strict=True):
        joint = joints[source.bone, source.axis]
        assert (sent.position, sent.velocity) == (joint.position, session.step * joint.velocity)
    assert any(sent.velocity for sent in handed)
    at_hand.end_live(rig.limber.retarget)
    assert set(values.shown(rig).values()) == {0.0}, "as posed"


def test_a_chain_keeps_the_authored_pose_of_a_bone_that_a_body_of_paired_bones_leaves_alone():
    source = build({"base": None, "neck": "XYZ", "head": "XYZ"}, name="Source")
    rig = build({"base": None, "neck": "XYZ", "head": "XYZ"})
    retarget = rig.limber.retarget
    retarget.source = source
    for name in ("base", "head"):
        pair = retarget.pairs.add()
        pair.source = pair.target = name
    bpy.context.view_layer.update()
    bpy.ops.limber.calibrate_pairs()
    retarget.paired_only = True
    rig.pose.bones["neck"].rotation_euler.x = 0.4
    _, chain = looking_chain(rig, "neck", "neck", at=target((0.5, -3.0, 1.2)))
    select(rig)
    bpy.ops.limber.live()
    at_hand.live(retarget)
    session = live.session(rig, chain)
    _, inputs = session.record.ticked
    authored = dict(zip(session.reader.joint_keys, inputs.posture.tolist(), strict=True))
    assert authored["neck", "X"] == pytest.approx(0.4, abs=1e-6)
