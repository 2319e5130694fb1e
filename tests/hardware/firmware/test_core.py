"""The firmware's portable core on this machine: what it obeys, what it refuses, and that nothing else moves it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.hardware.protocols import limber
from limber.hardware.protocols.limber import Arm, Configure, Disarm, Hello, Kind, Move, OnSilence, Poll, Reason, Report, Result, State, Stop

from tests.hardware.emulator import Core, require_emulator
from tests.hardware.protocol_messages import FROM_HOST, length_trap

require_emulator()

HOLDS, DETACHES = 0, 1  # channels
RANGE_US = (700.0, 2300.0)
SPEED = 4000  # [us/s]: 80 us from pulse to pulse
PER_PULSE_US = SPEED * 0.02
CHANNELS = [Configure(HOLDS, *RANGE_US, SPEED, OnSilence.HOLD), Configure(DETACHES, *RANGE_US, SPEED, OnSilence.DETACH)]
SESSION = 7


@pytest.fixture
def core():
    with Core() as core:
        yield core


@pytest.fixture
def armed(core: Core) -> Core:
    """Armed, with both channels at 1500 us."""
    core.open_session(CHANNELS, SESSION)
    core.ask(Move((1500.0, 1500.0)))
    assert core.pulses()[:2] == (1500.0, 1500.0)
    return core


def refused(core: Core, message: limber.Message) -> Result:
    """The result with which `message` is refused, having changed nothing."""
    before = core.state, [core.pulse(channel) for channel in range(2)]
    report = core.ask(message)
    assert isinstance(report, Report)
    assert report.result != Result.ACCEPTED
    assert (core.state, [core.pulse(channel) for channel in range(2)]) == before
    return Result(report.result)


# --- the handshake


def test_after_a_reset_it_reports_unasked_that_it_is_disarmed_and_knows_no_session(core):
    (frame,) = core.answers()
    assert frame == limber.Frame(0, Report(None, 0, State.DISARMED, Reason.NO_SESSION, 0, 0, (None,) * 12))


def test_a_hello_is_answered_with_what_the_device_is(core):
    welcome = core.ask(Hello(SESSION))
    assert welcome == limber.Welcome(SESSION, (1, 0), 12, limber.Features.INTERPOLATION, 500.0, 2500.0, 20000, 250, "core")


@pytest.mark.parametrize("payload", [b"\x02", b"\x00\x00\x07", b"\x02 and whatever version 2 may add"])
def test_another_version_is_answered_with_the_one_it_speaks_and_changes_nothing(armed, payload):
    armed.answers()
    armed.receive(limber.encode_raw(Kind.HELLO, payload, 99))
    assert armed.answers() == [limber.Frame(99, limber.WrongVersion(1, (1, 0)))]
    assert armed.state == State.ARMED


def test_a_hello_disarms_forgets_the_configuration_and_goes_on_holding(armed):
    armed.ask(Hello(8))
    assert armed.state == State.DISARMED
    assert armed.pulses()[:2] == (1500.0, None)
    assert refused(armed, Arm(8)) == Result.NOT_CONFIGURED


def test_a_held_pulse_is_gone_on_from_at_the_channel_s_speed_in_the_next_session(armed):
    armed.ask(Hello(8))
    armed.open_session(CHANNELS, 9)
    armed.ask(Move((2000.0,)))
    assert armed.pulses()[0] == 1500.0 + PER_PULSE_US


# --- what is refused, and why


@pytest.mark.parametrize("message", [CHANNELS[0], Arm(SESSION), Move((1500.0,))])
def test_without_a_session_nothing_is_done(core, message):
    assert refused(core, message) == Result.NO_SESSION


def test_arm_wants_the_open_session(core):
    core.ask(Hello(SESSION))
    core.ask(CHANNELS[0])
    assert refused(core, Arm(SESSION + 1)) == Result.WRONG_SESSION
    assert refused(core, Arm(0)) == Result.WRONG_SESSION


def test_arm_wants_a_channel(core):
    core.ask(Hello(SESSION))
    assert refused(core, Arm(SESSION)) == Result.NOT_CONFIGURED


def test_a_session_cannot_be_zero(core):
    assert core.ask(Hello(0)).result == Result.OUT_OF_RANGE
    assert refused(core, Arm(0)) == Result.NO_SESSION


def test_a_move_wants_an_armed_device(core):
    core.ask(Hello(SESSION))
    core.ask(CHANNELS[0])
    assert refused(core, Move((1500.0,))) == Result.NOT_ARMED
    assert core.pulses() == (None,) * 12


def test_channels_are_configured_only_while_disarmed(armed):
    assert refused(armed, CHANNELS[0]) == Result.NOT_DISARMED


@pytest.mark.parametrize(
    ("message", "result"),
    [
        (Configure(12, 700, 2300, 1, OnSilence.HOLD), Result.NO_SUCH_CHANNEL),
        (Configure(0, 499, 2300, 1, OnSilence.HOLD), Result.OUT_OF_RANGE),
        (Configure(0, 700, 2501, 1, OnSilence.HOLD), Result.OUT_OF_RANGE),
        (Configure(0, 1600, 1500, 1, OnSilence.HOLD), Result.OUT_OF_RANGE),
        (Configure(0, 700, 2300, 0, OnSilence.HOLD), Result.OUT_OF_RANGE),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(core, message, result):
    core.ask(Hello(SESSION))
    assert refused(core, message) == result


@pytest.mark.parametrize(
    ("positions", "result"),
    [
        ((1510.0, 499.875), Result.OUT_OF_RANGE),
        ((1510.0, 2500.125), Result.OUT_OF_RANGE),
        ((1510.0, 8191.875), Result.OUT_OF_RANGE),
        ((1510.0, None, 1500.0), Result.NOT_CONFIGURED),
        ((1510.0,) + (None,) * 12, Result.NO_SUCH_CHANNEL),
    ],
)
def test_a_move_is_refused_as_a_whole(armed, positions, result):
    assert refused(armed, Move(positions)) == result
    assert armed.pulses()[:2] == (1500.0, 1500.0)


def test_a_refused_move_does_not_calm_the_watchdog(armed):
    for _ in range(15):
        armed.ask(Move((100.0,)))
        armed.ask(Poll())
        armed.wait(20_000)
    assert armed.state == State.HOLDING


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind < 0x80])
@pytest.mark.parametrize("length", range(12))
def test_a_payload_of_another_length_is_refused(armed, kind, length):
    own = {Kind.HELLO: {3}, Kind.CONFIGURE: {8}, Kind.ARM: {2}, Kind.DISARM: {1}, Kind.STOP: {0}, Kind.POLL: {0}, Kind.MOVE: {2}}
    if length in own[kind]:
        return
    armed.answers()
    armed.receive(limber.encode_raw(kind, b"\x01" + bytes(length - 1) if length else b"", 9))
    (frame,) = armed.answers()
    assert (frame.message.answers, frame.message.result) == (kind, Result.WRONG_LENGTH)
    assert armed.state == State.ARMED
    assert armed.pulses()[:2] == (1500.0, 1500.0)


def test_an_unknown_kind_is_said_to_be_unknown(armed):
    armed.answers()
    armed.receive(limber.encode_raw(0x42, b"hello", 9))
    (frame,) = armed.answers()
    assert (frame.sequence, frame.message.answers, frame.message.result) == (9, 0x42, Result.UNKNOWN_KIND)


# --- motion


def test_no_pulse_comes_before_a_position_and_the_first_is_that_position(core):
    core.open_session(CHANNELS)
    assert core.pulses() == (None,) * 12
    core.ask(Move((None, 1234.5), interval_ms=100))
    assert core.pulses() == (None, 1234.5) + (None,) * 10
    core.ask(Move((987.125,)))
    assert core.pulses()[:2] == (987.125, 1234.5)


def test_pulses_change_no_faster_than_the_channel_s_speed_and_it_says_so(armed):
    armed.ask(Move((2000.0, 1000.0)))
    for step in range(1, 7):
        assert armed.pulses()[:2] == (1500.0 + PER_PULSE_US * step, 1500.0 - PER_PULSE_US * step)
        report = armed.ask(Move((2000.0, 1000.0)))
        assert Reason.SLOWED in report.reasons
        assert report.commanded_us[:2] == (1500.0 + PER_PULSE_US * step, 1500.0 - PER_PULSE_US * step)
    assert armed.pulses()[:2] == (2000.0, 1000.0)
    assert armed.ask(Move((2000.0, 1000.0))).reasons == Reason(0)


@pytest.mark.parametrize("speed", [1, 2, 7, 333, 12345, 65535])
def test_a_speed_limit_is_never_exceeded_and_hardly_undercut(core, speed):
    core.open_session([Configure(0, 500, 2500, speed, OnSilence.HOLD)])
    core.ask(Move((500.0,)))
    core.pulses()
    turns = 40 if speed < 2000 else 1
    for _ in range(turns):
        core.ask(Move((2500.0,)))
        last = core.pulses()[0]
    assert last - 500.0 <= speed * 0.02 * turns
    assert last - 500.0 >= min(speed * 0.02 * turns * 0.97 - 1 / limber.UNITS_PER_US, 1999.0)


@pytest.mark.parametrize(("asked", "given"), [(600.0, 700.0), (2400.0, 2300.0)])
def test_positions_are_clamped_to_the_channel_s_range_and_it_says_so(core, asked, given):
    core.open_session(CHANNELS)
    assert Reason.CLAMPED in core.ask(Move((asked,))).reasons
    assert core.pulses()[0] == given
    assert core.ask(Move((given,))).reasons == Reason(0)


def test_a_move_with_an_interval_goes_in_a_straight_line(core):
    core.open_session([Configure(0, 500, 2500, 65535, OnSilence.HOLD)])
    core.ask(Move((1000.0,)))
    core.pulses()
    core.ask(Move((1800.0,), interval_ms=80))
    assert [core.pulses()[0] for _ in range(6)] == pytest.approx([1000.0, 1200.0, 1400.0, 1600.0, 1800.0, 1800.0], abs=0.5)


def test_a_channel_that_a_move_leaves_out_goes_on_with_the_last_one(core):
    core.open_session([Configure(channel, 500, 2500, 65535, OnSilence.HOLD) for channel in range(2)])
    core.ask(Move((1000.0, 1000.0)))
    core.pulses()
    core.ask(Move((1400.0, None), interval_ms=80))
    core.pulses()
    core.ask(Move((None, 2000.0)))
    assert core.pulses()[:2] == pytest.approx((1100.0, 2000.0), abs=0.5)


def test_the_clock_may_come_round(core):
    with Core(now_us=2**32 - 100_000) as core:
        core.open_session([Configure(channel, 500, 2500, 65535, OnSilence.HOLD) for channel in range(2)])
        core.ask(Move((1000.0, 1000.0)))
        core.pulses()
        core.ask(Move((2000.0, 1500.0), interval_ms=200))
        widths = []
        for _ in range(20):
            widths.append(core.pulses()[0])
            core.ask(Move((None, 1500.0)))
        assert widths == sorted(widths)
        assert widths[-1] == 2000.0
        core.now_us = (core.now_us - 320_000) % 2**32  # almost 72 minutes later: the clock shows the time of that move again
        core.ask(Move((None, 1500.0)))
        assert core.pulses()[0] == 2000.0


# --- the ends of motion


def test_silence_for_the_watchdog_s_time_ends_motion_as_each_channel_wants(armed):
    armed.answers()
    armed.ask(Move((2000.0, 2000.0)))
    for _ in range(2):
        armed.pulses()
    armed.wait(209_000)
    assert armed.state == State.ARMED
    armed.wait(2_000)
    (frame,) = armed.answers()
    assert (frame.sequence, frame.message.answers) == (0, None)
    assert (frame.message.state, frame.message.reasons) == (State.HOLDING, Reason.SILENCE)
    assert [armed.pulses()[:2] for _ in range(100)] == [(1500.0 + 2 * PER_PULSE_US, None)] * 100


def test_after_silence_it_moves_only_when_armed_again(armed):
    armed.wait(300_000)
    assert refused(armed, Move((1600.0,))) == Result.NOT_ARMED
    assert armed.ask(Arm(SESSION)).state == State.ARMED
    armed.ask(Move((1520.0, 1600.0)))
    assert armed.pulses()[:2] == (1520.0, 1600.0)


def test_stop_ends_motion_at_once_and_latches_until_disarmed(armed):
    armed.ask(Move((2000.0, 2000.0)))
    armed.pulses()
    report = armed.ask(Stop())
    assert (report.state, report.reasons) == (State.FAULT, Reason.STOPPED)
    assert armed.pulses()[:2] == (1500.0 + PER_PULSE_US, None)
    assert refused(armed, Move((1500.0,))) == Result.NOT_ARMED
    assert refused(armed, Arm(SESSION)) == Result.FAULT_LATCHED
    assert armed.ask(Disarm()).state == State.DISARMED
    assert armed.ask(Arm(SESSION)).state == State.ARMED


def test_arming_again_does_not_take_an_old_move_up(armed):
    armed.ask(Move((2000.0, None), interval_ms=200))
    armed.pulses()
    stopped = armed.pulses()[0]
    armed.ask(Disarm())
    armed.ask(Arm(SESSION))
    assert [armed.pulses()[0] for _ in range(5)] == [stopped] * 5


@pytest.mark.parametrize(("release", "left"), [(False, (1500.0, None)), (True, (None, None))])
def test_disarm_leaves_pulses_as_configured_or_none(armed, release, left):
    assert armed.ask(Disarm(release)).state == State.DISARMED
    assert armed.pulses()[:2] == left


@pytest.mark.parametrize("message", [Stop(), Disarm(), Disarm(release=True)])
def test_stop_and_disarm_work_without_a_session(core, message):
    assert core.ask(message).result == Result.ACCEPTED


# --- damage and noise


def flips(message: limber.Message) -> list[bytes]:
    wire = limber.encode(message, 41)
    return [bytes(byte ^ (1 << bit % 8 if at == bit // 8 else 0) for at, byte in enumerate(wire)) for bit in range(8 * len(wire))]


@pytest.mark.parametrize("message", [Move((2000.0,) * 2), Move((2000.0, None) + (None,) * 10), Stop(), Disarm(release=True), Hello(9)])
def test_no_frame_with_a_flipped_bit_does_anything(armed, message):
    for damaged in flips(message):
        armed.receive(damaged)
        armed.wait(60_000)  # silence: nothing is pending any more
        assert armed.state == State.ARMED
        assert armed.ask(Move((1500.0, 1500.0))).session == SESSION
        assert armed.pulses()[:2] == (1500.0, 1500.0)


@pytest.mark.parametrize("message", [Hello(SESSION), Arm(SESSION), Move((2000.0,) * 2)])
def test_no_frame_with_a_flipped_bit_arms_or_moves_a_disarmed_device(core, message):
    core.ask(Hello(SESSION))
    core.ask(CHANNELS[0])
    for damaged in flips(message):
        core.receive(damaged)
        core.wait(60_000)
        assert core.state == State.DISARMED
        assert core.pulses() == (None,) * 12


@given(st.lists(st.binary(max_size=60) | FROM_HOST.map(lambda message: limber.encode(message)[:-1]), max_size=8))
def test_noise_and_frames_that_were_cut_off_do_nothing(pieces):
    with Core() as core:
        core.open_session(CHANNELS)
        core.ask(Move((1500.0, 1500.0)))
        for piece in pieces:
            core.receive(piece)
        core.wait(60_000)
        assert core.state == State.ARMED
        assert core.pulses()[:2] == (1500.0, 1500.0)


@st.composite
def beginnings(draw: st.DrawFn) -> bytes:
    """The beginning of a frame, which promises more than comes."""
    wire = limber.encode(draw(FROM_HOST))
    return wire[: draw(st.integers(1, len(wire) - 1))]


@given(st.lists(st.binary(max_size=50) | beginnings() | st.integers(0, 255), max_size=12))
def test_it_finds_the_frames_that_the_host_s_decoder_finds(pieces):
    stream = b"".join(limber.encode(Poll(), piece) if isinstance(piece, int) else piece for piece in pieces)
    decoder = limber.Decoder()
    expected = [frame.sequence for frame in decoder.feed(stream) + decoder.give_up()]
    with Core() as core:
        core.answers()
        core.receive(stream)
        core.wait(60_000)
        assert [frame.sequence for frame in core.answers()] == expected


def test_a_flipped_bit_of_the_length_is_found_even_where_the_crc_would_be_right(armed):
    armed.answers()
    armed.receive(length_trap())
    armed.wait(60_000)
    assert armed.answers() == []
    assert armed.state == State.ARMED


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
    assert [frame.message.state for frame in frames[1:]] == [State.DISARMED, State.DISARMED, State.ARMED]


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
        LIKELY | LIKELY | WAITS | FROM_HOST.filter(lambda message: not isinstance(message, Configure)) | st.binary(max_size=20), max_size=60
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
