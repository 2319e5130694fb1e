"""Tests the Walker: only its goals hold it, and its weight is on the feet given by its goals."""

import bpy
import numpy as np
import pytest
from limber.rig.blender import actions

from tests.blender import mechanisms as those
from tests.blender import walks
from tests.blender.rigs import make_active
from tests.blender.test_mechanism_messages import says
from tests.blender.test_motion_check import checked

BESIDE = 0.045  # [m] distance of the legs from the middle
SLIDE = 1e-3  # [m] slip of soles while both stand, since motors lag and the legs pull at each other
ALONE = 1e-4  # [m] slip of a sole while it stands alone
IN_AIR = 4e-3  # [m] lag of a foot in the air
EQUAL = 1e-5  # [m] tolerance: keyframes have single precision


def weights(owner, name: str) -> list[float]:
    return list(owner.limber.mechanism.goals[name].position_weight)


def standing_alone(frames: list) -> list:
    """The frames in which the right foot swings and the left one stands."""
    return frames[walks.FIRST : walks.FIRST + walks.SWING - 1]


@pytest.mark.every_blender
def test_a_walker_floats_on_its_goals_and_check_asks_for_no_ground():
    owner = those.add("walker")
    said = says(owner)
    assert "31 bodies, 36 joints" in said
    assert "with 12 motors" in said
    assert "the whole floats: goals place it" in said
    assert "Ground" not in said
    owner.limber.mechanism.drive = "MOTORS"
    assert "No body is Ground" in says(owner), "no goal places what its motors drive"


def test_a_floating_mechanism_without_goals_of_its_feet_is_asked_for_them():
    owner = those.add("walker")
    goals = owner.limber.mechanism.goals
    for name in ("Left Foot", "Right Foot", "Pelvis"):
        goals.remove(goals.find(name))
    assert "give each foot a goal" in says(owner)


def test_a_keyed_walk_keeps_its_balance_and_its_feet_where_they_stand_live_and_baked():
    owner = walks.keyed()
    bpy.ops.limber.live()
    session = those.session(owner)
    mechanism = session.reading.mechanism
    live = walks.played(mechanism)
    assert session.problem == session.remark == ""
    assert max(map(walks.outside, live)) == 0.0
    assert walks.slid(live) < SLIDE
    alone = standing_alone(live)
    assert max(frame.errors["Left"] for frame in alone) < ALONE
    assert max(frame.errors["Right"] for frame in alone) < IN_AIR
    assert max(frame.soles["Right"][:, 2].min() for frame in alone) > 0.9 * walks.LIFT
    bpy.ops.limber.end_live()
    bpy.ops.limber.bake()
    baked = walks.played(mechanism)
    for one, other in zip(live, baked, strict=True):
        assert np.abs(one.centre - other.centre).max() < EQUAL
        assert all(np.abs(one.soles[side] - other.soles[side]).max() < EQUAL for side in one.soles)


def test_the_same_walk_without_goals_of_the_centre_of_mass_would_tip():
    owner = walks.keyed()
    goals = owner.limber.mechanism.goals
    for side in ("Left", "Right"):
        goals.remove(goals.find(f"{side} Foot Weight"))
    goals["Pelvis"].position_weight = (1.0, 1.0, 1.0)
    bpy.ops.limber.live()
    frames = walks.played(those.session(owner).reading.mechanism)
    assert max(map(walks.outside, standing_alone(frames))) > 0.01


@pytest.mark.parametrize(("side", "edge"), [("", "toward -Y"), ("Left", "the -Y edge of 'Left Sole'")])
def test_a_centre_of_mass_beyond_the_soles_is_told_with_the_edge_over_which_the_robot_would_tip(side, edge):
    owner = those.add("walker", place=(0.3, 0.2, 0.0))
    goals = owner.limber.mechanism.goals
    ahead = bpy.data.objects.new("Ahead", None)
    bpy.context.scene.collection.objects.link(ahead)
    ahead.location = (0.3 + (BESIDE if side else 0.0), 0.2 - 0.1, 0.0)
    goals.remove(goals.find("Right Foot Weight"))
    goals["Left Foot Weight"].target = ahead
    if side:
        bpy.data.objects["Right Foot Target"].location.z = 0.03
    bpy.ops.limber.live()
    those.settle(owner)
    remark = those.session(owner).remark
    assert "The centre of mass is" in remark
    assert f"the robot would tip over {'the edge from' if not side else ''}" in remark
    assert edge in remark, remark


def test_a_mechanism_on_a_wall_does_not_tip():
    owner = those.add("stewart", place=(0.0, 0.0, 0.0))
    owner.rotation_euler.x = np.pi
    bpy.context.view_layer.update()
    those.set_rest_pose(owner)
    goal = owner.limber.mechanism.goals.add()
    goal.does, goal.target = "CENTRE", those.box("there", (0.5, 0.0, -0.1))
    owner.limber.mechanism.goals[0].position_weight = (0.0, 0.0, 1.0)
    bpy.ops.limber.live()
    those.clock(60)
    assert "would tip" not in those.session(owner).remark


@pytest.mark.every_blender
def test_key_support_keys_whose_foot_carries_the_weight_and_keeps_the_total():
    owner = those.add("walker")
    total = sum(np.array(weights(owner, f"{side} Foot Weight")) for side in ("Left", "Right"))
    feet = weights(owner, "Left Foot")
    walks.support(owner, 10, "Left")
    assert weights(owner, "Left Foot Weight") == pytest.approx(total)
    assert weights(owner, "Right Foot Weight") == [0.0, 0.0, 0.0]
    assert weights(owner, "Left Foot") == pytest.approx(feet)
    assert max(weights(owner, "Right Foot")) < 0.1 * min(feet)
    walks.support(owner, 20, "")
    for side in ("Left", "Right"):
        assert weights(owner, f"{side} Foot Weight") == pytest.approx(0.5 * total)
        assert weights(owner, f"{side} Foot") == pytest.approx(feet)
    bpy.context.scene.frame_set(15)
    between = [np.array(weights(owner, f"{side} Foot Weight")) for side in ("Left", "Right")]
    assert between[0] + between[1] == pytest.approx(total, abs=1e-4)
    assert 0.0 < between[1][0] < 0.5 * total[0]


def test_key_support_ignores_a_curve_without_keyframes():
    owner = those.add("walker")
    goal = owner.limber.mechanism.goals["Left Foot"]
    goal.keyframe_insert("position_weight", frame=1)
    ((action, slot),) = actions.playing(owner)
    actions.fcurves(action, slot)[0].keyframe_points.clear()
    walks.support(owner, 10, "Left")
    assert weights(owner, "Right Foot Weight") == [0.0, 0.0, 0.0]


def test_key_support_wants_a_goal_of_the_centre_of_mass():
    owner = those.add("walker")
    owner.limber.mechanism.active_goal = 0
    make_active(owner)
    with pytest.raises(RuntimeError, match="choose Centre of Mass, one such goal for each foot"):
        bpy.ops.limber.key_support()


def test_undo_takes_back_a_support_phase():
    owner = those.add("walker")
    name = owner.name
    bpy.ops.ed.undo_push(message="before")
    walks.support(owner, 1, "Left")
    bpy.ops.ed.undo_push(message="keyed")
    bpy.ops.ed.undo()
    owner = bpy.data.objects[name]
    assert weights(owner, "Right Foot Weight")[0] > 0.0
    assert owner.animation_data is None or owner.animation_data.action is None


def ahead_of(owner, name: str = "Left Foot Weight"):
    """A target beyond the toes for a goal of the centre of mass; returns it."""
    target = bpy.data.objects.new("Ahead", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = owner.location
    target.location.y -= 0.1
    owner.limber.mechanism.goals[name].target = target
    return target


def test_a_robot_that_stands_on_a_ground_body_would_tip_over_its_edges_too():
    owner = those.add("walker", place=(0.0, 0.0, 0.0))
    bpy.data.objects["Left Sole"].limber.part.role = "GROUND"
    goals = owner.limber.mechanism.goals
    for name in ("Left Foot", "Pelvis", "Right Foot Weight"):
        goals.remove(goals.find(name))
    ahead_of(owner)
    bpy.ops.limber.live()
    those.settle(owner)
    assert "the robot would tip over the edge from" in those.session(owner).remark


def test_motion_check_lists_the_frames_in_which_a_robot_would_tip():
    owner = those.add("walker", place=(0.0, 0.0, 0.0))
    settings = owner.limber.mechanism
    settings.goals.remove(settings.goals.find("Right Foot Weight"))
    target = ahead_of(owner)
    for frame, along in ((1, 0.0), (10, 0.0), (30, -0.1), (50, -0.1)):
        target.location.y = along
        target.keyframe_insert("location", frame=frame)
    settings.frame_start, settings.frame_end = 1, 50
    make_active(owner)
    assert any("would tip over" in finding.sentence for finding in checked(owner).findings)
