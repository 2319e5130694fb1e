"""Tests that goals are checked and prepared once, and that solutions compute their results on access: neither
depends on other solves in between.
"""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.gaze import GazeSolution
from limber.solvers.goals import (
    Direction,
    EndGoal,
    GazeError,
    GazeGoal,
    GoalKindError,
    Orientation,
    Point,
    Position,
    PostureShapeError,
)
from limber.solvers.kinematics.skeleton import Skeleton
from limber.solvers.table import SOLVERS, make_solver

from tests.solvers.chains import lamp
from tests.solvers.test_every_solver import trunk_with_two_arms

NAMES = list(SOLVERS)
POSTURE = np.array([0.2, -0.3, 0.4, 0.1, 0.0])


def told(solution: GazeSolution) -> list[object]:
    """All results of a solution."""
    return [
        solution.angles.tolist(),
        solution.measured.errors,
        solution.converged,
        solution.reason,
        solution.remark,
        solution.limits_hit,
        solution.shape_deviation,
        solution.posture_error,
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_goal_that_one_solver_takes_is_refused_by_the_next_where_it_must_be(name: str) -> None:
    goal = GazeGoal(Direction((1.0, 0.5, 0.2)), POSTURE)
    make_solver(name, lamp()).solve(goal)
    with pytest.raises(PostureShapeError, match="the chain 3 joints"):
        make_solver(name, Skeleton(lamp().joints[:3])).solve(goal)


def test_a_goal_of_a_tree_is_refused_by_a_chain_of_as_many_joints() -> None:
    goal = GazeGoal(Position((0.3, 0.2, 1.0)), np.zeros(5), others=(EndGoal(Position((0.1, 0.2, 1.0)), 1),))
    make_solver("expressive", trunk_with_two_arms()).solve(goal)
    with pytest.raises(GazeError, match="there is no end 1"):
        make_solver("expressive", lamp()).solve(goal)


def test_a_goal_that_expressive_takes_is_refused_by_erik_where_it_is_no_look() -> None:
    goal = GazeGoal(Position((0.3, 0.2, 1.0)), POSTURE)
    make_solver("expressive", lamp()).solve(goal)
    with pytest.raises(GoalKindError, match="cannot reach a position"):
        make_solver("erik", lamp()).solve(goal)


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_of_a_goal_that_was_solved_is_solved_alike(name: str) -> None:
    solver, goal = make_solver(name, lamp()), GazeGoal(Direction((1.0, 0.5, 0.2)), POSTURE)
    expected = told(solver.solve(goal))
    copies = [copy.copy(goal), copy.deepcopy(goal), pickle.loads(pickle.dumps(goal)), replace(goal)]
    del goal
    assert [told(solver.solve(each)) for each in copies] == [expected] * len(copies)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_solution_tells_is_the_same_after_another_goal_is_solved(name: str) -> None:
    solver = make_solver(name, lamp())
    goals = [
        GazeGoal(Direction((1.0, 0.5, 0.2)), POSTURE),
        GazeGoal(Point((0.0, 0.0, 0.1)), 9.0 * POSTURE),
        GazeGoal(Orientation((0.0, 1.0, 0.0, 0.0)), -POSTURE),
    ]
    solutions = [solver.solve(goal) for goal in goals]
    for goal, solution in zip(goals, solutions, strict=True):
        assert told(solution) == told(make_solver(name, lamp()).solve(goal))


@pytest.mark.parametrize("name", [name for name in NAMES if SOLVERS[name].trees])
def test_goals_of_one_and_of_two_ends_take_turns_on_one_solver(name: str) -> None:
    solver, fewer = make_solver(name, trunk_with_two_arms()), GazeGoal(Position((0.3, 0.2, 1.0)), np.zeros(5))
    more = replace(fewer, others=(EndGoal(Position((-0.4, 0.5, 0.9)), 1),))
    for goal in (fewer, more, fewer, more):
        assert told(solver.solve(goal)) == told(make_solver(name, trunk_with_two_arms()).solve(goal))
