"""Dynamixel's Protocol 2.0 on a bad line: bytes that come in pieces, are cut off, echoed or damaged."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.protocols.bus.instructions import Status
from limber.hardware.protocols.interface import Measured, Problem, Quantity, Trouble

from tests.hardware.dynamixel_frames import (
    EVERYTHING,
    FAST,
    ID,
    INSTRUCTIONS,
    PACKETS,
    PLAIN,
    PUBLIC,
    RISKY,
    STATUSES,
    answers_to,
    little,
    look,
)
from tests.hardware.protocol_checks import CHANCE, NOISE, double_flips, flipped, frames, heard, pieces, single_flips, whole_frames, wire


@given(st.lists(ID, min_size=1, max_size=8, unique=True), st.data(), CHANCE)
def test_a_shared_frame_tells_every_servo_s_position_however_it_is_cut(servos, data, chance):
    (exchange,) = FAST.read([Quantity.POSITION], servos)
    positions = [data.draw(st.integers(-(1 << 31), (1 << 31) - 1)) for _ in servos]
    frame = PACKETS.encode_shared([Status(servo, 0, little(raw, 4)) for servo, raw in zip(servos, positions, strict=True)])
    assert exchange.answer_bytes == len(frame)
    messages = heard(FAST.decoder(), exchange, pieces(frame, chance))
    assert messages == [Measured(servo, Quantity.POSITION, raw) for servo, raw in zip(servos, positions, strict=True)]


@given(st.integers(0, 47))
def test_of_a_shared_frame_that_ends_too_early_the_whole_answers_count(kept):
    (exchange,) = FAST.read([Quantity.POSITION], [1, 2, 3, 4, 5])
    frame = PACKETS.encode_shared([Status(servo, 0, little(servo * 100, 4)) for servo in (1, 2, 3, 4, 5)])
    whole = max(0, kept - 8) // 8
    messages = heard(FAST.decoder(), exchange, frame[:kept])
    assert [message.raw for message in messages if isinstance(message, Measured)] == [servo * 100 for servo in range(1, whole + 1)]
    missing = [message.servo for message in messages if isinstance(message, Problem) and message.trouble is Trouble.MISSING]
    assert missing == list(range(whole + 1, 6))


def test_of_a_shared_frame_that_ends_too_early_nothing_behind_damage_counts():
    (exchange,) = FAST.read([Quantity.POSITION], [1, 2, 3])
    frame = PACKETS.encode_shared([Status(servo, 0, little(servo * 100, 4)) for servo in (1, 2, 3)])[:-1]
    for bit in range(8 * len(frame)):
        messages = heard(FAST.decoder(), exchange, flipped(frame, bit))
        whole = max(0, bit // 8 - 8) // 8  # answers before the damage
        assert [message.raw for message in messages if isinstance(message, Measured)] == [100, 200][:whole]


def test_of_a_shared_frame_that_ends_too_early_only_those_that_were_asked_count():
    (exchange,) = FAST.read([Quantity.POSITION], [1, 2, 3])
    frame = PACKETS.encode_shared([Status(servo, 0, little(servo * 100, 4)) for servo in (1, 7, 3)])
    messages = heard(FAST.decoder(), exchange, frame[:-1])
    assert [message.servo for message in messages if isinstance(message, Measured)] == [1]


@given(CHANCE)
def test_an_adapter_that_echoes_changes_nothing(chance):
    (goals,) = PLAIN.write({1: 5, 2: 6})
    (question,) = PLAIN.read([Quantity.POSITION], [1])
    decoder = PLAIN.decoder()
    decoder.expect(goals)
    answer = PACKETS.encode_status(Status(1, 0, little(2048, 4)))
    messages = heard(decoder, question, pieces(goals.data + question.data + answer, chance))
    assert messages == [Measured(1, Quantity.POSITION, 2048)]


@given(INSTRUCTIONS)
def test_what_is_encoded_is_decoded(instruction):
    (frame,) = frames(look, PACKETS.encode(instruction))
    assert PACKETS.instruction(frame) == instruction


@given(STATUSES)
def test_a_status_that_is_encoded_is_decoded(status):
    (frame,) = frames(look, PACKETS.encode_status(status))
    assert PACKETS.statuses(frame, 0) == (status,)


FRAMES = INSTRUCTIONS.map(PACKETS.encode) | STATUSES.map(PACKETS.encode_status)
HEADERISH = NOISE | RISKY | st.just(b"\xff\xff\xfd\x00\xfe\x30\x00\x55")


@given(st.lists(HEADERISH | FRAMES, max_size=6), CHANCE)
def test_it_does_not_matter_how_the_bytes_arrive(parts, chance):
    data = b"".join(parts)
    assert frames(look, pieces(data, chance)) == frames(look, data)


@pytest.mark.parametrize("codec", [PLAIN, FAST])
@given(st.lists(HEADERISH | STATUSES.map(PACKETS.encode_status), max_size=6), st.lists(ID, min_size=1, max_size=5, unique=True), CHANCE)
def test_no_bytes_in_any_order_raise_and_none_are_lost_to_how_they_are_cut(codec, parts, servos, chance):
    (exchange,) = codec.read(EVERYTHING, servos)
    data = b"".join(parts)
    assert heard(codec.decoder(), exchange, pieces(data, chance)) == heard(codec.decoder(), exchange, data)


@given(NOISE | RISKY, STATUSES)
def test_any_bytes_answered_to_a_scan_raise_nothing(noise, status):
    (exchange,) = PLAIN.scan()
    heard(PLAIN.decoder(), exchange, noise + PACKETS.encode_status(status))


@given(FRAMES, st.data(), STATUSES)
def test_a_frame_that_was_cut_off_does_not_hide_the_next_one(cut, data, whole):
    begun = cut[: data.draw(st.integers(0, len(cut) - 1))]
    found = PACKETS.encode_status(whole)
    assert found in whole_frames(look, begun + found)


def test_behind_a_frame_whose_length_was_damaged_the_next_one_is_found_at_once():
    damaged = flipped(PACKETS.encode_status(Status(1, 0, b"\x01")), 8 * 6)  # 256 bytes longer
    good = PACKETS.encode_status(Status(2, 0, b"\x02"))
    found = whole_frames(look, [damaged + good])
    assert found == [good]


@pytest.mark.parametrize("codec", [PLAIN, FAST])
@pytest.mark.parametrize("quantities", [[Quantity.TEMPERATURE], [Quantity.POSITION], EVERYTHING])
def test_no_answer_with_a_flipped_bit_or_two_is_accepted(codec, quantities):
    chance = random.Random(len(quantities))
    (exchange,) = codec.read(quantities, [7])
    for _ in range(8):
        answer = answers_to(codec, [7], chance.randbytes(exchange.answers[0].size))
        some = [flipped(answer, *bits) for bits in double_flips(answer, 300, chance.randrange(1000))]
        for damaged in [*single_flips(answer), *some]:
            messages = heard(codec.decoder(), exchange, damaged)
            assert all(isinstance(message, Problem) for message in messages), damaged.hex(" ")


def test_no_shared_frame_with_a_flipped_bit_gives_an_answer_behind_the_damage():
    (exchange,) = FAST.read([Quantity.POSITION], [1, 2, 3])
    frame = PACKETS.encode_shared([Status(servo, 0, little(2048 + servo, 4)) for servo in (1, 2, 3)])
    for bit in range(8 * len(frame)):
        messages = heard(FAST.decoder(), exchange, flipped(frame, bit))
        whole = max(0, bit // 8 - 8) // 8  # answers before the damage
        assert [message.raw for message in messages if isinstance(message, Measured)] in ([], [2049, 2050, 2051][:whole])


@pytest.mark.parametrize("vector", PUBLIC, ids=lambda vector: vector["hex"])
def test_no_public_frame_with_a_flipped_bit_or_two_is_accepted(vector):
    data = wire(vector)
    for damaged in [*single_flips(data), *(flipped(data, *bits) for bits in double_flips(data, 300))]:
        assert whole_frames(look, damaged) == []
