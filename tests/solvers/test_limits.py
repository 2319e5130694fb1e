"""Tests limits as objects: if they contradict each other the first one holds, and braking never exceeds a
position limit.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.solvers.least_squares import box
from limber.solvers.least_squares.bounded_step import within
from limber.solvers.limits import JointState, PositionLimit, VelocityLimit, bounds, usual_limits

DT = 1.0 / 60.0  # [s] duration of a frame


def state(value: float, speed: float = 0.0, lower: float = -1.0, upper: float = 1.0) -> JointState:
    return JointState(*(np.array([number]) for number in (value, speed, lower, upper)))


def test_of_limits_that_contradict_each_other_the_first_one_holds():
    outside = state(3.0)
    speed, position = VelocityLimit(0.5), PositionLimit()
    assert bounds((speed, position), outside, DT) == (
        pytest.approx(3.0 - 0.5 * DT),
        pytest.approx(3.0 - 0.5 * DT),
    )
    assert bounds((position, speed), outside, DT) == (pytest.approx(1.0), pytest.approx(1.0))


def test_a_position_limit_is_kept_to_the_last_bit():
    least, largest = bounds(usual_limits(5.0, 50.0), state(0.999999, 0.1), DT)
    assert -1.0 <= least[0] <= largest[0] <= 1.0


@given(
    st.floats(-1.0, 1.0),
    st.floats(0.5, 40.0),
    st.floats(0.5, 8.0),
    st.lists(st.integers(1, 150), min_size=1, max_size=4),
)
def test_a_joint_that_always_takes_the_farthest_allowed_move_can_stop_at_its_limit(
    start, rate, fastest, runs
):
    limits, value, speed = usual_limits(fastest, rate), start, 0.0
    for up in [k % 2 == 0 for k, run in enumerate(runs) for _ in range(run)]:
        least, largest = bounds(limits, state(value, speed), DT)
        after = float(largest[0] if up else least[0])
        assert -1.0 <= after <= 1.0
        moved = (after - value) / DT
        assert abs(moved) <= fastest * (1 + 1e-9)
        assert abs(moved - speed) <= rate * DT * (1 + 1e-6) + 1e-9
        value, speed = after, moved


def test_unknowns_that_would_leave_their_bounds_are_held_and_the_others_make_up_for_them():
    def step(moves, free):
        """Distributes a sum of 3 evenly among the free unknowns."""
        return np.where(free, (3.0 - moves.sum()) / max(free.sum(), 1), 0.0)

    found, held = within(step, np.full(3, -1.0), np.array([0.5, 5.0, 5.0]))
    assert found == pytest.approx([0.5, 1.25, 1.25])
    assert held.tolist() == [True, False, False]
    found, held = within(step, np.full(3, -1.0), np.full(3, 0.5))
    assert (found == 0.5).all()
    assert held.all()


@given(st.integers(0, 10_000))
def test_of_unknowns_that_leave_their_bounds_at_once_those_are_held_that_the_minimum_holds(seed):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(2, 7))
    matrix, vector = draw.normal(size=(n + 1, n)), 3.0 * draw.normal(size=n + 1)
    lower, upper = -draw.uniform(0.0, 1.0, n), draw.uniform(0.0, 1.0, n)
    locked = draw.random(n) < 0.3
    lower[locked] = upper[locked] = 0.0

    def step(moves, free):
        """Least-squares step of the free unknowns."""
        found = np.zeros(n)
        found[free] = np.linalg.lstsq(matrix[:, free], -vector - matrix @ moves, rcond=None)[0]
        return found

    found, held = within(step, lower, upper, lambda moves, _free: matrix.T @ (vector + matrix @ moves))
    assert found == pytest.approx(box.solve(matrix.T @ matrix, -matrix.T @ vector, lower, upper).x, abs=1e-6)
    assert ((found == lower) | (found == upper))[held].all()
