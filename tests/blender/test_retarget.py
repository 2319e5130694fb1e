"""A body that follows another armature: pairing, calibration, live, chains on top, and the bake."""

from math import degrees, radians

import bpy
import numpy as np
import pytest
from limber.rig import live, robot_values
from mathutils import Vector

from tests.blender import figures
from tests.blender.figures import CMU, STRAIGHT, XSENS, bend, called, figure, walk, way
from tests.blender.rigs import apart, make_active, matrices, select, target
from tests.blender.shown import settle

BELOW = {"upper_arm": "forearm", "forearm": "hand", "thigh": "shin", "shin": "foot"}
SIDES = ("left", "right")
FRAMES = range(1, 25)


def follower(mode: str = "XYZ", size: float = 1.0, arms_out: bool = True, source_size: float = 1.0):
    """A source that walks and a body that was paired with it; the body is active."""
    source = figure(CMU, "Source", size=source_size)
    walk(source, CMU)
    rig = figure(XSENS, "Body", size=size, arms_out=arms_out, mode=mode)
    rig.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    return rig, source


def limbs_apart(rig, source) -> float:
    """The largest angle [degrees] between limbs of the two, as they are shown."""
    return max(
        degrees(
            way(rig, XSENS, f"{side} {part}", f"{side} {BELOW[part]}").angle(way(source, CMU, f"{side} {part}", f"{side} {BELOW[part]}"))
        )
        for side in SIDES
        for part in STRAIGHT
    )


def hips(rig, words) -> Vector:
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return shown.matrix_world @ shown.pose.bones[words["hips"]].matrix.translation


def names_of(rig) -> list[str]:
    return [bone.name for bone in rig.pose.bones]


@pytest.mark.parametrize("mode", ["XYZ", "ZYX", "QUATERNION"])
@pytest.mark.parametrize("arms_out", [False, True])
def test_limbs_lie_along_the_sources_however_both_rest(mode: str, arms_out: bool):
    rig, source = follower(mode, arms_out=arms_out)
    bpy.ops.limber.follow()
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        assert limbs_apart(rig, source) < 0.2, frame


@pytest.mark.parametrize("turn", [0.0, 90.0, 180.0])
def test_a_body_that_rests_facing_elsewhere_faces_as_the_source_does(turn: float):
    rig, source = follower()
    rig.rotation_euler.z = radians(turn)
    bpy.context.view_layer.update()
    bpy.ops.limber.calibrate_pairs()
    bpy.ops.limber.follow()
    for frame in (1, 12, 24):
        bpy.context.scene.frame_set(frame)
        assert limbs_apart(rig, source) < 0.2
        toe = way(rig, XSENS, "left foot", "left toe").angle(way(source, CMU, "left foot", "left toe"))
        assert degrees(toe) < 0.5


def test_the_base_goes_as_far_as_its_legs_are_longer():
    rig, source = follower(size=1.5)
    retarget = rig.limber.retarget
    assert retarget.scale == pytest.approx(1.5, rel=1e-5)
    bpy.ops.limber.follow()
    for frame in (1, 12, 24):
        bpy.context.scene.frame_set(frame)
        assert (hips(rig, XSENS) - 1.5 * hips(source, CMU)).length < 1e-3
    retarget.shift = (2.0, 0.0, 0.5)
    bpy.context.scene.frame_set(1)
    assert (hips(rig, XSENS) - 1.5 * hips(source, CMU) - Vector((2.0, 0.0, 0.5))).length < 1e-3


@pytest.mark.parametrize("scale", [(0.01, 0.01, 0.01), (3.0, 3.0, 3.0), (1.0, 1.2, 0.9)])
def test_a_scaled_source_is_followed_by_the_body_in_its_own_size(scale: tuple):
    rig, source = follower()
    source.scale = scale
    bpy.context.view_layer.update()
    bpy.ops.limber.calibrate_pairs()
    bpy.ops.limber.follow()
    bpy.context.scene.frame_set(12)
    if len(set(scale)) == 1:
        assert limbs_apart(rig, source) < 0.2
        assert hips(rig, XSENS).z == pytest.approx(hips(source, CMU).z / scale[0], abs=2e-3)
    assert live.session(rig, rig.limber.retarget).problem == ""
    assert np.isfinite([number for matrix in matrices(rig, names_of(rig), 12) for row in matrix for number in row]).all()


def test_calibration_from_poses_takes_both_as_they_stand():
    rig, _ = follower(arms_out=True)
    bend(rig, XSENS, left_upper_arm=(0, 0, -40))
    bpy.context.scene.frame_set(1)
    before = matrices(rig, names_of(rig), 1)
    rig.limber.retarget.calibrate_from = "POSE"
    bpy.ops.limber.calibrate_pairs()
    bpy.ops.limber.follow()
    shown = matrices(rig, names_of(rig), 1)
    turns = [[matrix.to_3x3() for matrix in found] for found in (before, shown)]
    assert apart(*turns) < 2e-3, "in that pose the body stands as it was posed"


def test_limits_hold_while_the_source_asks_for_more():
    rig, source = follower(arms_out=False)
    bone = rig.pose.bones[called(XSENS, "left forearm")]
    bone.lock_rotation = (False, True, True)
    limit = bone.constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.min_x, limit.max_x = "LOCAL", True, radians(-5), radians(10)
    bpy.ops.limber.follow()
    angles = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        angles.append(live.session(rig, rig.limber.retarget).joints()[bone.name, "X"])
    assert np.max(angles) <= limit.max_x
    assert np.min(angles) >= limit.min_x
    assert np.ptp(angles) == 0.0 or np.max(angles) == pytest.approx(limit.max_x)
    assert limbs_apart(rig, source) > 5.0


def test_no_joint_is_faster_than_allowed():
    rig, _ = follower()
    rig.limber.retarget.velocity = radians(30)
    bpy.ops.limber.follow()
    rows = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        rows.append(list(live.session(rig, rig.limber.retarget).joints().values()))
    speeds = np.abs(np.diff(rows, axis=0)) * bpy.context.scene.render.fps
    assert speeds.max() <= radians(30) * (1 + 1e-6)
    assert speeds.max() > radians(29), "the limit was reached"


def test_no_joint_changes_its_speed_by_more_than_allowed():
    rig, _ = follower()
    retarget = rig.limber.retarget

    def hardest() -> float:
        """The largest acceleration [rad/s^2] of any joint, played from the first frame on."""
        rows = []
        for frame in FRAMES:
            bpy.context.scene.frame_set(frame)
            rows.append(list(live.session(rig, retarget).joints().values()))
        speeds = np.diff(rows, axis=0, prepend=rows[:1]) * bpy.context.scene.render.fps
        return float(np.abs(np.diff(speeds, axis=0)).max()) * bpy.context.scene.render.fps

    bpy.ops.limber.follow()
    assert hardest() > radians(600), "what is asked for"
    retarget.acceleration = radians(300)
    assert radians(290) < hardest() <= radians(300) * (1 + 1e-4)


@pytest.mark.parametrize("first", ["left upper_arm", "left forearm"])
def test_bones_of_a_higher_level_leave_those_of_a_lower_one_as_they_are(first: str):
    rig, _ = follower(arms_out=False)
    elbow = rig.pose.bones[called(XSENS, "left forearm")]
    elbow.lock_rotation = (True, True, True)
    levels = {called(XSENS, part): int(part != first) for part in ("left upper_arm", "left forearm", "left hand")}
    for pair in rig.limber.retarget.pairs:
        pair.level = levels.get(pair.target, 0)
    bpy.ops.limber.follow()
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
    missed = dict(
        zip(live.session(rig, rig.limber.retarget).reader.links, live.session(rig, rig.limber.retarget).outputs.missed, strict=True)
    )
    assert degrees(missed[called(XSENS, first)]) < 0.1
    assert degrees(max(missed[name] for name, level in levels.items() if level)) > 20.0, "the elbow is locked: both cannot be"


@pytest.mark.parametrize("setting", ["level", "weight"])
def test_a_body_at_rest_heeds_a_setting_that_is_changed(setting: str):
    rig, _ = follower(arms_out=False)
    rig.pose.bones[called(XSENS, "left forearm")].lock_rotation = (True, True, True)
    pair = next(pair for pair in rig.limber.retarget.pairs if pair.target == called(XSENS, "left upper_arm"))
    bpy.ops.limber.follow()
    bpy.context.scene.frame_set(FRAMES[-1])
    settle()
    before = live.session(rig, rig.limber.retarget).joints()
    setattr(pair, setting, 0.1 if setting == "weight" else 1)
    bpy.context.view_layer.update()
    live.scene_updated(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    settle()
    after = live.session(rig, rig.limber.retarget).joints()
    assert max(abs(after[name] - before[name]) for name in before) > radians(1)


def test_what_is_authored_stays_and_comes_back():
    rig, _ = follower()
    bend(rig, XSENS, left_shin=(33, 0, 0))
    channels = {bone.name: (tuple(bone.rotation_euler), tuple(bone.location)) for bone in rig.pose.bones}
    authored = matrices(rig, names_of(rig), 5)
    bpy.ops.limber.follow()
    assert apart(matrices(rig, names_of(rig), 5), authored) > 0.1
    assert {bone.name: (tuple(bone.rotation_euler), tuple(bone.location)) for bone in rig.pose.bones} == channels
    bpy.ops.limber.end_follow()
    assert apart(matrices(rig, names_of(rig), 5), authored) < 1e-6


def test_frames_played_from_the_same_start_are_the_same_motion():
    rig, _ = follower()
    rig.limber.retarget.gain = 10.0
    bpy.ops.limber.follow()

    def play() -> list:
        bpy.context.scene.frame_set(20)
        return [matrix for frame in FRAMES for matrix in matrices(rig, names_of(rig), frame)]

    assert apart(play(), play()) == 0.0


def test_a_gain_follows_late_and_without_it_the_body_is_there_at_once():
    rig, _ = follower()
    bpy.ops.limber.follow()

    def missed() -> float:
        found = []
        for frame in FRAMES:
            bpy.context.scene.frame_set(frame)
            found.append(np.nanmean(live.session(rig, rig.limber.retarget).outputs.missed))
        return float(np.mean(found[1:]))

    at_once = missed()
    rig.limber.retarget.gain = 5.0
    assert missed() > at_once


def test_a_chain_on_top_looks_at_its_target_while_the_rest_follows():
    rig, source = follower()
    select(rig, called(XSENS, "neck"), called(XSENS, "head"))
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[0]
    chain.target, chain.look, chain.up = target((0.5, -3.0, 1.2)), "+Z", "+Y"
    for joint in chain.joints:
        joint.velocity = joint.acceleration = joint.jerk = 1e4
    bpy.ops.limber.follow()
    bpy.ops.limber.live()
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        session = live.session(rig, chain)
        assert session.problem == ""
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[called(XSENS, "head")]
        ahead = chain.target.location - (shown.tail if chain.eye else shown.head)
        missed = shown.matrix.to_3x3().col[2].angle(ahead)
        assert degrees(session.outputs.solution.aim_error) < 0.01, frame
        assert missed == pytest.approx(session.outputs.filtered_aim_error, abs=1e-3), "but for the filter the look is met"
        assert limbs_apart(rig, source) < 0.2
    bpy.ops.limber.end_live()
    bpy.context.scene.frame_set(12)
    neck = degrees(way(rig, XSENS, "neck", "head").angle(way(source, CMU, "neck", "head")))
    assert neck < 0.5, "without the gaze the neck follows as well"


def test_the_posture_that_a_chain_warps_is_what_the_body_does():
    rig, _ = follower()
    select(rig, called(XSENS, "neck"), called(XSENS, "head"))
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[0]
    chain.target = target()
    bpy.ops.limber.follow()
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(12)
    joints = live.session(rig, rig.limber.retarget).joints()
    session = live.session(rig, chain)
    assert session.goal.posture == pytest.approx([joints[place] for place in session.reader.places])
    assert np.abs(session.goal.posture).max() > 0.05


def test_a_robot_is_sent_what_the_body_does_for_joints_of_chains_that_do_not_look():
    rig, _ = follower()
    select(rig, called(XSENS, "left upper_arm"), called(XSENS, "left forearm"))
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[0]
    bpy.ops.limber.follow()
    bpy.context.scene.frame_set(12)
    joints = live.session(rig, rig.limber.retarget).joints()
    sent = robot_values.shown(rig)
    for joint in chain.joints:
        assert sent[chain.uid, joint.bone, joint.axis] == joints[joint.bone, joint.axis]
    bpy.ops.limber.end_follow()
    assert set(robot_values.shown(rig).values()) == {0.0}, "as posed"


@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION", "AXIS_ANGLE"])
def test_a_bake_is_what_live_shows_and_the_action_before_is_kept(mode: str):
    rig, _ = follower(mode)
    rig.pose.bones[0].keyframe_insert("location", frame=1)
    old = rig.animation_data.action
    rig.limber.retarget.frame_start, rig.limber.retarget.frame_end = 1, 24
    bpy.ops.limber.follow()
    shown = [matrix for frame in FRAMES for matrix in matrices(rig, names_of(rig), frame)]
    bpy.ops.limber.bake_follow()
    assert not rig.limber.retarget.live
    assert rig.animation_data.action != old
    assert old.users
    baked = [matrix for frame in FRAMES for matrix in matrices(rig, names_of(rig), frame)]
    assert apart(shown, baked) < 5e-5


def test_a_bake_has_the_gaze_of_live_chains_in_it():
    rig, _ = follower()
    select(rig, called(XSENS, "neck"), called(XSENS, "head"))
    bpy.ops.limber.new_chain()
    rig.limber.chains[0].target = target((1.0, -2.0, 1.0))
    rig.limber.retarget.frame_start, rig.limber.retarget.frame_end = 1, 24
    bpy.ops.limber.follow()
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(1)
    shown = [matrix for frame in FRAMES for matrix in matrices(rig, names_of(rig), frame)]
    with pytest.raises(RuntimeError, match="Bake in the Retarget panel"):
        bpy.ops.limber.bake()
    bpy.ops.limber.bake_follow()
    assert not rig.limber.chains[0].live
    baked = [matrix for frame in FRAMES for matrix in matrices(rig, names_of(rig), frame)]
    assert apart(shown, baked) < 5e-5


def test_a_body_whose_base_is_not_paired_stays_where_it_is_authored():
    rig, source = follower(arms_out=False)
    retarget = rig.limber.retarget
    for pair in retarget.pairs:
        pair.enabled = any(part in pair.target for part in ("Arm", "Shoulder", "Hand"))
    bpy.ops.limber.calibrate_pairs()
    before = hips(rig, XSENS)
    bpy.ops.limber.follow()
    bpy.context.scene.frame_set(12)
    assert (hips(rig, XSENS) - before).length < 1e-6
    arms = [(f"{side} {part}", f"{side} {BELOW[part]}") for side in SIDES for part in ("upper_arm", "forearm")]
    assert max(degrees(way(rig, XSENS, *pair).angle(way(source, CMU, *pair))) for pair in arms) < 0.5


def test_two_copies_of_one_armature_can_follow_each_other_in_line():
    rig, source = follower()
    copy = rig.copy()
    bpy.context.scene.collection.objects.link(copy)
    copy.animation_data_clear()
    assert figures.called(XSENS, "head") in copy.pose.bones
    make_active(copy)
    copy.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    bpy.ops.limber.follow()
    bpy.context.scene.frame_set(12)
    assert limbs_apart(copy, source) < 0.2
