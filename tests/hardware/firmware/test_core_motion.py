"""Tests the motion of pulses and its end in the firmware's portable core on this machine."""

import pytest
from limber.hardware.protocols import limber
from limber.hardware.protocols.limber import (
    Arm,
    Configure,
    DeviceResult,
    DeviceState,
    Disarm,
    Move,
    OnSilence,
    Reason,
    Stop,
)

from tests.hardware.emulator import Core, require_emulator
from tests.hardware.firmware.talking import CHANNELS, DETACHES, HOLDS, PER_PULSE_US, SESSION, refused

require_emulator()


# --- motion
def test_no_pulse_comes_before_a_position_and_the_first_is_that_position(core):
    core.open_session(CHANNELS)
    assert core.pulses() == (None,) * 12
    core.ask(Move((None, 1234.5), interval_ms=100))
    assert core.pulses() == (None, 1234.5) + (None,) * 10
    core.ask(Move((987.125,)))
    assert core.pulses()[:2] == (987.125, 1234.5)


def test_pulses_change_no_faster_than_the_channel_s_speed_and_it_says_so(armed):
    armed.ask(Move((2000.0, 1000.0)))
    for step in range(1, 7):
        assert armed.pulses()[:2] == (1500.0 + PER_PULSE_US * step, 1500.0 - PER_PULSE_US * step)
        report = armed.ask(Move((2000.0, 1000.0)))
        assert Reason.SLOWED in report.reasons
        assert report.commanded_us[:2] == (1500.0 + PER_PULSE_US * step, 1500.0 - PER_PULSE_US * step)
    assert armed.pulses()[:2] == (2000.0, 1000.0)
    assert armed.ask(Move((2000.0, 1000.0))).reasons == Reason(0)


@pytest.mark.parametrize("speed", [1, 2, 7, 333, 12345, 65535])
def test_a_speed_limit_is_never_exceeded_and_hardly_undercut(core, speed):
    core.open_session([Configure(0, 500, 2500, speed, OnSilence.HOLD)])
    core.ask(Move((500.0,)))
    core.pulses()
    turns = 40 if speed < 2000 else 1
    for _ in range(turns):
        core.ask(Move((2500.0,)))
        last = core.pulses()[0]
    assert last - 500.0 <= speed * 0.02 * turns
    assert last - 500.0 >= min(speed * 0.02 * turns * 0.97 - 1 / limber.UNITS_PER_US, 1999.0)


@pytest.mark.parametrize(("asked", "given"), [(600.0, 700.0), (2400.0, 2300.0)])
def test_positions_are_clamped_to_the_channel_s_range_and_it_says_so(core, asked, given):
    core.open_session(CHANNELS)
    assert Reason.CLAMPED in core.ask(Move((asked,))).reasons
    assert core.pulses()[0] == given
    assert core.ask(Move((given,))).reasons == Reason(0)


def test_a_move_with_an_interval_goes_in_a_straight_line(core):
    core.open_session([Configure(0, 500, 2500, 65535, OnSilence.HOLD)])
    core.ask(Move((1000.0,)))
    core.pulses()
    core.ask(Move((1800.0,), interval_ms=80))
    assert [core.pulses()[0] for _ in range(6)] == pytest.approx(
        [1000.0, 1200.0, 1400.0, 1600.0, 1800.0, 1800.0], abs=0.5
    )


def test_a_channel_that_a_move_leaves_out_goes_on_with_the_last_one(core):
    core.open_session([Configure(channel, 500, 2500, 65535, OnSilence.HOLD) for channel in range(2)])
    core.ask(Move((1000.0, 1000.0)))
    core.pulses()
    core.ask(Move((1400.0, None), interval_ms=80))
    core.pulses()
    core.ask(Move((None, 2000.0)))
    assert core.pulses()[:2] == pytest.approx((1100.0, 2000.0), abs=0.5)


def test_the_clock_may_come_round(core):
    with Core(now_us=2**32 - 100_000) as core:
        core.open_session([Configure(channel, 500, 2500, 65535, OnSilence.HOLD) for channel in range(2)])
        core.ask(Move((1000.0, 1000.0)))
        core.pulses()
        core.ask(Move((2000.0, 1500.0), interval_ms=200))
        widths = []
        for _ in range(20):
            widths.append(core.pulses()[0])
            core.ask(Move((None, 1500.0)))
        assert widths == sorted(widths)
        assert widths[-1] == 2000.0
        core.now_us = (
            core.now_us - 320_000
        ) % 2**32  # almost 72 minutes later, when the clock has the same value as at that move
        core.ask(Move((None, 1500.0)))
        assert core.pulses()[0] == 2000.0


# --- the ends of motion
def test_silence_for_the_watchdog_s_time_ends_motion_as_each_channel_wants(armed):
    armed.answers()
    armed.ask(Move((2000.0, 2000.0)))
    for _ in range(2):
        armed.pulses()
    armed.wait(209_000)
    assert armed.state == DeviceState.ARMED
    armed.wait(2_000)
    (frame,) = armed.answers()
    assert (frame.sequence, frame.message.answers) == (0, None)
    assert (frame.message.state, frame.message.reasons) == (DeviceState.HOLDING, Reason.SILENCE)
    assert [armed.pulses()[:2] for _ in range(100)] == [(1500.0 + 2 * PER_PULSE_US, None)] * 100


def test_after_silence_it_moves_only_when_armed_again(armed):
    armed.wait(300_000)
    assert refused(armed, Move((1600.0,))) == DeviceResult.NOT_ARMED
    assert armed.ask(Arm(SESSION)).state == DeviceState.ARMED
    armed.ask(Move((1520.0, 1600.0)))
    assert armed.pulses()[:2] == (1520.0, 1600.0)


def end_by_release(core):
    core.ask(Disarm(release=True))


def end_by_stop(core):
    core.ask(Stop())
    core.ask(Disarm())


@pytest.mark.parametrize(
    ("end", "channel"), [(end_by_release, HOLDS), (end_by_release, DETACHES), (end_by_stop, DETACHES)]
)
def test_a_pulse_that_ended_and_begins_again_within_a_period_changes_no_faster_than_its_speed(
    armed, end, channel
):
    end(armed)
    armed.ask(Arm(SESSION))
    armed.ask(Move((2000.0, 2000.0)))
    assert armed.pulses()[channel] == 1500.0 + PER_PULSE_US


def test_once_a_pulse_was_left_out_it_begins_where_the_move_says(armed):
    armed.ask(Disarm(release=True))
    assert armed.pulses()[:2] == (None, None)
    armed.ask(Arm(SESSION))
    armed.ask(Move((2000.0, 1000.0)))
    assert armed.pulses()[:2] == (2000.0, 1000.0)


def test_stop_ends_motion_at_once_and_latches_until_disarmed(armed):
    armed.ask(Move((2000.0, 2000.0)))
    armed.pulses()
    report = armed.ask(Stop())
    assert (report.state, report.reasons) == (DeviceState.FAULT, Reason.STOPPED)
    assert armed.pulses()[:2] == (1500.0 + PER_PULSE_US, None)
    assert refused(armed, Move((1500.0,))) == DeviceResult.NOT_ARMED
    assert refused(armed, Arm(SESSION)) == DeviceResult.FAULT_LATCHED
    assert armed.ask(Disarm()).state == DeviceState.DISARMED
    assert armed.ask(Arm(SESSION)).state == DeviceState.ARMED


def test_arming_again_does_not_take_an_old_move_up(armed):
    armed.ask(Move((2000.0, None), interval_ms=200))
    armed.pulses()
    stopped = armed.pulses()[0]
    armed.ask(Disarm())
    armed.ask(Arm(SESSION))
    assert [armed.pulses()[0] for _ in range(5)] == [stopped] * 5


@pytest.mark.parametrize(("release", "left"), [(False, (1500.0, None)), (True, (None, None))])
def test_disarm_leaves_pulses_as_configured_or_none(armed, release, left):
    assert armed.ask(Disarm(release)).state == DeviceState.DISARMED
    assert armed.pulses()[:2] == left


@pytest.mark.parametrize("message", [Stop(), Disarm(), Disarm(release=True)])
def test_stop_and_disarm_work_without_a_session(core, message):
    assert core.ask(message).result == DeviceResult.ACCEPTED
