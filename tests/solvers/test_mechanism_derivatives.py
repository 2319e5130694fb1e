"""Tests every derivative against finite differences, for each kind of joint and each kind of goal."""

from collections.abc import Sequence

import numpy as np
import pytest
from limber.solvers.kinematics.rotations import X, about, from_matrix
from limber.solvers.kinematics.se3 import RigidTransform, exponential, frame_array, inverse
from limber.solvers.mechanism.descent import Descent
from limber.solvers.mechanism.goals import CentreGoal, FrameGoal, Goals, RegulariserWeights
from limber.solvers.mechanism.kinds import KINDS
from limber.solvers.mechanism.solution import AssemblyState
from limber.solvers.mechanism.solver import MechanismSolver
from limber.solvers.tasks import Task

from tests.solvers import mechanisms

STEP = 1e-6
EXACT = 2e-8  # tolerance of central differences with that step


def anywhere(solver: MechanismSolver, seed: int, size: float = 0.8) -> AssemblyState:
    dice = np.random.default_rng(seed)
    balls = exponential(size * dice.normal(size=(len(solver.tree.balls), 3)))
    values = size * dice.normal(size=len(solver.tree))
    if balls.size:
        values[solver.tree.ball_coordinates] = 0.0
    return AssemblyState(values, balls)


def slopes(solver: MechanismSolver, state: AssemblyState, rows) -> np.ndarray:
    """Central differences (r, v) of `rows(values, balls)` for unit steps of the coordinates."""
    tree, found = solver.tree, []
    for k in range(len(tree)):
        step = np.zeros(len(tree))
        step[k] = STEP * tree.unit[k]
        found.append(
            (
                rows(*tree.moved(state.values, state.balls, step))
                - rows(*tree.moved(state.values, state.balls, -step))
            )
            / (2 * STEP)
        )
    return np.array(found).T


def evaluation_of(solver: MechanismSolver, goals: Goals, regularisers: Sequence[Task] = ()):
    actuators = solver.objectives.of_actuators(goals, np.zeros(len(solver.tree)), solver.lower, solver.upper)
    tasks = [*solver.objectives.of_goals(goals), *filter(None, actuators), *regularisers]
    return Descent(solver.tree, solver.loops, tasks, {}, (solver.lower, solver.upper), 1.0).evaluate


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "free"])
@pytest.mark.parametrize("seed", range(3))
def test_a_closing_joints_rows_have_the_slopes_that_differences_show(kind: str, seed: int):
    solver = MechanismSolver(mechanisms.held_twice(kind))
    evaluate = evaluation_of(solver, Goals())
    state = anywhere(solver, seed)
    rows, derivative = evaluate(state.values, state.balls).shape.loops
    assert len(rows) == 6 - len(KINDS[kind].freedoms)
    assert np.abs(derivative - slopes(solver, state, lambda *at: evaluate(*at).shape.loops[0])).max() < EXACT


GOALS = {
    "place": Goals(
        (
            FrameGoal(
                "body 7",
                RigidTransform(about(X, 0.3), (0.1, 0.2, 0.3)),
                position=(0.3, 0.1, 0.2),
                position_weight=(1.0, 0.0, 3.0),
            ),
        )
    ),
    "rotation": Goals(
        (
            FrameGoal(
                "body 7",
                RigidTransform(about(X, 0.3)),
                rotation=about(X, 1.0),
                rotation_weight=(0.5, 2.0, 0.0),
            ),
        )
    ),
    "frame": Goals(
        (
            FrameGoal("body 4", position=(0.3, 0.1, 0.2), rotation=about(X, 1.0)),
            FrameGoal("body 7", position=(0.0, 0.0, 0.0)),
        )
    ),
    "direction": Goals(
        (
            FrameGoal(
                "body 7",
                RigidTransform(about(X, 0.3)),
                direction=(1.0, 2.0, -2.0),
                axis=(0.0, 1.0, 1.0),
                direction_weight=2.0,
            ),
        )
    ),
    "position and direction": Goals(
        (FrameGoal("body 7", position=(0.3, 0.1, 0.2), direction=(0.0, 0.0, -3.0)),)
    ),
    "centre": Goals(centres=(CentreGoal((0.1, 0.2, 0.3), (1.0, 0.0, 2.0)), CentreGoal((0.0, 0.1, 0.0)))),
    "weights along other axes": Goals(
        (
            FrameGoal(
                "body 7", RigidTransform(about(X, 0.3)), (0.3, 0.1, 0.2), position_weight=(0.5, 2.0, 0.0)
            ),
        ),
        (CentreGoal((0.1, 0.2, 0.3), (1.0, 0.0, 2.0)),),
        weight_axes=about(X, 0.7),
    ),
    "actuators": Goals(
        actuators={
            "revolute": (0.3,),
            "universal": (0.1, 0.2),
            "spherical": (0.3, 0.1, -0.4),
            "planar": (0.1, 0.2, 0.3),
            "free": (0.1,) * 6,
        }
    ),
}


@pytest.mark.parametrize("goals", GOALS.values(), ids=GOALS)
@pytest.mark.parametrize("seed", range(3))
def test_a_goals_rows_have_the_slopes_that_differences_show(goals: Goals, seed: int):
    solver = MechanismSolver(mechanisms.all_kinds())
    evaluate = evaluation_of(solver, goals)
    state = anywhere(solver, seed, 0.4)
    rows, derivative = evaluate(state.values, state.balls).goals
    assert len(rows)
    assert np.abs(derivative - slopes(solver, state, lambda *at: evaluate(*at).goals[0])).max() < EXACT


@pytest.mark.parametrize(
    "steady",
    [
        RegulariserWeights(weight=0.3),
        RegulariserWeights(speed_weight=0.2, speed=1.0),
        RegulariserWeights(0.1, 0.2, 2.0),
    ],
)
def test_what_keeps_bodies_near_has_the_slopes_that_differences_show(steady: RegulariserWeights):
    solver = MechanismSolver(mechanisms.all_kinds())
    last, state = anywhere(solver, 5, 0.2), anywhere(solver, 6, 0.2)
    frames = solver.tree.forward(last.values, balls=last.balls)
    evaluate = evaluation_of(solver, Goals(), list(solver.objectives.of_regularisers(steady, frames, 0.1)))
    rows, derivative = evaluate(state.values, state.balls).goals
    assert len(rows)
    assert np.abs(derivative - slopes(solver, state, lambda *at: evaluate(*at).goals[0])).max() < 1e-6


@pytest.mark.parametrize("kind", ["fixed", "revolute"])
def test_rows_grow_all_the_way_to_a_half_turn(kind: str):
    solver = MechanismSolver(mechanisms.held_twice(kind))
    sizes = []
    for angle in np.linspace(0.0, np.pi, 20):
        holder = solver.mechanism.joint["holder"]
        pose = (
            frame_array(holder.in_parent)
            @ frame_array(RigidTransform(about(X, float(angle))))
            @ inverse(frame_array(holder.in_child))
        )
        state = solver.state_at(
            {"body": RigidTransform(from_matrix(pose[:3, :3].tolist()), tuple(pose[:3, 3].tolist()))}
        )
        frames = solver.tree.forward(state.values, balls=state.balls)
        sizes.append(float(np.linalg.norm(solver.loops.linear(frames, solver.tree.screws(frames), {})[0])))
        assert solver.loops.sizes(frames, {})[0] == pytest.approx(angle, abs=1e-9)
    assert all(np.diff(sizes) > 0.0)
