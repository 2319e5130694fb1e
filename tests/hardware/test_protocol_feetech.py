"""Tests Feetech's frames and codec: against public vectors, and the meaning of commands and answers."""

import pytest
from limber.hardware.protocols.bus.instructions import Read, StatusPacket, SyncRead, SyncWrite, Write
from limber.hardware.protocols.bus.registers import Register
from limber.hardware.protocols.feetech.packets import checksum
from limber.hardware.protocols.feetech.series import feetech
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

from tests.hardware.feetech_frames import EVERYTHING, PACKETS, PUBLIC, SCS, STS, TABLE, little, look
from tests.hardware.protocol_checks import frames, heard, needs_vectors, vectors, wire

ACCELERATION = Register(41, 1)


def from_acceleration_on(position: int, speed: int, acceleration: int) -> bytes:
    """The registers 41 to 47, as one sync write sets them."""
    goal = TABLE.goal.pack("goal", position)
    return (
        ACCELERATION.pack("acceleration", acceleration) + goal + bytes(2) + TABLE.speed.pack("speed", speed)
    )


def instruction_of(vector):
    """The instruction that the fields of a public vector describe."""
    kind, start = vector["name"].split(".")[1], vector.get("addr")
    match kind:
        case "write":
            data = bytes(vector["data"]) if "data" in vector else little(vector["value"], vector["len"])
            return Write(vector.get("id"), start, data)
        case "read":
            return Read(vector["id"], start, vector["len"])
        case "sync_read":
            return SyncRead(start, vector["len"], tuple(vector["ids"]))
        case "sync_write" | "sync_write_goal":
            return SyncWrite(
                start, tuple((servo, little(value, vector["len"])) for servo, value in vector["items"])
            )
        case "sync_write_posex" | "SyncWritePosEx":
            return SyncWrite(
                ACCELERATION.start,
                tuple((servo, from_acceleration_on(*rest)) for servo, *rest in vector["items"]),
            )
    raise AssertionError(f"no such vector: {kind}")


DOUBTFUL = [vector for vector in vectors("sts.", "p1.") if "WARNING" in vector]


@needs_vectors
def test_all_public_vectors_of_the_protocol_are_tested():
    assert len(PUBLIC) == 23
    assert [vector["name"] for vector in DOUBTFUL] == ["sts.SyncWritePosEx"]


@pytest.mark.parametrize("vector", PUBLIC, ids=lambda vector: vector["hex"])
def test_instructions_are_the_public_bytes_both_ways(vector):
    instruction = instruction_of(vector)
    assert PACKETS.encode(instruction) == wire(vector)
    (frame,) = frames(look, wire(vector))
    assert PACKETS.instruction(frame) == instruction


@pytest.mark.parametrize("vector", DOUBTFUL, ids=lambda vector: vector["name"])
def test_a_negative_goal_has_a_sign_bit_where_a_public_library_sends_two_s_complement(vector):
    ours = PACKETS.encode(instruction_of(vector))
    assert bytes.fromhex("02 14 64 80 00 00 e8 03") in ours  # -100 steps: 100 with bit 15
    assert bytes.fromhex("02 14 9c ff 00 00 e8 03") in wire(vector)
    assert len(ours) == len(wire(vector))


@pytest.mark.parametrize(
    ("exchanges", "data"),
    [
        (STS.write({1: 2048}), "ff ff fe 07 83 2a 02 01 00 08 42"),
        (STS.read([Quantity.POSITION], [1, 2, 3, 4, 5, 6]), "ff ff fe 0a 82 38 02 01 02 03 04 05 06 26"),
        (SCS.read([Quantity.POSITION], [1]), "ff ff 01 04 02 38 02 be"),
        (SCS.write({1: 0x0102}), "ff ff fe 07 83 2a 02 01 01 02 47"),  # high byte first
        (STS.stop({}, [1, 2]), "ff ff fe 08 83 28 01 01 00 02 00 4a"),
    ],
)
def test_the_codec_says_orders_in_one_frame(exchanges, data):
    (exchange,) = exchanges
    assert exchange.data == bytes.fromhex(data)


def test_arming_sets_the_goal_where_the_servo_is_before_it_gives_torque_and_waits_for_each_answer():
    exchanges = STS.arm({1: 2048, 2: 7})
    said = [PACKETS.instruction(exchange.data) for exchange in exchanges]
    assert said == [
        Write(1, 42, b"\x00\x08"),
        Write(2, 42, b"\x07\x00"),
        Write(1, 40, b"\x01"),
        Write(2, 40, b"\x01"),
    ]
    assert all(len(exchange.answers) == 1 for exchange in exchanges)


def test_disarming_is_said_to_all_at_once_and_then_confirmed_by_each():
    at_once, *each = STS.disarm([1, 2])
    assert PACKETS.instruction(at_once.data) == SyncWrite(40, ((1, b"\x00"), (2, b"\x00")))
    assert [PACKETS.instruction(exchange.data) for exchange in each] == [
        Write(1, 40, b"\x00"),
        Write(2, 40, b"\x00"),
    ]


def test_changing_an_id_unlocks_changes_locks_and_asks_by_the_new_id():
    said = [PACKETS.instruction(exchange.data) for exchange in STS.change_id(1, 7)]
    assert said == [
        Write(1, 40, b"\x00"),
        Write(1, 55, b"\x00"),
        Write(1, 5, b"\x07"),
        Write(7, 55, b"\x01"),
        Read(7, 0, 5),
    ]


def test_changing_the_baud_rate_writes_its_number():
    *_, change = STS.change_baudrate(1, 115_200)
    assert PACKETS.instruction(change.data) == Write(1, 6, b"\x04")
    with pytest.raises(ProtocolError, match="31250"):
        STS.change_baudrate(1, 31_250)


def test_a_speed_limit_is_never_rounded_to_none():
    said = [PACKETS.instruction(exchange.data) for exchange in STS.limit(3, 0.2)]
    assert said == [Write(3, 46, b"\x01\x00")]


def test_answers_become_quantities_in_raw_units():
    (exchange,) = STS.read(EVERYTHING, [1, 2])
    first = PACKETS.encode_status(StatusPacket(1, 0, bytes.fromhex("00 08  00 00  64 04  78  1e")))
    second = PACKETS.encode_status(StatusPacket(2, 0, bytes.fromhex("64 80  00 00  00 00  77  1f")))
    told = {
        (message.servo, message.quantity): message.raw
        for message in heard(STS.decoder(), exchange, first + second)
    }
    assert told[1, Quantity.POSITION] == 2048
    assert told[1, Quantity.LOAD] == -100  # the sign is bit 10
    assert told[1, Quantity.VOLTAGE] * STS.capabilities.unit_size[Quantity.VOLTAGE] == pytest.approx(12.0)
    assert told[2, Quantity.POSITION] == -100
    assert told[2, Quantity.TEMPERATURE] == 31


def test_a_servo_says_its_model_and_its_firmware():
    (exchange,) = STS.identify([4])
    answer = PACKETS.encode_status(StatusPacket(4, 0, bytes((3, 10, 0, 9, 3))))
    assert heard(STS.decoder(), exchange, answer) == [Identified(4, 777, "STS3215", "3.10")]
    (exchange,) = SCS.identify([4])
    answer = PACKETS.encode_status(StatusPacket(4, 0, bytes((1, 2, 1, 5, 4))))
    assert heard(SCS.decoder(), exchange, answer) == [Identified(4, 1284, "SCS0009", "1.2")]


def test_a_servo_s_own_errors_are_told_beside_what_it_measures():
    (exchange,) = STS.read([Quantity.TEMPERATURE], [1])
    messages = heard(STS.decoder(), exchange, PACKETS.encode_status(StatusPacket(1, 0x24, b"\x50")))
    assert messages == [
        ReportedError(1, "it is too hot"),
        ReportedError(1, "it is overloaded"),
        Measured(1, Quantity.TEMPERATURE, 80),
    ]


def test_an_order_is_acknowledged():
    first, *_ = STS.arm({1: 2048})
    assert heard(STS.decoder(), first, PACKETS.encode_status(StatusPacket(1, 0))) == [Acknowledged(1)]


def test_a_servo_in_the_middle_that_is_silent_is_named_and_the_others_are_read():
    (exchange,) = STS.read([Quantity.POSITION], [1, 2, 3])
    answers = b"".join(PACKETS.encode_status(StatusPacket(servo, 0, b"\x05\x00")) for servo in (1, 3))
    messages = heard(STS.decoder(), exchange, answers)
    assert [message.servo for message in messages if isinstance(message, Measured)] == [1, 3]
    assert [(message.servo, message.kind) for message in messages if isinstance(message, Problem)] == [
        (2, ProblemKind.MISSING)
    ]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (StatusPacket(5, 0, b"\x05\x00"), "5 answered where servo 1"),
        (StatusPacket(1, 0, b"\x05"), "1 bytes; 2 were"),
    ],
)
def test_an_answer_that_does_not_fit_the_question_gives_no_position(answer, words):
    (exchange,) = STS.read([Quantity.POSITION], [1])
    messages = heard(STS.decoder(), exchange, PACKETS.encode_status(answer))
    assert not [message for message in messages if isinstance(message, Measured)]
    assert words in messages[0].text


def test_the_checksum_is_the_manual_s():
    assert checksum(bytes.fromhex("01 04 02 38 02")) == 0xBE


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (lambda: STS.write({254: 0}), "Servo 254"),
        (lambda: STS.write({3: 4096}), "Servo 3: position 4096"),
        (lambda: STS.write({3: -1}), "Servo 3: position -1"),
        (lambda: SCS.write({3: 1024}), "takes 0 to 1023"),
        (lambda: STS.arm({3: 5000}), "Servo 3"),
        (lambda: STS.limit(3, float("nan")), "The speed is nan"),
        (lambda: STS.limit(3, -1.0), "The speed is -1"),
        (lambda: STS.watchdog([3], 0.1), "no watchdog"),
        (lambda: SCS.read([Quantity.CURRENT], [1]), "current"),
        (lambda: feetech("scs", multi_turn=True), "300 degrees"),
        (lambda: PACKETS.encode(SyncWrite(0, ((1, b"a"), (2, b"ab")))), "lengths"),
        (lambda: PACKETS.encode(Read(1, 256, 2)), "256"),
        (lambda: PACKETS.encode(Write(1, 0, bytes(250))), "250"),
    ],
)
def test_what_cannot_be_said_is_an_error_that_names_it(order, words):
    with pytest.raises(ProtocolError, match=words):
        order()


def test_servos_that_turn_more_than_once_take_positions_either_way():
    multi = feetech("sts", multi_turn=True)
    (exchange,) = multi.write({1: -100})
    assert exchange.data.hex(" ") == "ff ff fe 07 83 2a 02 01 64 80 66"


def test_more_servos_than_a_frame_should_carry_are_asked_in_several():
    exchanges = STS.read([Quantity.POSITION], range(60))
    assert [len(exchange.answers) for exchange in exchanges] == [24, 24, 12]
    assert [
        len(PACKETS.instruction(exchange.data).items) for exchange in STS.write(dict.fromkeys(range(60), 7))
    ] == [24, 24, 12]
