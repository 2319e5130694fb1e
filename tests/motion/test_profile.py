"""Tests the manoeuvres of the default filter against their definitions, by stepping along them and by the
results of an independent generator.
"""

import json
from math import radians
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from limber.motion.profile import (
    moved,
    pulse_to,
    stopped,
    stopping,
    stopping_distance,
    stopping_range,
    toward_rest,
)

from tests.motion.motions import often, powers

ORACLE = Path(__file__).resolve().parents[3] / "shared" / "hardware" / "ruckig_trajectories.json"

dynamics = st.tuples(powers(-1.5, 2.0), powers(-1.0, 3.0), powers(-1.0, 4.0))  # velocity, acceleration, jerk
share = st.floats(-1.0, 1.0)


def played(point, spans):
    for jerk, t in spans:
        point = moved(*point, jerk, t)
    return point


@often
@given(dynamics, share, share, share)
def test_a_pulse_ends_at_its_goal_without_acceleration_and_never_exceeds_the_limit(
    limits, start, goal, pushed
):
    speed, limit, jerk = limits
    first, begin, held, end = pulse_to(goal * speed, start * speed, pushed * limit, limit, jerk)
    peak = moved(0.0, start * speed, pushed * limit, first, begin)
    _, velocity, acceleration = played(peak, ((0.0, held), (-first, end)))
    assert min(begin, held, end) >= 0.0
    assert abs(first) == jerk
    assert abs(peak[2]) <= limit * (1.0 + 1e-9)
    scale = speed + limit * limit / jerk
    assert velocity == pytest.approx(goal * speed, abs=1e-9 * scale)
    assert acceleration == pytest.approx(0.0, abs=1e-6 * limit)


@often
@given(dynamics, share, share)
def test_the_stopping_distance_is_where_stopping_ends(limits, start, pushed):
    speed, limit, jerk = limits
    point = (0.0, start * speed, pushed * limit)
    first, begin, held, end = pulse_to(0.0, point[1], point[2], limit, jerk)
    expected = played(point, ((first, begin), (0.0, held), (-first, end)))[0]
    reach = (speed + limit * limit / jerk) * (begin + held + end)
    assert stopping_distance(point[1], point[2], limit, jerk) == pytest.approx(expected, abs=1e-9 * reach)


@often
@given(dynamics, share, share)
def test_stopping_begins_with_the_jerk_that_it_says_and_grows_with_the_acceleration_as_it_says(
    limits, start, pushed
):
    speed, limit, jerk = limits
    velocity, acceleration, step = start * speed, 0.999 * pushed * limit, 1e-4 * limit
    (less, first, _), (more, last, _) = (
        stopping(velocity, acceleration + way, limit, jerk) for way in (-step, step)
    )
    assume(first == last)  # between these two accelerations the joint would stop at once
    distance, brake, growth = stopping(velocity, acceleration, limit, jerk)
    assert distance == stopping_distance(velocity, acceleration, limit, jerk)
    assert brake == first == pulse_to(0.0, velocity, acceleration, limit, jerk)[0]
    assert growth == pytest.approx(
        (more - less) / (2.0 * step), abs=1e-3 * (limit / jerk + speed / limit) * limit / jerk + 1e-4 * growth
    )


@often
@given(dynamics, share, share)
def test_the_stopping_range_is_the_range_of_the_places_on_the_way(limits, start, pushed):
    speed, limit, jerk = limits
    point = (0.0, start * speed, pushed * limit)
    took = sum(pulse_to(0.0, point[1], point[2], limit, jerk)[1:])
    assume(took > 1e-6)
    places = [0.0, stopping_distance(point[1], point[2], limit, jerk)]
    for k in range(1, 200):
        there = stopped(point, took * k / 200, limit, jerk)
        if there is not None:
            places.append(there[0])
    lowest, highest = stopping_range(point, limit, jerk)
    reach = (speed + limit * limit / jerk) * took
    assert lowest <= min(places) + 1e-9 * reach
    assert highest >= max(places) - 1e-9 * reach
    assert lowest == pytest.approx(min(places), abs=1e-2 * reach)
    assert highest == pytest.approx(max(places), abs=1e-2 * reach)


@often
@given(dynamics, st.floats(-2.0, 2.0), share, share, powers(-3.0, 1.0), powers(-3.0, 1.0))
def test_two_short_steps_toward_rest_are_one_long_one(limits, place, start, pushed, first, second):
    speed, limit, jerk = limits
    acceleration = pushed * limit
    point = (place, start * speed, acceleration)
    once = toward_rest(point, first + second, speed, limit, jerk, 1e-15)
    twice = toward_rest(
        toward_rest(point, first, speed, limit, jerk, 1e-15), second, speed, limit, jerk, 1e-15
    )
    reach = abs(place) + (speed + limit * limit / jerk) * (first + second)
    assert twice[0] == pytest.approx(once[0], abs=1e-7 * reach)
    assert twice[1] == pytest.approx(once[1], abs=1e-5 * (speed + limit * limit / jerk))


def trajectories():
    return {each["name"]: each for each in json.loads(ORACLE.read_text())} if ORACLE.exists() else {}


@pytest.mark.skipif(
    not ORACLE.exists(),
    reason=(
        "the generator's answers are not beside this checkout: ../shared/hardware/ruckig_trajectories.json"
    ),
)
@pytest.mark.parametrize("name", list(trajectories()))
def test_it_goes_the_way_that_a_time_optimal_generator_goes(name):
    each = trajectories()[name]
    speed, limit, jerk = (radians(each["limits"][key]) for key in "vaj")
    position, velocity, acceleration = 0.0, 0.0, 0.0
    for degrees, expected, fast, pushed in zip(
        each["targets"], each["pos"], each["vel"], each["acc"], strict=True
    ):
        target = radians(degrees)
        position, velocity, acceleration = toward_rest(
            (position - target, velocity, acceleration), each["dt"], speed, limit, jerk, 1e-15
        )
        position += target
        assert position == pytest.approx(radians(expected), abs=1e-9)
        assert velocity == pytest.approx(radians(fast), abs=1e-7)
        assert acceleration == pytest.approx(radians(pushed), abs=1e-5)
