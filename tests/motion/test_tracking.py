"""Tests that the default filter keeps every limit for any input, and is as fast as possible."""

from dataclasses import replace
from math import radians
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from limber.motion import Kinematic, Limits, MotionStyle, TrackingFilter, make_filter
from limber.motion.tracking import used_limits

from benchmarks.motion import shortest_time
from tests.motion.motions import (
    any_limits,
    any_shares,
    assert_can_stop,
    assert_within,
    driven,
    often,
    placed,
    powers,
    sometimes,
    time_to_rest,
    unhurried,
)

ARM = Limits(-radians(120), radians(120), radians(180), radians(900), radians(9000))
HUNDREDTH = 0.01  # [s] time step
styles = st.builds(MotionStyle, st.sampled_from((0.0, 0.3, 1.0)), st.sampled_from((0.0, 0.5, 0.99)))


@often
@given(any_limits(), styles, st.floats(0.0, 1.0), any_shares(), powers(-2.0, 1.0), st.integers(0, 9))
def test_no_limit_is_ever_exceeded_whatever_the_targets_and_time_steps(
    limits, style, start, shares, pace, seed
):
    dice = Random(seed)
    steps = [unhurried(limits) * pace * (10.0 ** dice.uniform(-1.0, 0.5) if seed else 1.0) for _ in shares]
    targets = [placed(share, limits) for share in shares]
    states = driven(
        TrackingFilter(limits, style), placed(start, limits), list(zip(targets, steps, strict=True))
    )
    assert_within([state.position for state in states], steps, limits)
    for state in states:
        assert_can_stop(state, limits)


@often
@given(
    any_limits(),
    any_shares(most=20),
    st.lists(st.floats(-5.0, 5.0), min_size=20, max_size=20),
    powers(-2.0, 1.0),
)
def test_no_claimed_target_velocity_leads_out_of_the_limits(limits, shares, claims, pace):
    dt = unhurried(limits) * pace
    one = TrackingFilter(limits)
    states = [one.rest(placed(0.5, limits))]
    for share, claim in zip(shares, claims, strict=False):
        states.append(one.step(states[-1], placed(share, limits), dt, claim * limits.velocity))
        assert_can_stop(states[-1], limits)
    assert_within([state.position for state in states], [dt] * len(shares), limits)


@often
@given(any_limits(), st.floats(0.0, 1.0), st.floats(-0.5, 1.5), powers(-2.0, 1.0))
def test_a_step_takes_the_least_time_and_ends_exactly_at_rest(limits, start, share, pace):
    here, there = placed(start, limits), limits.clamp(placed(share, limits))
    least = shortest_time(there - here, limits)
    assume(least > 1e-6)
    dt = least * pace
    took = time_to_rest(
        TrackingFilter(limits), TrackingFilter(limits).rest(here), there, dt, patience=10.0 * least
    )
    assert took <= least * (1.0 + 1e-6) + dt


@often
@given(any_limits(), st.floats(0.0, 1.0), st.floats(0.0, 1.0), powers(-2.0, 0.0), styles)
def test_a_step_is_never_overshot_and_never_turned_back_from(limits, start, share, pace, style):
    here, there = placed(start, limits), placed(share, limits)
    assume(here != there)
    one = TrackingFilter(limits, style)
    dt = shortest_time(there - here, used_limits(limits, style)) * pace
    assume(dt > 1e-9)
    path = [state.position for state in driven(one, here, [(there, dt)] * 30)]
    way = 1.0 if there > here else -1.0
    rounding = 1e-14 * max(abs(limits.lower), abs(limits.upper))
    last = -float("inf")
    for position in path:
        assert (position - there) * way <= rounding
        assert position * way >= last - rounding
        last = position * way


@often
@given(any_limits(), any_shares(most=20), st.floats(0.0, 1.0), powers(-2.0, 0.5), styles)
def test_from_every_state_it_comes_to_rest_exactly_on_a_target_that_stays(limits, shares, last, pace, style):
    dt = unhurried(limits) * pace
    one = TrackingFilter(limits, style)
    state = driven(one, placed(0.5, limits), [(placed(share, limits), dt) for share in shares])[-1]
    used = used_limits(limits, style)
    slow = 2.0 * (
        limits.velocity / used.acceleration + used.acceleration / used.jerk + limits.acceleration / used.jerk
    )
    enough = slow + 4.0 * shortest_time(limits.upper - limits.lower, used)
    assume(enough / dt < 20_000)
    time_to_rest(one, state, placed(last, limits), dt, patience=enough + 4.0 * dt)


@often
@given(any_limits(), any_shares(most=10), powers(-2.0, 0.0), st.floats(0.01, 0.99))
def test_the_rate_it_is_called_at_makes_no_difference_to_the_motion(limits, shares, pace, cut):
    dt = unhurried(limits) * pace
    one = TrackingFilter(limits)
    state = driven(one, placed(0.5, limits), [(placed(share, limits), dt) for share in shares])[-1]
    here = Kinematic(state.position, state.velocity, state.acceleration)
    goal = placed(0.3, limits)
    once = one.step(here, goal, dt)
    twice = one.step(one.step(here, goal, cut * dt), goal, (1.0 - cut) * dt)
    assert twice.position == pytest.approx(
        once.position, abs=1e-7 * (limits.upper - limits.lower + limits.velocity * dt)
    )


@often
@given(any_limits(), any_shares(most=10), powers(-2.0, 0.0))
def test_it_is_the_same_in_the_mirror(limits, shares, pace):
    dt = unhurried(limits) * pace
    mirrored = replace(limits, lower=-limits.upper, upper=-limits.lower)
    targets = [placed(share, limits) for share in shares]
    path = driven(TrackingFilter(limits), placed(0.25, limits), [(target, dt) for target in targets])
    image = driven(TrackingFilter(mirrored), -placed(0.25, limits), [(-target, dt) for target in targets])
    for state, other in zip(path, image, strict=True):
        assert (other.position, other.velocity, other.acceleration) == (
            -state.position,
            -state.velocity,
            -state.acceleration,
        )


@sometimes
@given(
    any_limits(),
    any_shares(most=20),
    powers(-2.0, 0.0),
    st.tuples(powers(-1.5, 0.0), powers(-1.5, 0.0), powers(-1.5, 0.0)),
)
def test_limits_narrowed_midway_are_come_back_to_and_then_kept(limits, shares, pace, narrower):
    dt = unhurried(limits) * pace
    state = driven(
        TrackingFilter(limits), placed(0.5, limits), [(placed(share, limits), dt) for share in shares]
    )[-1]
    velocity, acceleration, jerk = narrower
    narrow = Limits(
        placed(0.4, limits),
        placed(0.6, limits),
        limits.velocity * velocity,
        limits.acceleration * acceleration,
        limits.jerk * jerk,
    )
    one = TrackingFilter(narrow)
    ended = 20.0 * (
        limits.velocity / narrow.acceleration
        + limits.acceleration / narrow.jerk
        + narrow.acceleration / narrow.jerk
        + (
            limits.upper
            - limits.lower
            + limits.velocity * (limits.velocity / narrow.acceleration + limits.acceleration / narrow.jerk)
        )
        / narrow.velocity
    )
    dt = max(dt, ended / 3000.0)
    before = state
    within = False
    for _ in range(3000):
        state = one.step(before, placed(0.5, limits), dt)
        assert (
            abs(state.acceleration - before.acceleration)
            <= narrow.jerk * dt * (1.0 + 1e-9) + 1e-9 * limits.acceleration
        )
        assert abs(state.acceleration) <= max(abs(before.acceleration), narrow.acceleration) * (1.0 + 1e-9)
        coasted = state.velocity + 0.5 * state.acceleration * abs(state.acceleration) / narrow.jerk
        if within:
            assert abs(state.velocity) <= narrow.velocity * (1.0 + 1e-9)
        within = within or (
            abs(coasted) <= narrow.velocity >= abs(state.velocity)
            and abs(state.acceleration) <= narrow.acceleration
        )
        before = state
    assert (state.position, state.velocity, state.acceleration) == (placed(0.5, limits), 0.0, 0.0)


@often
@given(any_limits(), any_shares(most=20), powers(-2.0, 0.0), st.floats(-0.5, 1.5))
def test_a_style_made_heavier_midway_still_stops_within_the_position_limits(limits, shares, pace, share):
    dt = unhurried(limits) * pace
    states = driven(
        TrackingFilter(limits), placed(0.5, limits), [(placed(each, limits), dt) for each in shares]
    )
    heavy = TrackingFilter(limits, MotionStyle(1.0, 0.0))
    for _ in range(40):
        states.append(heavy.step(states[-1], placed(share, limits), dt))
        assert_can_stop(states[-1], limits)
    assert_within([state.position for state in states], [dt] * (len(states) - 1), limits)


def test_a_step_of_a_year_ends_on_the_target():
    state = TrackingFilter(ARM).step(Kinematic(0.0, 1.0, 2.0), 0.5, 3e7)
    assert (state.position, state.velocity, state.acceleration) == (0.5, 0.0, 0.0)


def test_a_thousand_steps_of_a_nanosecond_are_a_microsecond():
    one = TrackingFilter(ARM)
    state = driven(one, 0.0, [(1.0, 1e-9)] * 1000)[-1]
    assert state.position == pytest.approx(ARM.jerk * 1e-18 / 6.0, rel=1e-6)


def test_a_locked_joint_stays():
    state = driven(
        TrackingFilter(replace(ARM, lower=0.2, upper=0.2)),
        0.2,
        [(target, HUNDREDTH) for target in (1.0, -1.0, 0.2)],
    )[-1]
    assert (state.position, state.velocity) == (0.2, 0.0)


@pytest.mark.parametrize(("degrees", "seconds"), [(90.0, 0.800), (5.0, 0.261)])
def test_known_steps_take_their_known_time(degrees, seconds):
    one = make_filter("default", ARM)
    assert time_to_rest(one, one.rest(0.0), radians(degrees), 1e-3, patience=2.0) == pytest.approx(
        seconds, abs=1.1e-3
    )


@pytest.mark.parametrize("sigma", [0.25, 0.5, 1.0])
def test_sigma_makes_a_motion_longer_and_rho_shorter_again(sigma):
    def took(*style: float) -> float:
        one = TrackingFilter(ARM, MotionStyle(*style))
        return time_to_rest(one, one.rest(0.0), 1.0, 1e-3, patience=20.0)

    assert took(0.0, 0.9) == took(0.0, 0.0) < took(sigma, 0.9) < took(sigma, 0.5) < took(sigma, 0.0)
    assert took(sigma / 2.0, 0.0) < took(sigma, 0.0)


@sometimes
@given(st.sampled_from((0.3, 1.0)), st.sampled_from((0.0, 0.5, 0.99)))
def test_sigma_stretches_the_build_up_of_acceleration_by_what_it_says(sigma, rho):
    used = used_limits(ARM, MotionStyle(sigma, rho))
    assert used.acceleration / used.jerk == pytest.approx(ARM.acceleration / ARM.jerk / (1.0 - 0.8 * sigma))
    assert used.velocity == ARM.velocity
