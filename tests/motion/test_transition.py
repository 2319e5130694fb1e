"""Tests transitions of a given duration: they arrive at that time, at rest, and stay smooth when the target
changes on the way.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from limber.motion import Kinematic, Limits, TargetError, Transition, together

LIMITS = Limits(-3.0, 3.0, 1.0, 5.0, 50.0)
PLACES = st.floats(-3.0, 3.0)


def walk(way: Transition, state: Kinematic, target: float, dt: float, steps: int) -> list:
    states = [state]
    for _ in range(steps):
        states.append(way.step(states[-1], target, dt))
    return states


@given(PLACES, PLACES, st.integers(1, 90))
def test_it_arrives_after_its_time_and_not_before(start, target, steps):
    way = Transition(LIMITS, 1.5)
    states = walk(way, way.rest(start), target, 1.5 / steps * (1 + 1e-12), steps)
    assert states[-1].position == target
    assert states[-1].velocity == states[-1].acceleration == 0.0
    if start != target and steps > 1:
        assert states[-2].position != target or abs(target - start) < 1e-6


@given(PLACES, PLACES)
def test_the_way_is_the_same_whatever_the_steps(start, target):
    way = Transition(LIMITS, 1.0)
    coarse = walk(way, way.rest(start), target, 0.25, 3)[-1]
    fine = walk(way, way.rest(start), target, 0.01, 75)[-1]
    assert fine.position == pytest.approx(coarse.position, abs=1e-9)
    assert fine.velocity == pytest.approx(coarse.velocity, abs=1e-8)


def test_half_way_in_time_is_half_way():
    way = Transition(LIMITS, 2.0)
    assert way.step(way.rest(0.0), 2.0, 1.0).position == pytest.approx(1.0)


@given(PLACES, PLACES, PLACES)
def test_what_is_changed_on_the_way_goes_on_smoothly(start, target, other):
    way = Transition(LIMITS, 1.0)
    dt = 1e-3
    before = walk(way, way.rest(start), target, dt, 400)
    after = walk(way, before[-1], other, dt, 400)
    speed = np.diff([state.position for state in (*before[:-1], *after)]) / dt
    assert np.abs(np.diff(speed)).max() < 200 * dt * 6.0  # [m/s] a step of the velocity would be 1 or more
    assert all(-3.0 <= state.position <= 3.0 for state in after)


def test_no_time_is_no_motion():
    way = Transition(LIMITS, 1.0)
    state = way.step(way.rest(0.0), 1.0, 0.3)
    assert way.step(state, 1.0, 0.0) == state


@given(PLACES, PLACES)
def test_without_a_time_it_is_as_fast_as_the_limits_allow(start, target):
    assume(abs(target - start) > 0.1)
    way = Transition(LIMITS)
    steps = 400
    dt = way.duration(way.rest(start), target) / steps
    positions = [state.position for state in walk(way, way.rest(start), target, dt, steps)]
    limits = LIMITS.velocity, LIMITS.acceleration, LIMITS.jerk
    used = [np.abs(np.diff(positions, k + 1)).max() / dt ** (k + 1) / limits[k] for k in range(3)]
    assert 0.95 < max(used) < 1.0 + 1e-5


@given(st.lists(st.tuples(PLACES, PLACES), min_size=2, max_size=5))
def test_joints_move_together_on_a_straight_line_between_postures_whatever_their_limits(ends):
    ways = [Transition(Limits(-3.0, 3.0, 1.0 + k, 5.0, 50.0 / (1 + k))) for k in range(len(ends))]
    start, target = np.transpose(ends)
    states = tuple(way.rest(angle) for way, angle in zip(ways, start.tolist(), strict=True))
    far = int(np.abs(target - start).argmax())
    while any(state.position != angle for state, angle in zip(states, target.tolist(), strict=True)):
        states = together(ways, states, target.tolist(), 0.1)
        now = np.array([state.position for state in states])
        share = (now[far] - start[far]) / (target[far] - start[far])
        assert now == pytest.approx(start + share * (target - start), abs=1e-9)


@pytest.mark.parametrize(("share", "beyond"), [(0.5, 1e-3), (0.3, 0.1)])
def test_a_posture_that_is_changed_on_the_way_is_not_rushed_to(share, beyond):
    """If the joint passes its new target at speed, or stops there at once, the distance alone does not
    determine the time that it needs.
    """
    way, dt = Transition(LIMITS), 0.01
    moving = walk(way, way.rest(-1.0), 1.0, dt, int(share * way.duration(way.rest(-1.0), 1.0) / dt))[-1]
    target = moving.position + beyond
    after = walk(way, moving, target, dt, 400)
    assert after[-1].position == target
    assert max(abs(state.acceleration) for state in after) < 2.0 * LIMITS.acceleration


def test_no_time_is_no_motion_even_toward_a_new_target():
    way = Transition(LIMITS, 1.0)
    state = way.step(way.rest(0.0), 1.0, 0.3)
    assert way.step(state, -1.0, 0.0) == state


def test_what_is_no_number_is_refused():
    with pytest.raises(TargetError):
        Transition(LIMITS, 1.0).step(Kinematic(0.0), float("nan"), 0.1)


@given(st.floats(0.5, 3.0), st.integers(3, 12), st.floats(-0.2, 0.2))
def test_a_joint_whose_target_changes_a_little_on_the_way_still_arrives_with_the_others(far, steps, change):
    ways = [Transition(LIMITS)] * 2
    states, dt, before = tuple(way.rest(0.0) for way in ways), 0.05, [far, 0.3]
    for _ in range(steps):
        states = together(ways, states, before, dt)
    after = [far, 0.3 + change]
    left = states[0].remaining
    assume(ways[1].duration(states[1], after[1]) < left)
    changed = together(ways, states, after, dt)
    assert [state.remaining for state in changed] == pytest.approx([left - dt] * 2)
    assert changed[0] == together(ways, states, before, dt)[0]
