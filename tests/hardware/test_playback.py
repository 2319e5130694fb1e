"""Tests that frames from Blender become even motion that keeps their limits."""

import math
from itertools import accumulate, pairwise
from random import Random

import pytest
from limber.hardware.worker.playback import CommandPlayback, Pace
from limber.motion import Kinematic, Limits, make_filter

PERIOD = 0.01
LIMITS = Limits(-1.5, 1.5, math.pi, 5 * math.pi, 50 * math.pi)


def filtered(fps: float, seconds: float) -> list[tuple[float, Kinematic]]:
    """Times and motion of frames that keep LIMITS: steps, then a sine."""
    joint, state = make_filter("default", LIMITS), None
    frames = []
    for k in range(int(seconds * fps)):
        t = k / fps
        target = 0.7 * math.sin(2.0 * t) if t > seconds / 2 else (1.0 if int(t / 2) % 2 else -0.5)
        state = joint.rest(target) if state is None else joint.step(state, target, 1 / fps)
        frames.append((t, Kinematic(state.position, state.velocity / fps, state.acceleration / fps**2)))
    return frames


def unknown(frames: list[tuple[float, Kinematic | float]]) -> list[tuple[float, Kinematic]]:
    """The same frames with angles only."""
    return [(t, Kinematic(one.position if isinstance(one, Kinematic) else one)) for t, one in frames]


def played(frames: list[tuple[float, Kinematic]]) -> list[float]:
    """Output of playback for frames, cycle by cycle; as in the worker, the newest frame is used."""
    playback, angles, k, now = CommandPlayback(PERIOD, [LIMITS]), [], 0, 0.0
    while k < len(frames):
        now += PERIOD
        while k < len(frames) and frames[k][0] <= now:
            k += 1
        if k:
            playback.add(frames[k - 1][0], (frames[k - 1][1],))
        motion = playback.at(now)
        if motion is not None:
            angles.append(motion[0].position)
    return angles


def differences(values: list[float]) -> list[float]:
    return [(b - a) / PERIOD for a, b in pairwise(values)]


@pytest.mark.parametrize("fps", [24, 30, 60])
@pytest.mark.parametrize("unevenness", [0.0, 0.004])
def test_frames_within_limits_make_motion_within_limits(fps, unevenness):
    noise = Random(3)
    frames = unknown([(t + noise.uniform(0.0, unevenness), angle) for t, angle in filtered(fps, 12.0)])
    velocity = differences(played(frames)[400:])  # by then the rate is known
    acceleration = differences(velocity)
    assert max(map(abs, velocity)) <= 1.1 * LIMITS.velocity
    assert max(map(abs, acceleration)) <= 1.1 * LIMITS.acceleration
    assert max(map(abs, differences(acceleration))) <= 1.1 * LIMITS.jerk


@pytest.mark.parametrize("fps", [24, 30, 60])
@pytest.mark.parametrize("unevenness", [0.0, 0.004])
def test_frames_whose_motion_is_known_keep_velocity_and_acceleration(fps, unevenness):
    """Their jerk is limited after playback, within the filter's changes in a frame."""
    noise = Random(3)
    frames = [(t + noise.uniform(0.0, unevenness), motion) for t, motion in filtered(fps, 12.0)]
    velocity = differences(played(frames)[400:])
    acceleration = differences(velocity)
    assert max(map(abs, velocity)) <= 1.05 * LIMITS.velocity
    assert max(map(abs, acceleration)) <= 1.1 * LIMITS.acceleration
    assert max(map(abs, differences(acceleration))) <= 2.0 * LIMITS.jerk


def delays(frames: list[tuple[float, Kinematic]], fps: int) -> list[float]:
    """Delays [s] of playback for an angle that equals its own time, once the rate is known."""
    return [PERIOD * (k + 1) - angle for k, angle in enumerate(played(frames))][3 * fps :]


@pytest.mark.parametrize("fps", [24, 60])
def test_playback_is_three_frames_behind_at_most(fps):
    behind = delays(unknown([(k / fps, k / fps) for k in range(6 * fps)]), fps)
    assert max(behind) <= 3.0 / fps + PERIOD
    assert min(behind) >= 1.0 / fps


@pytest.mark.parametrize("fps", [24, 60])
def test_a_joint_whose_velocity_is_known_is_a_frame_less_behind(fps):
    behind = delays([(k / fps, Kinematic(k / fps, 1.0 / fps)) for k in range(6 * fps)], fps)
    other = delays(unknown([(k / fps, k / fps) for k in range(6 * fps)]), fps)
    assert [b - a for a, b in zip(behind, other, strict=True)] == pytest.approx(
        [1.0 / fps] * len(other), abs=1e-6
    )
    assert max(behind) <= 1.5 / fps + PERIOD


def test_playback_never_leaves_what_blender_has_said():
    noise = Random(8)
    frames = unknown([(0.02 * k + noise.uniform(0.0, 0.01), noise.uniform(-1.0, 1.0)) for k in range(500)])
    lowest, highest = min(angle.position for _, angle in frames), max(angle.position for _, angle in frames)
    assert all(lowest <= angle <= highest for angle in played(frames))


def test_a_pose_that_stands_is_played_exactly_and_at_rest():
    playback = CommandPlayback(PERIOD, [LIMITS])
    for k in range(100):
        playback.add(0.016 * k, (Kinematic(0.3),))
        motion = playback.at(0.016 * k)
    assert motion[0].position == 0.3
    assert motion[0].velocity == 0.0


def test_frames_that_stop_coming_end_on_the_newest():
    playback = CommandPlayback(PERIOD, [LIMITS])
    for k in range(60):
        playback.add(k / 60, (Kinematic(k / 60),))
        playback.at(k / 60)
    for k in range(100):
        motion = playback.at(1.0 + PERIOD * k)
    assert motion[0].position == pytest.approx(59 / 60)
    assert motion[0].velocity == pytest.approx(0.0)


def test_a_motion_that_stands_for_a_frame_now_and_then_does_not_fall_behind():
    """The two frames around its turning point are equal."""
    fps = 24

    def at(k: float) -> float:
        return 0.5 - 0.5 * math.cos(2.0 * math.pi * (k + 0.5) / 48.0)

    playback, behind, sent = CommandPlayback(PERIOD, [LIMITS]), [], -1
    for turn in range(600):
        now = turn * PERIOD
        while (sent + 1) / fps <= now:
            sent += 1
            playback.add(sent / fps, (Kinematic(round(at(sent), 7)),), repeated=False)
        playback.add(now, (Kinematic(round(at(sent), 7)),))  # a heartbeat
        (state,) = playback.at(now)
        behind.append(min(range(250), key=lambda late: abs(at((now - 0.001 * late) * fps) - state.position)))
    assert max(behind[80:90]) == pytest.approx(max(behind[560:570]), abs=15)  # [ms] difference of the delays


def test_the_same_frame_said_again_by_a_heartbeat_does_not_disturb_the_motion():
    """Blender's heartbeat repeats the newest angles 20 times per second, between the frames of the motion."""
    fps = 60
    motion = [(k / fps, 0.5 * math.sin(2 * k / fps)) for k in range(10 * fps)]
    beats = [(k / 20 + 0.003, motion[int((k / 20 + 0.003) * fps)][1]) for k in range(10 * 20 - 1)]
    disturbed = played(unknown(sorted(motion + beats)))[300:]
    assert max(map(abs, differences(differences(disturbed)))) <= 1.2 * 0.5 * 4.0


def test_a_joint_that_was_moving_rests_where_the_newest_frame_is_once_frames_stop_or_repeat():
    playback = CommandPlayback(PERIOD, [LIMITS])
    for k in range(60):
        playback.add(k / 60, (Kinematic(k / 60, 1 / 60),))
        playback.at(k / 60)
    for k in range(100):
        playback.add(1.0 + PERIOD * k, (Kinematic(59 / 60, 1 / 60),))
        motion = playback.at(1.0 + PERIOD * k)
    assert motion[0] == Kinematic(59 / 60)


@pytest.mark.parametrize("step", [0.02, 0.3, 1.0])
def test_a_pose_that_changes_at_once_is_gone_to_and_not_beyond(step):
    playback, positions = CommandPlayback(PERIOD, [LIMITS]), []
    for k in range(600):
        playback.add(PERIOD * k, (Kinematic(0.0 if k < 200 else step),))  # a heartbeat from 200 on
        positions.append(playback.at(PERIOD * k)[0].position)
    assert 0.0 <= min(positions) <= max(positions) <= step
    assert positions[-1] == step


def test_a_joint_is_expected_within_its_range():
    playback = CommandPlayback(PERIOD, [LIMITS], lambda angles: tuple(min(angle, 1.0) for angle in angles))
    positions = []
    for k in range(60):
        playback.add(k / 60, (Kinematic(min(k / 50, 1.0), 1 / 50 if k < 50 else 0.0),))
        positions.append(playback.at(k / 60)[0].position)
    assert max(positions) <= 1.0


def test_nothing_is_played_before_the_first_frame():
    assert CommandPlayback(PERIOD, [LIMITS]).at(1.0) is None


def pace_of(*gaps: float) -> Pace:
    """The pace of frames during a motion with these gaps [s] between them."""
    pace = Pace()
    for stamp in accumulate(gaps, initial=0.0):
        pace.take(stamp, was_due=True)
    return pace


@pytest.mark.parametrize("stall", [0.15, 0.6])
def test_the_pace_of_frames_that_catch_up_is_no_rate(stall):
    """They arrive a third faster for a while, as fast as a display or a slow scene permits."""
    in_time, faster = 1 / 60, 1 / 80
    catching_up = [faster] * int(stall / (in_time - faster))
    assert pace_of(*[in_time] * 64, stall, *catching_up).interval == pytest.approx(in_time, rel=0.01)


def test_frames_that_come_less_often_from_now_on_are_a_new_rate_although_each_looks_like_a_stall():
    assert pace_of(*[1 / 60] * 64, *[1 / 12] * 100).interval == pytest.approx(1 / 12)


def test_frames_after_a_rest_do_not_catch_up_and_their_pace_is_the_rate():
    """As while a robot is posed by hand: each movement of the mouse follows a rest."""
    pace = pace_of(*[1 / 24] * 64)
    stamps = [64 / 24 + 1.0 + k / 60 for k in range(65)]
    for k, stamp in enumerate(stamps):
        pace.take(stamp, was_due=k > 0)
    assert pace.interval == pytest.approx(1 / 60)


def test_a_single_stall_neither_slows_playback_down_nor_lets_it_wait_longer():
    usual, stalled = pace_of(*[1 / 60] * 64), pace_of(*[1 / 60] * 32, 0.15, *[1 / 60] * 31)
    assert (stalled.interval, stalled.longest) == pytest.approx((usual.interval, usual.longest))


def test_a_rhythm_of_long_and_short_gaps_is_their_mean():
    """24 frames per second on a display with 60: two and three of its frames alternately."""
    assert pace_of(*[2 / 60, 3 / 60] * 32).interval == pytest.approx(1 / 24)


@pytest.mark.parametrize("is_known", [True, False])
def test_a_frame_that_was_dropped_does_not_make_the_motion_faster(is_known):
    """The frame after it keeps its time, so that the motion between takes two intervals."""
    rate, speed = 24, 0.5
    step = speed / rate
    frames = [(k / rate, Kinematic(step * k, step if is_known else 0.0)) for k in range(200) if k != 150]
    velocity = differences(played(frames)[400:])
    assert max(velocity) <= 1.04 * speed


def lags(stamps: list[float], step: float) -> list[tuple[float, float]]:
    """Time [s] and lag [frames] of playback behind the newest frame, cycle by cycle, for frames with known
    velocity that are `step` apart.
    """
    playback, found, sent, now = CommandPlayback(PERIOD, [LIMITS]), [], 0, 0.0
    while sent < len(stamps):
        now += PERIOD
        while sent < len(stamps) and stamps[sent] <= now:
            playback.add(stamps[sent], (Kinematic(step * sent, step),), repeated=False)
            sent += 1
        found.append((now, sent - 1 - playback.at(now)[0].position / step))
    return found


@pytest.mark.parametrize("gap", [0.005, 0.02])
def test_playback_is_not_left_behind_by_frames_that_come_all_at_once(gap):
    """They are skipped, whether the newest was late or all arrive too fast."""
    gaps = [1 / 24] * 100 + [0.3] + [gap] * 20 + [1 / 24] * 20
    found = lags(list(accumulate(gaps, initial=0.0)), 0.02)
    assert max(lag for time, lag in found if time > 100 / 24 + 0.3) <= 3.0


def test_playback_gets_back_to_its_usual_lag_after_frames_that_came_late():
    gaps = [1 / 60] * 300 + [1.4 / 60] * 10 + [1 / 60] * 600
    found = lags(list(accumulate(gaps, initial=0.0)), 0.01)
    before, after = ([lag for time, lag in found if begin < time < begin + 1.0] for begin in (3.5, 13.5))
    assert max(after) == pytest.approx(max(before), abs=0.2)


def test_uneven_frames_of_an_even_motion_are_played_evenly():
    noise, fps, speed = Random(5), 60, 1.0
    frames = unknown([(k / fps + noise.uniform(0.0, 0.004), speed * k / fps) for k in range(12 * fps)])
    acceleration = differences(differences(played(frames)[400:]))
    assert max(map(abs, acceleration)) <= 0.3 * speed


def test_a_rest_ends_the_catching_up():
    pace = pace_of(*[1 / 24] * 64, 1.0)
    pace.take(100.0, was_due=False)
    for k in range(1, 65):
        pace.take(100.0 + k / 60, was_due=True)
    assert pace.interval == pytest.approx(1 / 60)


def test_after_a_stall_of_many_seconds_only_the_first_two_of_faster_frames_catch_up():
    assert pace_of(*[1 / 24] * 64, 10.0, *[1 / 60] * 160).interval == pytest.approx(1 / 60)


def states(stamps: list[float], frames: list[Kinematic], period: float) -> list[tuple[float, Kinematic]]:
    """Time [s] and state, cycle by cycle, of the playback of frames, each noticed in the first cycle after it
    was sent.
    """
    playback, found, sent = CommandPlayback(period, [LIMITS]), [], 0
    for turn in range(math.ceil(stamps[-1] / period)):
        now = turn * period
        while sent < len(stamps) and stamps[sent] <= now:
            playback.add(stamps[sent], (frames[sent],), repeated=False)
            sent += 1
        found.append((now, playback.at(now)[0]))
    return found


@pytest.mark.parametrize(("turn", "begins"), [(0.9, 89), (1.6, 90)])
def test_a_motion_that_begins_at_rest_does_not_wait_for_a_frame_that_is_noticed_late(turn, begins):
    """Its first frame is noticed at once, a later one nearly a whole cycle [frames] after it was sent."""
    rate, speed = 60, 0.5
    frames = [Kinematic(speed * max(k - begins, 0) / rate) for k in range(2 * begins)]
    found = states([k / rate for k in range(len(frames))], frames, turn / rate)
    steps = [after.position - before.position for (_, before), (_, after) in pairwise(found)]
    assert all(after >= 0.98 * before for before, after in pairwise(steps))


@pytest.mark.parametrize(
    "gaps",
    [
        pytest.param([0.6], id="after a stall"),
        pytest.param([0.001] * 20, id="past frames that came all at once"),
    ],
)
def test_playback_that_skips_frames_of_a_motion_goes_on_at_its_speed(gaps):
    rate, speed = 24, 0.5
    stamps = list(accumulate([1 / rate] * 72 + gaps + [1 / rate] * 24, initial=0.0))
    found = states(stamps, [Kinematic(speed * k / rate, speed / rate) for k in range(len(stamps))], PERIOD)
    back = stamps[72 + len(gaps)]
    assert min(state.velocity for time, state in found if time >= back) >= 0.9 * speed


def test_after_an_uneven_moment_a_joint_still_rests_where_the_newest_frame_is():
    """A gap of nearly a stall makes the best lag as long as the curve that a restart creates."""
    playback, stamps = (
        CommandPlayback(PERIOD, [LIMITS]),
        list(accumulate([1 / 60] * 80 + [2.45 / 60] + [1 / 60] * 40)),
    )
    step = Kinematic(0.0, 1 / 60)
    for k, stamp in enumerate(stamps):
        newest = (Kinematic(step.velocity * k, step.velocity),)
        playback.add(stamp, newest, repeated=False)
        playback.at(stamp)
    for k in range(1, 100):
        motion = playback.at(stamps[-1] + PERIOD * k)
    assert motion[0] == Kinematic(newest[0].position)


def test_two_frames_at_almost_the_same_time_are_played():
    playback = CommandPlayback(PERIOD, [LIMITS])
    for stamp, angle in ((0.0, 0.0), (0.0003, 1.0)):
        playback.add(stamp, (Kinematic(angle),))
        playback.at(stamp)
    assert playback.at(1.0) == [Kinematic(1.0)]
