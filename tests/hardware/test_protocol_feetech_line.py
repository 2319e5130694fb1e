"""Tests Feetech's protocol on a bad line: bytes that arrive in pieces, late, echoed or damaged."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.protocols.bus.instructions import StatusPacket
from limber.hardware.protocols.interface import Measured, Problem, Quantity

from tests.hardware.feetech_frames import EVERYTHING, ID, INSTRUCTIONS, PACKETS, PUBLIC, STATUSES, STS, look
from tests.hardware.protocol_checks import (
    CHANCE,
    NOISE,
    double_flips,
    flipped,
    frames,
    heard,
    pieces,
    single_flips,
    whole_frames,
    wire,
)


def test_two_servos_with_one_id_are_noticed():
    (exchange,) = STS.read([Quantity.POSITION], [1, 2])
    answer = PACKETS.encode_status(StatusPacket(1, 0, b"\x05\x00"))
    problems = [
        message for message in heard(STS.decoder(), exchange, answer + answer) if isinstance(message, Problem)
    ]
    assert "two servos may have that id" in problems[0].text


def test_an_older_question_s_answer_is_not_taken_for_the_new_one_s():
    decoder = STS.decoder()
    (old,) = STS.read([Quantity.TEMPERATURE], [1])
    (new,) = STS.read([Quantity.POSITION], [1])
    decoder.expect(old)
    decoder.feed(PACKETS.encode_status(StatusPacket(1, 0, b"\x50"))[:3])
    messages = heard(decoder, new, PACKETS.encode_status(StatusPacket(1, 0, b"\x00\x08")))
    assert messages == [Measured(1, Quantity.POSITION, 2048)]


def test_noise_that_looks_like_a_long_message_does_not_keep_the_answer_waiting():
    decoder = STS.decoder()
    (question,) = STS.read([Quantity.POSITION], [1])
    decoder.expect(question)
    messages = decoder.feed(b"\xff\xff\x01\xc8" + PACKETS.encode_status(StatusPacket(1, 0, b"\x00\x08")))
    assert Measured(1, Quantity.POSITION, 2048) in messages


@given(CHANCE)
def test_an_adapter_that_echoes_changes_nothing(chance):
    (goals,) = STS.write({1: 5, 2: 6})
    (question,) = STS.read([Quantity.POSITION], [1])
    decoder = STS.decoder()
    decoder.expect(goals)
    answer = PACKETS.encode_status(StatusPacket(1, 0, b"\x00\x08"))
    messages = heard(decoder, question, pieces(goals.data + question.data + answer, chance))
    assert messages == [Measured(1, Quantity.POSITION, 2048)]


@given(INSTRUCTIONS)
def test_what_is_encoded_is_decoded(instruction):
    (frame,) = frames(look, PACKETS.encode(instruction))
    assert PACKETS.instruction(frame) == instruction


@given(STATUSES)
def test_a_status_that_is_encoded_is_decoded(status):
    (frame,) = frames(look, PACKETS.encode_status(status))
    assert PACKETS.status(frame) == status


@given(
    st.lists(NOISE | INSTRUCTIONS.map(PACKETS.encode) | STATUSES.map(PACKETS.encode_status), max_size=6),
    CHANCE,
)
def test_it_does_not_matter_how_the_bytes_arrive(parts, chance):
    data = b"".join(parts)
    assert frames(look, pieces(data, chance)) == frames(look, data)


@given(
    st.lists(NOISE | STATUSES.map(PACKETS.encode_status), max_size=6),
    st.lists(ID, min_size=1, max_size=5, unique=True),
    CHANCE,
)
def test_no_bytes_in_any_order_raise_and_none_are_lost_to_how_they_are_cut(parts, servos, chance):
    (exchange,) = STS.read(EVERYTHING, servos)
    data = b"".join(parts)
    assert heard(STS.decoder(), exchange, pieces(data, chance)) == heard(STS.decoder(), exchange, data)


@given(STATUSES, st.data(), STATUSES)
def test_a_frame_that_was_cut_off_does_not_hide_the_next_one(cut, data, whole):
    begun = PACKETS.encode_status(cut)
    begun = begun[: data.draw(st.integers(0, len(begun) - 1))]
    assert PACKETS.encode_status(whole) in whole_frames(look, begun + PACKETS.encode_status(whole))


@pytest.mark.parametrize(
    "quantities",
    [[Quantity.TEMPERATURE], [Quantity.POSITION], [Quantity.POSITION, Quantity.LOAD], EVERYTHING],
)
def test_no_answer_with_a_flipped_bit_is_accepted(quantities):
    chance = random.Random(len(quantities))
    (exchange,) = STS.read(quantities, [7])
    for _ in range(50):
        answer = PACKETS.encode_status(StatusPacket(7, 0, chance.randbytes(exchange.answers[0].size)))
        for damaged in single_flips(answer):
            messages = heard(STS.decoder(), exchange, damaged)
            assert all(isinstance(message, Problem) for message in messages), damaged.hex(" ")


@pytest.mark.parametrize("vector", PUBLIC, ids=lambda vector: vector["hex"])
def test_no_public_frame_with_a_flipped_bit_is_accepted(vector):
    for damaged in single_flips(wire(vector)):
        assert whole_frames(look, damaged) == []


def test_of_two_flipped_bits_only_those_that_keep_the_sum_pass_and_those_are_few():
    (exchange,) = STS.read(EVERYTHING, [7])
    answer = PACKETS.encode_status(StatusPacket(7, 0, random.Random(5).randbytes(8)))
    passed = 0
    for bits in double_flips(answer, 4000):
        damaged = flipped(answer, *bits)
        messages = heard(STS.decoder(), exchange, damaged)
        if any(isinstance(message, Measured) for message in messages):
            passed += 1
            assert sum(damaged[2:]) % 256 == sum(answer[2:]) % 256
    assert 0 < passed < 4000 / 25  # 3.0% of all 6216 pairs
