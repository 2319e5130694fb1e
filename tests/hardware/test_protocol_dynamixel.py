"""Tests Dynamixel's frames and codec: against public vectors, and the meaning of commands and answers."""

import json

import pytest
from hypothesis import given
from limber.hardware.protocols.bus.instructions import Ping, Read, StatusPacket, SyncRead, SyncWrite, Write
from limber.hardware.protocols.dynamixel.packets import crc16, stuff, unstuff
from limber.hardware.protocols.dynamixel.series import load_unit
from limber.hardware.protocols.interface import (
    Acknowledged,
    Identified,
    Measured,
    Problem,
    ProblemKind,
    ProtocolError,
    Quantity,
    ReportedError,
)

from tests.hardware.dynamixel_frames import (
    ALL,
    CODEC,
    EVERYTHING,
    NOT_SENT,
    PACKETS,
    PUBLIC,
    RISKY,
    VALUES,
    answers_of,
    little,
    look,
)
from tests.hardware.protocol_checks import VECTORS_FILE, frames, heard, needs_vectors, whole_frames, wire


def instruction_of(vector):
    """The instruction that the fields of a public vector describe."""
    start, size = vector.get("addr"), vector.get("len")
    match vector["name"].split("."):
        case [_, "ping"]:
            return Ping(vector["id"])
        case [_, "write", *_]:
            return Write(vector["id"], start, little(vector["value"], size))
        case [_, "read"]:
            return Read(vector["id"], start, size)
        case [_, "sync_read"]:
            return SyncRead(start, size, tuple(vector["ids"]))
        case [_, "sync_write", *_] | [_, "sync_write_accel_vel_goal"]:
            each = [(servo, values) for servo, *values in vector["items"]]
            return SyncWrite(
                start,
                tuple(
                    (servo, b"".join(little(value, size // len(values)) for value in values))
                    for servo, values in each
                ),
            )
    raise AssertionError(f"no such vector: {vector['name']}")


DOUBTFUL = [vector for vector in ALL if vector not in PUBLIC]


@needs_vectors
def test_all_public_vectors_of_the_protocol_are_tested():
    assert (len(PUBLIC), len(DOUBTFUL)) == (35, 3)


@pytest.mark.parametrize(
    "vector",
    [one for one in PUBLIC if not one["name"].startswith(NOT_SENT)],
    ids=lambda vector: vector["hex"],
)
def test_instructions_are_the_public_bytes_both_ways(vector):
    instruction = instruction_of(vector)
    assert PACKETS.encode(instruction) == wire(vector)
    (frame,) = frames(look, wire(vector))
    assert PACKETS.instruction(frame) == instruction


@pytest.mark.parametrize("vector", DOUBTFUL, ids=lambda vector: vector["hex"])
def test_what_a_public_library_forgot_to_stuff_is_not_accepted(vector):
    assert whole_frames(look, wire(vector)) == []


@pytest.mark.parametrize(
    "vector", [vector for vector in DOUBTFUL if "WARNING" in vector], ids=lambda vector: vector["hex"]
)
def test_it_is_stuffed_here(vector):
    instruction = instruction_of(vector)
    ours = PACKETS.encode(instruction)
    assert ours != wire(vector)
    assert ours.count(bytes.fromhex("ff ff fd fd")) == wire(vector)[7:].count(bytes.fromhex("ff ff fd"))
    (frame,) = frames(look, ours)
    assert PACKETS.instruction(frame) == instruction


@needs_vectors
def test_the_crc_is_the_public_one():
    for example in json.loads(VECTORS_FILE.read_text())["crc16_0x8005"]:
        assert crc16(bytes.fromhex(example["data"])) == example["crc"]


@given(RISKY)
def test_nothing_that_is_stuffed_has_a_header_in_it_and_all_comes_back(body):
    assert b"\xff\xff\xfd\x00" not in stuff(body) + b"\x00"
    assert unstuff(stuff(body)) == body


@pytest.mark.parametrize(
    ("exchanges", "data"),
    [
        (CODEC.write({1: 2048}), "ff ff fd 00 fe 0c 00 83 74 00 04 00 01 00 08 00 00 7f 23"),
        (CODEC.read([Quantity.POSITION], [1, 2, 3]), "ff ff fd 00 fe 0a 00 82 84 00 04 00 01 02 03 2a 6c"),
        (CODEC.watchdog([1], 0.5), "ff ff fd 00 01 06 00 03 62 00 19 23 64"),
        (CODEC.watchdog([1], None), "ff ff fd 00 01 06 00 03 62 00 00 76 e4"),
        (CODEC.identify([7]), "ff ff fd 00 07 03 00 01 19 36"),
    ],
)
def test_the_codec_says_orders_in_one_frame(exchanges, data):
    (exchange,) = exchanges
    assert exchange.data == bytes.fromhex(data)


def test_arming_sets_the_goal_where_the_servo_is_before_it_gives_torque_and_waits_for_each_answer():
    exchanges = CODEC.arm({1: 2048})
    said = [PACKETS.instruction(exchange.data) for exchange in exchanges]
    assert said == [Write(1, 116, b"\x00\x08\x00\x00"), Write(1, 64, b"\x01")]
    assert all(len(exchange.answers) == 1 for exchange in exchanges)


def test_stopping_holds_some_and_releases_others_in_two_frames():
    said = [PACKETS.instruction(exchange.data) for exchange in CODEC.stop({1: 5}, [2, 3])]
    assert said == [SyncWrite(116, ((1, b"\x05\x00\x00\x00"),)), SyncWrite(64, ((2, b"\x00"), (3, b"\x00")))]


def test_limits_are_in_the_table_s_units_and_never_rounded_to_none():
    said = [PACKETS.instruction(exchange.data) for exchange in CODEC.limit(5, 0.229 * 4096 / 60 * 99.5)]
    assert said == [Write(5, 112, little(100, 4))]


def test_changing_an_id_makes_limp_changes_and_asks_by_the_new_id():
    said = [PACKETS.instruction(exchange.data) for exchange in CODEC.change_id(1, 7)]
    assert said == [Write(1, 64, b"\x00"), Write(1, 7, b"\x07"), Ping(7)]


TOLD = {
    Quantity.LOAD: -1, Quantity.VELOCITY: -3, Quantity.POSITION: 2048, Quantity.VOLTAGE: 121, Quantity.TEMPERATURE: 30,
}  # fmt: skip


def test_answers_become_quantities_in_raw_units_also_where_they_must_be_stuffed():
    (exchange,) = CODEC.read(EVERYTHING, [1, 2])
    messages = heard(CODEC.decoder(), exchange, answers_of([1, 2], VALUES))
    for servo in (1, 2):
        assert {message.quantity: message.raw for message in messages if message.servo == servo} == TOLD
    assert len(messages) == 2 * len(TOLD)
    stuffed = (
        b"\xff\xff\xfd\xff\xff\xff" in VALUES
    )  # load -1, velocity -3: the beginning of a header in every such read
    assert stuffed
    assert b"\xff\xff\xfd\xfd" in answers_of([1, 2], VALUES)


def test_servos_that_are_asked_who_they_are_say_their_models():
    messages = []
    for exchange, data in zip(
        CODEC.identify([1, 9]), (little(1200, 2) + b"\x2e", little(4711, 2) + b"\x01"), strict=True
    ):
        messages += heard(
            CODEC.decoder(), exchange, PACKETS.encode_status(StatusPacket(exchange.answers[0].servo, 0, data))
        )
    assert messages == [
        Identified(1, 1200, "XL330-M288", "46"),
        Identified(9, 4711, "unknown model 4711", "1"),
    ]


def test_the_manual_s_answer_to_a_ping_is_read():
    (exchange,) = CODEC.identify([1])
    answer = bytes.fromhex(
        "ff ff fd 00 01 07 00 55 00 06 04 26 65 5d"
    )  # ROBOTIS e-manual, protocol 2.0, Ping
    assert heard(CODEC.decoder(), exchange, answer) == [Identified(1, 1030, "XM430-W210", "38")]


def test_a_hardware_error_is_told_and_its_register_says_which():
    (exchange,) = CODEC.read([Quantity.TEMPERATURE], [1])
    messages = heard(CODEC.decoder(), exchange, PACKETS.encode_status(StatusPacket(1, 0x80, b"\x50")))
    assert messages == [
        ReportedError(1, "its hardware reports an error"),
        Measured(1, Quantity.TEMPERATURE, 80),
    ]
    (exchange,) = CODEC.check([1])
    assert PACKETS.instruction(exchange.data) == SyncRead(70, 29, (1,))
    messages = heard(
        CODEC.decoder(), exchange, PACKETS.encode_status(StatusPacket(1, 0x80, b"\x24" + bytes(28)))
    )
    assert messages[-2:] == [ReportedError(1, "it is too hot"), ReportedError(1, "it is overloaded")]
    messages = heard(
        CODEC.decoder(), exchange, PACKETS.encode_status(StatusPacket(1, 0x80, b"\x40" + bytes(28)))
    )
    assert messages[-1] == ReportedError(1, "it reports the unknown error 0x40")


def test_a_watchdog_that_has_tripped_is_told():
    (exchange,) = CODEC.check([1])
    for watchdog, texts in (
        (0, []),
        (25, []),
        (0xFF, ["it heard nothing for too long and stopped by itself"]),
    ):
        messages = heard(
            CODEC.decoder(),
            exchange,
            PACKETS.encode_status(StatusPacket(1, 0, bytes((*bytes(28), watchdog)))),
        )
        assert messages == [Acknowledged(1), *(ReportedError(1, text) for text in texts)]


def test_an_order_that_was_refused_is_no_acknowledgement():
    first, *_ = CODEC.arm({1: 2048})
    assert heard(CODEC.decoder(), first, PACKETS.encode_status(StatusPacket(1, 0))) == [Acknowledged(1)]
    (complaint,) = heard(CODEC.decoder(), first, PACKETS.encode_status(StatusPacket(1, 4)))
    assert "watchdog has tripped" in complaint.text
    (complaint,) = heard(CODEC.decoder(), first, PACKETS.encode_status(StatusPacket(1, 99)))
    assert complaint.text == "it refused the order with the unknown error 99"


def test_a_servo_in_the_middle_that_is_silent_is_named_and_the_others_are_read():
    (exchange,) = CODEC.read([Quantity.POSITION], [1, 2, 3])
    messages = heard(CODEC.decoder(), exchange, answers_of([1, 3], little(5, 4)))
    assert [message.servo for message in messages if isinstance(message, Measured)] == [1, 3]
    assert [(message.servo, message.kind) for message in messages if isinstance(message, Problem)] == [
        (2, ProblemKind.MISSING)
    ]


def test_the_wrong_servo_s_answer_gives_no_position():
    (exchange,) = CODEC.read([Quantity.POSITION], [1])
    messages = heard(CODEC.decoder(), exchange, answers_of([5], little(5, 4)))
    assert [message.kind for message in messages] == [ProblemKind.UNEXPECTED, ProblemKind.MISSING]


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (lambda: CODEC.write({253: 0}), "Servo 253"),
        (lambda: CODEC.write({3: 4096}), "Servo 3: position 4096"),
        (lambda: CODEC.watchdog([3], 3.0), "0.02 to 2.54"),
        (lambda: CODEC.watchdog([3], 0.001), "0.001"),
        (lambda: CODEC.watchdog([3], float("nan")), "nan"),
        (lambda: CODEC.limit(3, float("inf")), "The speed is inf"),
        (lambda: CODEC.read([Quantity.CURRENT], [1]), "current"),
        (lambda: CODEC.change_baudrate(1, 31_250), "31250"),
        (lambda: PACKETS.encode(SyncWrite(0, ((1, b"a"), (2, b"ab")))), "lengths"),
        (lambda: PACKETS.encode(SyncWrite(0, ((253, b"a"),))), "253"),
        (lambda: PACKETS.encode(Read(1, 65_536, 2)), "65536"),
        (lambda: PACKETS.encode(Write(1, 0, bytes(1020))), "1024"),
    ],
)
def test_what_cannot_be_said_is_an_error_that_names_it(order, words):
    with pytest.raises(ProtocolError, match=words):
        order()


def test_what_a_unit_of_load_is_depends_on_the_model():
    assert load_unit(1060) == (0.001, "share")
    assert load_unit(1200) == (0.001, "ampere")
    assert load_unit(1020) == (0.00269, "ampere")
