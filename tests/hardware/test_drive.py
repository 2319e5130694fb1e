"""Tests the last stage before the wire: no jump for any input."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.hardware.worker.drive import APPROACH_SPEED, Drive
from limber.motion import Kinematic

from tests.hardware.simulation import LIMITS, make_device

PERIOD = 0.01
JOINTS = make_device(1).joints
RANGES = [(LIMITS.lower, LIMITS.upper)]
anything = st.lists(
    st.tuples(st.sampled_from(["follow", "ramp", "brake"]), st.floats(-1.5, 1.5), st.floats(0.001, 0.3)),
    max_size=60,
)


def at(position: float, velocity: float = 0.0, acceleration: float = 0.0) -> list[Kinematic]:
    return [Kinematic(position, velocity, acceleration)]


@settings(derandomize=True, max_examples=200)
@given(st.floats(-1.5, 1.5), anything)
def test_no_order_makes_a_command_leave_the_range_or_the_speed(start, orders):
    drive = Drive(JOINTS, RANGES, [start])
    for order, goal, dt in orders:
        before = drive.commanded[0]
        if order == "brake":
            drive.brake(dt)
        elif order == "ramp":
            drive.approach(at(goal), dt)
        else:
            drive.follow(at(goal), dt)
        after = drive.commanded[0]
        assert LIMITS.lower - 1e-9 <= after <= LIMITS.upper + 1e-9
        assert abs(after - before) <= 1.1 * LIMITS.velocity * min(dt, 0.03) + 1e-9


@pytest.mark.parametrize("frames", range(5, 60, 5))
def test_a_slow_approach_that_begins_in_fast_motion_stays_within_the_range(frames):
    drive = Drive(JOINTS, RANGES, [0.0])
    for _ in range(frames):
        drive.follow(at(LIMITS.upper), PERIOD)
    drive.begin_approach()
    for _ in range(300):
        drive.approach(at(0.0), PERIOD)
        assert drive.commanded[0] <= LIMITS.upper
    assert drive.commanded[0] < LIMITS.upper - 0.1


def test_a_slow_approach_that_begins_close_to_a_limit_brakes_faster_than_it_moves_otherwise():
    """For a joint as slow as the approach, which with the approach's own acceleration could not stop before
    the limit.
    """
    drive, speed = Drive(JOINTS, RANGES, [0.0]), 0.9 * APPROACH_SPEED
    goal = 0.0
    while drive.commanded[0] < LIMITS.upper - 0.02:
        goal += speed * PERIOD
        drive.follow(at(goal, speed), PERIOD)
    drive.begin_approach()
    for _ in range(200):
        drive.approach(at(0.0), PERIOD)
        assert drive.commanded[0] <= LIMITS.upper


@settings(derandomize=True, max_examples=100)
@given(st.floats(0.0, 0.5), st.floats(0.0, 6.0), st.floats(0.5, 6.0), st.booleans())
def test_a_joint_that_starts_beyond_its_range_stays_within_it_once_it_has_come_back(
    beyond, phase, frequency, slow
):
    drive = Drive(JOINTS, RANGES, [LIMITS.upper + beyond])
    came_back = False
    for k in range(800):
        angle = phase + frequency * k * PERIOD
        goal = Kinematic(
            LIMITS.clamp(1.5 * LIMITS.upper * math.sin(angle)),
            1.5 * LIMITS.upper * frequency * math.cos(angle),
            -1.5 * LIMITS.upper * frequency**2 * math.sin(angle),
        )
        if slow and k < 300:
            drive.approach([goal], PERIOD)
        else:
            drive.follow([goal], PERIOD)
        assert not came_back or drive.commanded[0] <= LIMITS.upper
        came_back = came_back or drive.commanded[0] < LIMITS.upper - 0.1
    assert came_back


def test_a_start_that_is_beyond_its_range_by_rounding_alone_is_at_its_limit():
    drive = Drive(JOINTS, RANGES, [math.nextafter(LIMITS.upper, math.inf)])
    assert drive.commanded == (LIMITS.upper,)


def test_motion_within_limits_passes_unchanged():
    drive = Drive(JOINTS, RANGES, [0.0])
    for k in range(1, 300):
        t = k * PERIOD
        # a smooth start, so that velocity, acceleration and jerk begin at zero
        wanted = 0.3 * (t - math.sin(2 * t) / 2)
        drive.follow([Kinematic(wanted, 0.3 * (1 - math.cos(2 * t)), 0.6 * math.sin(2 * t))], PERIOD)
        assert drive.commanded[0] == wanted


def test_a_brake_stands_as_soon_as_the_limits_allow_and_stays():
    drive = Drive(JOINTS, RANGES, [-1.0])
    for _ in range(40):
        drive.follow(at(1.0), PERIOD)
    speed = (drive.commanded[0] + 1.0) / 0.4
    turns = 0
    while not drive.at_rest:
        drive.brake(PERIOD)
        turns += 1
    assert turns * PERIOD <= 2.0 * LIMITS.velocity / LIMITS.acceleration + LIMITS.acceleration / LIMITS.jerk
    stands = drive.commanded
    assert speed > 0
    drive.brake(PERIOD)
    assert drive.commanded == pytest.approx(stands, abs=1e-4)


def test_a_ramp_is_slow_and_arrives():
    drive = Drive(JOINTS, RANGES, [-1.0])
    positions = [-1.0]
    while not drive.has_arrived(at(1.0)):
        drive.approach(at(1.0), PERIOD)
        positions.append(drive.commanded[0])
    assert max(abs(b - a) for a, b in pairwise(positions)) <= APPROACH_SPEED * PERIOD * 1.001
    assert len(positions) * PERIOD < 2.0 / APPROACH_SPEED + 1.5


def test_a_second_ramp_is_as_slow_as_the_first():
    drive = Drive(JOINTS, RANGES, [0.0])
    for k in range(800):
        # for a goal that moves away, the ramp gets faster
        drive.approach(at(math.sin(3.0 * k * PERIOD)), PERIOD)
    while not drive.at_rest:
        drive.brake(PERIOD)
    drive.begin_approach()
    before = drive.commanded[0]
    for _ in range(50):
        drive.approach(at(-before), PERIOD)
        assert abs(drive.commanded[0] - before) <= APPROACH_SPEED * PERIOD * 1.001
        before = drive.commanded[0]


@settings(derandomize=True, max_examples=100)
@given(
    st.lists(st.tuples(st.floats(-1.5, 1.5), st.integers(1, 40)), min_size=1, max_size=4),
    st.floats(-1.5, 1.5),
)
def test_a_slow_approach_that_begins_in_fast_motion_brakes_first_within_all_limits(before, goal):
    drive = Drive(JOINTS, RANGES, [0.0])
    positions = [0.0]
    for target, turns in before:
        for _ in range(turns):
            drive.follow(at(target), PERIOD)
            positions.append(drive.commanded[0])
    drive.begin_approach()
    begun = len(positions)
    for _ in range(100):
        drive.approach(at(goal), PERIOD)
        positions.append(drive.commanded[0])
    speed, acceleration, jerk = (differences(positions, order) for order in (1, 2, 3))
    assert max(speed) <= 1.1 * LIMITS.velocity * 1.001
    assert max(acceleration) <= 1.1 * LIMITS.acceleration * 1.001
    assert max(jerk) <= 1.1 * LIMITS.jerk * 1.001
    brakes = (
        1.1 * LIMITS.velocity / LIMITS.acceleration + 2.0 * LIMITS.acceleration / LIMITS.jerk
    )  # [s] longest time
    assert max(speed[begun + math.ceil(brakes / PERIOD) :]) <= APPROACH_SPEED * 1.001


def differences(positions: list[float], order: int) -> list[float]:
    """Magnitudes of the positions' differences of that order, per second to the same power."""
    for _ in range(order):
        positions = [(b - a) / PERIOD for a, b in pairwise(positions)]
    return [abs(value) for value in positions]
