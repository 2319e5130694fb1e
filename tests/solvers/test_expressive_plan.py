"""Tests the plan of the expressive solver: completed within a frame, and its choice of path."""

import math

import numpy as np
import pytest
from limber.solvers.expressive import Expressive
from limber.solvers.expressive.descent import BOLD_STEP
from limber.solvers.expressive.motion import (
    ACCELERATION,
    DIRECT,
    HURRIED,
    ActiveTransition,
    braking_speed,
    duration,
)
from limber.solvers.expressive.plan import PERIOD, Planner, Planning
from limber.solvers.expressive.prediction import HORIZON, WHOLE_TURN, FrameContext, Velocity
from limber.solvers.expressive.simulation import (
    HYSTERESIS,
    LONG_STEP,
    STEP,
    cheapest,
    simulation_steps,
)
from limber.solvers.expressive.tracking import FRAME
from limber.solvers.goals import GazeGoal, Orientation
from limber.solvers.kinematics.rotations import X, Y, about, multiply

from .chains import unit_chain

POSTURE = np.array([0.3, 0.4, -0.6, 0.5, 0.2])
GOAL = GazeGoal(Orientation(multiply(about(Y, 0.9), about(X, 0.7))), POSTURE)


def planner_and_now(dt: float = FRAME, lost: float = 0.0) -> tuple[Planner, FrameContext]:
    """A planner for a goal at rest, and its context in each frame."""
    solver = Expressive(unit_chain("YXXZY", math.pi / 2))
    authored = solver._authored(tuple(POSTURE), 1.0)
    posture, at_rest = tuple(POSTURE), (0.0,) * len(POSTURE)
    return solver.tracker.planner, FrameContext(
        GOAL, (Velocity(),), (), authored, posture, at_rest, 0.0, lost, dt
    )


def plans(planner: Planner, now: FrameContext, frames: int) -> list[Planning]:
    """The states of the planner after each frame."""
    states = [Planning()]
    for _ in range(frames):
        states.append(planner.advance(states[-1], now))
    return states[1:]


def test_a_plan_is_whole_in_its_frame_and_finds_branches() -> None:
    (state,) = plans(*planner_and_now(), 1)
    assert state.since_plan == 0.0
    assert state.pool is not None
    assert len(state.pool) > 1


@pytest.mark.parametrize("dt", [FRAME, FRAME / 3, 1 / 12])
def test_a_plan_comes_after_each_period_whatever_the_frame_rate(dt: float) -> None:
    frames = round(1.0 / dt)
    planned = [state.since_plan == 0.0 for state in plans(*planner_and_now(dt), frames)]
    assert sum(planned) == pytest.approx(1.0 / PERIOD, abs=1)


def test_while_the_aim_is_lost_each_frame_has_a_plan() -> None:
    assert all(state.since_plan == 0.0 for state in plans(*planner_and_now(lost=0.1), 10))


def test_both_sides_of_a_symmetric_end_are_tried() -> None:
    planner, now = planner_and_now()
    starts = planner._starts(Planning(), now)
    tried = {side: starts.angles[starts.sides == side] for side in (1.0, -1.0)}
    assert np.array_equal(tried[1.0], tried[-1.0])
    assert tuple(tried[1.0][0]) == tuple(POSTURE)


def test_the_speed_from_which_a_joint_can_stop_brings_it_to_rest_without_overshoot() -> None:
    for dt in (1 / 24, 1 / 60, 1 / 120):
        left, speed = 1.5, float(braking_speed(np.array(1.5), ACCELERATION, dt))
        for _ in range(2000):
            reached = min(left / dt, float(braking_speed(np.array(left), ACCELERATION, dt)))
            assert speed - reached <= ACCELERATION * dt + 1e-9
            speed, left = reached, left - reached * dt
        assert left == pytest.approx(0.0, abs=1e-9)


def test_the_duration_of_a_transition_follows_from_its_distance_and_the_limits() -> None:
    model = Expressive(unit_chain("YXXZY", math.pi / 2)).model
    speed = model.options.transition_speed
    near, far = duration(model, np.array([0.01, 3.0]))
    assert near == pytest.approx(2.0 * math.sqrt(0.01 / HURRIED))
    assert far == pytest.approx(3.0 / speed + speed / HURRIED)


def test_a_bold_step_moves_no_joint_farther_than_the_largest_step() -> None:
    planner, now = planner_and_now()
    descent, starts = now.descent(planner.model, 0.0), planner.seeds.around(POSTURE)
    moved = np.abs(descent.bold(descent.at(starts, None)) - starts).max(1)
    assert moved.max() == pytest.approx(BOLD_STEP, abs=1e-12), "it is as large as it may be"


@pytest.mark.parametrize(("horizon", "count"), [(HORIZON, 11), (WHOLE_TURN, 14)])
def test_a_simulation_reaches_its_horizon_in_the_fewest_steps_that_are_short_enough(
    horizon: float, count: int
) -> None:
    steps = simulation_steps(horizon)
    assert sum(steps) == pytest.approx(horizon)
    assert len(steps) == count
    assert max(steps[:6]) <= STEP + 1e-9
    assert max(steps) <= LONG_STEP + 1e-9


def test_a_path_in_progress_is_left_only_for_one_that_is_cheaper_by_a_tenth() -> None:
    branches, transition = np.zeros((2, 1)), ActiveTransition(DIRECT, (0.0,))
    for other, is_left in ((91.0, False), (89.0, True)):
        costs = np.array([500.0, 500.0, 100.0, 500.0, other])
        chosen = cheapest(costs, branches, transition, 0.0, HYSTERESIS)
        assert (chosen is not transition) == is_left
