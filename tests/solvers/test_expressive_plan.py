"""The plan of the expressive solver, piece by piece: solvers that take turns work it out in smaller ones, and come to the same."""

import math

import numpy as np
import pytest
from limber.solvers.expressive import Expressive
from limber.solvers.expressive.plan import APPROACH, SEARCH_WIDE, SELECT, SIMULATE, SPREAD, TRACK_POOL, WAIT, Planner, Planning
from limber.solvers.expressive.prediction import FrameContext, GoalForecast, Velocity
from limber.solvers.gaze import PlanSlot
from limber.solvers.goals import GazeGoal, Orientation
from limber.solvers.kinematics.rotations import X, Y, about, multiply

from .chains import unit_chain

POSTURE = np.array([0.3, 0.4, -0.6, 0.5, 0.2])
GOAL = GazeGoal(Orientation(multiply(about(Y, 0.9), about(X, 0.7))), POSTURE)


def planner_and_now(turns: int) -> tuple[Planner, FrameContext]:
    """A planner for a goal that stands still, and what each of its pieces starts from."""
    solver = Expressive(unit_chain("YXXZY", math.pi / 2))
    authored = solver._authored(tuple(POSTURE), 1.0)
    return solver.tracker.planner, FrameContext(GoalForecast(GOAL, (Velocity(),), ()), authored, POSTURE, POSTURE, 0.0, 0, PlanSlot(turns))


def advanced(planner: Planner, now: FrameContext, state: Planning, until: int) -> tuple[Planning, list[int]]:
    """The state where a stage begins, and the stages of the pieces before."""
    stages = []
    while state.stage != until:
        stages.append(state.stage)
        state = planner.advance(state, now)
    return state, stages


def test_a_search_in_smaller_pieces_finds_the_same_branches() -> None:
    alone, pieces = advanced(*planner_and_now(1), Planning(), WAIT)
    shared, smaller = advanced(*planner_and_now(3), Planning(), WAIT)
    assert shared.pool == alone.pool
    assert len(smaller) > len(pieces) == 3


@pytest.mark.parametrize("turns", [2, 3])
def test_fewer_branches_are_laid_out_in_smaller_pieces_but_the_best_among_them(turns: int) -> None:
    planner, now = planner_and_now(1)
    known, _ = advanced(planner, now, Planning(), WAIT)
    known = Planning(stage=TRACK_POOL, pool=known.pool)
    alone, _ = advanced(planner, now, known, SIMULATE)
    shared, stages = advanced(*planner_and_now(turns), known, SIMULATE)
    assert stages == [TRACK_POOL, SPREAD, APPROACH, SELECT]
    assert alone.simulation is not None
    assert shared.simulation is not None
    everyone, fewer = alone.simulation.branches, shared.simulation.branches
    near = [min(np.abs(np.subtract(branch, other)).max() for other in fewer) < 1e-6 for branch in everyone]
    assert np.mean(near) > 0.8


def test_a_search_begins_wherever_nothing_is_known() -> None:
    planner, now = planner_and_now(2)
    assert planner.advance(Planning(stage=TRACK_POOL), now).stage == SEARCH_WIDE
