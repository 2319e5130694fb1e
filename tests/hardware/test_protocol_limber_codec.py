"""Limber's own protocol behind the common interface."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.protocols import limber
from limber.hardware.protocols.interface import Acknowledged, Complaint, Identified, Measured, Problem, ProtocolError, Quantity, Trouble
from limber.hardware.protocols.limber.codec import Limber, look
from limber.hardware.virtual_robot import VirtualRobot

from tests.hardware.protocol_checks import CHANCE, NOISE, frames, heard, pieces, single_flips
from tests.hardware.protocol_messages import BYTE, FROM_DEVICE, MESSAGES

RANGE = (600.0, 2400.0, limber.OnSilence.HOLD)


def codec(feedback: bool = True) -> Limber:
    return Limber(0x1234, {0: RANGE, 2: RANGE}, feedback)


def said(exchanges):
    return [frame.message for exchange in exchanges for frame in limber.Decoder().feed(exchange.data)]


def test_orders_are_the_protocol_s_messages():
    assert said(codec().identify([])) == [limber.Hello(0x1234)]
    assert said(codec().limit(2, 8000.0)) == [limber.Configure(2, 600, 2400, 1000, limber.OnSilence.HOLD)]
    assert said(codec().arm({0: 12_000})) == [limber.Arm(0x1234), limber.Move((1500.0,))]
    assert said(codec().write({0: 12_000, 2: 8001})) == [limber.Move((1500.0, None, 1000.125))]
    assert said(codec().read([Quantity.POSITION], [0])) == [limber.Poll()]
    assert said(codec().stop({0: 12_000}, [2])) == [limber.Stop()]
    assert said(codec().disarm([0])) == [limber.Disarm(release=True)]


def test_a_whole_conversation_with_the_virtual_robot():
    robot = VirtualRobot((1500.0, 1500.0, 1500.0), feedback=True, now=0.0)
    robot.hear(b"", 0.0)
    talk, decoder = codec(), codec().decoder()
    now, heard_all = 0.0, []
    talk_through = (
        *talk.identify([]),
        *talk.limit(0, 40_000.0),
        *talk.limit(2, 40_000.0),
        *talk.arm({0: 12_000, 2: 12_000}),
        *talk.read([Quantity.POSITION], [0, 2]),
        *talk.disarm([0, 2]),
    )
    for exchange in talk_through:
        now += 0.01
        decoder.expect(exchange)
        heard_all += decoder.feed(robot.hear(exchange.data, now))
        assert not decoder.waiting
    assert [type(message) for message in heard_all if not isinstance(message, Measured)] == [Identified, *[Acknowledged] * 6]
    assert {(message.servo, message.raw) for message in heard_all if isinstance(message, Measured)} == {
        (0, 12_000),
        (1, 12_000),
        (2, 12_000),
    }
    assert not [message for message in heard_all if isinstance(message, Complaint | Problem)]


def test_a_refusal_is_a_complaint():
    talk, decoder = codec(), codec().decoder()
    exchange, _ = talk.arm({0: 12_000})
    report = limber.Report(limber.Kind.ARM, limber.Result.WRONG_SESSION, limber.State.DISARMED, limber.Reason.SILENCE, 1, 0, ())
    messages = heard(decoder, exchange, limber.encode(report, 1))
    assert [message.text for message in messages] == ["it refused: wrong session", "it heard nothing for too long and stopped"]


def test_a_report_that_nobody_asked_for_acknowledges_nothing():
    report = limber.Report(None, limber.Result.ACCEPTED, limber.State.ARMED, limber.Reason(0), 1, 0, (1500.0, None), (1498.5, None))
    (exchange,) = codec().read([Quantity.POSITION], [0])
    messages = heard(codec().decoder(), exchange, limber.encode(report, 0))
    assert messages == [Measured(0, Quantity.POSITION, 11_988), Problem(Trouble.MISSING, "The device did not answer")]


@given(st.lists(NOISE | MESSAGES.map(limber.encode), max_size=6), CHANCE)
def test_it_does_not_matter_how_the_bytes_arrive(parts, chance):
    data = b"".join(parts)
    (exchange,) = codec().read([Quantity.POSITION], [0])
    assert heard(codec().decoder(), exchange, pieces(data, chance)) == heard(codec().decoder(), exchange, data)


@given(st.lists(NOISE | MESSAGES.map(limber.encode), max_size=6))
def test_the_same_frames_are_found_as_by_the_protocol_s_own_decoder(parts):
    data = b"".join(parts)
    decoder = limber.Decoder()
    found = [item for item in frames(look, data) if isinstance(item, bytes)]
    assert [limber.Decoder().feed(frame)[0] for frame in found] == decoder.feed(data) + decoder.give_up()


@given(FROM_DEVICE, BYTE)
def test_no_message_with_a_flipped_bit_is_accepted(message, sequence):
    (exchange,) = codec().read([Quantity.POSITION], [0])
    for damaged in single_flips(limber.encode(message, sequence)):
        assert all(isinstance(heard_now, Problem) for heard_now in heard(codec().decoder(), exchange, damaged))


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (lambda: codec().write({1: 12_000}), "Servo 1 has no range; known are 0, 2"),
        (lambda: codec().limit(0, float("nan")), "The speed is nan"),
        (lambda: codec(feedback=False).read([Quantity.POSITION], [0]), "position"),
        (lambda: codec().read([Quantity.LOAD], [0]), "load"),
        (lambda: codec().watchdog([0], 0.5), "always on"),
        (lambda: codec().write({0: 70_000}), "positions_us"),
    ],
)
def test_what_cannot_be_said_is_an_error_that_names_it(order, words):
    with pytest.raises(ProtocolError, match=words):
        order()


def test_a_message_of_a_kind_to_come_is_a_problem_that_names_it():
    (exchange,) = codec().read([Quantity.POSITION], [0])
    messages = heard(codec().decoder(), exchange, limber.encode_raw(0x7E, b"", 1))
    assert "A message of the unknown kind 0x7e" in [message.text for message in messages if isinstance(message, Problem)]


def test_a_message_that_must_be_empty_is_unreadable_where_it_is_not():
    (frame,) = limber.Decoder().feed(limber.encode_raw(limber.Kind.POLL, b"x", 1))
    assert isinstance(frame.message, limber.Unreadable)
    assert frame.message.result is limber.Result.WRONG_LENGTH
