"""Tests when the reference firmware on an emulated Arduino Uno, in simulated time, must send no pulse, or
only equal ones.
"""

import random
from itertools import pairwise

import pytest
from limber.hardware.protocols import limber
from limber.hardware.protocols.limber import (
    Arm,
    DeviceReport,
    DeviceResult,
    DeviceState,
    Hello,
    Move,
    Poll,
    Reason,
    Stop,
)

from tests.hardware.emulator import Run, Timeline, require_emulator
from tests.hardware.firmware.streaming import (
    CHANNELS,
    DETACHES,
    FRAME_US,
    HOLDS,
    SESSION,
    TOLERANCE_US,
    configuration,
    standing,
)

require_emulator()


def no_pulses(run: Run, since_us: float = 0.0) -> bool:
    return not run.high and not [pulse for pulse in run.pulses if pulse.rise_us + pulse.width_us >= since_us]


# --- when there are no pulses
def test_there_is_no_pulse_before_a_position_is_given():
    timeline = Timeline()
    timeline.wait(200_000)
    timeline.open_session(configuration())
    timeline.wait(100_000)
    assert no_pulses(timeline.run())


def test_a_channel_s_first_pulse_is_the_position_given_and_the_others_stay_quiet():
    timeline = Timeline()
    timeline.open_session(configuration(speed=100))
    standing(timeline, (None, None, None, 812.5), 10)
    run = timeline.run()
    assert {pulse.channel for pulse in run.pulses} == {3}
    assert [pulse.width_us for pulse in run.pulses] == pytest.approx(
        [812.5] * len(run.pulses), abs=TOLERANCE_US
    )
    assert set(run.high) <= {3}


def test_500_ms_after_silence_a_detach_channel_has_no_pulse_and_a_hold_channel_its_last_width():
    timeline = Timeline()
    timeline.open_session(configuration(speed=3000))
    standing(timeline, (1000.0,) * 12, 10)
    standing(timeline, (2000.0,) * 12, 15)
    silent = timeline.now_us - FRAME_US
    timeline.wait(2_500_000)
    run = timeline.run()
    for channel in DETACHES:
        assert channel not in run.high
        assert run.pulses_of(channel, silent)
        assert not run.pulses_of(channel, silent + 300_000)
    for channel in HOLDS:
        widths = [pulse.width_us for pulse in run.pulses_of(channel, silent + 300_000)]
        assert len(widths) > 100
        assert max(widths) - min(widths) <= TOLERANCE_US
        last = run.reports()[-1]
        assert (last.answers, last.state, last.reasons) == (None, DeviceState.HOLDING, Reason.SILENCE)
        assert widths[-1] == pytest.approx(last.commanded_us[channel], abs=TOLERANCE_US)


def test_stop_ends_the_motion_within_a_period():
    timeline = Timeline()
    timeline.open_session(configuration(speed=1000))
    standing(timeline, (1000.0,) * 12, 10)
    standing(timeline, (2000.0,) * 12, 10)
    timeline.send(Stop())
    stopped = timeline.now_us
    timeline.wait(20_000)
    standing(timeline, (2000.0,) * 12, 30)
    run = timeline.run()
    for channel in DETACHES:
        assert not run.pulses_of(channel, stopped + 10_000)
    for channel in HOLDS:
        widths = [pulse.width_us for pulse in run.pulses_of(channel, stopped + 10_000)]
        assert len(widths) > 10
        assert max(widths) - min(widths) <= TOLERANCE_US
        assert 1000.0 < widths[0] < 1500.0
    assert {report.result for report in run.reports()[-30:]} == {DeviceResult.NOT_ARMED}


def test_a_reset_in_the_middle_of_a_stream_ends_disarmed_until_armed_afresh():
    timeline = Timeline()
    timeline.open_session(configuration())
    standing(timeline, (1500.0,) * 12, 30)
    timeline.reset()
    reset = timeline.now_us
    standing(timeline, (1600.0,) * 12, 100)
    timeline.send(Arm(SESSION))
    timeline.wait(50_000)
    again = timeline.now_us
    timeline.open_session(configuration(), session=8)
    standing(timeline, (1234.0,) * 12, 20)
    run = timeline.run()
    assert len([pulse for pulse in run.pulses if pulse.rise_us < reset]) > 100
    assert not [pulse for pulse in run.pulses if reset < pulse.rise_us < again]
    between = [answer.message for answer in run.answers if reset < answer.at_us < again]
    assert between[0] == DeviceReport(None, 0, DeviceState.DISARMED, Reason.NO_SESSION, 0, 0, (None,) * 12)
    assert {(report.result, report.state, report.session) for report in between[1:]} == {
        (DeviceResult.NO_SESSION, DeviceState.DISARMED, 0)
    }
    assert len(between) > 90
    afterwards = [pulse.width_us for pulse in run.pulses if pulse.rise_us > again]
    assert len(afterwards) > 80
    assert afterwards == pytest.approx([1234.0] * len(afterwards), abs=TOLERANCE_US)


def test_a_stop_behind_noise_that_looks_like_a_long_frame_s_head_ends_the_motion_within_a_period():
    timeline = Timeline()
    timeline.open_session(configuration(speed=1000))
    standing(timeline, (1000.0,) * 12, 10)
    standing(timeline, (2000.0,) * 12, 10)
    timeline.send_bytes(bytes((0xA5, 60, 60 ^ 0xFF, 4, 9)))
    timeline.send(Stop())
    stopped = timeline.now_us
    timeline.wait(200_000)
    run = timeline.run()
    for channel in HOLDS:
        widths = [pulse.width_us for pulse in run.pulses_of(channel, stopped + 10_000)]
        assert len(widths) > 5
        assert max(widths) - min(widths) <= TOLERANCE_US
    for channel in DETACHES:
        assert not run.pulses_of(channel, stopped + 10_000)


# --- damage and noise
def damaged_frames(chance: random.Random) -> list[bytes]:
    """Variants of visible moves as a bad line delivers them: flipped bits, missing beginnings or ends,
    doubled bytes, and random bytes.
    """
    pieces = []
    for _ in range(60):
        wire = bytearray(
            limber.encode(
                Move(tuple(chance.choice((700.0, 2300.0)) for _ in CHANNELS)), chance.randrange(256)
            )
        )
        match chance.randrange(5):
            case 0:
                for _ in range(chance.randint(1, 3)):
                    wire[chance.randrange(len(wire))] ^= 1 << chance.randrange(8)
            case 1:
                del wire[chance.randrange(len(wire)) :]
            case 2:
                del wire[: chance.randint(1, len(wire) - 1)]
            case 3:
                at = chance.randint(1, len(wire) - 1)
                wire.insert(at, wire[at] ^ 0x55)
            case 4:
                wire[:] = chance.randbytes(chance.randint(1, 60))
        pieces.append(bytes(wire))
    return pieces


def test_noise_and_damaged_frames_in_a_stream_move_nothing():
    timeline = Timeline()
    timeline.open_session(configuration())
    chance = random.Random(4)
    for piece in damaged_frames(chance):
        timeline.send(Move((1500.0,) * 12))
        timeline.wait(12_000)
        timeline.send_bytes(piece)
        timeline.wait(12_000)
    standing(timeline, (1500.0,) * 12, 5)
    run = timeline.run()
    assert len(run.pulses) > 800
    assert [pulse.width_us for pulse in run.pulses] == pytest.approx(
        [1500.0] * len(run.pulses), abs=TOLERANCE_US
    )
    assert run.reports()[-1].state == DeviceState.ARMED
    assert run.reports()[-1].bad_frames > 10


def test_noise_and_damaged_frames_wake_no_servo():
    timeline = Timeline()
    timeline.open_session(configuration())
    for piece in damaged_frames(random.Random(5)):
        timeline.send_bytes(piece)
        timeline.wait(10_000)
    assert no_pulses(timeline.run())


def test_a_flood_is_survived_and_stop_still_heard():
    """Frames without pauses, more than the line can answer: acknowledgements may be lost, but commands are
    executed.
    """
    timeline = Timeline()
    timeline.open_session(configuration(speed=500))
    standing(timeline, (1000.0,) * 12, 5)
    for _ in range(300):
        timeline.send(Move((2000.0,) * 12))
    timeline.send(Stop())
    timeline.wait(1_500_000)
    run = timeline.run()
    assert run.reports()[-1].state == DeviceState.FAULT
    assert run.reports()[-1].bad_frames == 0
    for channel in CHANNELS:
        widths = [
            pulse.width_us for pulse in run.pulses_of(channel) if pulse.width_us > 1000.0 + TOLERANCE_US
        ]
        underway = widths[: len(widths) - widths.count(pytest.approx(widths[-1], abs=TOLERANCE_US))]
        assert len(underway) > 40
        assert [b - a for a, b in pairwise(underway)] == pytest.approx(
            [10.0] * (len(underway) - 1), abs=TOLERANCE_US
        )


def test_a_frame_that_was_broken_off_is_given_up_in_silence():
    timeline = Timeline()
    timeline.send(Hello(SESSION))
    timeline.wait(20_000)
    timeline.send_bytes(limber.encode(Move((1500.0,) * 12))[:20])
    timeline.wait(80_000)
    poll = timeline.send(Poll())
    timeline.wait(20_000)
    assert timeline.run().answer_to(poll).result == DeviceResult.ACCEPTED


# --- versions
def test_another_version_s_hello_is_answered_with_the_version_it_speaks():
    timeline = Timeline()
    hello = timeline.send(Hello(SESSION, version=9))
    timeline.wait(20_000)
    arm = timeline.send(Arm(SESSION))
    timeline.wait(20_000)
    run = timeline.run()
    assert run.answer_to(hello) == limber.WrongVersion(limber.VERSION, (1, 2))
    assert run.answer_to(arm).result == DeviceResult.NO_SESSION


def test_it_says_what_it_is():
    timeline = Timeline()
    hello = timeline.send(Hello(SESSION))
    timeline.wait(20_000)
    welcome = timeline.run().answer_to(hello)
    assert welcome == limber.Welcome(
        SESSION, (1, 2), 12, limber.Features.INTERPOLATION, 500.0, 2500.0, 20000, 250, "Arduino Uno"
    )
