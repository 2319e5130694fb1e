"""Tests Dynamixel's Protocol 2.0 on a bad line: bytes that arrive in pieces, are cut off, echoed or
damaged.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.protocols.bus.instructions import StatusPacket
from limber.hardware.protocols.interface import Measured, Problem, Quantity

from tests.hardware.dynamixel_frames import (
    CODEC,
    EVERYTHING,
    ID,
    INSTRUCTIONS,
    PACKETS,
    PUBLIC,
    RISKY,
    STATUSES,
    answers_of,
    little,
    look,
)
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


@given(CHANCE)
def test_an_adapter_that_echoes_changes_nothing(chance):
    (goals,) = CODEC.write({1: 5, 2: 6})
    (question,) = CODEC.read([Quantity.POSITION], [1])
    decoder = CODEC.decoder()
    decoder.expect(goals)
    answer = PACKETS.encode_status(StatusPacket(1, 0, little(2048, 4)))
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


FRAMES = INSTRUCTIONS.map(PACKETS.encode) | STATUSES.map(PACKETS.encode_status)
HEADERISH = NOISE | RISKY | st.just(b"\xff\xff\xfd\x00\xfe\x30\x00\x55")


@given(st.lists(HEADERISH | FRAMES, max_size=6), CHANCE)
def test_it_does_not_matter_how_the_bytes_arrive(parts, chance):
    data = b"".join(parts)
    assert frames(look, pieces(data, chance)) == frames(look, data)


@given(
    st.lists(HEADERISH | STATUSES.map(PACKETS.encode_status), max_size=6),
    st.lists(ID, min_size=1, max_size=5, unique=True),
    CHANCE,
)
def test_no_bytes_in_any_order_raise_and_none_are_lost_to_how_they_are_cut(parts, servos, chance):
    (exchange,) = CODEC.read(EVERYTHING, servos)
    data = b"".join(parts)
    assert heard(CODEC.decoder(), exchange, pieces(data, chance)) == heard(CODEC.decoder(), exchange, data)


@given(NOISE | RISKY, STATUSES)
def test_any_bytes_answered_to_the_question_who_is_there_raise_nothing(noise, status):
    (exchange,) = CODEC.identify([1])
    heard(CODEC.decoder(), exchange, noise + PACKETS.encode_status(status))


@given(FRAMES, st.data(), STATUSES)
def test_a_frame_that_was_cut_off_does_not_hide_the_next_one(cut, data, whole):
    begun = cut[: data.draw(st.integers(0, len(cut) - 1))]
    found = PACKETS.encode_status(whole)
    assert found in whole_frames(look, begun + found)


def test_behind_a_frame_whose_length_was_damaged_the_next_one_is_found_at_once():
    damaged = flipped(PACKETS.encode_status(StatusPacket(1, 0, b"\x01")), 8 * 6)  # 256 bytes longer
    good = PACKETS.encode_status(StatusPacket(2, 0, b"\x02"))
    found = whole_frames(look, [damaged + good])
    assert found == [good]


@pytest.mark.parametrize("quantities", [[Quantity.TEMPERATURE], [Quantity.POSITION], EVERYTHING])
def test_no_answer_with_a_flipped_bit_or_two_is_accepted(quantities):
    chance = random.Random(len(quantities))
    (exchange,) = CODEC.read(quantities, [7])
    for _ in range(8):
        answer = answers_of([7], chance.randbytes(exchange.answers[0].size))
        some = [flipped(answer, *bits) for bits in double_flips(answer, 300, chance.randrange(1000))]
        for damaged in [*single_flips(answer), *some]:
            messages = heard(CODEC.decoder(), exchange, damaged)
            assert all(isinstance(message, Problem) for message in messages), damaged.hex(" ")


@pytest.mark.parametrize("vector", PUBLIC, ids=lambda vector: vector["hex"])
def test_no_public_frame_with_a_flipped_bit_or_two_is_accepted(vector):
    data = wire(vector)
    for damaged in [*single_flips(data), *(flipped(data, *bits) for bits in double_flips(data, 300))]:
        assert whole_frames(look, damaged) == []
