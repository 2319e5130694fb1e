"""Tests that a solution that misses its goal gives the reason and a remedy."""

import math

import numpy as np
import pytest
from limber.solvers.erik.parameters import Hyperparameters
from limber.solvers.goals import Direction, EndGoal, GazeGoal, Point, Position
from limber.solvers.kinematics.rotations import Y, Z, rotate, scale, unit
from limber.solvers.table import make_solver

from tests.solvers.chains import lamp, unit_chain
from tests.solvers.test_every_solver import trunk_with_two_arms

SIDEWAYS = (1.0, 0.0, 0.0)


def said(goal: GazeGoal, skeleton, solver: str = "expressive", frames: int = 0) -> str:
    """The reason of a solution from scratch, or of the last of some frames that begin in the posture."""
    method = make_solver(solver, skeleton)
    solution = method.solve(goal)
    if frames:
        solution = method.solve(goal, start=skeleton.clamp(goal.posture))
        for _ in range(frames - 1):
            solution = method.solve(goal, start=solution.angles, memory=solution.memory)
    assert not solution.converged
    return solution.reason


def test_a_position_out_of_reach_is_said_with_the_missing_distance():
    chain = unit_chain("XXX", 2.5)
    away = chain.reach + chain.joints[0].rest_offset[1] + 2.0
    reason = said(GazeGoal(Position((0.0, away, 0.0)), np.full(3, 0.2)), chain)
    assert (
        reason
        == f"'{chain.ends[0].name}' has an error of 2 m, since the target is 2 m out of reach: bring it"
        " nearer"
    )


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_only_the_joints_whose_limits_stand_in_the_way_are_named(sense):
    chain = unit_chain("XZ", 0.5)  # joint X is at no limit that matters, whatever its angle
    x, z = (joint.name for joint in chain.joints)
    reason = said(GazeGoal(Direction(scale(SIDEWAYS, sense)), np.zeros(2)), chain)
    assert f"{z} is at its limit: widen it, or move the target" in reason
    assert x not in reason
    assert "an error of 120 degrees" in said(
        GazeGoal(Direction((0.0, -1.0, 0.0)), np.zeros(1)), unit_chain("X", 1.0)
    ), "not 1.2e+02"
    both = said(GazeGoal(Direction(SIDEWAYS), np.zeros(3)), unit_chain("ZZZ", 0.2))
    assert "are at their limits: widen these, or move the target" in both


@pytest.mark.parametrize("solver", ["expressive", "erik_exact", "ccd", "dls"])
def test_a_joint_that_only_twists_is_said_to_bring_the_end_no_nearer(solver):
    reason = said(GazeGoal(Direction(SIDEWAYS), np.zeros(1)), unit_chain("Y", math.pi), solver, frames=30)
    assert "has an error of 90 degrees, since no joint of the chain brings it nearer" in reason
    assert "unlock another axis" in reason
    assert "limit" not in reason


@pytest.mark.parametrize("solver", ["transpose", "dls", "expressive"])
def test_an_error_across_the_plane_of_all_joints_is_no_solvers_fault(solver):
    aside = unit((0.4, 0.9, 0.3))
    reason = said(GazeGoal(Direction(aside), np.zeros(2)), unit_chain("XX", math.pi), solver, frames=12)
    assert "since no joint of the chain brings it nearer" in reason, (
        "also while the last hundredths of a degree are under way"
    )


def test_a_roll_that_cannot_be_upright_is_told_from_an_aim_that_is_missed():
    chain = unit_chain("XX", math.pi)  # can nod, but cannot roll
    reason = said(
        GazeGoal(Direction((0.0, 1.0, 0.0), up=SIDEWAYS), np.zeros(2), symmetric=False), chain, "dls"
    )
    assert "looks at the target but is not upright: choose Free Roll" in reason


def test_a_goal_without_weight_is_told_to_get_one():
    skeleton = trunk_with_two_arms()
    left = skeleton.end_pose(skeleton.forward(skeleton.clamp([0.3] * 5)), 0)[1]
    goal = GazeGoal(
        Position(left), np.zeros(5), others=(EndGoal(Position((-3.0, -3.0, 0.2)), 1, weight=0.0),)
    )
    assert said(goal, skeleton).endswith("since its goal has no weight: give it a Weight above 0")


def test_of_two_goals_one_out_of_reach_and_one_held_back_each_has_its_own_cause():
    skeleton = trunk_with_two_arms()
    goal = GazeGoal(
        Position((30.0, 0.0, 0.0)),
        np.zeros(5),
        weight=100.0,
        others=(EndGoal(Position((-0.4, 0.4, 0.4)), 1),),
    )
    sentences = said(goal, skeleton).split(". ")
    assert len(sentences) == 2
    assert "out of reach" in sentences[0]
    assert "not met together" in sentences[1]


@pytest.mark.parametrize("solver", ["expressive", "ccd"])
def test_an_end_on_its_way_to_a_target_in_reach_is_never_said_to_be_held_back(solver):
    chain = lamp()
    rotation = chain.forward(chain.clamp([1.5, 0.5, -0.9, 0.6, 1.2])).tool_rotation
    method = make_solver(solver, chain)
    for up in (Z, rotate(rotation, Z)):
        goal = GazeGoal(Direction(rotate(rotation, Y), up), np.zeros(5), symmetric=up == Z)
        solution = method.solve(goal, start=goal.posture)
        for _ in range(20):
            assert solution.converged or "has not brought it there yet" in solution.reason
            solution = method.solve(goal, start=solution.angles, memory=solution.memory)


def test_two_ends_on_their_way_to_targets_that_can_both_be_met_are_asked_to_wait():
    skeleton = trunk_with_two_arms()
    pose = skeleton.forward(skeleton.clamp([0.9, -0.5, 0.7, 0.6, -0.4]))
    left, right = (Position(skeleton.end_pose(pose, end)[1]) for end in (0, 1))
    assert "not met together yet: wait" in said(
        GazeGoal(left, np.zeros(5), others=(EndGoal(right, 1),)), skeleton, frames=1
    )
    apart = GazeGoal(left, np.zeros(5), others=(EndGoal(Position((0.1, -0.2, 0.9)), 1),))
    assert "not met together: bring" in said(apart, skeleton, "dls", frames=30), (
        "at the best compromise nothing is left to wait for"
    )


def test_published_erik_says_that_it_weighs_the_posture_and_which_solvers_do_not():
    chain = unit_chain("XZX", math.pi)
    goal = GazeGoal(Point((3.0, -2.0, 0.5)), np.full(3, 0.1))
    reason = make_solver("erik", chain, Hyperparameters(threshold=1e-6)).solve(goal).reason
    assert "weighted error" in reason
    assert "choose ERIK (exact aim) or Expressive" in reason


def test_a_solver_that_is_on_its_way_asks_for_patience_and_no_limits():
    chain = unit_chain("XZX", math.pi)
    reason = said(GazeGoal(Point((3.0, -2.0, 0.5)), np.zeros(3)), chain, "ccd", frames=1)
    assert "wait, or choose another Solver" in reason
    assert "limit" not in reason
