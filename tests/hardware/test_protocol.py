"""Tests the codec of Limber's own protocol against its document, and with every kind of damage."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.protocols import limber

from tests.hardware.protocol_messages import BYTE, MESSAGES, length_trap

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
FULL_MOVE = limber.Move(tuple(1000.0 + 100.125 * channel for channel in range(12)), interval_ms=10)


def vectors() -> list[tuple[limber.Message, int, bytes]]:
    """The table at the end of the document: a message and its sequence number in Python, and its bytes."""
    rows = re.findall(
        r"^\| (\w+\(.*\), \d+) \| ([0-9A-F ]+) \|$", DOCUMENT.split("## Test vectors")[1], re.MULTILINE
    )
    return [
        (*eval(expression, vars(limber)), bytes.fromhex(digits)) for expression, digits in rows
    ]  # the project's own document


VECTORS = vectors()
WIRE = [data for _, _, data in VECTORS] + [limber.encode(FULL_MOVE, 77)]


def found_in(data: bytes) -> list[limber.MessageFrame]:
    """Every frame that a decoder finds in `data`, without further bytes to come."""
    decoder = limber.FrameDecoder()
    return decoder.feed(data) + decoder.give_up()


def flipped(data: bytes, *bits: int) -> bytes:
    damaged = bytearray(data)
    for bit in bits:
        damaged[bit // 8] ^= 1 << bit % 8
    return bytes(damaged)


def test_the_document_has_a_vector_for_every_message():
    assert {type(message) for message, _, _ in VECTORS} == set(limber.Message.__args__)


@pytest.mark.parametrize(("message", "sequence", "data"), VECTORS)
def test_messages_are_the_bytes_that_the_document_says(message, sequence, data):
    assert limber.encode(message, sequence) == data
    assert limber.FrameDecoder().feed(data) == [limber.MessageFrame(sequence, message)]


def test_the_crc_has_its_catalogue_s_check_value():
    assert limber.crc16(b"123456789") == 0x29B1


@pytest.mark.parametrize("kind", limber.MessageKind)
def test_the_document_names_every_kind_with_its_number(kind):
    assert f"| {kind:02X} | {kind.name} |" in DOCUMENT


@pytest.mark.parametrize("result", limber.DeviceResult)
def test_the_document_names_every_result_with_its_number(result):
    assert f"| {result:d} {result.name} |" in DOCUMENT


@given(MESSAGES, BYTE)
def test_what_is_encoded_is_decoded(message, sequence):
    data = limber.encode(message, sequence)
    assert len(data) <= 119
    assert found_in(data) == [limber.MessageFrame(sequence, message)]


@given(BYTE, st.binary(max_size=limber.MAX_PAYLOAD))
def test_any_payload_of_any_kind_is_read_or_called_unreadable(kind, payload):
    (frame,) = found_in(limber.encode_raw(kind, payload, 5))
    if isinstance(frame.message, limber.Unreadable):
        assert frame.message.payload == payload
        assert frame.message.result >= limber.DeviceResult.OUT_OF_RANGE


@given(
    st.lists(st.binary(max_size=40) | MESSAGES.map(limber.encode), max_size=6),
    st.randoms(use_true_random=False),
)
def test_it_does_not_matter_how_the_bytes_arrive(pieces, chance):
    data = b"".join(pieces)
    decoder, frames = limber.FrameDecoder(), []
    at = 0
    while at < len(data):
        step = chance.randint(1, 30)
        frames += decoder.feed(data[at : at + step])
        at += step
    assert frames + decoder.give_up() == found_in(data)


@given(st.binary(max_size=150), MESSAGES, st.binary(max_size=150), MESSAGES)
def test_frames_are_found_between_noise(before, first, between, second):
    messages = [
        frame.message for frame in found_in(before + limber.encode(first) + between + limber.encode(second))
    ]
    assert first in messages
    assert second in messages


@given(MESSAGES, st.data(), MESSAGES)
def test_a_frame_that_was_cut_off_does_not_hide_the_next_one(cut, data, whole):
    wire = limber.encode(cut)
    begun = wire[: data.draw(st.integers(0, len(wire) - 1))]
    assert [frame.message for frame in found_in(begun + limber.encode(whole))] == [whole]


@pytest.mark.parametrize("wire", WIRE, ids=bytes.hex)
def test_no_frame_with_a_flipped_bit_is_accepted(wire):
    for bit in range(8 * len(wire)):
        assert found_in(flipped(wire, bit)) == []


def test_a_flipped_bit_of_the_length_is_found_even_where_the_crc_would_be_right():
    assert found_in(length_trap()) == []


def test_no_full_move_with_two_flipped_bits_is_accepted():
    wire = limber.encode(FULL_MOVE, 77)
    body = range(8 * 3, 8 * len(wire))  # after the length, whose damage the complement reveals
    for first in body:
        for second in range(first):
            if second >= body.start:
                assert limber.crc16(flipped(wire, first, second)[1:]) != 0


def test_no_full_move_with_a_damaged_length_and_any_other_flipped_bit_is_accepted():
    wire = limber.encode(FULL_MOVE, 77)
    for first in range(8 * 3):
        for second in range(8 * len(wire)):
            assert second == first or found_in(flipped(wire, first, second)) == []


def test_noise_is_counted_and_not_kept():
    decoder = limber.FrameDecoder()
    noise = random.Random(3).randbytes(100_000)
    assert decoder.feed(noise) == []
    assert decoder.noise >= len(noise) - 119
    assert decoder.bad_frames > 0


def test_a_hello_of_a_version_to_come_can_be_told_from_this_one_s():
    (frame,) = found_in(limber.encode_raw(limber.MessageKind.HELLO, b"\x02 and more than version 1 has"))
    assert isinstance(frame.message, limber.Hello)
    assert frame.message.version == 2


@pytest.mark.parametrize(("version", "remedy"), [(0, "flash the device"), (9, "update Limber")])
def test_a_wrong_version_says_which_and_what_to_do(version, remedy):
    sentence = limber.WrongVersion(version, (3, 1)).sentence()
    assert f"version {version} " in sentence
    assert "3.1" in sentence
    assert remedy in sentence


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (limber.Move((float("nan"),)), "positions_us"),
        (limber.Move((-1.0,)), "positions_us"),
        (limber.Move((0.0,)), "positions_us"),
        (limber.Move((8192.0,)), "positions_us"),
        (limber.Move((float("inf"),)), "positions_us"),
        (limber.Move((1500.0,) * 25), "positions_us"),
        (limber.Move((1500.0,), interval_ms=256), "interval_ms"),
        (limber.Hello(0x10000), "session"),
        (limber.Hello(1, version=256), "version"),
        (limber.Configure(24, 600, 2400, 100, limber.OnSilence.HOLD), "channel"),
        (limber.Configure(0, 600, 9000, 100, limber.OnSilence.HOLD), "upper_us"),
        (limber.Configure(0, 600, 2400, 70000, limber.OnSilence.HOLD), "speed_us_per_s"),
        (limber.Welcome(1, (1, 0), 12, limber.Features(0), 500, 2500, 20000, 250, "Zoë"), "name"),
        (
            limber.DeviceReport(
                None, 0, limber.DeviceState.ARMED, limber.Reason(0), 1, 0, (1500.0,), (1500.0, 1500.0)
            ),
            "measured_us",
        ),
    ],
)
def test_what_the_wire_cannot_carry_is_an_error_that_names_the_field(message, field):
    with pytest.raises(limber.ProtocolError, match=field):
        limber.encode(message)


@pytest.mark.parametrize(
    ("kind", "sequence", "payload"), [(256, 0, b""), (1, 256, b""), (1, -1, b""), (1, 0, bytes(113))]
)
def test_a_frame_that_cannot_be_is_an_error(kind, sequence, payload):
    with pytest.raises(limber.ProtocolError):
        limber.encode_raw(kind, payload, sequence)


def test_a_message_that_must_be_empty_is_unreadable_where_it_is_not():
    (frame,) = limber.FrameDecoder().feed(limber.encode_raw(limber.MessageKind.POLL, b"x", 1))
    assert isinstance(frame.message, limber.Unreadable)
    assert frame.message.result is limber.DeviceResult.WRONG_LENGTH
