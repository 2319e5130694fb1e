"""Tests widths and times of the pulses of the reference firmware on an emulated Arduino Uno, in simulated
time.
"""

import random
import statistics
from itertools import pairwise

import pytest
from limber.hardware.protocols import limber
from limber.hardware.protocols.limber import DeviceReport, DeviceResult, Move, Reason

from tests.hardware.emulator import Pulse, Run, Timeline, require_emulator
from tests.hardware.firmware.streaming import (
    CHANNELS,
    FRAME_US,
    PERIOD_US,
    TOLERANCE_US,
    configuration,
    standing,
)

require_emulator()


# --- widths
def random_stream(positions: int, seed: int) -> tuple[Run, list[tuple[float, tuple[float, ...]]]]:
    """A stream at 100 Hz, with frames of varying lateness and changes within the speed of a channel; returns
    the run, and times and positions of the moves.
    """
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
    """Difference of a pulse from the nearest of the positions sent shortly before it (a match by chance is
    unlikely).
    """
    recent = [
        positions[pulse.channel] for at, positions in sent if pulse.rise_us - 30_000 < at < pulse.rise_us
    ]
    return min(abs(pulse.width_us - position) for position in recent)


def test_every_pulse_is_as_wide_as_was_sent(stream):
    run, sent = stream
    errors = sorted(error_us(pulse, sent) for pulse in run.pulses)
    p99 = errors[len(errors) * 99 // 100]
    print(
        f"error of {len(errors)} pulses: p50 {statistics.median(errors):.2f}, p99 {p99:.2f}, max"
        f" {errors[-1]:.2f} us"
    )
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
        newest = max(
            at
            for at, positions in sent
            if at < pulse.rise_us and abs(positions[pulse.channel] - pulse.width_us) < 1.0
        )
        due = [
            at for at, _ in sent if newest < at < pulse.rise_us - 9_000
        ]  # 3 ms on the line, 3.3 ms for a slot, and its own time
        assert not due, f"{pulse} is of {newest}, and {due} had come"


def test_a_stream_at_100_hz_is_acknowledged_frame_by_frame(stream):
    run, sent = stream
    moves = [
        answer
        for answer in run.answers
        if isinstance(answer.message, DeviceReport) and answer.message.answers == limber.MessageKind.MOVE
    ]
    assert len(moves) == len(sent)
    assert {move.message.result for move in moves} == {DeviceResult.ACCEPTED}
    assert run.noise == 0


def test_widths_hold_where_two_pulses_end_together():
    """Two channels share a slot: their ends coincide in all variants, also at the ends of the range."""
    timeline = Timeline()
    timeline.open_session(configuration())
    sent = []
    for k in range(100):
        difference = (k - 50) * 3 / 8  # [us] -19 to 19
        base = (1500.0, 2100.0, 900.0)[k % 3]
        sent.append(
            (timeline.now_us, tuple(base if channel < 6 else base + difference for channel in CHANNELS))
        )
        for _ in range(4):  # two pulses of motion and two at rest
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


# Constants of pulses_uno.c [ticks of Timer1].
TICKS_PER_US = 16
SLOT_TICKS = 53333
NEAR = 30 * TICKS_PER_US  # time from the beginning of a slot to the request of its first rising edge
TURN = 1 << 16  # number of ticks after which the timer is 0 again


def width_with_request_at_zero(period: int, channel: int) -> float | None:
    """Width [us] of a channel's pulse whose end is requested in that period, counted from the start, when the
    timer is 0; None if no width within the range meets this.
    """
    begin = SLOT_TICKS * (6 * period + channel)
    ticks = -(begin + NEAR) % TURN
    return ticks / TICKS_PER_US if ticks % 2 == 0 and 900 <= ticks / TICKS_PER_US <= 2100 else None


def test_pulses_are_as_wide_as_sent_where_the_end_is_requested_when_the_timer_is_zero():
    timeline = Timeline()
    timeline.open_session(configuration())
    soonest = int(timeline.now_us / PERIOD_US) + 25
    widths = [600.0] * 12  # the other pulses end long before
    periods = {}
    # the first channel of a slot that begins at an even tick: widths are multiples of two
    for channel in (0, 2, 4):
        known = (
            (period, width_with_request_at_zero(period, channel)) for period in range(soonest, soonest + 100)
        )
        periods[channel], widths[channel] = next(
            (period, width) for period, width in known if width is not None
        )
    standing(timeline, tuple(widths), 2 * (max(periods.values()) - soonest + 50))
    run = timeline.run()
    for channel, period in periods.items():
        around = run.pulses_of(channel, (period - 2) * PERIOD_US, (period + 4) * PERIOD_US)
        assert len(around) >= 5
        assert [pulse.width_us for pulse in around] == pytest.approx(
            [widths[channel]] * len(around), abs=TOLERANCE_US
        )


# --- limits on the device
def test_pulses_keep_within_the_range_and_the_speed_that_were_configured():
    speed = 2000  # [us/s] 40 us from pulse to pulse
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
        assert steps == pytest.approx(
            [80.0] * len(steps), abs=4.0
        )  # 800 us in 200 ms; prepared up to 1 ms earlier or later
