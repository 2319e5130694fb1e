"""Tests the Jacobian family as solvers: every kind of goal, the posture as secondary objective, limits, and
goals out of reach.
"""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.solvers.goals import AIMS, Direction, EndGoal, Frame, GazeGoal, Orientation, Point, Position
from limber.solvers.jacobian.damping import ByError
from limber.solvers.jacobian.methods import Damped
from limber.solvers.jacobian.objectives import LeaveLimits, Manipulability, twists
from limber.solvers.jacobian.priorities import AIM, POSITION, POSTURE, Priorities
from limber.solvers.jacobian.solver import JacobianSolver, Updates
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, add, rotate, scale, unit
from limber.solvers.kinematics.skeleton import Joint, Skeleton
from limber.solvers.table import SOLVERS, make_solver

from benchmarks.jacobian import double_y, y_shape
from tests.solvers.chains import (
    any_chain,
    any_direction,
    any_turn,
    lamp,
    posture_of,
    shared_places,
    unit_chain,
)
from tests.solvers.jacobian_goals import MET, NAMES, goals_that_can_be_met, long_chain, often
from tests.solvers.test_skeleton import any_tree


@pytest.mark.parametrize("name", [name for name in NAMES if name != "transpose"])
@pytest.mark.parametrize(
    "kind",
    range(7),
    ids=["orientation", "direction", "upright", "point", "point upright", "position", "frame"],
)
@pytest.mark.parametrize("seed", range(3))
def test_every_kind_of_goal_is_met(name, kind, seed):
    solution = make_solver(name, long_chain()).solve(goals_that_can_be_met(seed)[kind])
    assert solution.converged
    assert solution.reason == ""
    (error_size,) = solution.measured.errors
    assert error_size.whole <= MET
    assert error_size.distance <= MET * long_chain().reach


@pytest.mark.parametrize("kind", range(7))
def test_the_transpose_comes_close_slowly(kind):
    goal = goals_that_can_be_met(1)[kind]
    (error_size,) = make_solver("transpose", long_chain()).solve(goal).measured.errors
    assert error_size.whole + error_size.distance / long_chain().reach < (
        0.5 if isinstance(goal.aim, Frame) else 0.05
    )


@pytest.mark.parametrize("name", NAMES)
def test_several_ends_of_a_tree_reach_their_places_together(name):
    tree = double_y()
    draw = np.random.default_rng(2)
    pose = tree.forward(draw.uniform(-0.5, 0.5, len(tree)).tolist())
    positions = [tree.end_pose(pose, end)[1] for end in range(4)]
    goal = GazeGoal(
        Position(positions[0]),
        np.zeros(len(tree)),
        others=tuple(EndGoal(Position(position), e) for e, position in enumerate(positions[1:], 1)),
    )
    solution = make_solver(name, tree).solve(goal)
    close = 1e-2 if name == "transpose" else MET
    assert max(end_error.distance for end_error in solution.measured.errors) <= close * tree.reach
    assert solution.converged is (name != "transpose")


@pytest.mark.parametrize("name", NAMES)
def test_of_goals_that_cannot_be_met_together_the_heavier_comes_closer(name):
    tree = y_shape()
    pose = tree.forward([0.0] * len(tree))
    left, right = (tree.end_pose(pose, end)[1] for end in (0, 1))
    apart = [
        add(left, (6.0, 0.0, 0.0)),
        add(right, (-6.0, 0.0, 0.0)),
    ]  # farther from each other than the length of the branches

    def end_errors(weight):
        goal = GazeGoal(
            Position(apart[0]), np.zeros(len(tree)), weight=weight, others=(EndGoal(Position(apart[1]), 1),)
        )
        solution = make_solver(name, tree).solve(goal)
        assert not solution.converged
        assert "not met together" in solution.reason
        return [end_error.distance for end_error in solution.measured.errors]

    even, uneven = end_errors(1.0), end_errors(20.0)
    assert uneven[0] < even[0]
    assert uneven[1] > even[1]


# The posture and other secondary objectives.


@pytest.mark.parametrize("name", [name for name in NAMES if name != "transpose"])
def test_beneath_the_aim_the_posture_is_as_near_as_joints_are_free(name):
    goal = goals_that_can_be_met(4)[1]
    chain = long_chain()
    kept = make_solver(name, chain).solve(goal)
    start = goal.posture + 0.3
    dropped = make_solver(name, chain).solve(replace(goal, keep=0.0))
    assert np.linalg.norm(kept.angles - goal.posture) <= np.linalg.norm(dropped.angles - goal.posture) + 1e-3
    solver = make_solver(name, chain)
    frames = [start]
    for _ in range(60):
        frames.append(solver.solve(goal, frames[-1]).angles)
    assert np.linalg.norm(frames[-1] - goal.posture) < 0.75 * np.linalg.norm(frames[0] - goal.posture)
    assert solver.solve(goal, frames[-1]).converged


def test_without_keep_the_posture_draws_no_joint():
    chain, goal = long_chain(), goals_that_can_be_met(4)[1]
    start = make_solver("dls", chain).solve(goal).angles
    away = replace(goal, posture=goal.posture + 0.5)
    assert make_solver("dls", chain).solve(replace(away, keep=0.0), start).angles == pytest.approx(
        start, abs=1e-5
    )
    assert np.max(np.abs(make_solver("dls", chain).solve(away, start).angles - start)) > 0.05


def test_joints_keep_from_limits_and_from_singular_poses_when_asked():
    chain, goal = long_chain(), replace(goals_that_can_be_met(4)[5], keep=0.0)
    start = make_solver("dls", chain).solve(goal).angles

    def settled(objective):
        solver = JacobianSolver(chain, Damped(ByError()), Updates(in_frame=None, objectives=(objective,)))
        solution = solver.solve(goal, start)
        assert solution.converged
        return solution.angles

    def value(objective, angles):
        solver = JacobianSolver(chain, Damped(ByError()), Updates(objectives=(objective,)))
        return objective.value(solver.state(goal, angles, angles))

    for objective in (LeaveLimits(), Manipulability()):
        assert value(objective, settled(objective)) < value(objective, start) - 1e-3


def test_first_and_last_joints_that_only_twist_are_not_held_by_the_posture():
    assert twists(unit_chain("YXZY", 1.0)).tolist() == [True, False, False, True]
    assert twists(unit_chain("XZY", 1.0)).tolist() == [False, False, True]
    assert twists(unit_chain("XZX", 1.0)).tolist() == [False, False, False]
    assert twists(lamp()).tolist() == [True, False, False, False, True]
    assert not twists(shared_places(2)).any()  # its head looks sideways
    chain, posture = unit_chain("YXZY", 2.0), np.array([1.5, 0.3, -0.4, 0.2])
    aim = Orientation(chain.forward([-1.0, 0.3, -0.4, 1.0]).tool_rotation)
    solution = make_solver("priorities", chain).solve(GazeGoal(aim, posture, symmetric=False))
    assert solution.converged
    assert solution.angles == pytest.approx(
        [-1.0, 0.3, -0.4, 1.0], abs=1e-3
    )  # the same shape, rotated about the root


def test_the_order_of_priorities_decides_what_gives_way():
    chain = replace(
        unit_chain("XX", 3.0, 0.5), tool_offset=(0.0, 0.5, 0.0)
    )  # in a plane, so that position and aim conflict
    goal = GazeGoal(Frame((0.0, 0.6, 0.5), IDENTITY), np.array([0.4, 0.4]), symmetric=False)

    def solved(levels):
        solution = JacobianSolver(chain, Priorities(levels), Updates(shakes=0)).solve(goal)
        return (
            solution.measured.errors[0].distance,
            solution.measured.errors[0].angle,
            float(np.max(np.abs(solution.angles - goal.posture))),
        )

    place_first, aim_first, posture_first = (
        solved((POSITION, AIM)),
        solved((AIM, POSITION)),
        solved((POSTURE, AIM, POSITION)),
    )
    assert aim_first[1] < 1e-3 < place_first[1]
    assert place_first[0] < aim_first[0]
    assert posture_first[2] == pytest.approx(0.0, abs=1e-6)
    assert place_first[2] > 0.1


# Difficult cases.


def test_a_straight_chain_leaves_its_singular_pose():
    chain = unit_chain("XXX", 2.5)
    goal = GazeGoal(
        Position((0.0, 1.0, 0.0)), np.zeros(3)
    )  # straight along the chain: no joint moves the end in this direction
    for name in NAMES:
        solution = make_solver(name, chain).solve(goal)
        assert solution.measured.errors[0].distance < 1e-3
    alone = JacobianSolver(chain, Damped(ByError()), Updates(shakes=0)).solve(goal)
    assert not alone.converged
    assert alone.angles == pytest.approx([0.0, 0.0, 0.0])
    assert "has an error of" in alone.reason


@pytest.mark.parametrize("name", NAMES)
def test_a_place_out_of_reach_is_approached_and_said_to_be_missed(name):
    chain = unit_chain("YXZX", 3.0)
    direction = unit((1.0, 2.0, 0.5))
    shoulder = (0.0, 1.0, 0.0)
    solution = make_solver(name, chain).solve(
        GazeGoal(Position(add(shoulder, scale(direction, 5.0))), np.array([0.1, 0.2, 0.3, 0.1]))
    )
    assert not solution.converged
    assert "has an error of" in solution.reason
    assert solution.measured.errors[0].distance == pytest.approx(
        3.0, abs=0.3 if name == "pseudoinverse" else 0.06
    )  # the stretched chain


@pytest.mark.parametrize("name", NAMES)
def test_the_same_input_gives_the_same_answer_to_the_bit(name):
    chain, goal = long_chain(), goals_that_can_be_met(6)[6]
    one, other = make_solver(name, chain).solve(goal), make_solver(name, chain).solve(goal)
    assert np.array_equal(one.angles, other.angles)


@pytest.mark.parametrize("name", NAMES)
@often
@given(st.integers(0, 10**6))
def test_no_chain_and_no_goal_leads_to_a_crash_or_out_of_the_limits(name, seed):
    draw = random.Random(seed)
    count = draw.choice([1, 1, 2, 3, 5, 8, 40])
    skeleton = any_tree(draw, count) if count > 2 and draw.random() < 0.4 else any_chain(draw, count)
    if draw.random() < 0.3:
        still = tuple(replace(joint, rest_offset=(0.0, 0.0, 0.0)) for joint in skeleton.joints)
        skeleton = replace(skeleton, joints=still)
    pose = skeleton.forward(posture_of(draw, skeleton))
    behind = scale(rotate(pose.tool_rotation, Y), -1.0)
    position = draw.choice(
        [(0.0, 0.0, 0.0), pose.tool_position, scale(any_direction(draw), 1e200), any_direction(draw)]
    )
    up = draw.choice([None, any_direction(draw), behind])
    aims = [
        Orientation(any_turn(draw)),
        Direction(behind, up),
        Point(position, up),
        Position(position),
        Frame(position, any_turn(draw)),
    ]
    others = tuple(
        EndGoal(draw.choice(aims), end, draw.choice([0.0, 1.0, 1e-200, 1e200]))
        for end in range(1, len(skeleton.ends))
    )
    posture = np.array([draw.uniform(-4.0, 4.0) for _ in skeleton.joints])
    goal = GazeGoal(
        draw.choice(aims),
        posture,
        weight=draw.choice([0.0, 1.0, 3.0]),
        keep=draw.choice([0.0, 0.5, 1.0]),
        others=others,
    )
    made = make_solver(name, skeleton)
    assert isinstance(made, JacobianSolver)
    solver = JacobianSolver(
        skeleton, made.method, replace(made.updates, at_most=60, at_targets=draw.random() < 0.3)
    )
    solution = solver.solve(goal)
    following = solver.solve(goal, posture_of(draw, skeleton), solution.memory)
    for answer in (solution, following):
        assert np.all(np.isfinite(answer.angles))
        assert np.all(np.array(skeleton.lower) <= answer.angles)
        assert np.all(answer.angles <= np.array(skeleton.upper))
        assert answer.converged or answer.reason


def test_all_of_the_family_are_in_the_table_and_know_all_goals():
    for name in NAMES:
        assert SOLVERS[name].trees
        assert all(map(SOLVERS[name].supports, AIMS))


def test_a_joint_that_cannot_reach_anything_stays():
    chain = Skeleton((Joint("only", -1, IDENTITY, (0.0, 0.0, 0.0), X, -1.0, 1.0),))
    for name in NAMES:
        solution = make_solver(name, chain).solve(GazeGoal(Position((1.0, 0.0, 0.0)), np.array([0.3])))
        assert solution.angles == pytest.approx([0.3])
        assert not solution.converged
