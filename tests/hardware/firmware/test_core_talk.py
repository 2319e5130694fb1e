"""Tests the handshake of the firmware's portable core on this machine, and the messages that it refuses."""

import pytest
from limber.hardware.protocols import limber
from limber.hardware.protocols.limber import (
    Arm,
    Configure,
    DeviceReport,
    DeviceResult,
    DeviceState,
    Hello,
    MessageKind,
    Move,
    OnSilence,
    Poll,
    Reason,
)

from tests.hardware.emulator import require_emulator
from tests.hardware.firmware.talking import CHANNELS, PER_PULSE_US, SESSION, refused

require_emulator()


# --- the handshake
def test_after_a_reset_it_reports_unasked_that_it_is_disarmed_and_knows_no_session(core):
    (frame,) = core.answers()
    assert frame == limber.MessageFrame(
        0, DeviceReport(None, 0, DeviceState.DISARMED, Reason.NO_SESSION, 0, 0, (None,) * 12)
    )


def test_a_hello_is_answered_with_what_the_device_is(core):
    welcome = core.ask(Hello(SESSION))
    assert welcome == limber.Welcome(
        SESSION, (1, 0), 12, limber.Features.INTERPOLATION, 500.0, 2500.0, 20000, 250, "core"
    )


@pytest.mark.parametrize("payload", [b"\x02", b"\x00\x00\x07", b"\x02 and whatever version 2 may add"])
def test_another_version_is_answered_with_the_one_it_speaks_and_changes_nothing(armed, payload):
    armed.answers()
    armed.receive(limber.encode_raw(MessageKind.HELLO, payload, 99))
    assert armed.answers() == [limber.MessageFrame(99, limber.WrongVersion(1, (1, 0)))]
    assert armed.state == DeviceState.ARMED


def test_a_hello_disarms_forgets_the_configuration_and_goes_on_holding(armed):
    armed.ask(Hello(8))
    assert armed.state == DeviceState.DISARMED
    assert armed.pulses()[:2] == (1500.0, None)
    assert refused(armed, Arm(8)) == DeviceResult.NOT_CONFIGURED


def test_a_held_pulse_is_gone_on_from_at_the_channel_s_speed_in_the_next_session(armed):
    armed.ask(Hello(8))
    armed.open_session(CHANNELS, 9)
    armed.ask(Move((2000.0,)))
    assert armed.pulses()[0] == 1500.0 + PER_PULSE_US


# --- what is refused, and why
@pytest.mark.parametrize("message", [CHANNELS[0], Arm(SESSION), Move((1500.0,))])
def test_without_a_session_nothing_is_done(core, message):
    assert refused(core, message) == DeviceResult.NO_SESSION


def test_arm_wants_the_open_session(core):
    core.ask(Hello(SESSION))
    core.ask(CHANNELS[0])
    assert refused(core, Arm(SESSION + 1)) == DeviceResult.WRONG_SESSION
    assert refused(core, Arm(0)) == DeviceResult.WRONG_SESSION


def test_arm_wants_a_channel(core):
    core.ask(Hello(SESSION))
    assert refused(core, Arm(SESSION)) == DeviceResult.NOT_CONFIGURED


def test_a_session_cannot_be_zero(core):
    assert core.ask(Hello(0)).result == DeviceResult.OUT_OF_RANGE
    assert refused(core, Arm(0)) == DeviceResult.NO_SESSION


def test_a_move_wants_an_armed_device(core):
    core.ask(Hello(SESSION))
    core.ask(CHANNELS[0])
    assert refused(core, Move((1500.0,))) == DeviceResult.NOT_ARMED
    assert core.pulses() == (None,) * 12


def test_channels_are_configured_only_while_disarmed(armed):
    assert refused(armed, CHANNELS[0]) == DeviceResult.NOT_DISARMED


@pytest.mark.parametrize(
    ("message", "result"),
    [
        (Configure(12, 700, 2300, 1, OnSilence.HOLD), DeviceResult.NO_SUCH_CHANNEL),
        (Configure(0, 499, 2300, 1, OnSilence.HOLD), DeviceResult.OUT_OF_RANGE),
        (Configure(0, 700, 2501, 1, OnSilence.HOLD), DeviceResult.OUT_OF_RANGE),
        (Configure(0, 1600, 1500, 1, OnSilence.HOLD), DeviceResult.OUT_OF_RANGE),
        (Configure(0, 700, 2300, 0, OnSilence.HOLD), DeviceResult.OUT_OF_RANGE),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(core, message, result):
    core.ask(Hello(SESSION))
    assert refused(core, message) == result


@pytest.mark.parametrize(
    ("positions", "result"),
    [
        ((1510.0, 499.875), DeviceResult.OUT_OF_RANGE),
        ((1510.0, 2500.125), DeviceResult.OUT_OF_RANGE),
        ((1510.0, 8191.875), DeviceResult.OUT_OF_RANGE),
        ((1510.0, None, 1500.0), DeviceResult.NOT_CONFIGURED),
        ((1510.0,) + (None,) * 12, DeviceResult.NO_SUCH_CHANNEL),
    ],
)
def test_a_move_is_refused_as_a_whole(armed, positions, result):
    assert refused(armed, Move(positions)) == result
    assert armed.pulses()[:2] == (1500.0, 1500.0)


def test_a_refused_move_does_not_calm_the_watchdog(armed):
    for _ in range(15):
        armed.ask(Move((100.0,)))
        armed.ask(Poll())
        armed.wait(20_000)
    assert armed.state == DeviceState.HOLDING


@pytest.mark.parametrize("kind", [kind for kind in MessageKind if kind < 0x80])
@pytest.mark.parametrize("length", range(12))
def test_a_payload_of_another_length_is_refused(armed, kind, length):
    own = {
        MessageKind.HELLO: {3},
        MessageKind.CONFIGURE: {8},
        MessageKind.ARM: {2},
        MessageKind.DISARM: {1},
        MessageKind.STOP: {0},
        MessageKind.POLL: {0},
        MessageKind.MOVE: {2},
    }
    if length in own[kind]:
        return
    armed.answers()
    armed.receive(limber.encode_raw(kind, b"\x01" + bytes(length - 1) if length else b"", 9))
    (frame,) = armed.answers()
    assert (frame.message.answers, frame.message.result) == (kind, DeviceResult.WRONG_LENGTH)
    assert armed.state == DeviceState.ARMED
    assert armed.pulses()[:2] == (1500.0, 1500.0)


def test_an_unknown_kind_is_said_to_be_unknown(armed):
    armed.answers()
    armed.receive(limber.encode_raw(0x42, b"hello", 9))
    (frame,) = armed.answers()
    assert (frame.sequence, frame.message.answers, frame.message.result) == (
        9,
        0x42,
        DeviceResult.UNKNOWN_KIND,
    )
