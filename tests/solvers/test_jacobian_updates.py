"""Tests the Jacobian family from frame to frame: Buss's ways to use updates, D_max, memory, rest."""

import math
from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.goals import EndGoal, GazeGoal, Position
from limber.solvers.jacobian import family
from limber.solvers.jacobian.clamping import Allowances, Clamp, clamped
from limber.solvers.jacobian.damping import ByError, Constant
from limber.solvers.jacobian.methods import Damped, Pseudoinverse, SelectivelyDamped, Transpose
from limber.solvers.jacobian.options import DampedOptions
from limber.solvers.jacobian.solver import JacobianSolver, Updates
from limber.solvers.table import make_solver

from benchmarks.jacobian import y_shape
from tests.solvers.chains import unit_chain
from tests.solvers.jacobian_goals import NAMES, goals_that_can_be_met, long_chain


@pytest.mark.parametrize("count", [1, 5])
def test_a_frame_takes_as_many_updates_as_are_asked_for_and_none_when_all_is_settled(count):
    chain, goal = long_chain(), goals_that_can_be_met(2)[5]
    solver = JacobianSolver(chain, Damped(Constant(0.3)), Updates(in_frame=count))
    first = solver.solve(goal, goal.posture)
    assert first.iterations == count
    assert not first.converged
    one = JacobianSolver(chain, Damped(Constant(0.3)), Updates(in_frame=1))
    angles = goal.posture
    for _ in range(count):
        angles = one.solve(goal, angles).angles
    assert np.array_equal(angles, first.angles)
    whole = JacobianSolver(chain, Damped(Constant(0.3)), Updates(in_frame=None)).solve(goal, goal.posture)
    assert whole.converged
    assert whole.iterations > count


@pytest.mark.parametrize("name", NAMES)
def test_one_update_a_frame_follows_a_slow_target(name):
    tree, rest = y_shape(), np.zeros(7)
    solver = JacobianSolver(tree, *_parts(name, tree))
    angles, memory, errors = rest, None, []
    for frame in range(240):
        swung = 0.6 * math.sin(frame / 40) * np.array([1, -1, 0.5, 1, 1, -1, 0.5])
        pose = tree.forward((swung + 0.2).tolist())
        positions = [tree.end_pose(pose, end)[1] for end in (0, 1)]
        goal = GazeGoal(Position(positions[0]), rest, keep=0.0, others=(EndGoal(Position(positions[1]), 1),))
        solution = solver.solve(goal, angles, memory)
        angles, memory = solution.angles, solution.memory
        errors.append(max(end_error.distance for end_error in solution.measured.errors))
    assert max(errors[60:]) < (1.0 if name == "transpose" else 0.15)  # [m] with a reach of 5 m


def _parts(name, tree):
    made = make_solver(name, tree)
    assert isinstance(made, JacobianSolver)
    return made.method, replace(made.updates, in_frame=1)


def test_targets_are_brought_closer_but_not_right_after_a_jump():
    tree = y_shape()
    solver = family.dls(tree, DampedOptions(near_targets=True))
    clamp = solver.updates.clamp
    assert clamp is not None
    assert clamp.distance == pytest.approx(0.5 / 5)  # half a link of five
    rest = np.zeros(7)

    def goal(far):
        return GazeGoal(Position((far, 4.0, 0.0)), rest, others=(EndGoal(Position((-2.0, 4.0, 0.0)), 1),))

    here = solver.at(goal(9.0), rest, rest)
    fresh = clamp.at_first(here.linear, None)
    assert clamped(here.linear, fresh) is here.linear  # D_max is infinite at first
    moved = solver.update(goal(9.0), rest, here, fresh)
    then = clamp.after(moved.linear, fresh)
    gained = np.linalg.norm(here.linear.error[:3]) - np.linalg.norm(moved.linear.error[:3])
    assert gained > 0.0
    assert then.most["position", 0] == pytest.approx(clamp.distance + gained)
    bounded = clamped(moved.linear, then).error
    assert np.linalg.norm(bounded[:3]) == pytest.approx(clamp.distance + gained)
    assert np.cross(bounded[:3], moved.linear.error[:3]) == pytest.approx([0, 0, 0], abs=1e-12)
    # The next frame: a target that moved a little is clamped as before, for one that jumped the whole
    # distance is used again; each end separately.
    near, far = (solver.at(goal(x), rest, moved.angles).linear for x in (9.1, 3.0))
    assert clamp.at_first(near, then).most == then.most
    jumped = clamp.at_first(far, then).most
    assert jumped["position", 0] == math.inf
    assert jumped["position", 1] == then.most["position", 1]


def test_a_solvers_memory_carries_the_allowances_from_frame_to_frame():
    tree = y_shape()
    solver = JacobianSolver(
        tree, Damped(Constant(0.5), 10.0), Updates(in_frame=1, clamp=Clamp.for_skeleton(tree))
    )
    goal = GazeGoal(Position((9.0, 4.0, 0.0)), np.zeros(7))
    first = solver.solve(goal, np.zeros(7))
    assert isinstance(first.memory, Allowances)
    remembering = solver.solve(goal, first.angles, first.memory)
    forgetful = solver.solve(goal, first.angles)
    moved, jumped = (
        np.linalg.norm(next_frame.angles - first.angles) for next_frame in (remembering, forgetful)
    )
    assert moved < 0.5 * jumped


def test_the_alternate_jacobian_meets_goals_too():
    chain, goal = long_chain(), goals_that_can_be_met(3)[5]
    for method in (Transpose(), Damped(ByError()), SelectivelyDamped()):
        solution = JacobianSolver(chain, method, Updates(at_targets=True)).solve(goal)
        assert solution.measured.errors[0].distance < 1e-3


def test_the_pseudoinverse_shakes_where_damped_steps_are_calm():
    chain = unit_chain("XXX", 3.0)
    beyond = GazeGoal(
        Position((0.0, 3.0, 2.5)), np.zeros(3), keep=0.0
    )  # out of reach: the chain is stretched out, singular

    def jerks(method):
        solver = JacobianSolver(chain, method, Updates(in_frame=1))
        frames = [np.array([0.3, 0.2, 0.4])]
        for _ in range(80):
            frames.append(solver.solve(beyond, frames[-1]).angles)
        return np.max(np.abs(np.diff(frames[40:], 2, axis=0)))

    assert jerks(Damped(ByError())) < 1e-3 < 0.1 < jerks(Pseudoinverse())
