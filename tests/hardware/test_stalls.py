"""Tests frames that stop during a motion, arrive late, or arrive all at once: the robot stops near the last
shown pose.
"""

import math
from collections import deque
from dataclasses import replace
from itertools import accumulate, pairwise
from random import Random

import pytest
from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.drive import Drive
from limber.hardware.worker.playback import CommandPlayback
from limber.motion import Kinematic, make_filter
from limber.motion.profile import stopping_distance, stopping_range

from tests import deep
from tests.hardware import simulation as simulated
from tests.hardware.simulation import LIMITS, largest, make_device, speeds, still

SECONDS = 6.0
AFTERWARDS = 2.2  # [s] motion that follows a stall
SEEDS = deep.count(1, 2)  # number of motions for each way in which frames can fail
STALLS = (0.1, 0.15, 0.3, 0.6, 1.0)  # [s]
MOTIONS = deep.count(3, 2 * len(STALLS))  # number of motions in a case of stalls
HEARTBEAT = 0.05  # [s] interval of heartbeats
BEYOND = math.radians(1.5)  # largest distance by which a joint may exceed the unavoidable one
USUALLY = math.radians(0.5)  # the same distance on average


def authored(chance: Random, rate: float) -> list[Kinematic]:
    """A joint's motion at the frames, as output of its motion filter for changing postures and a swinging
    target.
    """
    swift, state, goal, change = make_filter("default", LIMITS), Kinematic(0.0), 0.0, 0.5
    frequency, share = chance.uniform(1.0, 5.0), chance.random()
    motion = []
    for k in range(int(SECONDS * rate)):
        if k / rate >= change:
            goal, change = chance.uniform(-1.2, 1.2), k / rate + chance.uniform(0.25, 1.2)
        target = share * goal + (1.0 - share) * 0.8 * math.sin(frequency * k / rate)
        state = swift.step(state, target if k / rate >= 0.5 else 0.0, 1 / rate)
        motion.append(Kinematic(state.position, state.velocity, state.acceleration))
    return motion


def stall_at(chance: Random, motion: list[Kinematic], rate: float) -> int:
    """Index of a frame during an acceleration, which arrives late."""
    usable = range(int(1.5 * rate), len(motion) - int(AFTERWARDS * rate))
    fast = [
        k
        for k in usable
        if motion[k - 1].velocity * motion[k - 1].acceleration
        > 0.3 * abs(motion[k - 1].velocity) * LIMITS.acceleration
    ]
    return chance.choice(fast or usable)


def arrivals(
    chance: Random, count: int, rate: float, missing: int, stall: float, after: str
) -> list[tuple[float, int]]:
    """(time [s], frame) of all frames that arrive: after the stall, by `after`, the motion continues where it
    was, where it would be, or catches up. If `after` is "single", each twelfth frame is late by `stall` [s],
    and the others are in time.
    """
    if after == "single":
        times = [k / rate + stall * (k % 12 == 11) for k in range(count)]
        return [(time, k) for k, time in enumerate(accumulate(times, max))]
    before = [(k / rate, k) for k in range(missing)]
    back = missing / rate + stall
    if after == "late":
        return before + [(stall + k / rate, k) for k in range(missing, count)]
    if after == "skipped":
        return [
            *before,
            (back, int(back * rate)),
            *((k / rate, k) for k in range(int(back * rate) + 1, count)),
        ]
    gap, times = chance.choice([0.001, 0.004, 0.008, 0.012]), []
    for k in range(missing, count):
        back = max(back, k / rate)
        times.append((back, k))
        back += gap
    return before + times


def passed(
    simulate, seed: int, rate: float, stall: float, after: str, is_alive: bool, is_known: bool = True
) -> float:
    """Distance [rad] by which the command passes every pose shown so far, each with its stopping distance. If
    `is_known`, frames have velocities and accelerations.
    """
    chance = Random(seed)
    motion = authored(chance, rate)
    missing = stall_at(chance, motion, rate)
    if after != "single":
        motion = motion[: missing + int(AFTERWARDS * rate)]
    seconds = len(motion) / rate + stall + 1.0
    coming = arrivals(chance, len(motion), rate, missing, stall, after)
    simulation = simulate(make_device(1))
    simulation.arm(still(0.0))
    simulation.commands.clear()
    began, beat, newest, lowest, highest, farthest = simulation.now, 0.0, 0, 0.0, 0.0, 0.0
    step = 1 / rate

    def send(k: int, time: float) -> None:
        one = motion[k]
        frame = (
            Kinematic(one.position, step * one.velocity, step * step * one.acceleration)
            if is_known
            else Kinematic(one.position)
        )
        simulation.send((frame,), began + time, plays=True)

    while coming or simulation.now < began + seconds:
        now = simulation.now + PERIOD - began
        is_silent = newest == missing - 1 and now > missing / rate and not is_alive
        while coming and coming[0][0] <= now:
            time, newest = coming.pop(0)
            send(newest, time)
            one = motion[newest]
            low, high = stopping_range(
                (one.position, one.velocity, one.acceleration), LIMITS.acceleration, LIMITS.jerk
            )
            lowest, highest = min(lowest, low), max(highest, high)
        if now >= beat and not is_silent:
            send(newest, simulation._stamp - began)
            beat = now + HEARTBEAT
        commanded = simulation.run(PERIOD).commanded
        farthest = max(farthest, commanded[0] - highest, lowest - commanded[0])
    assert largest(speeds(simulation.commands)) <= 1.1 * LIMITS.velocity * 1.001
    assert largest(speeds(speeds(simulation.commands))) <= 1.1 * LIMITS.acceleration * 1.001
    return farthest


@pytest.mark.parametrize("rate", [24, 60])
@pytest.mark.parametrize("after", ["late", "skipped", "all at once"])
@pytest.mark.parametrize("is_alive", [False, True])
@pytest.mark.parametrize("is_known", [True, False])
def test_a_joint_passes_the_last_pose_by_no_more_than_it_needs_to_stop(
    simulate, monkeypatch, rate, after, is_alive, is_known
):
    monkeypatch.setattr(simulated, "FRAME", 1 / rate)  # the rate is known when the motion begins
    # Cases begin with different motions and lengths: every rate and every sequel has all of both.
    first = is_alive + 2 * is_known
    far = [
        passed(simulate, seed, rate, STALLS[seed % len(STALLS)], after, is_alive, is_known)
        for seed in range(first, first + MOTIONS)
    ]
    assert max(far) <= BEYOND
    assert sum(far) / len(far) <= USUALLY


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("rate", [12.5, 24, 60])
def test_a_joint_passes_no_pose_because_single_frames_are_late(simulate, monkeypatch, rate, is_known):
    monkeypatch.setattr(simulated, "FRAME", 1 / rate)
    late = [0.8, 1.0]  # [frames] lateness of a frame
    far = [
        passed(simulate, seed, rate, late[seed % 2] / rate, "single", True, is_known)
        for seed in range(4 * SEEDS)
    ]
    assert max(far) <= BEYOND


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(("unevenness", "dropped"), [(0.0, 0.0), (0.2, 0.0), (0.1, 0.05)])
def test_where_joints_may_stop_does_not_keep_them_from_the_motion_that_is_played(
    is_known, unevenness, dropped
):
    rate, farthest = (
        24,
        [
            0.0,
            0.0,
        ],
    )  # sum of the motions' largest distances: with the joint's own limits, and with narrower ones
    for seed in range(10):
        chance = Random(seed)
        frames = deque(
            (
                (k + chance.uniform(-unevenness, unevenness)) / rate,
                Kinematic(one.position, one.velocity / rate, one.acceleration / rate**2),
            )
            for k, one in enumerate(authored(chance, rate), start=1)
            if chance.random() >= dropped
        )
        playback, off = CommandPlayback(PERIOD, [LIMITS]), [0.0, 0.0]
        drives = [Drive(make_device(1).joints, [(LIMITS.lower, LIMITS.upper)], [0.0]) for _ in range(2)]
        for turn in range(1, int(0.95 * SECONDS / PERIOD)):
            while frames[0][0] <= turn * PERIOD:
                stamp, frame = frames.popleft()
                playback.add(
                    stamp, (frame if is_known else Kinematic(frame.position),), repeated=False, plays=True
                )
            motion = playback.at(turn * PERIOD)
            if motion is not None:
                drives[0].follow(motion, PERIOD)
                drives[1].follow(motion, PERIOD, playback.reaches())
                off = [
                    max(far, abs(drive.commanded[0] - motion[0].position))
                    for far, drive in zip(off, drives, strict=True)
                ]
        farthest = [total + far for total, far in zip(farthest, off, strict=True)]
    assert farthest[1] <= farthest[0] + math.radians(0.2)


@pytest.mark.parametrize("gap", [0.01, 0.02])
def test_frames_that_catch_up_after_a_stall_are_skipped_and_do_not_make_the_motion_faster(gap):
    rate, speed = 24, 0.5
    times = [k / rate for k in range(60)]
    times += [times[-1] + 0.6 + gap * k for k in range(20)]
    times += [times[-1] + (k + 1) / rate for k in range(20)]
    playback, sent, played = CommandPlayback(PERIOD, [LIMITS]), 0, []
    for turn in range(int(times[-1] / PERIOD)):
        while sent < len(times) and times[sent] <= turn * PERIOD:
            playback.add(times[sent], (Kinematic(speed * sent / rate, speed / rate),), repeated=False)
            sent += 1
        played.append(playback.at(turn * PERIOD)[0].velocity)
    assert max(map(abs, played[100:])) <= 1.1 * speed  # it began at rest


@pytest.mark.parametrize("is_known", [True, False])
def test_uneven_frames_in_time_after_a_stall_are_played_as_evenly_as_before_it(is_known):
    rate, speed, stall, chance = 24, 0.5, 1.0, Random(0)
    stamps = [(k + chance.uniform(-0.15, 0.15)) / rate + stall * (k >= 60) for k in range(1, 100)]
    playback, sent, played = CommandPlayback(PERIOD, [LIMITS]), 0, []
    for turn in range(int(stamps[-1] / PERIOD)):
        while stamps[sent] <= turn * PERIOD:
            frame = Kinematic(speed * sent / rate, speed / rate if is_known else 0.0)
            playback.add(stamps[sent], (frame,), repeated=False, plays=True)
            sent += 1
        played.append(playback.at(turn * PERIOD))
    before, after = int(59 / rate / PERIOD), int((60 / rate + stall + 0.3) / PERIOD)
    assert all(
        abs(motion[0].velocity - speed) <= 0.2 * speed
        for motion in played[before - 50 : before] + played[after:]
    )


@pytest.mark.parametrize(("stall", "in_time", "learning"), [(10.0, 0.0, 4.0), (1.5, 3.0, 2.0)])
def test_frames_that_come_faster_after_a_very_long_stall_or_long_after_one_are_a_new_rate(
    stall, in_time, learning
):
    speed, seconds = 0.1, 5.0
    gaps = [1 / 24] * 72 + [stall] + [1 / 24] * round(24 * in_time) + [1 / 60] * round(60 * seconds)
    steps = [min(gap, 1 / 24) for gap in gaps]  # [s] steps of the motion's own time
    frames = deque(zip(accumulate(gaps), accumulate(steps), steps, strict=True))
    playback, played = CommandPlayback(PERIOD, [LIMITS]), []
    for turn in range(int(sum(gaps) / PERIOD)):
        while frames[0][0] <= turn * PERIOD:
            time, moved, step = frames.popleft()
            playback.add(time, (Kinematic(speed * moved, speed * step),), repeated=False)
        played.append(playback.at(turn * PERIOD))
    assert all(
        abs(motion[0].velocity - speed) <= 0.1 * speed
        for motion in played[-int((seconds - learning) / PERIOD) :]
    )


def test_a_joint_whose_frames_stop_brakes_as_its_limits_allow_and_rests_on_the_last_pose():
    rate, playback, positions = 24, CommandPlayback(PERIOD, [LIMITS]), []
    for k in range(240):
        if k < 100:
            playback.add(k / rate, (Kinematic(0.01 * k, 0.01),))
        elif k % 2:
            playback.add(k / rate, (Kinematic(0.99, 0.01),))  # a heartbeat
        for turn in range(4):
            positions.append(playback.at((k + turn / 4) / rate)[0].position)
    velocity = [(b - a) * 4 * rate for a, b in pairwise(positions)][-560:]
    acceleration = [(b - a) * 4 * rate for a, b in pairwise(velocity)]
    _, stop = stopping_range((0.99, 0.01 * rate, 0.0), LIMITS.acceleration, LIMITS.jerk)
    assert 0.99 < max(positions) <= stop + 1e-3
    assert max(map(abs, acceleration)) <= 1.01 * LIMITS.acceleration
    assert positions[-1] == 0.99


def test_a_joint_that_stood_at_its_limit_rests_where_the_newest_frame_is_although_that_moves_toward_the_limit():
    """An interval later it would be at the limit again: the curve is constant there, but not at the frame."""
    playback = CommandPlayback(PERIOD, [LIMITS], lambda angles: tuple(map(LIMITS.clamp, angles)))
    for k in range(20):
        newest = Kinematic(LIMITS.upper) if k < 19 else Kinematic(1.4, 0.2)
        playback.add(k / 60, (newest,), repeated=False)
        playback.at(k / 60)
    for k in range(100):
        motion = playback.at(19 / 60 + PERIOD * k)
    assert motion == [Kinematic(newest.position)]


def test_a_leap_that_no_joint_could_follow_does_not_make_it_go_farther_than_its_speed_needs_to_stop():
    playback, far, step = CommandPlayback(PERIOD, [LIMITS]), 0.02, 1 / 60
    for k in range(20):
        playback.add(k * step, (Kinematic(0.0 if k < 10 else far),), repeated=False, plays=True)
        (played,), ((lowest, highest),) = playback.at(k * step), playback.reaches()
        assert lowest >= 0.0
        assert highest <= far + stopping_distance(played.velocity, 0.0, LIMITS.acceleration, LIMITS.jerk)


def test_where_frames_queue_up_after_a_late_one_the_motion_goes_on_and_does_not_stand():
    rate, speed = 12.5, 0.5
    times = [(k + 0.8 * (k in (30, 42))) / rate for k in range(60)]
    playback, sent, played = CommandPlayback(PERIOD, [LIMITS]), 0, []
    for turn in range(int(times[-1] / PERIOD)):
        while times[sent] <= turn * PERIOD:
            playback.add(times[sent], (Kinematic(speed * sent / rate),), repeated=False, plays=True)
            sent += 1
        played.append(playback.at(turn * PERIOD)[0].velocity)
    assert min(played[int(15 / rate / PERIOD) :]) > 0.4 * speed


@pytest.mark.parametrize(("acceleration", "jerk"), [(1e150, 1e-3), (1.0, 1e200)])
def test_limits_of_any_size_give_ranges(acceleration, jerk):
    playback = CommandPlayback(PERIOD, [replace(LIMITS, acceleration=acceleration, jerk=jerk)])
    for k in range(20):
        playback.add(k / 24, (Kinematic(0.01 * k),), repeated=False, plays=True)
        (played,) = playback.at(k / 24)
        ((lowest, highest),) = playback.reaches()
        assert lowest <= played.position <= highest
