"""The plan of the expressive solver: a budget of work for each frame, and the same branches however it is
divided.
"""

import math

import numpy as np
import pytest
from limber.solvers.expressive import Expressive
from limber.solvers.expressive.descent import BOLD_STEP
from limber.solvers.expressive.model import Rows
from limber.solvers.expressive.motion import ACCELERATION, HURRIED, braking_speed, duration
from limber.solvers.expressive.plan import BRANCH_STEPS, CALLS, CHOICE, RATE, Branches, Planner, Planning
from limber.solvers.expressive.prediction import HORIZON, WHOLE_TURN, FrameContext, GoalForecast, Velocity
from limber.solvers.expressive.simulation import LONG_STEP, STEP, Simulation, simulation_steps
from limber.solvers.expressive.tracking import FRAME
from limber.solvers.gaze import PlanSlot
from limber.solvers.goals import GazeGoal, Orientation
from limber.solvers.kinematics.rotations import X, Y, about, multiply

from .chains import unit_chain

POSTURE = np.array([0.3, 0.4, -0.6, 0.5, 0.2])
GOAL = GazeGoal(Orientation(multiply(about(Y, 0.9), about(X, 0.7))), POSTURE)


def planner_and_now(sharing: int = 1, dt: float = FRAME) -> tuple[Planner, FrameContext]:
    """A planner for a goal that stands still, and what each frame gives it."""
    solver = Expressive(unit_chain("YXXZY", math.pi / 2))
    authored = solver._authored(tuple(POSTURE), 1.0)
    forecast = GoalForecast(GOAL, (Velocity(),), dt)
    return solver.tracker.planner, FrameContext(
        forecast, authored, POSTURE, POSTURE, 0.0, 0.0, PlanSlot(sharing), dt
    )


def jobs(planner: Planner, now: FrameContext, frames: int, state: Planning | None = None) -> list[Planning]:
    """The states of the planner after each frame."""
    states = [state or Planning()]
    for _ in range(frames):
        states.append(planner.advance(states[-1], now))
    return states[1:]


@pytest.mark.parametrize("sharing", [1, 2, 3])
def test_a_plan_goes_through_all_its_jobs_and_finds_branches(sharing: int) -> None:
    states = jobs(*planner_and_now(sharing), 60 * sharing)
    assert {type(state.job) for state in states} >= {Branches, Simulation}
    assert states[-1].pool is not None
    assert len(states[-1].pool) > 1


@pytest.mark.parametrize("sharing", [1, 3])
def test_work_keeps_to_its_budget(sharing: int, monkeypatch) -> None:
    planner, now = planner_and_now(sharing)
    done, count = [], Planner._work
    monkeypatch.setattr(
        Planner,
        "_work",
        lambda self, candidates: done.append(count(self, candidates)) or count(self, candidates),
    )
    frames = 90
    jobs(planner, now, frames)
    assert 0.0 < sum(done) <= RATE * FRAME * frames / sharing + max(done) + RATE * FRAME


def test_a_long_frame_has_the_work_of_the_largest_step_and_the_choice_of_branches_and_a_choice_may_borrow_once_more(
    monkeypatch,
) -> None:
    planner, now = planner_and_now(dt=1 / 12)
    done: list[float] = []

    def counted(step: str, work) -> None:
        taken = getattr(Planner, step)
        monkeypatch.setattr(
            Planner, step, lambda *arguments: done.append(work(*arguments)) or taken(*arguments)
        )

    counted("_followed", lambda self, state, job, context: self._work(len(job.candidates)))
    counted("_simulated", lambda self, state, job, context: self._work(len(job.candidates)))
    counted("_chosen", lambda *arguments: CHOICE * CALLS)
    state, frames = Planning(), []
    for _ in range(30):
        done.clear()
        state = planner.advance(state, now)
        frames.append(sum(done))
    assert planner.largest_work < max(frames) <= planner.largest_work + 2 * CHOICE * CALLS


def test_the_same_budget_in_smaller_pieces_finds_the_same_branches() -> None:
    pools = []
    for dt in (FRAME, FRAME / 3):
        planner, now = planner_and_now(dt=dt)
        pools.append(next(state.pool for state in jobs(planner, now, 200) if state.pool is not None))
    assert pools[0] == pools[1]


def test_a_frame_in_which_others_plan_does_no_work() -> None:
    planner, now = planner_and_now(2)
    state = planner.advance(planner.advance(Planning(), now), now)
    closed = planner.advance(state, now._replace(slot=PlanSlot(2, is_open=False)))
    assert closed.job == state.job or isinstance(state.job, Simulation)
    assert closed.pool == state.pool


def test_branches_are_followed_in_as_many_steps_as_they_have() -> None:
    states = jobs(*planner_and_now(), 60)
    steps = {state.job.steps for state in states if isinstance(state.job, Branches)}
    assert all(each < BRANCH_STEPS for each in steps)


@pytest.mark.parametrize("turns", [2, 3, 4])
def test_cycles_take_turns_at_the_sides_of_a_symmetric_end_and_at_starts_that_are_too_many_for_one_step(
    turns,
) -> None:
    planner, now = planner_and_now()
    starts = np.concatenate([planner.seeds.around(POSTURE), planner.seeds.near(POSTURE)])
    planner.most = 1 - (1 - len(starts)) // turns
    begun = [planner._begun(Planning(cycles=cycle), now).job for cycle in range(2 * turns)]
    assert all(isinstance(job, Branches) and len(job.candidates) <= planner.most for job in begun)
    tried = [tuple(start) for job in begun[:turns] for start in job.candidates.array[1:]]
    assert sorted(tried) == sorted(map(tuple, starts[1:]))
    assert all(tuple(job.candidates.array[0]) == tuple(starts[0]) for job in begun), (
        "the posture itself is tried in every cycle"
    )
    assert all({*job.sides.array} >= {-1.0, 1.0} for job in begun)
    for one, other in zip(begun[:turns], begun[turns:], strict=True):
        assert one.candidates == other.candidates
        assert one.sides == Rows(-other.sides.array)


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


@pytest.mark.parametrize("frames", [2, 4, 8, 10])
@pytest.mark.parametrize(("horizon", "long"), [(HORIZON, 5), (WHOLE_TURN, 8)])
def test_a_simulation_reaches_its_horizon_in_the_fewest_steps_that_are_short_enough(
    frames, horizon, long
) -> None:
    delay, short = frames / 60, (12 - frames) // 2
    steps = simulation_steps(delay, horizon)
    assert sum(steps) == pytest.approx(horizon - delay)
    assert len(steps) == short + long
    assert max(steps[:short]) <= STEP + 1e-9
    assert max(steps) <= LONG_STEP + 1e-9
