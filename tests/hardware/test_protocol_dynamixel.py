"""Dynamixel's frames and codec: against public vectors, and against every kind of damage."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.protocols.bus.instructions import (
    BROADCAST,
    BulkRead,
    BulkWrite,
    Ping,
    Read,
    Reboot,
    Status,
    SyncRead,
    SyncWrite,
    Write,
)
from limber.hardware.protocols.dynamixel import TABLE, Dynamixel, Packets, crc16, load_worth, stuff, unstuff
from limber.hardware.protocols.interface import Acknowledged, Complaint, Identified, Measured, Problem, ProtocolError, Quantity, Trouble

from tests.hardware.protocol_checks import (
    CHANCE,
    NOISE,
    VECTORS_FILE,
    double_flips,
    flipped,
    frames,
    heard,
    needs_vectors,
    pieces,
    single_flips,
    vectors,
    whole_frames,
    wire,
)

PACKETS = Packets()
PLAIN, FAST = Dynamixel(), Dynamixel(fast=True)
EVERYTHING = [Quantity.POSITION, Quantity.VELOCITY, Quantity.LOAD, Quantity.VOLTAGE, Quantity.TEMPERATURE]

ID = st.integers(0, 0xFC)
BYTE = st.integers(0, 0xFF)
WORD = st.integers(0, 0xFFFF)
RISKY = st.lists(st.sampled_from((0xFF, 0xFD, 0x00, 0x55)) | BYTE, min_size=1, max_size=14).map(bytes)  # rich in headers


@st.composite
def sync_writes(draw: st.DrawFn) -> SyncWrite:
    size = draw(st.integers(1, 8))
    items = st.tuples(ID, RISKY.map(lambda data: (data * size)[:size]))
    return SyncWrite(draw(WORD), tuple(draw(st.lists(items, min_size=1, max_size=12))))


INSTRUCTIONS = st.one_of(
    st.builds(Ping, ID | st.just(BROADCAST)),
    st.builds(Read, ID, WORD, WORD),
    st.builds(Write, ID | st.just(BROADCAST), WORD, RISKY),
    st.builds(Reboot, ID),
    st.builds(SyncRead, WORD, WORD, st.lists(ID, min_size=1, max_size=12).map(tuple), st.booleans()),
    sync_writes(),
    st.builds(BulkRead, st.lists(st.tuples(ID, WORD, WORD), min_size=1, max_size=6).map(tuple)),
    st.builds(BulkWrite, st.lists(st.tuples(ID, WORD, RISKY), min_size=1, max_size=6).map(tuple)),
)
STATUSES = st.builds(Status, ID, BYTE, RISKY | st.just(b""))


def look(pending):
    return PACKETS.look(pending, PACKETS.longest)


def little(value: int, size: int) -> bytes:
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")


def instruction_of(vector):
    """The instruction that a public vector says in its fields."""
    start, size = vector.get("addr"), vector.get("len")
    match vector["name"].split("."):
        case [_, "ping"]:
            return Ping(vector["id"])
        case [_, "reboot"]:
            return Reboot(vector["id"])
        case [_, "write", *_]:
            return Write(vector["id"], start, little(vector["value"], size))
        case [_, "read"]:
            return Read(vector["id"], start, size)
        case [_, "sync_read" | "fast_sync_read" as kind]:
            return SyncRead(start, size, tuple(vector["ids"]), kind == "fast_sync_read")
        case [_, "sync_write", *_] | [_, "sync_write_accel_vel_goal"]:
            each = [(servo, values) for servo, *values in vector["items"]]
            return SyncWrite(
                start, tuple((servo, b"".join(little(value, size // len(values)) for value in values)) for servo, values in each)
            )
        case [_, "bulk_read"]:
            return BulkRead(tuple(tuple(item) for item in vector["items"]))
        case [_, "bulk_write"]:
            return BulkWrite(tuple((servo, at, little(value, width)) for servo, at, width, value in vector["items"]))
    raise AssertionError(f"no such vector: {vector['name']}")


UNSTUFFED = (
    "ff ff fd 00 fe 11 00 83 74 00 04 00 01 ff ff ff ff fd 00 00 00 00 dc ec"  # public without a warning, to the id FD, which none has
)
ALL = vectors("p2.")
PUBLIC = [vector for vector in ALL if "WARNING" not in vector and vector["hex"] != UNSTUFFED]
DOUBTFUL = [vector for vector in ALL if vector not in PUBLIC]


@needs_vectors
def test_all_public_vectors_of_the_protocol_are_tested():
    assert (len(PUBLIC), len(DOUBTFUL)) == (35, 3)


@pytest.mark.parametrize("vector", PUBLIC, ids=lambda vector: vector["hex"])
def test_instructions_are_the_public_bytes_both_ways(vector):
    instruction = instruction_of(vector)
    assert PACKETS.encode(instruction) == wire(vector)
    (frame,) = frames(look, wire(vector))
    assert PACKETS.instruction(frame) == instruction


@pytest.mark.parametrize("vector", DOUBTFUL, ids=lambda vector: vector["hex"])
def test_what_a_public_library_forgot_to_stuff_is_not_accepted(vector):
    assert whole_frames(look, wire(vector)) == []


@pytest.mark.parametrize("vector", [vector for vector in DOUBTFUL if "WARNING" in vector], ids=lambda vector: vector["hex"])
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
        (PLAIN.write({1: 2048}), "ff ff fd 00 fe 0c 00 83 74 00 04 00 01 00 08 00 00 7f 23"),
        (PLAIN.read([Quantity.POSITION], [1, 2, 3]), "ff ff fd 00 fe 0a 00 82 84 00 04 00 01 02 03 2a 6c"),
        (FAST.read([Quantity.POSITION], [1, 2, 3]), "ff ff fd 00 fe 0a 00 8a 84 00 04 00 01 02 03 1a ec"),
        (PLAIN.watchdog([1], 0.5), "ff ff fd 00 01 06 00 03 62 00 19 23 64"),
        (PLAIN.watchdog([1], None), "ff ff fd 00 01 06 00 03 62 00 00 76 e4"),
        (PLAIN.reboot(1), "ff ff fd 00 01 03 00 08 2f 4e"),
        (PLAIN.identify([7]), "ff ff fd 00 07 03 00 01 19 36"),
    ],
)
def test_the_codec_says_orders_in_one_frame(exchanges, data):
    (exchange,) = exchanges
    assert exchange.data == bytes.fromhex(data)


def test_arming_sets_the_goal_where_the_servo_is_before_it_gives_torque_and_waits_for_each_answer():
    exchanges = PLAIN.arm({1: 2048})
    said = [PACKETS.instruction(exchange.data) for exchange in exchanges]
    assert said == [Write(1, 116, b"\x00\x08\x00\x00"), Write(1, 64, b"\x01")]
    assert all(len(exchange.answers) == 1 for exchange in exchanges)


def test_stopping_holds_some_and_releases_others_in_two_frames():
    said = [PACKETS.instruction(exchange.data) for exchange in PLAIN.stop({1: 5}, [2, 3])]
    assert said == [SyncWrite(116, ((1, b"\x05\x00\x00\x00"),)), SyncWrite(64, ((2, b"\x00"), (3, b"\x00")))]


def test_limits_are_in_the_table_s_units_and_never_rounded_to_none():
    said = [PACKETS.instruction(exchange.data) for exchange in PLAIN.limit(5, 0.229 * 4096 / 60 * 99.5, 0.001)]
    assert said == [Write(5, 112, little(100, 4)), Write(5, 108, little(1, 4))]


def test_setting_up_makes_limp_first_and_chooses_the_mode():
    for codec, mode in ((PLAIN, 3), (Dynamixel(multi_turn=True), 4)):
        said = [PACKETS.instruction(exchange.data) for exchange in codec.set_up(3)]
        assert said == [Write(3, 64, b"\x00"), Write(3, 11, bytes((mode,))), Write(3, 9, b"\x00")]


def test_changing_an_id_makes_limp_changes_and_asks_by_the_new_id():
    said = [PACKETS.instruction(exchange.data) for exchange in PLAIN.change_id(1, 7)]
    assert said == [Write(1, 64, b"\x00"), Write(1, 7, b"\x07"), Ping(7)]


VALUES = b"".join(register.pack("x", value) for register, value in (
    (TABLE.quantities[Quantity.LOAD], -1),
    (TABLE.quantities[Quantity.VELOCITY], -3),
    (TABLE.quantities[Quantity.POSITION], 2048),
)) + bytes(8) + little(121, 2) + b"\x1e"  # fmt: skip
TOLD = {
    Quantity.LOAD: -1, Quantity.VELOCITY: -3, Quantity.POSITION: 2048, Quantity.VOLTAGE: 121, Quantity.TEMPERATURE: 30,
}  # fmt: skip


def answers_to(codec, servos, data):
    if codec is FAST:
        return PACKETS.encode_shared([Status(servo, 0, data) for servo in servos])
    return b"".join(PACKETS.encode_status(Status(servo, 0, data)) for servo in servos)


@pytest.mark.parametrize("codec", [PLAIN, FAST])
def test_answers_become_quantities_in_raw_units_also_where_they_must_be_stuffed(codec):
    (exchange,) = codec.read(EVERYTHING, [1, 2])
    messages = heard(codec.decoder(), exchange, answers_to(codec, [1, 2], VALUES))
    for servo in (1, 2):
        assert {message.quantity: message.raw for message in messages if message.servo == servo} == TOLD
    assert len(messages) == 2 * len(TOLD)
    stuffed = b"\xff\xff\xfd\xff\xff\xff" in VALUES  # load -1, velocity -3: a header's beginning on every such read
    assert stuffed
    assert (b"\xff\xff\xfd\xfd" in answers_to(codec, [1, 2], VALUES)) == (codec is PLAIN)


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


def test_servos_that_answer_a_scan_say_their_models():
    (exchange,) = PLAIN.scan()
    answers = PACKETS.encode_status(Status(1, 0, little(1200, 2) + b"\x2e")) + PACKETS.encode_status(
        Status(9, 0, little(4711, 2) + b"\x01")
    )
    messages = heard(PLAIN.decoder(), exchange, answers)
    assert messages == [Identified(1, 1200, "XL330-M288", "46"), Identified(9, 4711, "unknown model 4711", "1")]


def test_the_manual_s_answer_to_a_ping_is_read():
    (exchange,) = PLAIN.identify([1])
    answer = bytes.fromhex("ff ff fd 00 01 07 00 55 00 06 04 26 65 5d")  # ROBOTIS e-manual, protocol 2.0, Ping
    assert heard(PLAIN.decoder(), exchange, answer) == [Identified(1, 1030, "XM430-W210", "38")]


def test_a_hardware_error_is_told_and_its_register_says_which():
    (exchange,) = PLAIN.read([Quantity.TEMPERATURE], [1])
    messages = heard(PLAIN.decoder(), exchange, PACKETS.encode_status(Status(1, 0x80, b"\x50")))
    assert messages == [Complaint(1, "its hardware reports an error"), Measured(1, Quantity.TEMPERATURE, 80)]
    (exchange,) = PLAIN.check([1])
    assert PACKETS.instruction(exchange.data) == SyncRead(70, 29, (1,))
    messages = heard(PLAIN.decoder(), exchange, PACKETS.encode_status(Status(1, 0x80, b"\x24" + bytes(28))))
    assert messages[-2:] == [Complaint(1, "it is too hot"), Complaint(1, "it is overloaded")]


def test_a_watchdog_that_has_tripped_is_told():
    (exchange,) = PLAIN.check([1])
    for watchdog, texts in ((0, []), (25, []), (0xFF, ["it heard nothing for too long and stopped by itself"])):
        messages = heard(PLAIN.decoder(), exchange, PACKETS.encode_status(Status(1, 0, bytes((*bytes(28), watchdog)))))
        assert messages == [Acknowledged(1), *(Complaint(1, text) for text in texts)]


def test_an_order_that_was_refused_is_no_acknowledgement():
    first, *_ = PLAIN.arm({1: 2048})
    assert heard(PLAIN.decoder(), first, PACKETS.encode_status(Status(1, 0))) == [Acknowledged(1)]
    (complaint,) = heard(PLAIN.decoder(), first, PACKETS.encode_status(Status(1, 7)))
    assert "watchdog has tripped" in complaint.text


def test_a_servo_in_the_middle_that_is_silent_is_named_and_the_others_are_read():
    (exchange,) = PLAIN.read([Quantity.POSITION], [1, 2, 3])
    messages = heard(PLAIN.decoder(), exchange, answers_to(PLAIN, [1, 3], little(5, 4)))
    assert [message.servo for message in messages if isinstance(message, Measured)] == [1, 3]
    assert [(message.servo, message.trouble) for message in messages if isinstance(message, Problem)] == [(2, Trouble.MISSING)]


def test_the_wrong_servo_s_answer_gives_no_position():
    (exchange,) = PLAIN.read([Quantity.POSITION], [1])
    messages = heard(PLAIN.decoder(), exchange, answers_to(PLAIN, [5], little(5, 4)))
    assert [message.trouble for message in messages] == [Trouble.UNEXPECTED, Trouble.MISSING]


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


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (lambda: PLAIN.write({253: 0}), "Servo 253"),
        (lambda: PLAIN.write({3: 4096}), "Servo 3: position 4096"),
        (lambda: PLAIN.watchdog([3], 3.0), "0.02 to 2.54"),
        (lambda: PLAIN.watchdog([3], 0.001), "0.001"),
        (lambda: PLAIN.watchdog([3], float("nan")), "nan"),
        (lambda: PLAIN.limit(3, float("inf")), "The speed is inf"),
        (lambda: PLAIN.read([Quantity.CURRENT], [1]), "current"),
        (lambda: PLAIN.change_baudrate(1, 31_250), "31250"),
        (lambda: PLAIN.set_middle(1), "middle"),
        (lambda: PACKETS.encode(SyncWrite(0, ((1, b"a"), (2, b"ab")))), "lengths"),
        (lambda: PACKETS.encode(SyncWrite(0, ((253, b"a"),))), "253"),
        (lambda: PACKETS.encode(Read(1, 65_536, 2)), "65536"),
        (lambda: PACKETS.encode(Write(1, 0, bytes(1020))), "1024"),
        (lambda: PACKETS.encode_status(Status(1, 256)), "256"),
    ],
)
def test_what_cannot_be_said_is_an_error_that_names_it(order, words):
    with pytest.raises(ProtocolError, match=words):
        order()


def test_what_a_unit_of_load_is_depends_on_the_model():
    assert load_worth(1060) == (0.001, "share")
    assert load_worth(1200) == (0.001, "ampere")
    assert load_worth(1020) == (0.00269, "ampere")
