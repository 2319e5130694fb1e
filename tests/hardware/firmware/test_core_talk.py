"""The firmware's portable core on this machine: the handshake, and what it refuses."""

import pytest
from limber.hardware.protocols import limber
from limber.hardware.protocols.limber import (
    Arm,
    Configure,
    Hello,
    Kind,
    Move,
    OnSilence,
    Poll,
    Reason,
    Report,
    Result,
    State,
)

from tests.hardware.emulator import require_emulator
from tests.hardware.firmware.talking import CHANNELS, PER_PULSE_US, SESSION, refused

require_emulator()


# --- the handshake
def test_after_a_reset_it_reports_unasked_that_it_is_disarmed_and_knows_no_session(core):
    (frame,) = core.answers()
    assert frame == limber.Frame(0, Report(None, 0, State.DISARMED, Reason.NO_SESSION, 0, 0, (None,) * 12))


def test_a_hello_is_answered_with_what_the_device_is(core):
    welcome = core.ask(Hello(SESSION))
    assert welcome == limber.Welcome(
        SESSION, (1, 0), 12, limber.Features.INTERPOLATION, 500.0, 2500.0, 20000, 250, "core"
    )


@pytest.mark.parametrize("payload", [b"\x02", b"\x00\x00\x07", b"\x02 and whatever version 2 may add"])
def test_another_version_is_answered_with_the_one_it_speaks_and_changes_nothing(armed, payload):
    armed.answers()
    armed.receive(limber.encode_raw(Kind.HELLO, payload, 99))
    assert armed.answers() == [limber.Frame(99, limber.WrongVersion(1, (1, 0)))]
    assert armed.state == State.ARMED


def test_a_hello_disarms_forgets_the_configuration_and_goes_on_holding(armed):
    armed.ask(Hello(8))
    assert armed.state == State.DISARMED
    assert armed.pulses()[:2] == (1500.0, None)
    assert refused(armed, Arm(8)) == Result.NOT_CONFIGURED


def test_a_held_pulse_is_gone_on_from_at_the_channel_s_speed_in_the_next_session(armed):
    armed.ask(Hello(8))
    armed.open_session(CHANNELS, 9)
    armed.ask(Move((2000.0,)))
    assert armed.pulses()[0] == 1500.0 + PER_PULSE_US


# --- what is refused, and why
@pytest.mark.parametrize("message", [CHANNELS[0], Arm(SESSION), Move((1500.0,))])
def test_without_a_session_nothing_is_done(core, message):
    assert refused(core, message) == Result.NO_SESSION


def test_arm_wants_the_open_session(core):
    core.ask(Hello(SESSION))
    core.ask(CHANNELS[0])
    assert refused(core, Arm(SESSION + 1)) == Result.WRONG_SESSION
    assert refused(core, Arm(0)) == Result.WRONG_SESSION


def test_arm_wants_a_channel(core):
    core.ask(Hello(SESSION))
    assert refused(core, Arm(SESSION)) == Result.NOT_CONFIGURED


def test_a_session_cannot_be_zero(core):
    assert core.ask(Hello(0)).result == Result.OUT_OF_RANGE
    assert refused(core, Arm(0)) == Result.NO_SESSION


def test_a_move_wants_an_armed_device(core):
    core.ask(Hello(SESSION))
    core.ask(CHANNELS[0])
    assert refused(core, Move((1500.0,))) == Result.NOT_ARMED
    assert core.pulses() == (None,) * 12


def test_channels_are_configured_only_while_disarmed(armed):
    assert refused(armed, CHANNELS[0]) == Result.NOT_DISARMED


@pytest.mark.parametrize(
    ("message", "result"),
    [
        (Configure(12, 700, 2300, 1, OnSilence.HOLD), Result.NO_SUCH_CHANNEL),
        (Configure(0, 499, 2300, 1, OnSilence.HOLD), Result.OUT_OF_RANGE),
        (Configure(0, 700, 2501, 1, OnSilence.HOLD), Result.OUT_OF_RANGE),
        (Configure(0, 1600, 1500, 1, OnSilence.HOLD), Result.OUT_OF_RANGE),
        (Configure(0, 700, 2300, 0, OnSilence.HOLD), Result.OUT_OF_RANGE),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(core, message, result):
    core.ask(Hello(SESSION))
    assert refused(core, message) == result


@pytest.mark.parametrize(
    ("positions", "result"),
    [
        ((1510.0, 499.875), Result.OUT_OF_RANGE),
        ((1510.0, 2500.125), Result.OUT_OF_RANGE),
        ((1510.0, 8191.875), Result.OUT_OF_RANGE),
        ((1510.0, None, 1500.0), Result.NOT_CONFIGURED),
        ((1510.0,) + (None,) * 12, Result.NO_SUCH_CHANNEL),
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
    assert armed.state == State.HOLDING


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind < 0x80])
@pytest.mark.parametrize("length", range(12))
def test_a_payload_of_another_length_is_refused(armed, kind, length):
    own = {
        Kind.HELLO: {3},
        Kind.CONFIGURE: {8},
        Kind.ARM: {2},
        Kind.DISARM: {1},
        Kind.STOP: {0},
        Kind.POLL: {0},
        Kind.MOVE: {2},
    }
    if length in own[kind]:
        return
    armed.answers()
    armed.receive(limber.encode_raw(kind, b"\x01" + bytes(length - 1) if length else b"", 9))
    (frame,) = armed.answers()
    assert (frame.message.answers, frame.message.result) == (kind, Result.WRONG_LENGTH)
    assert armed.state == State.ARMED
    assert armed.pulses()[:2] == (1500.0, 1500.0)


def test_an_unknown_kind_is_said_to_be_unknown(armed):
    armed.answers()
    armed.receive(limber.encode_raw(0x42, b"hello", 9))
    (frame,) = armed.answers()
    assert (frame.sequence, frame.message.answers, frame.message.result) == (9, 0x42, Result.UNKNOWN_KIND)
