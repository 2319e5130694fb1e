"""Tests restrictions by which a body does not follow completely at once: limits, speeds, levels of pairs, a
gain.
"""

import re
from math import degrees, radians

import bpy
import numpy as np
import pytest
from limber.panels.authoring.retarget import LIMBER_PT_retarget
from limber.rig.live import live
from limber.solvers.least_squares import box, constrained
from mathutils import Euler

from tests.blender import at_hand, nao
from tests.blender.drawing import drawn
from tests.blender.figures import CMU, XSENS, called, figure
from tests.blender.following import FRAMES, follower, in_the_air, limbs_apart, motion
from tests.blender.rigs import apart, looking_chain, make_active, target
from tests.blender.shown import settle


def test_limits_hold_while_the_source_asks_for_more():
    rig, source = follower(arms_out=False)
    bone = rig.pose.bones[called(XSENS, "left forearm")]
    bone.lock_rotation = (False, True, True)
    limit = bone.constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.min_x, limit.max_x = "LOCAL", True, radians(-5), radians(10)
    bpy.ops.limber.live()
    angles = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        angles.append(live.session(rig, rig.limber.retarget).values()[bone.name, "X"])
    assert np.max(angles) <= limit.max_x
    assert np.min(angles) >= limit.min_x
    assert np.ptp(angles) == 0.0 or np.max(angles) == pytest.approx(limit.max_x)
    assert limbs_apart(rig, source) > 5.0


def test_no_joint_is_faster_than_allowed():
    rig, _ = follower()
    rig.limber.retarget.velocity = radians(30)
    bpy.ops.limber.live()
    rows = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        rows.append(list(live.session(rig, rig.limber.retarget).values().values()))
    speeds = np.abs(np.diff(rows, axis=0)) * bpy.context.scene.render.fps
    assert speeds.max() <= radians(30) * (1 + 1e-6)
    assert speeds.max() > radians(29), "the limit was reached"


def test_a_joint_of_a_chain_keeps_its_own_velocity_limit_where_that_is_asked_for():
    rig, _ = follower()
    _, chain = looking_chain(
        rig, called(XSENS, "left upper_arm"), called(XSENS, "left forearm"), at=target((0.5, -3.0, 1.2))
    )
    joint = chain.joints[0]
    joint.lower, joint.upper, joint.velocity = -3.0, 3.0, radians(10)
    fastest = []
    for rig.limber.retarget.own_velocities in (False, True):
        bpy.context.scene.frame_set(FRAMES[0])
        at_hand.live(rig.limber.retarget)
        angles = []
        for frame in FRAMES:
            bpy.context.scene.frame_set(frame)
            angles.append(live.session(rig, rig.limber.retarget).values()[joint.bone, joint.axis])
        at_hand.end_live(rig.limber.retarget)
        fastest.append(np.abs(np.diff(angles)).max() * bpy.context.scene.render.fps)
    assert fastest[0] > radians(20)
    assert fastest[1] <= radians(10) * (1 + 1e-6)


def robot_that_follows(path, velocity: str):
    """An imported robot with a velocity limit for its file's joints, except its shoulders', that follows a
    person; and its source.
    """
    lines = nao.write(path).read_text().splitlines()
    path.write_text("\n".join(with_velocity(line, velocity) for line in lines))
    source = figure(CMU, "Source")
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.limber.import_robot(filepath=str(path))
    rig = bpy.context.active_object
    rig.limber.retarget.source = source
    bpy.ops.limber.pair_bones()
    in_the_air(rig)
    rig.limber.retarget.own_velocities = True
    return rig, source


def with_velocity(line: str, velocity: str) -> str:
    plain = re.sub(r'\svelocity="[^"]*"', "", line)
    return plain.replace("<limit", f"<limit {velocity}")


def test_joints_in_no_chain_keep_the_velocity_limits_of_the_robots_file(tmp_path):
    rig, source = robot_that_follows(tmp_path / "nao.urdf", 'velocity="0.4"')
    bpy.ops.limber.live()
    settle()
    source.pose.bones["LeftShoulder"].rotation_euler.x = 0.9
    bpy.context.view_layer.update()
    session = live.session(rig, rig.limber.retarget)
    fastest = 0.0
    for tick in range(20):
        live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), 3000.0 + tick / 60)
        fastest = max(fastest, *(abs(joint.velocity) for joint in session.motion().values()))
    assert 0.39 < fastest <= 0.4 * (1 + 1e-6)
    assert session.warning == ""


def test_joints_without_any_velocity_limit_are_said(tmp_path):
    rig, _ = robot_that_follows(tmp_path / "nao.urdf", "")
    bpy.ops.limber.live()
    session = live.session(rig, rig.limber.retarget)
    assert re.fullmatch(
        r"'[^']+' and \d+ other joints may move at any speed, since no chain and no robot's file has a"
        r" velocity limit for them:"
        r" set Fastest Joint, or make chains of their bones",
        session.warning,
    )
    assert any(
        "may move at any speed" in line
        for line in " ".join(filter(None, drawn(LIMBER_PT_retarget).labels)).split(".")
    )
    rig.limber.retarget.velocity = 1.0
    bpy.context.scene.frame_set(2)
    assert session.warning == ""


def test_a_gain_of_a_pair_counts_for_that_pair_alone():
    rig, _ = follower()
    retarget = rig.limber.retarget
    bpy.ops.limber.live()

    def missed() -> dict[str, float]:
        """Mean error [rad] of each bone."""
        rows = []
        for frame in FRAMES:
            bpy.context.scene.frame_set(frame)
            rows.append(live.session(rig, retarget).outputs.missed)
        return dict(
            zip(live.session(rig, retarget).reader.links, np.mean(rows[1:], axis=0).tolist(), strict=True)
        )

    slow = next(pair for pair in retarget.pairs if pair.target == called(XSENS, "left hand"))
    other = called(XSENS, "right hand")
    before = missed()
    slow.gain = 5.0
    after = missed()
    assert after[slow.target] > 3.0 * before[slow.target]
    assert after[other] < 2.0 * before[other]


def test_no_joint_changes_its_speed_by_more_than_allowed():
    rig, _ = follower()
    retarget = rig.limber.retarget

    def hardest() -> float:
        """The largest acceleration [rad/s^2] of any joint, played from the first frame on."""
        rows = []
        for frame in FRAMES:
            bpy.context.scene.frame_set(frame)
            rows.append(list(live.session(rig, retarget).values().values()))
        speeds = np.diff(rows, axis=0, prepend=rows[:1]) * bpy.context.scene.render.fps
        return float(np.abs(np.diff(speeds, axis=0)).max()) * bpy.context.scene.render.fps

    bpy.ops.limber.live()
    assert hardest() > radians(600), "what is asked for"
    retarget.acceleration = radians(300)
    assert radians(290) < hardest() <= radians(300) * (1 + 1e-4)


@pytest.mark.parametrize("first", ["left upper_arm", "left forearm"])
def test_bones_of_a_higher_level_leave_those_of_a_lower_one_as_they_are(first: str):
    rig, _ = follower(arms_out=False)
    elbow = rig.pose.bones[called(XSENS, "left forearm")]
    elbow.lock_rotation = (True, True, True)
    levels = {
        called(XSENS, part): int(part != first) for part in ("left upper_arm", "left forearm", "left hand")
    }
    for pair in rig.limber.retarget.pairs:
        pair.level = levels.get(pair.target, 0)
    bpy.ops.limber.live()
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
    missed = dict(
        zip(
            live.session(rig, rig.limber.retarget).reader.links,
            live.session(rig, rig.limber.retarget).outputs.missed,
            strict=True,
        )
    )
    assert degrees(missed[called(XSENS, first)]) < 0.1
    assert degrees(max(missed[name] for name, level in levels.items() if level)) > 20.0, (
        "the elbow is locked: both cannot be"
    )


def test_a_search_for_the_best_pose_that_is_ended_in_time_is_told(monkeypatch):
    rig, _ = follower(arms_out=False)
    for index, pair in enumerate(rig.limber.retarget.pairs):
        pair.level = index % 2
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(FRAMES[1])
    assert live.session(rig, rig.limber.retarget).problem == ""
    for module in (box, constrained):  # compiled, and in Python
        monkeypatch.setattr(module, "MOST_ROUNDS", 0)
    bpy.context.scene.frame_set(FRAMES[2])
    assert (
        "may not be the best: the search for it was ended in time"
        in live.session(rig, rig.limber.retarget).problem
    )
    monkeypatch.undo()
    bpy.context.scene.frame_set(FRAMES[3])
    assert live.session(rig, rig.limber.retarget).problem == ""


@pytest.mark.parametrize("setting", ["level", "weight"])
def test_a_body_at_rest_heeds_a_setting_that_is_changed(setting: str):
    rig, _ = follower(arms_out=False)
    rig.pose.bones[called(XSENS, "left forearm")].lock_rotation = (True, True, True)
    pair = next(pair for pair in rig.limber.retarget.pairs if pair.target == called(XSENS, "left upper_arm"))
    bpy.ops.limber.live()
    bpy.context.scene.frame_set(FRAMES[-1])
    settle()
    before = live.session(rig, rig.limber.retarget).values()
    setattr(pair, setting, 0.1 if setting == "weight" else 1)
    bpy.context.view_layer.update()
    live.scene_updated(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    settle()
    after = live.session(rig, rig.limber.retarget).values()
    assert max(abs(after[name] - before[name]) for name in before) > radians(1)


def test_a_gain_follows_late_and_without_it_the_body_is_there_at_once():
    rig, _ = follower()
    bpy.ops.limber.live()

    def missed() -> float:
        found = []
        for frame in FRAMES:
            bpy.context.scene.frame_set(frame)
            found.append(np.nanmean(live.session(rig, rig.limber.retarget).outputs.missed))
        return float(np.mean(found[1:]))

    at_once = missed()
    rig.limber.retarget.gain = 5.0
    assert missed() > at_once


def test_frames_played_from_the_same_start_are_the_same_motion():
    rig, _ = follower()
    rig.limber.retarget.gain = 10.0
    bpy.ops.limber.live()

    def play() -> list:
        bpy.context.scene.frame_set(20)
        return motion(rig)

    assert apart(play(), play()) == 0.0


def coupled(rig, lower: float, upper: float, *joints: tuple[str, str, float]):
    """Adds a coupled limit to the body, with its joints (bone, axis, factor)."""
    bpy.ops.limber.add_coupled_limit()
    limit = rig.limber.retarget.coupled_limits[-1]
    limit.lower, limit.upper = lower, upper
    for bone, axis, factor in joints:
        joint = limit.joints.add()
        joint.bone, joint.axis, joint.factor = bone, axis, factor
    return limit


def test_a_coupled_limit_holds_in_every_frame_while_the_source_asks_for_more():
    rig, _ = follower()
    upper, lower = called(XSENS, "left thigh"), called(XSENS, "left shin")

    def sums() -> list[float]:
        at_hand.live(rig.limber.retarget)
        found = []
        for frame in FRAMES:
            bpy.context.scene.frame_set(frame)
            values = live.session(rig, rig.limber.retarget).values()
            found.append(values[upper, "X"] - 0.5 * values[lower, "X"])
        at_hand.end_live(rig.limber.retarget)
        return found

    free = sums()
    bound = (min(free) + max(free)) / 2.0
    coupled(rig, -3.0, bound, (upper, "X", 1.0), (lower, "X", -0.5))
    held = sums()
    assert max(free) > bound + radians(3)
    assert max(held) <= bound + 1e-6
    assert max(held) == pytest.approx(bound, abs=1e-6), "the bound was reached"


@pytest.mark.parametrize(
    ("joints", "bounds", "said"),
    [
        (
            [],
            (0.0, 1.0),
            "Coupled limit 'Coupled Limit' has no joint: add its joints with +, or remove the limit",
        ),
        (
            [("Nothing", "X", 1.0)],
            (0.0, 1.0),
            "no joint of the body is 'Nothing X': choose an unlocked axis of a bone that follows",
        ),
        ([("left thigh", "X", 1.0)], (1.0, 0.0), "its Min is above its Max: exchange them"),
    ],
)
def test_a_coupled_limit_that_cannot_be_says_why(joints, bounds, said):
    rig, _ = follower()
    coupled(
        rig,
        *bounds,
        *(
            (called(XSENS, bone) if bone != "Nothing" else bone, axis, factor)
            for bone, axis, factor in joints
        ),
    )
    bpy.ops.limber.live()
    assert said in live.session(rig, rig.limber.retarget).problem


def test_a_coupled_limit_that_cannot_be_kept_is_named_and_one_that_can_is_not():
    from limber.panels.authoring.retarget import LIMBER_PT_retarget

    rig, _ = follower()
    bone = called(XSENS, "left shin")
    limit = coupled(rig, -3.0, 3.0, (bone, "X", 1.0))
    constraint = rig.pose.bones[bone].constraints.new("LIMIT_ROTATION")
    constraint.owner_space, constraint.use_limit_x, constraint.min_x, constraint.max_x = (
        "LOCAL",
        True,
        radians(-20),
        radians(20),
    )
    make_active(rig)
    said = []
    for limit.lower in (-3.0, radians(40)):
        bpy.ops.limber.live()
        bpy.context.scene.frame_set(FRAMES[1])
        said.append("Coupled limit 'Coupled Limit' cannot be kept" in drawn(LIMBER_PT_retarget).said)
        at_hand.end_live(rig.limber.retarget)
    assert said == [False, True]


def test_joints_are_added_to_a_coupled_limit_by_the_active_bone_and_removed_again():
    rig, _ = follower()
    with pytest.raises(RuntimeError, match="There is no coupled limit: add one with"):
        bpy.ops.limber.add_coupled_joint()
    bpy.ops.limber.add_coupled_limit()
    bpy.ops.limber.add_coupled_limit()
    limit = rig.limber.retarget.coupled_limits[1]
    assert limit.name == "Coupled Limit.001"
    bone = rig.pose.bones[called(XSENS, "left shin")]
    bone.lock_rotation = (True, False, False)
    rig.data.bones.active = bone.bone
    for _ in "YZ":
        assert bpy.ops.limber.add_coupled_joint() == {"FINISHED"}
    with pytest.raises(RuntimeError, match="has no further unlocked axis"):
        bpy.ops.limber.add_coupled_joint()
    assert sorted((joint.bone, joint.axis) for joint in limit.joints) == [(bone.name, "Y"), (bone.name, "Z")]
    bpy.ops.limber.remove_coupled_joint()
    assert len(limit.joints) == 1
    bpy.ops.limber.remove_coupled_limit()
    assert len(rig.limber.retarget.coupled_limits) == 1


def test_joints_that_no_pair_determines_return_to_the_own_pose_and_rest_there():
    rig, _ = follower()
    retarget = rig.limber.retarget
    arm, hand = (rig.pose.bones[called(XSENS, f"left {part}")] for part in ("forearm", "hand"))
    next(
        pair for pair in retarget.pairs if pair.target == arm.name
    ).enabled = False  # the hand alone determines how the two rotate together

    def turns() -> list[Euler]:
        settle()
        outputs, values = live.session(rig, retarget).outputs, live.session(rig, retarget).values()
        assert np.abs(outputs.missed).max() < radians(0.1)
        assert outputs.at_rest
        return [Euler([values[bone.name, axis] for axis in "XYZ"]) for bone in (arm, hand)]

    bpy.context.scene.frame_set(FRAMES[0])
    bpy.ops.limber.live()
    before, held = turns()
    own = Euler((0.5, 0.2, -0.3))
    between = (arm.bone.matrix_local.inverted() @ hand.bone.matrix_local).to_3x3()
    arm.rotation_euler = own
    left = between.inverted() @ own.to_matrix().inverted() @ before.to_matrix() @ between @ held.to_matrix()
    hand.rotation_euler = left.to_euler()  # so that the authored pose meets the hand's target, too
    assert list(turns()[0]) == pytest.approx(list(before), abs=1e-3), "they stay where they are"
    retarget.posture_gain = 2.0
    assert list(turns()[0]) == pytest.approx(list(own), abs=1e-2)
    at_hand.end_live(retarget)
    at_hand.live(retarget)
    assert list(turns()[0]) == pytest.approx(list(own), abs=1e-2), "it begins in the own pose"
