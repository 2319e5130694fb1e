"""Tests the accelerations of a mechanism's bodies after the motion filter against those that the motors'
limits imply.
"""

from dataclasses import replace

import numpy as np
import pytest
from limber.solvers.mechanism.goals import FrameGoal, Goals
from limber.solvers.mechanism.solver import MechanismSolver

from benchmarks import mechanism_tick, mechanism_unseen
from tests.solvers import mechanisms

DT = 1 / 60


@pytest.fixture(scope="module")
def passing():
    """A random arm whose target leaves its workspace and returns."""
    _, solver, start, goals = next(mechanism_unseen.cases(1))
    return mechanism_tick.run(solver, goals, DT, start)


def test_bodies_keep_what_the_motors_limits_imply_in_every_phase(passing):
    found = dict(mechanism_tick.rows(passing))
    assert set(found) == set(mechanism_tick.PHASES)
    assert max(row.ratio for row in found.values()) < 1.001
    assert found["away"].ratio > 0.9, "they use it"


def test_bodies_that_are_faster_than_their_motors_may_be_are_noticed(passing):
    faster = dict(mechanism_tick.rows(replace(passing, acceleration=0.5 * passing.acceleration)))
    assert faster["away"].ratio > 1.1


def test_the_jacobian_by_the_motors_is_that_of_the_solver_itself():
    solver = MechanismSolver(mechanisms.four_bar())
    found = solver.solve(Goals(actuators={"motor": (1.0,)}), solver.rest())
    there = solver.solve(Goals(actuators={"motor": (1.0 + 1e-6,)}), found.state)
    moved = (
        mechanism_tick.logarithm(there.poses[:, :3, :3] @ np.swapaxes(found.poses[:, :3, :3], -1, -2)) / 1e-6
    )
    assert mechanism_tick.by_motor(solver, found.state)[..., 0] == pytest.approx(moved, abs=1e-4)


def test_away_is_where_the_goals_cannot_be_met_and_return_begins_after_it():
    solver = MechanismSolver(mechanisms.four_bar())
    first = solver.solve(Goals(actuators={"motor": (1.0,)}), solver.rest())
    place = first.poses[2, :3, 3]
    aside = [0.0, 0.0, 1.0, 1.0, *[0.0] * 40]
    goals = [
        Goals((FrameGoal("coupler", position=tuple((place + np.array((x, 0, x))).tolist())),)) for x in aside
    ]
    phases = mechanism_tick.run(solver, goals, DT, first.state).phase.tolist()
    assert phases == [0, 0, 1, 1, *(2,) * 30, *(0,) * 10]
