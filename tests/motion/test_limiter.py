"""Tests the limiter and the spline between frames: feasible motion passes unchanged, other motion is
limited.
"""

from math import pi, radians, sin
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.motion import Kinematic, Limits, MotionStyle, between, make_filter, make_limiter
from limber.motion.joint import FRAMES
from limber.motion.limiter import HEADROOM, jerk_suffices
from limber.motion.profile import moved

from tests.motion.motions import (
    any_limits,
    any_shares,
    assert_can_stop,
    assert_within,
    often,
    placed,
    powers,
    sometimes,
    unhurried,
)

ARM = Limits(-radians(120), radians(120), radians(180), radians(900), radians(9000))
share = st.floats(-1.0, 1.0)


def frames_of(name, limits, shares, interval, each=8):
    """Output of a motion filter for targets, frame by frame, from rest, with the rest before and after."""
    one = make_filter(name, limits, MotionStyle(0.3, 0.3))
    state = one.rest(placed(0.5, limits))
    frames = [state.position] * (FRAMES - 1)
    for target in shares:
        for _ in range(each):
            state = one.step(state, placed(target, limits), interval)
            frames.append(state.position)
    return frames


def played(frames, interval, steps, rate=1.0):
    """Motion of the spline at the times to which the steps add up, as (dt, motion)."""
    time, moves = 0.0, []
    for dt in steps:
        time += rate * dt
        k = int(time / interval)
        if k + FRAMES > len(frames):
            break
        there = between(tuple(frames[k : k + FRAMES]), time / interval - k, interval)
        moves.append((dt, Kinematic(there.position, there.velocity * rate, there.acceleration * rate * rate)))
    return moves


@often
@given(
    st.sampled_from(("default", "nutty")),
    any_limits(),
    any_shares(most=6),
    st.sampled_from((1 / 24, 1 / 30, 1 / 60)),
    st.floats(0.97, 1.03),
    st.integers(0, 9),
)
def test_feasible_motion_passes_unchanged_between_frames_on_an_uneven_and_slightly_wrong_clock(
    name, limits, shares, interval, rate, seed
):
    dice = Random(seed)
    frames = frames_of(name, limits, shares, interval)
    limiter = make_limiter(limits)
    state = limiter.rest(frames[0])
    for dt, wanted in played(frames, interval, [0.01 * dice.uniform(0.3, 1.7) for _ in range(400)], rate):
        state = limiter.step(state, wanted.position, dt, wanted.velocity, wanted.acceleration)
        assert state.position == pytest.approx(wanted.position, abs=1e-9)
        assert state.velocity == wanted.velocity


@often
@given(
    any_limits(),
    st.lists(st.tuples(st.floats(-0.5, 1.5), share, share), min_size=1, max_size=30),
    powers(-2.0, 0.5),
)
def test_anything_else_is_limited_whatever_it_claims(limits, wishes, pace):
    limiter = make_limiter(limits)
    dt = unhurried(limits) * pace
    states = [limiter.rest(placed(0.5, limits))]
    for place, velocity, acceleration in wishes:
        claims = (3.0 * velocity * limits.velocity, 3.0 * acceleration * limits.acceleration)
        states.append(limiter.step(states[-1], placed(place, limits), dt, *claims))
        assert_can_stop(states[-1], limiter.limits)
    assert_within([state.position for state in states], [dt] * len(wishes), limiter.limits)


@often
@given(
    any_limits(), st.lists(st.tuples(share, share, share, share), min_size=1, max_size=30), powers(-2.0, 0.0)
)
def test_claims_that_a_joint_could_nearly_live_up_to_are_limited_as_well(limits, wishes, pace):
    limiter = make_limiter(limits)
    wide = limiter.limits
    dt = unhurried(limits) * pace
    states = [limiter.rest(placed(0.5, limits))]
    for place, velocity, acceleration, jerk in wishes:
        here = states[-1]
        near = moved(here.position, here.velocity, here.acceleration, 2.0 * jerk * wide.jerk, dt)
        wish = (
            near[0] + 0.02 * place * wide.jerk * dt**3,
            near[1] + 0.02 * velocity * wide.velocity,
            near[2] + 0.02 * acceleration * wide.jerk * dt,
        )
        states.append(limiter.step(here, wish[0], dt, wish[1], wish[2]))
        assert_can_stop(states[-1], wide)
    assert_within([state.position for state in states], [dt] * len(wishes), wide)


def test_a_jump_is_limited_and_the_motion_joined_again():
    limiter = make_limiter(ARM)
    state = limiter.rest(0.0)
    for k in range(600):
        t = 0.01 * (k + 1)
        x = (1.0 if t > 0.5 else 0.0) + 0.2 * sin(2.0 * pi * 0.4 * t - pi / 2.0) + 0.2
        v = 0.2 * 2.0 * pi * 0.4 * sin(2.0 * pi * 0.4 * t)
        a = 0.2 * (2.0 * pi * 0.4) ** 2 * sin(2.0 * pi * 0.4 * t + pi / 2.0)
        state = limiter.step(state, x, 0.01, v, a)
        if 0.3 < t < 0.5 or t > 2.0:
            assert state.position == x


def test_the_headroom_covers_a_clock_three_percent_fast():
    assert 1.0 + HEADROOM >= 1.03**3
    assert make_limiter(ARM).limits == ARM.widened(HEADROOM)


def test_without_the_targets_motion_the_limiter_is_the_default_filter():
    limiter, plain = make_limiter(ARM), make_filter("default", ARM.widened(HEADROOM))
    state, other = limiter.rest(0.0), plain.rest(0.0)
    for k in range(100):
        state, other = limiter.step(state, sin(0.1 * k), 0.01), plain.step(other, sin(0.1 * k), 0.01)
        assert state == other


@often
@given(
    st.lists(st.tuples(share, st.floats(0.01, 1.0)), min_size=1, max_size=6),
    share,
    share,
    powers(-1.0, 3.0),
    st.floats(1.001, 3.0),
)
def test_a_bridge_is_there_where_a_motion_goes(spans, fast, pushed, jerk, less):
    start = (0.0, 10.0 * fast, 10.0 * pushed)
    end, dt = start, 0.0
    for pushing, t in spans:
        end = moved(*end, pushing * jerk, t)
        dt += t
    assert jerk_suffices(Kinematic(*start), Kinematic(*end), dt, jerk * (1.0 + 1e-9) + 1e-9)
    hardest = max(abs(pushing) for pushing, _ in spans)
    if len(spans) == 1 and hardest > 1e-3:  # one span at the same jerk is the least that arrives
        assert not jerk_suffices(Kinematic(*start), Kinematic(*end), dt, hardest * jerk / less)


@often
@given(powers(-1.0, 2.0), powers(0.0, 3.0), st.floats(0.01, 1.0), st.sampled_from((-1.0, 1.0)))
def test_there_is_no_bridge_to_where_only_more_jerk_leads(start, jerk, dt, way):
    """Tests a position slightly beyond the farthest one that the jerk can reach with that velocity and
    acceleration.
    """
    first, last = 0.25 * dt, 0.25 * dt
    point = (0.0, start, 0.0)
    for pushing, t in ((way, first), (-way, 0.5 * dt), (way, last)):
        point = moved(*point, pushing * jerk, t)
    there = Kinematic(*point)
    farther = Kinematic(point[0] + way * 1e-3 * jerk * dt**3, point[1], point[2])
    assert jerk_suffices(Kinematic(0.0, start, 0.0), there, dt, jerk * (1.0 + 1e-6))
    assert not jerk_suffices(Kinematic(0.0, start, 0.0), farther, dt, jerk)


@sometimes
@given(any_limits(), any_shares(most=6), st.sampled_from((1 / 24, 1 / 60)), st.integers(3, 20))
def test_the_spline_keeps_the_limits_that_its_frames_keep(limits, shares, interval, finer):
    frames = frames_of("default", limits, shares, interval)
    steps = [interval / finer] * (finer * len(frames))
    positions = [frames[0]] + [there.position for _, there in played(frames, interval, steps)]
    assert_within(positions, steps[: len(positions) - 1], limits)


@often
@given(st.tuples(*[share] * FRAMES), st.floats(0.0, 1.0), powers(-2.0, 0.0))
def test_the_splines_velocity_and_acceleration_are_its_derivatives(frames, place, interval):
    h = 1e-4
    before, here, after = (between(frames, place + d, interval) for d in (-h, 0.0, h))
    assert here.velocity == pytest.approx(
        (after.position - before.position) / (2.0 * h * interval), abs=1e-6 / interval
    )
    assert here.acceleration == pytest.approx(
        (after.velocity - before.velocity) / (2.0 * h * interval), abs=1e-6 / interval**2
    )


@often
@given(st.tuples(*[share] * (FRAMES + 1)), powers(-2.0, 0.0))
def test_the_splines_pieces_meet_without_a_corner_or_a_step_in_acceleration(frames, interval):
    end, start = between(frames[:-1], 1.0, interval), between(frames[1:], 0.0, interval)
    assert end.position == pytest.approx(start.position, abs=1e-12)
    assert end.velocity == pytest.approx(start.velocity, abs=1e-12 / interval)
    assert end.acceleration == pytest.approx(start.acceleration, abs=1e-12 / interval**2)


@often
@given(st.floats(-10.0, 10.0), st.floats(0.0, 1.0))
def test_at_rest_the_spline_is_its_frames_to_the_last_digit(frame, place):
    assert between((frame,) * FRAMES, place, 1 / 24) == Kinematic(frame, 0.0, 0.0)


def test_a_joint_comes_to_rest_on_a_target_at_rest_in_a_narrow_range():
    """Tests a case that once oscillated permanently: the slow correction of the headroom could not stop
    within the range, and the time-optimal one restarted it.
    """
    limiter = make_limiter(Limits(-0.0107, 0.0107, 0.5 * pi, 2.5 * pi, 25.0 * pi))
    state = Kinematic(0.0105, -0.3, -0.4)
    for _ in range(400):
        state = limiter.step(state, 0.0, 0.01, 0.0, 0.0)
    assert (state.position, state.velocity, state.acceleration) == (0.0, 0.0, 0.0)
