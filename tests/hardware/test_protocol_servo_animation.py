"""Tests compatibility with blender-servo-animation: its bytes, and those that its firmware drops."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.protocols.interface import Exchange, ProblemKind, ProtocolError, Quantity
from limber.hardware.protocols.servo_animation import HIGHEST, START, ServoAnimation, encode

from tests.hardware.protocol_checks import (
    CHANCE,
    NOISE,
    frames,
    heard,
    needs_vectors,
    pieces,
    vectors,
    whole_frames,
    wire,
)
from tests.hardware.servo_animation_device import decode, look

CODEC = ServoAnimation()
SERVO = st.integers(0, 255).filter(lambda servo: servo != START)
POSITION = st.integers(0, HIGHEST)
PUBLIC = vectors("bsa.")


@needs_vectors
def test_all_public_vectors_of_the_protocol_are_tested():
    assert len(PUBLIC) == 4


@pytest.mark.parametrize("vector", PUBLIC, ids=lambda vector: vector["hex"])
def test_commands_are_the_bytes_that_the_firmware_obeys_and_no_others(vector):
    ours = encode(vector["id"], vector["pos"])
    if "WARNING" in vector:
        assert ours == wire(vector)[:3] + b"\x3d" + wire(vector)[4:]
        assert whole_frames(look, wire(vector)) == []
    else:
        assert ours == wire(vector)
        assert [decode(frame) for frame in frames(look, wire(vector))] == [(vector["id"], vector["pos"])]


def test_every_position_that_can_be_sent_arrives_and_is_at_most_one_off():
    for position in range(HIGHEST + 1):
        (frame,) = frames(look, encode(7, position))
        servo, arrived = decode(frame)
        assert servo == 7
        assert arrived == position or (position & 0xFF == START and arrived == position + 1)


def test_every_servo_but_one_can_be_moved():
    for servo in set(range(256)) - {START}:
        assert [decode(frame) for frame in frames(look, encode(servo, 1500))] == [(servo, 1500)]


def test_several_servos_go_in_one_piece():
    (exchange,) = CODEC.write({0: 1500, 3: 2000})
    assert exchange == Exchange(bytes.fromhex("3c 00 05 dc 3e 3c 03 07 d0 3e"))
    assert CODEC.arm({0: 1500, 3: 2000}) == CODEC.stop({0: 1500, 3: 2000}, [1]) == (exchange,)


@given(st.lists(NOISE | st.builds(encode, SERVO, POSITION), max_size=6), CHANCE)
def test_it_does_not_matter_how_the_bytes_arrive(parts, chance):
    data = b"".join(parts)
    assert frames(look, pieces(data, chance, 4)) == frames(look, data)


@given(SERVO, POSITION, st.integers(0, 4), SERVO, POSITION)
def test_a_command_that_was_cut_off_does_not_hide_the_next_one(cut, at, kept, servo, position):
    whole = encode(servo, position)
    assert whole in whole_frames(look, encode(cut, at)[:kept] + whole)


@given(NOISE)
def test_whatever_comes_back_is_noise(data):
    messages = heard(CODEC.decoder(), CODEC.write({0: 1500})[0], data)
    assert [message.kind for message in messages] == [ProblemKind.NOISE] * bool(data)


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (lambda: CODEC.write({60: 1500}), "Servo 60 never moves"),
        (lambda: CODEC.write({256: 1500}), "Servo 256"),
        (lambda: CODEC.write({1: HIGHEST + 1}), "position 15360"),
        (lambda: CODEC.write({1: -1}), "position -1"),
        (lambda: CODEC.read([Quantity.POSITION], [1]), "cannot tell a servo's position"),
        (lambda: CODEC.limit(1, 100.0), "no speed limit"),
        (lambda: CODEC.watchdog([1], 0.5), "no watchdog"),
    ],
)
def test_what_cannot_be_said_is_an_error_that_names_it(order, words):
    with pytest.raises(ProtocolError, match=words):
        order()
