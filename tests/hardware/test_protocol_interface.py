"""Tests the common parts of all protocols: frames found in a stream, raw positions and angles, requests and
their deadlines, the table.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.errors import HardwareError
from limber.hardware.protocols import limber
from limber.hardware.protocols.bus.instructions import StatusPacket
from limber.hardware.protocols.dialogue import Dialogue
from limber.hardware.protocols.dynamixel.series import TABLE, dynamixel
from limber.hardware.protocols.feetech.series import feetech, table_of
from limber.hardware.protocols.interface import (
    Check,
    Identified,
    Measured,
    Problem,
    ProblemKind,
    ProtocolError,
    Quantity,
    Silence,
)
from limber.hardware.protocols.maestro import Maestro
from limber.hardware.protocols.stream import Broken, Skip, Stream, Wait, Whole
from limber.hardware.protocols.table import PROTOCOLS, codec_for

from tests.hardware.device_packets import DynamixelDevice, FeetechDevice


def look(pending):
    """Finds frames of two bytes: < and any byte but >, which makes the frame invalid."""
    if pending[0] != ord("<"):
        return Skip(1)
    if len(pending) < 2:
        return Wait()
    return Broken(2, ProblemKind.MALFORMED, "empty") if pending[1] == ord(">") else Whole(2)


def test_noise_is_told_once_before_what_follows_it():
    stream = Stream(look)
    assert stream.feed(b"ab") == []
    assert stream.feed(b"c<") == []
    assert stream.feed(b"1<2x") == [
        Problem(ProblemKind.NOISE, "3 bytes that belong to no message", b"abc"),
        b"<1",
        b"<2",
    ]
    assert stream.give_up() == [Problem(ProblemKind.NOISE, "1 bytes that belong to no message", b"x")]


def test_the_bytes_of_a_broken_frame_are_not_told_again_as_noise():
    stream = Stream(look)
    assert stream.feed(b"<>") == [Problem(ProblemKind.MALFORMED, "empty", b"<>")]
    assert stream.give_up() == []
    assert stream.feed(b"<>x<1")[1:] == [
        Problem(ProblemKind.NOISE, "1 bytes that belong to no message", b"x"),
        b"<1",
    ]


def test_noise_without_end_is_counted_and_not_kept():
    stream = Stream(look)
    for _ in range(1000):
        assert stream.feed(bytes(100)) == []
    assert not stream.pending
    (problem,) = stream.give_up()
    assert "100000 bytes" in problem.text
    assert len(problem.data) <= 32


def test_there_is_one_error_for_all_protocols_and_it_is_the_hardware_s():
    assert limber.ProtocolError is ProtocolError
    assert issubclass(ProtocolError, HardwareError)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_does_what_it_says_it_can(name):
    codec = codec_for(name)
    can = codec.capabilities
    middle = (can.units.lowest + can.units.highest) // 2
    servo = can.servos[1]
    assert can.units.lowest < can.units.highest
    assert set(can.unit_size) <= can.reads
    assert Quantity.POSITION in can.reads or not can.measures
    assert bool(codec.disarm([servo])) == can.releases
    assert all(
        exchange.data
        for exchange in (
            *codec.arm({servo: middle}),
            *codec.write({servo: middle}),
            *codec.stop({servo: middle}, []),
        )
    )
    for quantity in Quantity:
        if quantity in can.reads:
            assert [
                answer.servo for exchange in codec.read([quantity], [servo]) for answer in exchange.answers
            ] == [servo]
        else:
            with pytest.raises(ProtocolError, match=quantity.value):
                codec.read([quantity], [servo])
    if can.limits_speed:
        assert codec.limit(servo, 100.0)
    else:
        with pytest.raises(ProtocolError):
            codec.limit(servo, 100.0)
    if can.watchdog is None:
        assert can.on_silence is not Silence.WATCHDOG
        with pytest.raises(ProtocolError):
            codec.watchdog([servo], 0.5)
    else:
        assert codec.watchdog([servo], can.watchdog[0])
        assert codec.watchdog([servo], can.watchdog[1])
    assert codec.stop({}, []) == codec.write({}) == ()
    assert all(not exchange.answers for exchange in codec.stop({servo: middle}, [])), (
        "a stop waits for nobody"
    )


@pytest.mark.parametrize("name", PROTOCOLS)
def test_positions_and_servos_that_are_not_the_protocol_s_are_refused(name):
    codec = codec_for(name)
    can = codec.capabilities
    for servo, goal in (
        (can.servos[0], can.units.lowest - 1),
        (can.servos[0], can.units.highest + 1),
        (can.servos.stop, can.units.lowest),
        (-1, can.units.lowest),
    ):
        for order in (codec.write, codec.arm, lambda goals: codec.stop(goals, [])):
            with pytest.raises(ProtocolError):
                order({servo: goal})


@pytest.mark.parametrize("name", PROTOCOLS)
@given(data=st.lists(st.binary(max_size=40), max_size=8))
def test_no_protocol_s_decoder_ever_raises(name, data):
    codec = codec_for(name)
    decoder = codec.decoder()
    questions = [*codec.identify([1]), *codec.arm({1: codec.capabilities.units.highest})]
    if codec.capabilities.reads:
        questions += codec.read(list(codec.capabilities.reads), [1, 2])
    for question in questions:
        decoder.expect(question)
        for piece in data:
            decoder.feed(piece)
        decoder.give_up()
        assert not decoder.waiting


STS, PACKETS = feetech("sts"), FeetechDevice()


def test_questions_wait_for_the_answer_before_them():
    dialogue = Dialogue(STS.decoder(), 1_000_000)
    questions = STS.identify([1, 2])
    dialogue.ask(questions)
    assert dialogue.update(b"", 0.0) == (questions[0].data, [])
    assert dialogue.update(b"", 0.001) == (b"", [])
    sent, heard = dialogue.update(PACKETS.encode_status(StatusPacket(1, 0, bytes((3, 9, 0, 9, 3)))), 0.002)
    assert sent == questions[1].data
    assert heard == [Identified(1, 777, "STS3215", "3.9")]
    assert dialogue.busy


def test_orders_that_nobody_answers_go_out_together():
    dialogue = Dialogue(STS.decoder(), 1_000_000)
    goals, question = STS.write({1: 5}), STS.read([Quantity.POSITION], [1])
    dialogue.ask((*goals, *question))
    sent, _ = dialogue.update(b"", 0.0)
    assert sent == goals[0].data + question[0].data


def test_an_answer_that_is_overdue_is_missing_and_the_next_question_goes_out():
    dialogue = Dialogue(STS.decoder(), 1_000_000)
    questions = STS.identify([1, 2])
    dialogue.ask(questions)
    dialogue.update(b"", 0.0)
    due = dialogue.time_allowed(questions[0], len(questions[0].data))
    assert dialogue.update(b"", due - 1e-6) == (b"", [])
    sent, heard = dialogue.update(b"", due + 1e-6)
    assert sent == questions[1].data
    assert [(message.kind, message.servo) for message in heard] == [(ProblemKind.MISSING, 1)]


def test_a_slow_line_is_given_the_time_that_its_bytes_take():
    exchange = STS.read([Quantity.POSITION], list(range(12)))[0]
    slow, fast = Dialogue(STS.decoder(), 9600), Dialogue(STS.decoder(), 1_000_000)
    bits = 10 * (len(exchange.data) + 12 * 8)
    assert slow.time_allowed(exchange, len(exchange.data)) - fast.time_allowed(
        exchange, len(exchange.data)
    ) == pytest.approx(bits / 9600 - bits / 1_000_000)


def test_a_stop_goes_before_all_that_waits():
    dialogue = Dialogue(STS.decoder(), 1_000_000)
    dialogue.ask(STS.identify(range(10)))
    dialogue.update(b"", 0.0)
    dialogue.interrupt(STS.stop({}, [1, 2]))
    sent, _ = dialogue.update(b"", 0.001)
    assert PACKETS.instruction(sent) == PACKETS.instruction(STS.stop({}, [1, 2])[0].data)
    assert not dialogue.busy


class Bus:
    """Servos that answer reads of their registers, each with its own numbers; some of their bytes are lost or
    damaged.
    """

    def __init__(self, packets, ids, chance, kind):
        self.packets, self.ids, self.chance, self.kind = packets, ids, chance, kind
        self.registers = {servo: bytearray(chance.randbytes(256)) for servo in ids}

    def answer(self, data: bytes) -> bytes:
        stream = Stream(lambda pending: self.packets.look(pending, self.packets.longest))
        said = b""
        for frame in (item for item in stream.feed(data) if isinstance(item, bytes)):
            instruction = self.packets.instruction(frame)
            for servo in instruction.servos:
                start = instruction.start
                status = StatusPacket(
                    servo, 0, bytes(self.registers[servo][start : start + instruction.size])
                )
                said += self.packets.encode_status(status)
        if self.chance.random() < self.kind:
            at = self.chance.randrange(len(said))
            said = (
                said[:at]
                + self.chance.choice((b"", bytes((said[at] ^ 1 << self.chance.randrange(8),))))
                + said[at + 1 :]
            )
        return said


@pytest.mark.parametrize(
    ("codec", "packets", "table"),
    [(STS, PACKETS, table_of("sts")), (dynamixel(), DynamixelDevice(), TABLE)],
    ids=["feetech", "dynamixel"],
)
def test_over_a_bad_line_only_true_positions_are_told_and_those_that_were_lost_are_missing(
    codec, packets, table
):
    chance = random.Random(11)
    bus = Bus(packets, range(1, 13), chance, kind=0.3)
    register = table.quantities[Quantity.POSITION]
    dialogue = Dialogue(codec.decoder(), 1_000_000)
    now, told, missing = 0.0, 0, 0
    for _ in range(300):
        dialogue.ask(codec.read([Quantity.POSITION], list(bus.ids)))
        data = b""
        while True:
            sent, messages = dialogue.update(data, now)
            for message in messages:
                if isinstance(message, Measured):
                    assert message.raw == register.unpack(
                        bytes(bus.registers[message.servo][register.start : register.end])
                    )
                    told += 1
                missing += isinstance(message, Problem) and message.kind is ProblemKind.MISSING
            if not dialogue.busy:
                break
            data = bus.answer(sent) if sent else b""
            now += 0.01
    assert told + missing == 300 * 12
    assert 40 < missing < 300


def test_what_is_said_of_the_checks_is_so():
    assert codec_for("dynamixel").capabilities.commands_checked is Check.CRC16
    assert codec_for("feetech_sts").capabilities.commands_checked is Check.SUM8
    assert Maestro(crc=True).capabilities.commands_checked is Check.CRC7
    assert (
        codec_for("maestro").capabilities.commands_checked
        is codec_for("servo_animation").capabilities.commands_checked
        is Check.NONE
    )
