"""Tests a robot that follows live while a user works in a real window. The data that Blender sent are played
to the worker again, in simulated time.
"""

import math

import pytest

from tests.window.replay import assert_within_limits, replay, replay_beyond

BEYOND = (
    # [degrees] largest distance by which a joint may pass every shown pose, each with its stopping distance
    1.5
)


def test_a_robot_keeps_its_limits_and_follows_on_whatever_is_done_to_the_timeline_while_it_plays(play):
    facts = play("robot_timeline")
    assert facts["raised"] == []
    assert facts["plays"]
    assert len(facts["dragged over"]) > 4
    assert set(facts["states"]) <= {"ARMED", "ARMING", "HOLDING", "DISARMED", "FAULT BLENDER_SILENT"}
    commands, newest = replay(facts)
    assert_within_limits(commands, facts)
    assert commands[-1] == pytest.approx(newest, abs=1e-6)


def test_a_robot_holds_still_while_its_motion_is_checked_rendered_or_baked_and_follows_afterwards(play):
    facts = play("robot_outputs")
    assert facts["raised"] == []
    assert facts["stepped"] == {"check": 30, "render": 30, "bake": 30}
    assert max(facts["stray"].values()) < 0.01  # [rad]
    assert min(facts["beats"].values()) > 0
    assert facts["beats"]["render"] >= 30, "one at least in each rendered frame"
    assert not facts["live after the bake"]
    assert set(facts["states"]) <= {"ARMED", "ARMING", "HOLDING", "DISARMED", "FAULT BLENDER_SILENT"}
    commands, newest = replay(facts)
    assert_within_limits(commands, facts)
    assert commands[-1] == pytest.approx(newest, abs=1e-6)


def test_a_bone_below_a_live_head_that_a_constraint_moves_is_sent_as_it_is_drawn(play):
    facts = play("robot_seen")
    assert facts["raised"] == []
    assert len(facts["pairs"]) > 8
    assert max(drawn for _, drawn in facts["pairs"]) - min(drawn for _, drawn in facts["pairs"]) > 0.1, (
        "it moves"
    )
    assert max(abs(sent - drawn) for sent, drawn in facts["pairs"]) < 1e-5  # [rad]


def test_a_robot_passes_no_pose_that_was_shown_when_a_drag_is_followed_by_play_at_another_rate(play):
    facts = play("robot_drag")
    assert facts["raised"] == []
    announced = {round(1 / due) for _, plays, _, due in facts["frames"] if plays and due}
    assert len(announced) > 1, "each rate is announced"
    assert any(due and not plays for _, plays, _, due in facts["frames"]), (
        "so is that of the clock while the target is dragged"
    )
    commands, newest, beyond = replay_beyond(facts)
    assert beyond <= math.radians(BEYOND)
    assert_within_limits(commands, facts)
    assert commands[-1] == pytest.approx(newest, abs=1e-6)
