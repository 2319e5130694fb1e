"""Mechanisms that would follow themselves by way of others: they stand still and say what to do about it, and go on when it is done."""

import bpy
import numpy as np
from limber.rig import live

from tests.blender import mechanisms as those
from tests.blender.rigs import make_active
from tests.blender.shown import as_good_as_unfiltered, missed, no_handler_raises, settle  # noqa: F401
from tests.blender.test_mechanism_carries import NEAR, go_live
from tests.blender.test_mechanism_robots import head_on_push_rods


def hang(thing, parent) -> None:
    """An object hangs on another and stays where it is."""
    at = thing.matrix_world.copy()
    thing.parent = parent
    bpy.context.view_layer.update()
    thing.matrix_world = at
    bpy.context.view_layer.update()


def who_looks_at_its_own_rod():
    """A head on push rods whose gaze looks at what its own rod carries; returns armature, chain and owner."""
    neck, gaze, owner = head_on_push_rods()
    hang(gaze.target, next(thing for thing in owner.limber.mechanism.collection.all_objects if thing.name == "Left Rod"))
    as_good_as_unfiltered(gaze)
    go_live(owner, gaze)
    return neck, gaze, owner


def problem(owner) -> str:
    return those.session(owner).problem


def test_a_mechanism_that_would_follow_itself_through_a_gaze_stands_still_and_says_so():
    neck, gaze, owner = who_looks_at_its_own_rod()
    settle()
    assert problem(owner).startswith(f"Mechanism '{owner.name}' and chain '{gaze.name}' of '{neck.name}' would follow each other")
    assert missed(neck, gaze) < NEAR  # the chain follows what stands still


def test_all_of_a_circle_come_to_rest_where_they_were_wherever_the_playhead_was():
    neck, gaze, _ = who_looks_at_its_own_rod()
    settle()
    before = live.session(neck, gaze).outputs.angles
    for frame in (40, 7, 1):
        bpy.context.scene.frame_set(frame)
        settle()
        assert np.abs(live.session(neck, gaze).outputs.angles - before).max() < 1e-6, frame


def test_a_mechanism_moves_again_when_the_circle_is_gone():
    _, gaze, owner = who_looks_at_its_own_rod()
    settle()
    hang(gaze.target, None)
    settle()
    assert problem(owner) == ""
    assert np.abs(those.session(owner).outputs.values).max() > 0.01


def test_a_mechanism_that_begins_to_follow_itself_comes_to_rest():
    neck, gaze, owner = head_on_push_rods()
    as_good_as_unfiltered(gaze)
    go_live(owner, gaze)
    settle()
    hang(gaze.target, next(thing for thing in owner.limber.mechanism.collection.all_objects if thing.name == "Left Rod"))
    settle()
    assert "would follow each other" in problem(owner)
    assert those.session(owner).outputs.is_closed
    assert missed(neck, gaze) < NEAR


def test_mechanisms_that_would_follow_each_other_stand_still_until_one_of_them_need_not():
    one, two = those.add("stewart", place=(0.0, 0.0, 0.0)), those.add("stewart", place=(2.0, 0.0, 0.0))
    goals = [owner.limber.mechanism.goals[0] for owner in (one, two)]
    hang(goals[0].target, goals[1].body)
    hang(goals[1].target, goals[0].body)
    go_live(one)
    go_live(two)
    settle()
    assert f"and mechanism '{two.name}' would follow each other" in problem(one)
    assert f"and mechanism '{one.name}' would follow each other" in problem(two)
    make_active(two)
    bpy.ops.limber.end_mechanism_live()
    settle()
    assert problem(one) == ""
