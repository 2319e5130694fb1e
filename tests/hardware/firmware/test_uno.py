"""The reference firmware on an emulated Arduino Uno, in simulated time: the pulses on its pins and what it answers."""

import random
import statistics
from itertools import pairwise

import pytest
from limber.hardware.protocols import limber
from limber.hardware.protocols.limber import Arm, Configure, Hello, Move, OnSilence, Poll, Reason, Report, Result, State, Stop

from tests.hardware.emulator import Pulse, Run, Timeline, require_emulator

require_emulator()

CHANNELS = range(12)
HOLDS = [channel for channel in CHANNELS if channel % 2 == 0]
DETACHES = [channel for channel in CHANNELS if channel % 2 == 1]
FAST = 65535  # [us/s]: 1310 us from pulse to pulse
SESSION = 7
PERIOD_US = 20_000.0
FRAME_US = 10_000.0  # 100 Hz
TOLERANCE_US = 1.0  # for one pulse against another that must be the same: the edges' own jitter, twice


def configuration(speed: int = FAST, lower: float = 500.0, upper: float = 2500.0) -> list[Configure]:
    return [Configure(channel, lower, upper, speed, OnSilence.DETACH if channel in DETACHES else OnSilence.HOLD) for channel in CHANNELS]


def standing(timeline: Timeline, positions: tuple[float, ...], frames: int) -> None:
    """A stream of one and the same move."""
    for _ in range(frames):
        timeline.send(Move(positions))
        timeline.wait(FRAME_US)


def no_pulses(run: Run, since_us: float = 0.0) -> bool:
    return not run.high and not [pulse for pulse in run.pulses if pulse.rise_us + pulse.width_us >= since_us]


# --- widths


def random_stream(positions: int, seed: int) -> tuple[Run, list[tuple[float, tuple[float, ...]]]]:
    """A stream at 100 Hz, each frame somewhat late, within what a channel can change from pulse to pulse; what was sent, and when."""
    chance = random.Random(seed)
    timeline = Timeline()
    timeline.open_session(configuration())
    sent = []
    begin = timeline.now_us
    for k in range(positions):
        timeline.now_us = begin + k * FRAME_US + chance.uniform(0.0, 3_000.0)
        sent.append((timeline.now_us, tuple(chance.randint(8 * 900, 8 * 2100) / 8 for _ in CHANNELS)))
        timeline.send(Move(sent[-1][1]))
    timeline.wait(FRAME_US)
    return timeline.run(), sent


@pytest.fixture(scope="module")
def stream() -> tuple[Run, list[tuple[float, tuple[float, ...]]]]:
    return random_stream(500, seed=1)


def error_us(pulse: Pulse, sent: list[tuple[float, tuple[float, ...]]]) -> float:
    """By how much a pulse misses the position it is of: one of those sent shortly before it (a chance match is unlikely)."""
    recent = [positions[pulse.channel] for at, positions in sent if pulse.rise_us - 30_000 < at < pulse.rise_us]
    return min(abs(pulse.width_us - position) for position in recent)


def test_every_pulse_is_as_wide_as_was_sent(stream):
    run, sent = stream
    errors = sorted(error_us(pulse, sent) for pulse in run.pulses)
    p99 = errors[len(errors) * 99 // 100]
    print(f"error of {len(errors)} pulses: p50 {statistics.median(errors):.2f}, p99 {p99:.2f}, max {errors[-1]:.2f} us")
    assert len(errors) > 2800
    assert errors[-1] <= 8.0
    assert p99 <= 2.0


def test_every_channel_has_a_pulse_every_20_ms(stream):
    run, _ = stream
    for channel in CHANNELS:
        rises = [pulse.rise_us for pulse in run.pulses_of(channel)]
        assert len(rises) > 240
        assert [b - a for a, b in pairwise(rises)] == pytest.approx([PERIOD_US] * (len(rises) - 1), abs=15.0)


def test_a_new_position_is_on_the_pin_within_a_period_and_a_slot(stream):
    run, sent = stream
    for pulse in run.pulses:
        newest = max(at for at, positions in sent if at < pulse.rise_us and abs(positions[pulse.channel] - pulse.width_us) < 1.0)
        due = [at for at, _ in sent if newest < at < pulse.rise_us - 9_000]  # 3 ms on the line, 3.3 ms a slot, its own time
        assert not due, f"{pulse} is of {newest}, and {due} had come"


def test_a_stream_at_100_hz_is_acknowledged_frame_by_frame(stream):
    run, sent = stream
    moves = [answer for answer in run.answers if isinstance(answer.message, Report) and answer.message.answers == limber.Kind.MOVE]
    assert len(moves) == len(sent)
    assert {move.message.result for move in moves} == {Result.ACCEPTED}
    assert run.noise == 0


def test_widths_hold_where_two_pulses_end_together():
    """Two channels share a slot: their ends meet in every way, and at the ends of the range."""
    timeline = Timeline()
    timeline.open_session(configuration())
    sent = []
    for k in range(100):
        difference = (k - 50) * 3 / 8  # [us] -19 to 19
        base = (1500.0, 2100.0, 900.0)[k % 3]
        sent.append((timeline.now_us, tuple(base if channel < 6 else base + difference for channel in CHANNELS)))
        for _ in range(4):  # two pulses on the way there and two in place
            timeline.send(Move(sent[-1][1]))
            timeline.wait(FRAME_US)
    for edge in (500.0, 2500.0):  # farther than one pulse may change: 8 frames
        sent.append((timeline.now_us, (edge,) * 12))
        standing(timeline, (edge,) * 12, 8)
    run = timeline.run()
    ends = [at for at, _ in sent[1:]] + [timeline.now_us]
    for (at, positions), end in zip(sent, ends, strict=True):
        for channel in CHANNELS:
            settled = run.pulses_of(channel, at, end)[-1]
            assert abs(settled.width_us - positions[channel]) <= 2.0, f"sent {positions[channel]} at {at}"


# --- when there are no pulses


def test_there_is_no_pulse_before_a_position_is_given():
    timeline = Timeline()
    timeline.wait(200_000)
    timeline.open_session(configuration())
    timeline.wait(100_000)
    assert no_pulses(timeline.run())


def test_a_channel_s_first_pulse_is_the_position_given_and_the_others_stay_quiet():
    timeline = Timeline()
    timeline.open_session(configuration(speed=100))
    standing(timeline, (None, None, None, 812.5), 10)
    run = timeline.run()
    assert {pulse.channel for pulse in run.pulses} == {3}
    assert [pulse.width_us for pulse in run.pulses] == pytest.approx([812.5] * len(run.pulses), abs=TOLERANCE_US)
    assert set(run.high) <= {3}


def test_500_ms_after_silence_a_detach_channel_has_no_pulse_and_a_hold_channel_its_last_width():
    timeline = Timeline()
    timeline.open_session(configuration(speed=3000))
    standing(timeline, (1000.0,) * 12, 10)
    standing(timeline, (2000.0,) * 12, 15)
    silent = timeline.now_us - FRAME_US
    timeline.wait(2_500_000)
    run = timeline.run()
    for channel in DETACHES:
        assert channel not in run.high
        assert run.pulses_of(channel, silent)
        assert not run.pulses_of(channel, silent + 300_000)
    for channel in HOLDS:
        widths = [pulse.width_us for pulse in run.pulses_of(channel, silent + 300_000)]
        assert len(widths) > 100
        assert max(widths) - min(widths) <= TOLERANCE_US
        last = run.reports()[-1]
        assert (last.answers, last.state, last.reasons) == (None, State.HOLDING, Reason.SILENCE)
        assert widths[-1] == pytest.approx(last.commanded_us[channel], abs=TOLERANCE_US)


def test_stop_ends_the_motion_within_a_period():
    timeline = Timeline()
    timeline.open_session(configuration(speed=1000))
    standing(timeline, (1000.0,) * 12, 10)
    standing(timeline, (2000.0,) * 12, 10)
    timeline.send(Stop())
    stopped = timeline.now_us
    timeline.wait(20_000)
    standing(timeline, (2000.0,) * 12, 30)
    run = timeline.run()
    for channel in DETACHES:
        assert not run.pulses_of(channel, stopped + 10_000)
    for channel in HOLDS:
        widths = [pulse.width_us for pulse in run.pulses_of(channel, stopped + 10_000)]
        assert len(widths) > 10
        assert max(widths) - min(widths) <= TOLERANCE_US
        assert 1000.0 < widths[0] < 1500.0
    assert {report.result for report in run.reports()[-30:]} == {Result.NOT_ARMED}


def test_a_reset_in_the_middle_of_a_stream_ends_disarmed_until_armed_afresh():
    timeline = Timeline()
    timeline.open_session(configuration())
    standing(timeline, (1500.0,) * 12, 30)
    timeline.reset()
    reset = timeline.now_us
    standing(timeline, (1600.0,) * 12, 100)
    timeline.send(Arm(SESSION))
    timeline.wait(50_000)
    again = timeline.now_us
    timeline.open_session(configuration(), session=8)
    standing(timeline, (1234.0,) * 12, 20)
    run = timeline.run()
    assert len([pulse for pulse in run.pulses if pulse.rise_us < reset]) > 100
    assert not [pulse for pulse in run.pulses if reset < pulse.rise_us < again]
    between = [answer.message for answer in run.answers if reset < answer.at_us < again]
    assert between[0] == Report(None, 0, State.DISARMED, Reason.NO_SESSION, 0, 0, (None,) * 12)
    assert {(report.result, report.state, report.session) for report in between[1:]} == {(Result.NO_SESSION, State.DISARMED, 0)}
    assert len(between) > 90
    afterwards = [pulse.width_us for pulse in run.pulses if pulse.rise_us > again]
    assert len(afterwards) > 80
    assert afterwards == pytest.approx([1234.0] * len(afterwards), abs=TOLERANCE_US)


# --- limits on the device


def test_pulses_keep_within_the_range_and_the_speed_that_were_configured():
    speed = 2000  # [us/s]: 40 us from pulse to pulse
    timeline = Timeline()
    timeline.open_session(configuration(speed, 800.0, 2200.0))
    chance = random.Random(2)
    standing(timeline, (1500.0,) * 12, 5)
    for _ in range(40):
        positions = tuple(chance.randint(8 * 500, 8 * 2500) / 8 for _ in CHANNELS)
        for _ in range(chance.randint(1, 15)):
            timeline.send(Move(positions, interval_ms=chance.choice((0, 10, 100))))
            timeline.wait(FRAME_US)
    standing(timeline, (500.0,) * 6 + (2500.0,) * 6, 80)
    run = timeline.run()
    for channel in CHANNELS:
        widths = [pulse.width_us for pulse in run.pulses_of(channel)]
        assert all(800.0 - TOLERANCE_US <= width <= 2200.0 + TOLERANCE_US for width in widths)
        assert max(abs(b - a) for a, b in pairwise(widths)) <= speed * PERIOD_US / 1e6 + TOLERANCE_US
        assert widths[-1] == pytest.approx(800.0 if channel < 6 else 2200.0, abs=TOLERANCE_US)
    assert Reason.CLAMPED in run.reports()[-1].reasons


def test_a_move_with_an_interval_is_a_straight_line_of_pulses():
    timeline = Timeline()
    timeline.open_session(configuration())
    standing(timeline, (1000.0,) * 12, 5)
    begin = timeline.now_us
    timeline.send(Move((1800.0,) * 12, interval_ms=200))
    timeline.wait(240_000)
    run = timeline.run()
    for channel in CHANNELS:
        line = run.pulses_of(channel, begin + 30_000, begin + 190_000)
        steps = [b.width_us - a.width_us for a, b in pairwise(line)]
        assert steps == pytest.approx([80.0] * len(steps), abs=4.0)  # 800 us in 200 ms; prepared up to 1 ms sooner or later


# --- damage and noise


def damaged_frames(chance: random.Random) -> list[bytes]:
    """What a bad line makes of moves that would be seen: flipped bits, lost tails, lost heads, doubled bytes, and bytes from nowhere."""
    pieces = []
    for _ in range(60):
        wire = bytearray(limber.encode(Move(tuple(chance.choice((700.0, 2300.0)) for _ in CHANNELS)), chance.randrange(256)))
        match chance.randrange(5):
            case 0:
                for _ in range(chance.randint(1, 3)):
                    wire[chance.randrange(len(wire))] ^= 1 << chance.randrange(8)
            case 1:
                del wire[chance.randrange(len(wire)) :]
            case 2:
                del wire[: chance.randint(1, len(wire) - 1)]
            case 3:
                at = chance.randint(1, len(wire) - 1)
                wire.insert(at, wire[at] ^ 0x55)
            case 4:
                wire[:] = chance.randbytes(chance.randint(1, 60))
        pieces.append(bytes(wire))
    return pieces


def test_noise_and_damaged_frames_in_a_stream_move_nothing():
    timeline = Timeline()
    timeline.open_session(configuration())
    chance = random.Random(4)
    for piece in damaged_frames(chance):
        timeline.send(Move((1500.0,) * 12))
        timeline.wait(12_000)
        timeline.send_bytes(piece)
        timeline.wait(12_000)
    standing(timeline, (1500.0,) * 12, 5)
    run = timeline.run()
    assert len(run.pulses) > 800
    assert [pulse.width_us for pulse in run.pulses] == pytest.approx([1500.0] * len(run.pulses), abs=TOLERANCE_US)
    assert run.reports()[-1].state == State.ARMED
    assert run.reports()[-1].bad_frames > 10


def test_noise_and_damaged_frames_wake_no_servo():
    timeline = Timeline()
    timeline.open_session(configuration())
    for piece in damaged_frames(random.Random(5)):
        timeline.send_bytes(piece)
        timeline.wait(10_000)
    assert no_pulses(timeline.run())


def test_a_flood_is_survived_and_stop_still_heard():
    """Frames back to back, more than the line can answer: acknowledgements may be lost, obedience not."""
    timeline = Timeline()
    timeline.open_session(configuration(speed=500))
    standing(timeline, (1000.0,) * 12, 5)
    for _ in range(300):
        timeline.send(Move((2000.0,) * 12))
    timeline.send(Stop())
    timeline.wait(1_500_000)
    run = timeline.run()
    assert run.reports()[-1].state == State.FAULT
    assert run.reports()[-1].bad_frames == 0
    for channel in CHANNELS:
        widths = [pulse.width_us for pulse in run.pulses_of(channel) if pulse.width_us > 1000.0 + TOLERANCE_US]
        underway = widths[: len(widths) - widths.count(pytest.approx(widths[-1], abs=TOLERANCE_US))]
        assert len(underway) > 40
        assert [b - a for a, b in pairwise(underway)] == pytest.approx([10.0] * (len(underway) - 1), abs=TOLERANCE_US)


def test_a_frame_that_was_broken_off_is_given_up_in_silence():
    timeline = Timeline()
    timeline.send(Hello(SESSION))
    timeline.wait(20_000)
    timeline.send_bytes(limber.encode(Move((1500.0,) * 12))[:20])
    timeline.wait(80_000)
    poll = timeline.send(Poll())
    timeline.wait(20_000)
    assert timeline.run().answer_to(poll).result == Result.ACCEPTED


# --- versions


def test_another_version_s_hello_is_answered_with_the_version_it_speaks():
    timeline = Timeline()
    hello = timeline.send(Hello(SESSION, version=9))
    timeline.wait(20_000)
    arm = timeline.send(Arm(SESSION))
    timeline.wait(20_000)
    run = timeline.run()
    assert run.answer_to(hello) == limber.WrongVersion(limber.VERSION, (1, 0))
    assert run.answer_to(arm).result == Result.NO_SESSION


def test_it_says_what_it_is():
    timeline = Timeline()
    hello = timeline.send(Hello(SESSION))
    timeline.wait(20_000)
    welcome = timeline.run().answer_to(hello)
    assert welcome == limber.Welcome(SESSION, (1, 0), 12, limber.Features.INTERPOLATION, 500.0, 2500.0, 20000, 250, "Arduino Uno")
