"""Tests the Nutty filter: each repair of eq. 23 by the error of the printed line, then the properties of
every filter.
"""

from dataclasses import replace
from itertools import pairwise
from math import degrees, pi, radians, tanh

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from limber.motion import Kinematic, Limits, MotionStyle, NuttyFilter
from limber.motion.nutty import LONGEST, eased, leeway, own_step, saturated

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
    unhurried,
)

ARM = Limits(-radians(120), radians(120), radians(180), radians(900), radians(9000))
IN_DEGREES = Limits(-120.0, 120.0, 180.0, 900.0, 9000.0)
LONG = replace(ARM, lower=-100.0, upper=100.0)

styles = st.builds(
    MotionStyle, st.floats(0.0, 1.0), st.sampled_from((0.0, 0.5, 0.9, 0.99)), st.sampled_from((0.5, 1.0, 5.0))
)


def path(motion_filter, target, dt, seconds):
    return [state.position for state in driven(motion_filter, 0.0, [(target, dt)] * round(seconds / dt))]


def test_repair_1_the_motion_is_the_same_at_whatever_rate_it_is_stepped():
    """As printed, without its time steps, twice the rate would be twice the speed."""
    at_25, at_50, at_200 = (path(NuttyFilter(ARM), 1.5, dt, 3.0) for dt in (1 / 25, 1 / 50, 1 / 200))
    for k, position in enumerate(at_25):
        assert at_50[2 * k] == pytest.approx(position, abs=radians(1.5))
        assert at_200[8 * k] == pytest.approx(position, abs=radians(1.5))


def test_repair_1_its_own_step_is_one_that_the_jerk_can_fill():
    """As printed, errors of velocity and acceleration should vanish within a frame, which no jerk limit
    allows.
    """
    assert own_step(ARM) * ARM.jerk == pytest.approx(0.3 * ARM.acceleration)
    slow = replace(ARM, acceleration=1e4)  # not reached before the largest velocity
    assert own_step(slow) ** 2 * slow.jerk == pytest.approx(0.09 * slow.velocity)
    assert own_step(replace(ARM, jerk=1e9)) == 0.02


def test_repair_2_the_greatest_velocity_and_acceleration_are_used_not_half_of_them():
    states = driven(NuttyFilter(LONG), 0.0, [(50.0, 0.01)] * 300)
    assert max(state.velocity for state in states) > 0.97 * LONG.velocity
    slow_joint = replace(LONG, velocity=30.0)
    states = driven(NuttyFilter(slow_joint), 0.0, [(90.0, 0.01)] * 200)
    assert max(state.acceleration for state in states) > 0.9 * slow_joint.acceleration


@often
@given(powers(-3.0, 3.0), st.floats(-1e6, 1e6))
def test_repair_2_saturation_reaches_its_limit_and_leaves_small_values(limit, value):
    assert abs(saturated(value, limit)) <= limit
    assert saturated(100.0 * limit, limit) == pytest.approx(limit)
    assert saturated(1e-4 * limit, limit) == pytest.approx(1e-4 * limit)


@sometimes
@given(st.floats(-3.0, 3.0), st.floats(-0.9, 0.9), styles)
def test_repair_3_a_shifted_range_shifts_the_motion(shift, share, style):
    """As printed, the middle of the range is half its width, wherever the range lies."""
    here = NuttyFilter(ARM, style)
    there = NuttyFilter(replace(ARM, lower=ARM.lower + shift, upper=ARM.upper + shift), style)
    target = share * ARM.upper
    ours = driven(here, 0.0, [(target, 0.02)] * 50)
    shifted = driven(there, shift, [(target + shift, 0.02)] * 50)
    for state, other in zip(ours, shifted, strict=True):
        assert other.position - shift == pytest.approx(state.position, abs=1e-6)


def test_repair_3_only_what_leads_away_from_the_middle_is_slowed():
    limits = replace(ARM, lower=1.0, upper=3.0)
    assert leeway(1.0, 2.5, limits, 1.0) == pytest.approx(0.75)
    assert leeway(-1.0, 2.5, limits, 1.0) == 1.0
    assert leeway(-1.0, 1.5, limits, 1.0) == pytest.approx(0.75)
    assert leeway(1.0, 1.5, limits, 1.0) == 1.0
    assert leeway(1.0, 3.0, limits, 1.0) == leeway(1.0, 3.5, limits, 1.0) == 0.0


def test_beta_makes_the_soft_limit_harder():
    left = [leeway(1.0, 0.9, replace(ARM, lower=-1.0, upper=1.0), beta) for beta in (0.5, 1.0, 2.0, 10.0)]
    assert left == sorted(left)
    assert left[1] == pytest.approx(1.0 - 0.9**2)


@pytest.mark.parametrize("sigma", [0.0, 0.5])
def test_repair_8_beta_says_how_near_a_position_limit_the_joint_slows_down(sigma):
    """As printed, Omega is a factor of a velocity that lambda saturates anyway: from 1 to 100 it had no
    effect.
    """
    took = []
    for beta in (0.5, 1.0, 2.0, 4.0, 100.0):
        states = driven(NuttyFilter(ARM, MotionStyle(sigma, beta=beta)), 0.0, [(radians(115.0), 0.01)] * 600)
        took.append(next(k for k, state in enumerate(states) if state.position == radians(115.0)))
    assert took == sorted(took, reverse=True)
    assert took[0] > took[1] > took[2] > took[4]


def test_repair_8_a_soft_limit_slows_only_what_leads_to_it():
    def took(start, target, beta):
        states = driven(NuttyFilter(ARM, MotionStyle(beta=beta)), start, [(target, 0.01)] * 600)
        return next(k for k, state in enumerate(states) if state.position == target)

    outward, inward = radians(110.0), radians(10.0)
    assert took(inward, outward, 1.0) > took(inward, outward, 100.0)
    assert took(outward, inward, 1.0) == took(outward, inward, 100.0)


@sometimes
@given(st.floats(-119.0, 119.0), styles)
def test_repair_4_degrees_and_radians_move_alike(target, style):
    ours = driven(NuttyFilter(ARM, style), 0.0, [(radians(target), 0.02)] * 50)
    theirs = driven(NuttyFilter(IN_DEGREES, style), 0.0, [(target, 0.02)] * 50)
    for state, other in zip(ours, theirs, strict=True):
        assert degrees(state.position) == pytest.approx(other.position, abs=1e-4)


def test_repair_4_easing_knows_no_direction_and_leaves_a_large_velocity():
    for velocity in (0.0, 0.1, 1.0, 100.0):
        assert eased(velocity, 1.0, MotionStyle()) == eased(-velocity, 1.0, MotionStyle())
    assert eased(100.0, 1.0, MotionStyle()) == pytest.approx(1.0)
    assert eased(0.0, 1.0, MotionStyle()) == pytest.approx(0.5 * (1.0 - tanh(pi)))


def test_repair_5_what_the_cascade_asks_for_is_within_every_limit_before_the_guard():
    """As printed, a joint at its largest velocity would slow down to tanh(1) of it in a single step."""
    one = NuttyFilter(LONG)
    cruising = Kinematic(0.0, LONG.velocity * 0.99, 0.0)
    after = one.step(cruising, 50.0, 0.01)
    assert after.velocity > 0.98 * LONG.velocity


@pytest.mark.parametrize("sigma", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    "target", [radians(0.1), radians(5.0), radians(90.0), radians(119.9), radians(120.0), radians(200.0)]
)
def test_repair_6_it_arrives_and_rests_exactly_even_at_a_position_limit(sigma, target):
    """As printed, .002 of the velocity remains near the target, and none at a position limit."""
    state = driven(NuttyFilter(ARM, MotionStyle(sigma)), 0.0, [(target, 0.01)] * 1000)[-1]
    assert (state.position, state.velocity, state.acceleration) == (ARM.clamp(target), 0.0, 0.0)


@pytest.mark.parametrize("sigma", [0.75, 0.9, 1.0])
def test_repair_6_rho_makes_the_smoothest_motion_quicker_too(sigma):
    """Where the bound below is a number of sigma alone, it hides H, and rho from 0 to .99 changes nothing."""
    took = []
    for rho in (0.0, 0.3, 0.6, 0.9):
        states = driven(NuttyFilter(ARM, MotionStyle(sigma, rho)), 0.0, [(radians(90.0), 0.01)] * 600)
        took.append(next(k for k, state in enumerate(states) if state.position == radians(90.0)))
    assert all(later < 0.95 * earlier for earlier, later in pairwise(took))


@often
@given(any_limits(), styles, st.floats(0.0, 1.0), any_shares(most=30), powers(-1.0, 0.5))
def test_repair_7_no_limit_is_ever_exceeded_whatever_the_targets(limits, style, start, shares, pace):
    dt = min(unhurried(limits) * pace, 0.2)
    states = driven(
        NuttyFilter(limits, style),
        placed(start, limits),
        [(placed(share, limits), dt) for share in shares],
    )
    assert_within([state.position for state in states], [dt] * len(shares), limits)
    for state in states:
        assert_can_stop(state, limits)


@often
@given(any_limits(), styles, st.floats(0.0, 1.0), st.floats(0.0, 1.0), powers(-1.0, 0.0))
def test_repair_7_a_step_is_never_overshot(limits, style, start, share, pace):
    here, there = placed(start, limits), placed(share, limits)
    assume(here != there)
    dt = min(unhurried(limits) * pace, 0.2)
    way = 1.0 if there > here else -1.0
    for state in driven(NuttyFilter(limits, style), here, [(there, dt)] * 40):
        assert (state.position - there) * way <= 1e-14 * max(abs(limits.lower), abs(limits.upper))


@sometimes
@given(any_limits(), styles, any_shares(most=5), st.floats(0.0, 1.0))
def test_it_never_swings_for_ever(limits, style, shares, last):
    reach = (limits.upper - limits.lower) / limits.velocity
    longest = (
        reach + limits.velocity / limits.acceleration + limits.acceleration / limits.jerk + own_step(limits)
    )
    assume(longest < 20.0)
    one = NuttyFilter(limits, style)
    dt = max(longest / 500.0, own_step(limits) / 5.0)
    state = driven(one, placed(0.5, limits), [(placed(share, limits), dt) for share in shares])[-1]
    target = placed(last, limits)
    for _ in range(40_000):
        state = one.step(state, target, dt)
        if (state.position, state.velocity, state.acceleration) == (target, 0.0, 0.0):
            return
    raise AssertionError(f"still moving: {state}")


def test_sigma_makes_it_slower_and_rho_quicker_again():
    def took(*style):
        positions = path(NuttyFilter(ARM, MotionStyle(*style)), 1.5, 0.01, 8.0)
        return next(k for k, position in enumerate(positions) if position == 1.5)

    assert took(0.0) < took(0.5) < took(1.0)
    assert took(0.5, 0.9) < took(0.5)


def test_a_step_longer_than_any_animation_ends_on_the_target():
    state = NuttyFilter(ARM).step(Kinematic(0.0, 1.0, 2.0), 0.5, 100.0 * LONGEST)
    assert (state.position, state.velocity, state.acceleration) == (0.5, 0.0, 0.0)
