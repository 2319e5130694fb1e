"""Tests that only complete frames move the firmware's portable core on this machine, and never beyond range
and speed.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.protocols import limber
from limber.hardware.protocols.limber import Arm, Configure, DeviceState, Disarm, Hello, Move, Poll, Stop

from tests.hardware.emulator import Core, require_emulator
from tests.hardware.firmware.talking import CHANNELS, PER_PULSE_US, RANGE_US, SESSION
from tests.hardware.protocol_messages import FROM_HOST, length_trap

require_emulator()


# --- damage and noise
def flips(message: limber.Message) -> list[bytes]:
    wire = limber.encode(message, 41)
    return [
        bytes(byte ^ (1 << bit % 8 if at == bit // 8 else 0) for at, byte in enumerate(wire))
        for bit in range(8 * len(wire))
    ]


@pytest.mark.parametrize(
    "message",
    [Move((2000.0,) * 2), Move((2000.0, None) + (None,) * 10), Stop(), Disarm(release=True), Hello(9)],
)
def test_no_frame_with_a_flipped_bit_does_anything(armed, message):
    for damaged in flips(message):
        armed.receive(damaged)
        armed.wait(60_000)  # silence, after which no incomplete frame remains
        assert armed.state == DeviceState.ARMED
        assert armed.ask(Move((1500.0, 1500.0))).session == SESSION
        assert armed.pulses()[:2] == (1500.0, 1500.0)


@pytest.mark.parametrize("message", [Hello(SESSION), Arm(SESSION), Move((2000.0,) * 2)])
def test_no_frame_with_a_flipped_bit_arms_or_moves_a_disarmed_device(core, message):
    core.ask(Hello(SESSION))
    core.ask(CHANNELS[0])
    for damaged in flips(message):
        core.receive(damaged)
        core.wait(60_000)
        assert core.state == DeviceState.DISARMED
        assert core.pulses() == (None,) * 12


@given(
    st.lists(st.binary(max_size=60) | FROM_HOST.map(lambda message: limber.encode(message)[:-1]), max_size=8)
)
def test_noise_and_frames_that_were_cut_off_do_nothing(pieces):
    with Core() as core:
        core.open_session(CHANNELS)
        core.ask(Move((1500.0, 1500.0)))
        for piece in pieces:
            core.receive(piece)
        core.wait(60_000)
        assert core.state == DeviceState.ARMED
        assert core.pulses()[:2] == (1500.0, 1500.0)


@st.composite
def beginnings(draw: st.DrawFn) -> bytes:
    """The beginning of a frame, which announces more bytes than follow."""
    wire = limber.encode(draw(FROM_HOST))
    return wire[: draw(st.integers(1, len(wire) - 1))]


@given(st.lists(st.binary(max_size=50) | beginnings() | st.integers(0, 255), max_size=12))
def test_it_finds_the_frames_that_the_host_s_decoder_finds(pieces):
    stream = b"".join(limber.encode(Poll(), piece) if isinstance(piece, int) else piece for piece in pieces)
    decoder = limber.FrameDecoder()
    expected = [frame.sequence for frame in decoder.feed(stream) + decoder.give_up()]
    with Core() as core:
        core.answers()
        core.receive(stream)
        core.wait(60_000)
        assert [frame.sequence for frame in core.answers()] == expected


@st.composite
def heads_with_too_little_behind(draw: st.DrawFn) -> bytes:
    """Noise like the head of a frame that is still incomplete when a STOP has arrived after it."""
    length = draw(st.integers(1, limber.MAX_PAYLOAD // 2))
    missing = draw(st.integers(1, length))
    stop = len(limber.encode(Stop()))
    return bytes((0xA5, length, length ^ 0xFF)) + draw(
        st.binary(max_size=max(0, length + 4 - stop - missing))
    )


@given(heads_with_too_little_behind(), st.integers(0, 255))
def test_a_stop_behind_noise_that_looks_like_a_head_is_obeyed_at_once(noise, sequence):
    with Core() as core:
        core.open_session(CHANNELS)
        core.ask(Move((1500.0, 1500.0)))
        core.receive(noise + limber.encode(Stop(), sequence))
        assert core.state == DeviceState.FAULT


def test_noise_that_looks_like_a_head_within_another_head_s_frame_hides_no_stop(armed):
    armed.receive(bytes((0xA5, 60, 60 ^ 0xFF, 4, 0, 0xA5, 50, 50 ^ 0xFF, 0xA5)) + limber.encode(Stop()))
    assert armed.state == DeviceState.FAULT


IN_RANGE_US = st.integers(int(RANGE_US[0]) * 8, int(RANGE_US[1]) * 8).map(
    lambda units: units / limber.UNITS_PER_US
)


@given(
    st.lists(st.none() | IN_RANGE_US, max_size=2),
    st.integers(0, 255),
    st.integers(0, 255),
)
def test_a_move_is_never_taken_for_noise_around_another_frame(positions, interval, sequence):
    with Core() as core:
        core.open_session(CHANNELS)
        core.answers()
        core.receive(limber.encode(Move(tuple(positions), interval), sequence))
        assert [(frame.sequence, frame.message.result) for frame in core.answers()] == [(sequence, 0)]


def test_a_flipped_bit_of_the_length_is_found_even_where_the_crc_would_be_right(armed):
    armed.answers()
    armed.receive(length_trap())
    armed.wait(60_000)
    assert armed.answers() == []
    assert armed.state == DeviceState.ARMED


def test_damaged_frames_are_counted(armed):
    damaged = bytearray(limber.encode(Move((2000.0,))))
    damaged[-1] ^= 1
    for _ in range(300):
        armed.receive(bytes(damaged))
    assert armed.ask(Poll()).bad_frames == 300


def test_what_was_asked_in_one_go_is_answered_in_its_order(core):
    core.answers()
    core.receive(
        limber.encode(Hello(SESSION), 1)
        + b"".join(limber.encode(channel, 2 + k) for k, channel in enumerate(CHANNELS))
        + limber.encode(Arm(SESSION), 4)
    )
    frames = core.answers()
    assert [frame.sequence for frame in frames] == [1, 2, 3, 4]
    assert [frame.message.state for frame in frames[1:]] == [
        DeviceState.DISARMED,
        DeviceState.DISARMED,
        DeviceState.ARMED,
    ]


# --- and whatever comes
NEAR_RANGE_US = st.integers(3900, 20100).map(lambda units: units / limber.UNITS_PER_US)
LIKELY = st.one_of(
    st.builds(Move, st.lists(st.none() | NEAR_RANGE_US, max_size=2).map(tuple), st.integers(0, 255)),
    st.just(Arm(SESSION)),
    st.sampled_from([Hello(SESSION), Disarm(), Disarm(release=True), Stop(), Poll(), *CHANNELS]),
)
WAITS = st.integers(0, 30_000) | st.integers(0, 300_000)


@given(
    st.lists(
        LIKELY
        | LIKELY
        | WAITS
        | FROM_HOST.filter(lambda message: not isinstance(message, Configure))
        | st.binary(max_size=20),
        max_size=60,
    )
)
def test_whatever_comes_pulses_stay_in_range_and_within_the_speed(steps):
    with Core() as core:
        core.open_session(CHANNELS)
        last: tuple[float | None, ...] = (None, None)
        for step in steps:
            if isinstance(step, int):
                core.wait(step)
            elif isinstance(step, bytes):
                core.receive(step)
            else:
                core.receive(limber.encode(step))
            now = core.pulses()
            assert now[2:] == (None,) * 10
            for before, width in zip(last, now[:2], strict=True):
                assert width is None or RANGE_US[0] <= width <= RANGE_US[1]
                assert width is None or before is None or abs(width - before) <= PER_PULSE_US
            last = now[:2]
