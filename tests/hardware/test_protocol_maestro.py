"""Tests the Maestro's commands and codec: against the bytes in the manual, and with damage."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.protocols.interface import (
    Identified,
    Measured,
    Problem,
    ProblemKind,
    ProtocolError,
    Quantity,
    ReportedError,
)
from limber.hardware.protocols.maestro import Maestro
from limber.hardware.protocols.maestro import crc7 as codec_crc7

from tests.hardware.maestro_commands import (
    GetErrors,
    GetMoving,
    GetPosition,
    GoHome,
    MiniSsc,
    SetAcceleration,
    SetMultipleTargets,
    SetSpeed,
    SetTarget,
    Wire,
    crc7,
)
from tests.hardware.protocol_checks import (
    CHANCE,
    NOISE,
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

WIRES = [Wire(), Wire(crc=True), Wire(device=12), Wire(device=12, crc=True)]
SEVEN = st.integers(0, 0x7F)
TARGET = st.integers(0, 0x3FFF)
COMMANDS = st.one_of(
    st.builds(SetTarget, SEVEN, TARGET),
    st.builds(SetMultipleTargets, SEVEN, st.lists(TARGET, min_size=1, max_size=24).map(tuple)),
    st.builds(SetSpeed, SEVEN, TARGET),
    st.builds(SetAcceleration, SEVEN, st.integers(0, 0xFF)),
    st.builds(GetPosition, SEVEN),
    st.just(GetMoving()),
    st.just(GetErrors()),
    st.just(GoHome()),
)


def quarters(microseconds: float) -> int:
    return round(4 * microseconds)


def command_of(vector):
    """The command that the fields of a public vector describe, or the manual's words."""
    match vector["name"].split(".")[1]:
        case "set_target_compact" | "set_target_pololu":
            return SetTarget(vector["channel"], quarters(vector["us"]))
        case "set_multiple_targets":
            return SetMultipleTargets(vector["first"], tuple(vector["quarter_us"]))
        case "set_multiple_targets6":
            return SetMultipleTargets(vector["first"], tuple(map(quarters, vector["us"])))
        case "set_speed":
            return SetSpeed(vector["channel"], vector["speed"])
        case name:
            return {
                "get_position": GetPosition(0),
                "get_moving": GetMoving(),
                "get_errors": GetErrors(),
                "go_home": GoHome(),
                "set_accel": SetAcceleration(0, 4),
                "mini_ssc": MiniSsc(0, 0x7F),
            }[name]


PUBLIC = vectors("maestro.")
CASES = [
    (Wire(vector.get("device"), crc=key == "hex_crc7"), command_of(vector), wire(vector, key))
    for vector in PUBLIC
    for key in ("hex", "hex_crc7")
    if (vector["name"], key) != ("maestro.mini_ssc", "hex_crc7")
]


@needs_vectors
def test_all_public_vectors_of_the_protocol_are_tested():
    assert len(PUBLIC) == 11
    assert len(CASES) == 21


@pytest.mark.parametrize(("how", "command", "data"), CASES, ids=[data.hex(" ") for _, _, data in CASES])
def test_commands_are_the_public_bytes_both_ways(how, command, data):
    assert how.encode(command) == data
    (frame,) = frames(how.look, data)
    assert how.decode(frame) == command


def test_mini_ssc_commands_have_no_crc_as_the_manual_says_where_a_public_vector_has_one():
    assert Wire(crc=True).encode(MiniSsc(0, 127)) == bytes.fromhex(
        "ff 00 7f"
    )  # user's guide, 5.d: "except Mini SSC command packets"


def test_the_crc_is_the_manual_s():
    assert crc7(bytes.fromhex("83 01")) == codec_crc7(bytes.fromhex("83 01")) == 0x17


@pytest.mark.parametrize("how", WIRES)
@given(COMMANDS)
def test_what_is_encoded_is_decoded(how, command):
    (frame,) = frames(how.look, how.encode(command))
    assert how.decode(frame) == command


@pytest.mark.parametrize("how", WIRES)
@given(st.data(), CHANCE)
def test_it_does_not_matter_how_the_bytes_arrive(how, data, chance):
    parts = data.draw(
        st.lists(
            NOISE | COMMANDS.map(how.encode) | st.sampled_from((b"\xaa", b"\xff\x00", b"\x9f")), max_size=6
        )
    )
    sent = b"".join(parts)
    found = frames(how.look, sent)
    assert frames(how.look, pieces(sent, chance, 5)) == found
    for item in found:
        if isinstance(item, bytes):
            how.decode(item)


@pytest.mark.parametrize("how", WIRES)
@given(COMMANDS, st.data(), COMMANDS)
def test_a_command_that_was_cut_off_does_not_hide_the_next_one(how, cut, data, whole):
    begun = how.encode(cut)
    begun = begun[: data.draw(st.integers(0, len(begun) - 1))]
    assert how.encode(whole) in whole_frames(how.look, begun + how.encode(whole))


def moves(how, frame) -> bool:
    """Whether a frame moves a servo, or changes its motion; Mini SSC commands have no CRC, and are not sent
    here.
    """
    return frame[0] != 0xFF and not isinstance(how.decode(frame), GetPosition | GetMoving | GetErrors)


@pytest.mark.parametrize("seed", range(10))
def test_with_a_crc_no_order_of_the_codec_with_a_flipped_bit_or_two_moves_a_servo(seed):
    chance = random.Random(seed)
    codec, how = Maestro(24, crc=True), Wire(crc=True)
    goals = {servo: chance.randrange(2000, 10_000) for servo in (seed, seed + 1, seed + 2)}
    orders = (*codec.write(goals), *codec.disarm([seed]), *codec.limit(seed, 14_000))
    for data in (exchange.data for exchange in orders):
        assert [moves(how, frame) for frame in whole_frames(how.look, data)] == [True]
        for damaged in [
            *single_flips(data),
            *(flipped(data, *bits) for bits in double_flips(data, 200, seed)),
        ]:
            frames_found = whole_frames(how.look, damaged)
            assert not any(moves(how, frame) for frame in frames_found), (
                f"{data.hex(' ')} became {damaged.hex(' ')}"
            )


def test_a_crc_does_not_guard_the_number_of_targets():
    """This is why the codec with a CRC sends a separate command for each channel."""
    how = Wire(crc=True)
    chance = random.Random(6)
    for _ in range(1000):
        sent = how.encode(SetMultipleTargets(3, tuple(chance.randrange(2000, 10_000) for _ in range(3))))
        if whole_frames(how.look, flipped(sent, 8)):
            return
    raise AssertionError("no such command among a thousand: perhaps it does")


MICRO, MINI, CHECKED = Maestro(), Maestro(channels=12), Maestro(channels=12, crc=True)
PLAIN = Wire()


def said(exchanges, how=PLAIN):
    return [how.decode(frame) for exchange in exchanges for frame in whole_frames(how.look, exchange.data)]


def test_neighbours_share_a_command_where_the_controller_knows_how():
    goals = {5: 6000, 3: 6001, 4: 6002, 8: 6003}
    assert said(MICRO.write({0: 6000, 1: 6001})) == [SetTarget(0, 6000), SetTarget(1, 6001)]
    assert said(MINI.write(goals)) == [SetMultipleTargets(3, (6001, 6002, 6000)), SetTarget(8, 6003)]
    assert said(CHECKED.write({0: 6000, 1: 6001}), Wire(crc=True)) == [SetTarget(0, 6000), SetTarget(1, 6001)]


def test_arming_begins_pulses_where_the_servo_is_and_disarming_ends_them():
    assert said(MICRO.arm({2: 5000})) == [SetTarget(2, 5000)]
    assert said(MICRO.disarm([2])) == [SetTarget(2, 0)]
    assert said(MICRO.stop({0: 5000}, [1])) == [SetTarget(0, 5000), SetTarget(1, 0)]


def test_limits_are_in_the_controller_s_units_and_never_rounded_to_none():
    assert said(MICRO.limit(5, 14_000)) == [SetSpeed(5, 140)]
    assert said(MICRO.limit(5, 0.1)) == [SetSpeed(5, 1)]
    assert said(MICRO.limit(5, 1e9)) == [SetSpeed(5, 0x3FFF)]


def test_an_answer_is_the_pulse_in_quarters_of_a_microsecond():
    (exchange,) = MICRO.read([Quantity.POSITION], [4])
    assert heard(MICRO.decoder(), exchange, [b"\x70", b"\x17"]) == [Measured(4, Quantity.POSITION, 6000)]


def test_the_controller_s_errors_are_told_in_words():
    (exchange,) = MICRO.identify([])
    name, first, second = heard(MICRO.decoder(), exchange, b"\x28\x00")
    assert name == Identified(None, None, "Pololu Maestro")
    assert isinstance(first, ReportedError)
    assert "CRC" in first.text
    assert "timeout" in second.text


@pytest.mark.parametrize(
    ("asked", "data", "troubles"),
    [
        (MICRO.read([Quantity.POSITION], [4]), b"\x70", [ProblemKind.MISSING]),
        (MICRO.read([Quantity.POSITION], [4]), b"", [ProblemKind.MISSING]),
        (MICRO.read([Quantity.POSITION], [4]), b"\xff\xff", [ProblemKind.MALFORMED]),
        (MICRO.identify([]), b"\x00\x40", [ProblemKind.MALFORMED]),
        (MICRO.disarm([1]), b"hello", [ProblemKind.NOISE]),
    ],
)
def test_what_no_maestro_says_is_a_problem_and_no_position(asked, data, troubles):
    (exchange,) = asked
    messages = heard(MICRO.decoder(), exchange, data)
    assert [message.kind for message in messages] == troubles


@given(st.lists(NOISE, max_size=5), CHANCE)
def test_no_bytes_in_any_order_raise(parts, chance):
    data = b"".join(parts)
    for exchange in (*MICRO.read([Quantity.POSITION], [4]), *MICRO.identify([])):
        assert heard(MICRO.decoder(), exchange, pieces(data, chance)) == heard(
            MICRO.decoder(), exchange, data
        )


def test_noise_without_end_is_counted_and_not_kept():
    decoder = MICRO.decoder()
    for _ in range(1000):
        assert decoder.feed(bytes(1000)) == []
    (problem,) = decoder.give_up()
    assert isinstance(problem, Problem)
    assert "1000000 bytes" in problem.text
    assert len(problem.data) <= 32


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (lambda: MICRO.write({6: 6000}), "Servo 6 does not exist"),
        (lambda: MICRO.write({2: 0}), "Servo 2: position 0"),
        (lambda: MICRO.write({2: 20_000}), "16320"),
        (lambda: MICRO.limit(2, 0.0), "The speed is 0"),
        (lambda: MICRO.read([Quantity.TEMPERATURE], [1]), "temperature"),
        (lambda: MICRO.watchdog([1], 0.5), "Control Center"),
        (lambda: Maestro(channels=25), "25"),
        (lambda: Wire(device=128), "128"),
        (lambda: PLAIN.encode(SetTarget(0, 0x4000)), "target is 16384"),
        (lambda: PLAIN.encode(SetTarget(128, 0)), "channel is 128"),
        (lambda: PLAIN.encode(SetAcceleration(0, 256)), "acceleration is 256"),
        (lambda: PLAIN.encode(SetMultipleTargets(0, ())), "without targets"),
        (lambda: PLAIN.encode(MiniSsc(255, 0)), "servo is 255"),
    ],
)
def test_what_cannot_be_said_is_an_error_that_names_it(order, words):
    with pytest.raises(ProtocolError, match=words):
        order()
