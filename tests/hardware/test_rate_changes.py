"""Tests frames that announce the interval to the next one: at a new rate, and at a low one, the robot does
not pass the shown poses.
"""

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from random import Random

import pytest
from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.curve import Curve
from limber.hardware.worker.pace import Pace
from limber.hardware.worker.playback import CommandPlayback
from limber.motion import Kinematic, between, make_filter
from limber.motion.profile import stopping_range

from tests import deep
from tests.hardware.simulation import LIMITS, largest, make_device, speeds, still

BEYOND = math.radians(
    1.5
)  # largest distance by which a joint may pass every shown pose, each with its stopping distance
LATE = 0.004  # [s] lateness of a frame
PLANS = {  # ((frames a second, seconds), ...)
    "a drag, then Play": ((60, 2.0), (24, 3.0)),
    "a drag, then a slow scene": ((60, 2.0), (8, 3.0)),
    "Play, then a drag": ((24, 2.0), (60, 3.0)),
    "another rate of the scene": ((30, 2.0), (12, 3.0)),
    "to and fro": ((60, 1.2), (24, 0.4), (60, 0.5), (24, 2.0)),
    "ten a second": ((10, 5.0),),
    "Play at 144": ((144, 3.0),),
    "Play at 24, then at 144": ((24, 1.1), (144, 2.0)),
    "Play at 120, then slower": ((120, 2.0), (8, 2.0)),
}


def steps_of(plan: Sequence[tuple[int, float]]) -> list[float]:
    """Time [s] from each frame to the next."""
    return [1 / rate for rate, seconds in plan for _ in range(round(rate * seconds))]


def authored(chance: Random, steps: Sequence[float]) -> list[Kinematic]:
    """A joint's states at frames with these intervals: its filter follows a target that jumps, and swings."""
    style, state, goal, change, time = make_filter("default", LIMITS), Kinematic(0.0), 0.0, 0.4, 0.0
    swing = chance.uniform(0.1, 0.8)
    motion = []
    for step in steps:
        if time >= change:
            goal, change = chance.uniform(-1.0, 1.0), time + chance.uniform(0.3, 1.0)
        state = style.step(state, goal + swing * math.sin(4.0 * time) * (time > 0.4), step)
        motion.append(Kinematic(state.position, state.velocity, state.acceleration))
        time += step
    return motion


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_joint_passes_no_pose_shown_by_more_than_it_needs_to_stop_whatever_the_rate_becomes(
    simulate, plan, is_known
):
    steps = steps_of(plan)
    for seed in range(deep.count(2, 3)):
        chance = Random(seed)
        motion = authored(chance, [steps[0], *steps[:-1]])
        simulation = simulate(make_device(1))
        simulation.arm(still(0.0))
        simulation.commands.clear()
        begun, lowest, highest, farthest, last = simulation.now, 0.0, 0.0, 0.0, steps[0]
        for nominal, step, state in zip(accumulate(steps, initial=0.0), steps, motion, strict=False):
            time = nominal + chance.uniform(0.0, LATE)
            while simulation.now + PERIOD < begun + time:
                (commanded,) = simulation.run(PERIOD).commanded
                farthest = max(farthest, commanded - highest, lowest - commanded)
            frame = (
                Kinematic(state.position, last * state.velocity, last**2 * state.acceleration)
                if is_known
                else state.position
            )
            simulation.send((frame,), begun + time, plays=True, due=step)
            low, high = stopping_range(
                (state.position, state.velocity, state.acceleration), LIMITS.acceleration, LIMITS.jerk
            )
            lowest, highest, last = min(lowest, low), max(highest, high), step
        assert farthest <= BEYOND
        for rate, limit in ((1, LIMITS.velocity), (2, LIMITS.acceleration), (3, LIMITS.jerk)):
            rows = simulation.commands
            for _ in range(rate):
                rows = speeds(rows)
            assert largest(rows) <= 1.1 * limit * 1.001


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(("before", "after"), [(60, 24), (24, 60), (60, 12)])
def test_an_even_motion_stays_even_where_the_rate_changes(before, after, is_known):
    """It may wait for the first frames of a slower rate, and catch up later; it neither jumps nor
    reverses.
    """
    speed, steps = 0.5, [1 / before] * (2 * before) + [1 / after] * (3 * after)
    playback, last, played, turn = CommandPlayback(PERIOD, [LIMITS]), steps[0], [], 0
    for time, step in zip(accumulate(steps, initial=0.0), steps, strict=False):
        while turn * PERIOD < time:
            motion = playback.at(turn * PERIOD)
            played += [motion[0].velocity] if motion else []
            turn += 1
        playback.add(
            time,
            (Kinematic(speed * time, last * speed if is_known else 0.0),),
            repeated=False,
            plays=True,
            step=last,
            due=step,
        )
        last = step
    assert all(-1e-9 <= velocity <= 1.5 * speed for velocity in played[100:])
    assert all(velocity == pytest.approx(speed, rel=0.05) for velocity in played[-100:])


@pytest.mark.parametrize("speed", [0.5, 0.02])
@pytest.mark.parametrize("rate", [24, 60])
def test_a_motion_that_begins_at_rest_is_a_frame_and_a_half_behind_from_its_first_moments(rate, speed):
    """The pose before was constant for a while, without a rate."""
    playback, frame = CommandPlayback(PERIOD, [LIMITS]), 0
    playback.add(0.0, (Kinematic(0.0),))
    behind = []
    for turn in range(1, round(13.0 / PERIOD)):
        while 10.0 + frame / rate <= turn * PERIOD:
            state = Kinematic(speed * frame / rate, speed / rate if frame else 0.0)
            playback.add(
                10.0 + frame / rate, (state,), repeated=False, plays=True, step=1 / rate, due=1 / rate
            )
            frame += 1
        (played,) = playback.at(turn * PERIOD)
        if turn * PERIOD > 10.0 + 6 / rate:
            behind.append(turn * PERIOD - 10.0 - played.position / speed)
    assert 1.0 / rate <= min(behind)
    assert max(behind) <= 1.55 / rate


@pytest.mark.parametrize("rate", [8, 24, 60])
@pytest.mark.parametrize("speed", [0.2, 0.8, 3.0])
def test_a_motion_that_stops_unannounced_goes_no_farther_than_a_24th_of_a_second_or_its_way_to_stop(
    rate, speed
):
    playback, moving, frame, farthest = CommandPlayback(PERIOD, [LIMITS]), rate, 0, 0.0
    _, way = stopping_range((0.0, speed, 0.0), LIMITS.acceleration, LIMITS.jerk)
    for turn in range(round(3.0 / PERIOD)):
        while frame / rate <= turn * PERIOD:
            state = Kinematic(speed * min(frame, moving) / rate, speed / rate if frame <= moving else 0.0)
            playback.add(frame / rate, (state,), repeated=False, plays=True, step=1 / rate, due=1 / rate)
            frame += 1
        (played,) = playback.at(turn * PERIOD)
        farthest = max(farthest, played.position - speed * moving / rate)
    assert farthest <= max(way, speed / 24.0)


def pace_of(gaps: Sequence[float], due: float) -> Pace:
    pace = Pace()
    for stamp in accumulate(gaps, initial=0.0):
        pace.take(stamp, was_due=True, due=due)
    return pace


def test_an_announced_rate_is_known_before_its_first_gap():
    pace = pace_of([1 / 60] * 100, 1 / 60)
    pace.take(100 / 60, was_due=True, due=1 / 24)
    assert (pace.interval, pace.is_known) == (pytest.approx(1 / 24), True)


def test_frames_that_come_more_often_than_announced_are_no_rate():
    assert pace_of([0.01] * 100, 1 / 24).interval == pytest.approx(1 / 24)


def test_frames_that_come_less_often_than_announced_are_one():
    assert pace_of([1 / 12] * 100, 1 / 24).interval == pytest.approx(1 / 12, rel=0.1)


def test_a_single_stall_right_after_a_rate_was_announced_changes_it_little():
    assert pace_of([1 / 24, 0.15, *[1 / 24] * 3], 1 / 24).interval == pytest.approx(1 / 24, rel=0.02)


def test_frames_far_apart_are_poses_and_each_is_gone_to_at_once_and_not_beyond():
    playback, step = CommandPlayback(PERIOD, [LIMITS]), 0.5
    for k in range(6):
        playback.add(k * step, (Kinematic(0.2 * k, 0.2),), repeated=False, plays=True, step=step, due=step)
        assert playback.at(k * step) == [Kinematic(0.2 * k)]
        assert playback.reaches() == [(0.2 * k, 0.2 * k)]


def test_with_equal_steps_the_curve_is_that_between_frames():
    chance, curve, step = Random(1), Curve(), 0.04
    values = [chance.uniform(-1.0, 1.0) for _ in range(8)]
    for value in values:
        curve.append(step, (value,))
    for k in range(2, 6):
        for share in (0.0, 0.3, 0.9):
            (state,), expected = (
                curve.at((k + 1 + share) * step, 1.0, step),
                between(tuple(values[k - 1 : k + 3]), share, step),
            )
            assert state.position == pytest.approx(expected.position, abs=1e-12)
            assert state.velocity == pytest.approx(expected.velocity, abs=1e-9)
            assert state.acceleration == pytest.approx(expected.acceleration, abs=1e-6)


def test_with_unequal_steps_the_curve_has_no_jump_of_velocity_or_acceleration():
    chance, curve = Random(2), Curve()
    for _ in range(20):
        curve.append(chance.choice([1 / 60, 1 / 24, 1 / 12]), (chance.uniform(-1.0, 1.0),))
    near = 1e-7
    for knot in list(curve._times)[4:-3]:
        (before,), (after,) = curve.at(knot - near, 1.0, 0.04), curve.at(knot + near, 1.0, 0.04)
        assert after.position == pytest.approx(before.position, abs=1e-4)
        assert after.velocity == pytest.approx(before.velocity, abs=0.01)
        assert after.acceleration == pytest.approx(before.acceleration, abs=0.5)


def test_the_curves_velocity_and_acceleration_are_those_of_its_positions():
    chance, curve = Random(3), Curve()
    for _ in range(10):
        curve.append(chance.choice([1 / 60, 1 / 24]), (chance.uniform(-1.0, 1.0),))
    time, small = curve.end - 0.03, 1e-4
    states = [curve.at(time + k * small, 1.0, 0.04)[0] for k in (-1, 0, 1)]
    slopes = [(b.position - a.position) / small for a, b in pairwise(states)]
    assert states[1].velocity == pytest.approx(sum(slopes) / 2, rel=1e-3)
    assert states[1].acceleration == pytest.approx((slopes[1] - slopes[0]) / small, rel=1e-2)


def test_a_motion_that_begins_with_a_late_frame_begins_at_rest_and_not_with_a_jump():
    playback, speed, due = CommandPlayback(PERIOD, [LIMITS]), 0.5, 1 / 24
    frames = [(k * due, 0.0) for k in range(25)] + [(1.2 + k * due, speed * (k + 1) * due) for k in range(24)]
    played: list[float] = []
    for turn in range(220):
        while frames and frames[0][0] <= turn * PERIOD:
            stamp, angle = frames.pop(0)
            playback.add(stamp, (Kinematic(angle),), repeated=False, plays=True, step=due, due=due)
        motion = playback.at(turn * PERIOD)
        played += [motion[0].position] if motion else []
    assert max(after - before for before, after in pairwise(played)) <= 1.5 * speed * PERIOD
