"""Tests streams: values received at one rate are shown at another, smooth, with little delay, and at rest
when the stream ends.
"""

from collections.abc import Callable, Sequence
from math import pi, sin
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from limber.character import stream
from limber.character.stream import Samples

CLOCK = 60  # [Hz] ticks of the clock
RATE = 2 * pi * 0.35  # [rad/s] angular frequency of the motion
NO_VELOCITY, NO_TIME = np.full((1, 1), np.nan), np.full(1, np.nan)


def sway(time: float) -> float:
    return 30.0 * sin(RATE * time)


def ramp(time: float) -> float:
    return 60.0 * time


def played(
    arrivals: dict[int, list[float]], ticks: int, clock: float = CLOCK, rejoin: float = stream.REJOIN
) -> np.ndarray:
    """Values (ticks,) at each tick of a signal whose samples arrive at ticks; before the first sample it is
    at 0.
    """
    return played_together([arrivals], ticks, clock, rejoin)[0]


def played_together(
    arrivals: Sequence[dict[int, list[float]]],
    ticks: int,
    clock: float = CLOCK,
    rejoin: float = stream.REJOIN,
    ages: Sequence[dict[int, float]] = (),
) -> np.ndarray:
    """Values (signals, ticks) of several signals, which are the rows of one stream; `ages`: age of the newest
    samples of each signal, by the tick of arrival, in ticks.
    """
    values, numbers = np.zeros((len(arrivals), 1)), np.zeros(len(arrivals), int)
    no_velocities, no_times = np.full(values.shape, np.nan), np.full(len(arrivals), np.nan)
    state, shown = None, []
    for tick in range(ticks):
        values, numbers = values.copy(), numbers.copy()
        for row, samples_by_tick in enumerate(arrivals):
            if tick in samples_by_tick:
                values[row] = samples_by_tick[tick][-1]
                numbers[row] += len(samples_by_tick[tick])
        samples = Samples(values, numbers, no_velocities, no_times)
        if ages:
            samples = samples._replace(ages=np.array([ages_of.get(tick, np.nan) for ages_of in ages]))
        signals, state = stream.advance(state, samples, 1.0 / clock if tick else 0.0, rejoin)
        shown.append(signals[:, 0])
    return np.transpose(shown)


def sent(
    rate: float, seconds: float, motion: Callable[[float], float] = sway, clock: float = CLOCK
) -> dict[int, list[float]]:
    """Samples of a motion at a constant rate, by the ticks at which they arrive."""
    arrivals: dict[int, list[float]] = {}
    for sample in range(int(seconds * rate)):
        arrivals.setdefault(int(np.ceil(sample / rate * clock + 0.3)), []).append(motion(sample / rate))
    return arrivals


@pytest.mark.parametrize("clock", [60, 24, 50])
def test_whatever_the_rates_no_tick_stands_still_and_the_acceleration_is_the_motions_own(clock: float):
    rates = [10, 15, 24, 25, 30, 45, 50, 60, 90, 120]
    together = played_together([sent(rate, 10, clock=clock) for rate in rates], 8 * clock, clock)
    for rate, shown in zip(rates, together[:, 4 * clock :], strict=True):
        assert np.abs(np.diff(shown)).min() > 0.0, f"{rate} a second"
        assert np.abs(np.diff(shown, 2)).max() * clock**2 < 1.3 * 30.0 * RATE**2, f"{rate} a second"


@pytest.mark.parametrize(("rate", "delay"), [(60, 0.0), (120, 0.0), (30, 1 / 60), (15, 3 / 60)])
def test_the_delay_is_what_the_next_sample_needs_to_come(rate: float, delay: float):
    arrivals = {tick: [sway(tick / CLOCK)] for tick in range(0, 300, max(CLOCK // rate, 1))}
    shown = played(arrivals, 300)
    assert shown[100:] == pytest.approx([sway(tick / CLOCK - delay) for tick in range(100, 300)], abs=0.05)


def test_where_samples_come_a_tick_too_early_or_late_the_motion_stays_smooth():
    chance = np.random.default_rng(3)
    arrivals: dict[int, list[float]] = {}
    for sample in range(300):
        arrivals.setdefault(2 * sample + int(chance.integers(0, 2)), []).append(sway(sample / 30))
    shown = played(arrivals, 590)[240:]
    assert np.abs(np.diff(shown)).min() > 0.0
    assert np.abs(np.diff(shown, 2)).max() * CLOCK**2 < 1.5 * 30.0 * RATE**2


def test_a_lost_sample_is_passed_without_a_halt():
    arrivals = {tick: [ramp(tick / CLOCK)] for tick in range(0, 120, 2) if tick != 80}
    steps = np.diff(played(arrivals, 120)[40:])
    assert steps == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("rate", [25, 30, 60])
def test_where_a_stream_ends_the_value_comes_to_rest_in_its_last_sample(rate: float):
    arrivals = sent(rate, 1.0, ramp)
    shown = played(arrivals, 120)
    last = ramp((rate - 1) / rate)
    assert shown[-1] == pytest.approx(last, abs=1e-9)
    assert np.abs(np.diff(shown[-20:])).max() == 0.0
    assert shown.max() < last + 2.0 * 60.0 / rate, "it goes on for a period at most"


def test_a_motion_that_ends_while_samples_come_ends_with_them():
    arrivals = {tick: [ramp(min(tick / CLOCK, 1.0))] for tick in range(0, 120, 2)}
    shown = played(arrivals, 120)
    assert shown.max() < 60.0 + 0.3 * 2.0
    assert shown[70:] == pytest.approx(60.0, abs=0.02)


@pytest.mark.parametrize("gap", [6, 12, 25, 45])
def test_after_a_gap_the_value_catches_up_without_a_jump(gap: int):
    arrivals = {tick: [ramp(tick / CLOCK)] for tick in range(0, 200, 2) if not 60 < tick < 60 + gap}
    steps = np.diff(played(arrivals, 200))[40:]
    assert np.abs(steps).max() < 5.0, "some times the speed of 1 a tick"
    assert np.abs(np.diff(steps)).max() < 2.0
    assert steps[-20:] == pytest.approx(1.0, abs=0.01)


def test_after_a_pause_the_next_sample_counts_at_once_where_nothing_is_rejoined():
    arrivals = {tick: [ramp(tick / CLOCK)] for tick in range(0, 30, 2)} | {80: [5.0]}
    assert played(arrivals, 82, rejoin=0.0)[80] == 5.0


def test_a_step_is_reached_without_going_far_beyond():
    arrivals = {tick: [0.0 if tick < 60 else 40.0] for tick in range(0, 120, 2)}
    shown = played(arrivals, 120)
    assert shown.max() < 45.0
    assert shown[75:] == pytest.approx(40.0, abs=0.1)


def test_a_sender_that_changes_its_rate_is_smooth_again_soon():
    arrivals = {tick: [sway(tick / CLOCK)] for tick in (*range(240), *range(240, 600, 2))}
    shown = played(arrivals, 600)[400:]
    assert np.abs(np.diff(shown)).min() > 0.0
    assert np.abs(np.diff(shown, 2)).max() * CLOCK**2 < 1.5 * 30.0 * RATE**2


def at_ticks(taken: np.ndarray, came: np.ndarray, clock: float) -> dict[int, list[float]]:
    """Samples of the motion taken and received at times [s], by the ticks at which they arrive."""
    arrivals: dict[int, list[float]] = {}
    for time, arrival in zip(taken, came, strict=True):
        arrivals.setdefault(int(np.ceil(arrival * clock)), []).append(sway(time))
    return arrivals


def changing(before: float, after: float, seconds: float) -> np.ndarray:
    """Times [s] of samples at one rate for four seconds, and then at another."""
    return np.concatenate((np.arange(4 * before) / before, 4.0 + np.arange(seconds * after) / after))


@pytest.mark.parametrize("clock", [60, 24])
def test_two_seconds_after_any_change_of_the_rate_the_motion_is_the_senders(clock: float):
    rates = [(30, 20), (45, 30), (45, 20), (30, 15), (20, 90), (60, 30)]
    times = [changing(before, after, 6) for before, after in rates]
    arrivals = [at_ticks(taken, taken + 0.2 / clock, clock) for taken in times]
    for change, shown in zip(rates, played_together(arrivals, int(9.8 * clock), clock), strict=True):
        assert is_smooth(shown, clock, 6.0), change
        assert np.abs(np.diff(shown[4 * clock :])).max() < 5.0 * 30.0 * RATE / clock, (
            f"nor does it jump before: {change}"
        )


@pytest.mark.parametrize(
    ("clock", "rates"),
    [
        (60, [(30, 45), (20, 90), (30, 60), (30, 10), (60, 15)]),
        (24, [(30, 45), (45, 30), (15, 20)]),
    ],
)
def test_a_new_rate_is_known_through_a_network_that_delays_packets(
    clock: float, rates: list[tuple[float, float]]
):
    cases = [(kind, *change) for kind in ("gaussian", "clumps") for change in rates]
    arrivals = []
    for kind, before, after in cases:
        taken = changing(before, after, 7)
        arrivals.append(at_ticks(taken, np.maximum.accumulate(taken + through(kind, taken)), clock))
    for case, shown in zip(cases, played_together(arrivals, int(10.5 * clock), clock), strict=True):
        assert is_smooth(shown, clock, 6.0), case


@pytest.mark.parametrize("clock", [60, 24])
def test_a_new_rate_is_known_where_samples_are_lost(clock: float):
    rates = [(30, 20), (25, 30), (10, 30)]
    arrivals = []
    for before, after in rates:
        taken = changing(before, after, 7)
        taken = taken[np.arange(len(taken)) % 19 != 7]
        arrivals.append(at_ticks(taken, taken + 0.2 / clock, clock))
    for change, shown in zip(rates, played_together(arrivals, int(10.5 * clock), clock), strict=True):
        assert is_smooth(shown, clock, 6.0), change


@pytest.mark.parametrize("clock", [60, 24])
@pytest.mark.parametrize("rate", [30, 60])
def test_losses_at_random_are_not_taken_for_another_rate(rate: float, clock: float):
    count = int(13 * rate)
    is_lost = np.random.default_rng(11).uniform(size=count) < 0.1
    is_lost[1:] &= ~is_lost[:-1]
    delays = np.random.default_rng(12).uniform(0.0, 0.004, count)
    arrivals = received(rate, clock, 12.0, delays, is_lost)
    state, number, value, periods = None, 0, 0.0, []
    for tick in range(12 * clock):
        number, value = number + len(arrivals.get(tick, [])), [value, *arrivals.get(tick, [])][-1]
        samples = Samples(np.array([[value]]), np.array([number]), NO_VELOCITY, NO_TIME)
        _, state = stream.advance(state, samples, 1.0 / clock if tick else 0.0)
        periods.append(state.timing.periods[0])
    assert np.array(periods[2 * clock :]) == pytest.approx(1.0 / rate, rel=0.05)


def test_a_sent_velocity_is_taken():
    state = None
    for tick in range(9):
        samples = Samples(np.zeros((1, 1)), np.array([tick // 2]), np.array([[3.0]]), NO_TIME)
        _, state = stream.advance(state, samples, 1 / CLOCK if tick else 0.0)
    assert state.cubics.end_velocities[0, 0] == 3.0


def test_a_signal_that_is_lost_has_no_value_and_comes_back_where_it_is():
    state = None
    for tick, value in enumerate((1.0, 1.0, np.nan, np.nan, 7.0)):
        values, state = stream.advance(
            state,
            Samples(np.array([[value]]), np.array([tick]), NO_VELOCITY, NO_TIME),
            1 / CLOCK if tick else 0.0,
        )
        assert values[0, 0] == pytest.approx(value, nan_ok=True)


def test_no_time_changes_nothing():
    state = stream.begin(Samples(np.zeros((1, 1)), np.array([1]), NO_VELOCITY, NO_TIME))
    values, after = stream.advance(state, Samples(np.ones((1, 1)), np.array([2]), NO_VELOCITY, NO_TIME), 0.0)
    assert values[0, 0] == 0.0
    assert after is state


@given(st.lists(st.tuples(st.integers(0, 12), st.floats(-100.0, 100.0)), min_size=2, max_size=12))
def test_any_samples_at_any_times_end_in_the_last_of_them(samples: list[tuple[int, float]]):
    tick, arrivals = 0, {}
    for pause, value in samples:
        tick += pause
        arrivals.setdefault(tick, []).append(value)
    shown = played(arrivals, tick + 120)
    assert np.isfinite(shown).all()
    assert shown[-1] == pytest.approx(samples[-1][1], abs=1e-6)
    farthest = max(abs(value) for _, value in samples)
    assert np.abs(shown).max() < 5.0 * farthest + 1e-9, "twice as far on either side as they are apart"


def test_samples_on_a_steep_parabola_are_not_followed_far_beyond_them():
    shown = played({1: [0.0], 2: [29.0], 3: [0.0], 7: [-11.0], 15: [37.0]}, 140)
    assert -100.0 < shown.min() < shown.max() < 134.0


def received(
    rate: float, clock: float, seconds: float, delays: np.ndarray, is_lost: np.ndarray
) -> dict[int, list[float]]:
    """Samples of the motion by ticks; they arrive in order after delays (n,) [s], or are lost."""
    times = np.arange(len(delays)) / rate
    arrivals: dict[int, list[float]] = {}
    for time, arrival, lost in zip(times, np.maximum.accumulate(times + delays), is_lost, strict=True):
        if not lost and arrival < seconds:
            arrivals.setdefault(int(np.ceil(arrival * clock)), []).append(sway(time))
    return arrivals


def ages_of(
    rate: float, clock: float, seconds: float, delays: np.ndarray, is_lost: np.ndarray
) -> dict[int, float]:
    """Age in ticks of the newest of the samples that `received` returns, by ticks."""
    times = np.maximum.accumulate(np.arange(len(delays)) / rate + delays)[~is_lost]
    return {
        int(np.ceil(time * clock)): np.ceil(time * clock) - time * clock for time in times if time < seconds
    }


def is_smooth(shown: np.ndarray, clock: float, seconds: float = 6.0) -> bool:
    """Whether a motion has no halt, and no acceleration above 1.5 times its own, after some seconds."""
    later = shown[int(seconds * clock) :]
    acceleration = np.abs(np.diff(later, 2)).max() * clock**2
    return bool(np.abs(np.diff(later)).min() > 0.0 and acceleration < 1.5 * 30.0 * RATE**2)


def network(kind: str, count: int, rate: float) -> np.ndarray:
    """Delays (count,) [s] of packets: of Gaussian size, or of packets that arrive in clumps every 20 ms."""
    return through(kind, np.arange(count) / rate + 0.003)


def through(kind: str, times: np.ndarray) -> np.ndarray:
    """Delays (count,) [s] of packets that are sent at these times [s]."""
    if kind == "gaussian":
        return np.abs(np.random.default_rng(7).normal(0.0, 0.01, len(times)))
    return np.ceil(times / 0.02) * 0.02 - times


@pytest.mark.parametrize("clock", [60, 24])
def test_what_comes_irregularly_is_shown_as_the_motion_that_was_sent(clock: float):
    cases = [(kind, rate) for kind in ("gaussian", "clumps") for rate in (10, 25, 29.7, 30, 60, 90)]
    arrivals = []
    for kind, rate in cases:
        count = int(13 * rate)
        arrivals.append(received(rate, clock, 12.0, network(kind, count, rate), np.zeros(count, bool)))
    for case, shown in zip(cases, played_together(arrivals, 12 * clock, clock), strict=True):
        assert is_smooth(shown, clock), case


@pytest.mark.parametrize("clock", [60, 24])
def test_samples_that_are_lost_now_and_then_are_bridged(clock: float):
    rates, arrivals = [15, 25, 29.7, 30, 60, 90], []
    for rate in rates:
        count = int(13 * rate)
        delays = np.random.default_rng(2).uniform(0.0, 0.005, count)
        arrivals.append(received(rate, clock, 12.0, delays, np.arange(count) % 41 == 17))
    for rate, shown in zip(rates, played_together(arrivals, 12 * clock, clock), strict=True):
        assert is_smooth(shown, clock), f"{rate} a second"


@pytest.mark.parametrize("clock", [60, 24])
def test_when_packets_came_between_two_ticks_tells_how_many_of_a_fast_sender_were_lost(clock: float):
    cases = [(rate, seed) for rate in (30, 45, 50, 60, 90, 120) for seed in (11, 12, 13)]
    arrivals, ages = [], []
    for rate, seed in cases:
        chance = np.random.default_rng(seed)
        delays = chance.uniform(0.0, 0.004, int(13 * rate))
        is_lost = chance.uniform(size=len(delays)) < 0.1
        is_lost[1:] &= ~is_lost[:-1]
        arrivals.append(received(rate, clock, 12.0, delays, is_lost))
        ages.append(ages_of(rate, clock, 12.0, delays, is_lost))
    for case, shown in zip(cases, played_together(arrivals, 12 * clock, clock, ages=ages), strict=True):
        assert is_smooth(shown, clock), case


def test_a_longer_way_through_the_network_is_not_taken_for_lost_samples():
    delays = np.where(np.arange(400) < 240, 0.0, 0.04)
    arrivals = received(30, CLOCK, 13.0, delays, np.zeros(400, bool))
    shown = played(arrivals, 13 * CLOCK)
    assert is_smooth(shown, CLOCK, 9.5)
    assert np.abs(np.diff(shown[7 * CLOCK :])).min() > 0.0


def test_the_delay_is_at_most_a_tenth_of_a_second_longer_than_the_period():
    chance = np.random.default_rng(5)
    state, number = None, 0
    for tick in range(30 * CLOCK):
        number += tick % 2 == 0 and chance.uniform() > 0.5
        samples = Samples(np.array([[sway(tick / CLOCK)]]), np.array([number]), NO_VELOCITY, NO_TIME)
        _, state = stream.advance(state, samples, 1.0 / CLOCK if tick else 0.0)
        assert state.timing.delays[0] <= max(state.timing.periods[0], 1 / 20) + 0.1


class Sent(NamedTuple):
    """Samples of the motion, with times given by their sender."""

    taken: np.ndarray  # (n,) [s] times at which the samples are taken
    said: np.ndarray  # (n,) [s] times by the sender's clock
    delays: np.ndarray  # (n,) [s] delays of the packets
    is_lost: np.ndarray  # (n,) whether a sample is lost

    def arrivals(self, clock: float) -> dict[int, list[int]]:
        """Indices of the samples that arrive, by the tick of arrival."""
        arrivals: dict[int, list[int]] = {}
        for number, time in enumerate(np.maximum.accumulate(self.taken + self.delays)):
            if not self.is_lost[number]:
                arrivals.setdefault(int(np.ceil(time * clock)), []).append(number)
        return arrivals


def played_by_the_senders_clock(signals: Sequence[Sent], clock: float = CLOCK) -> list[np.ndarray]:
    """Values of each signal at each tick until its last sample is taken; the signals are the rows of one
    stream.
    """
    arrivals = [signal.arrivals(clock) for signal in signals]
    ticks = [int(signal.taken[-1] * clock) for signal in signals]
    values, numbers = np.zeros((len(signals), 1)), np.zeros(len(signals), int)
    times, no_velocities = np.full(len(signals), np.nan), np.full(values.shape, np.nan)
    state, shown = None, []
    for tick in range(max(ticks)):
        values, numbers, times = values.copy(), numbers.copy(), times.copy()
        for row, signal in enumerate(signals):
            if came := arrivals[row].get(tick):
                values[row], times[row] = sway(signal.taken[came[-1]]), signal.said[came[-1]]
                numbers[row] += len(came)
        samples = Samples(values, numbers, no_velocities, times)
        together, state = stream.advance(state, samples, 1.0 / clock if tick else 0.0)
        shown.append(together[:, 0])
    return [row[:end] for row, end in zip(np.transpose(shown), ticks, strict=True)]


def irregular(rate: float, seconds: float = 12.0) -> np.ndarray:
    """Times [s] at which a program with frames of varying duration takes samples."""
    return np.cumsum(np.random.default_rng(4).uniform(0.7, 1.3, int(seconds * rate))) / rate


@pytest.mark.parametrize("clock", [60, 24])
def test_a_sender_that_says_its_times_needs_no_steady_rate_and_no_steady_network(clock: float):
    rates, signals = [15, 29.97, 60, 90], []
    for rate in rates:
        taken = irregular(rate)
        delays = np.random.default_rng(6).uniform(0.0, 0.02, len(taken))
        signals.append(Sent(taken, taken + 5000.0, delays, np.zeros(len(taken), bool)))
    for rate, shown in zip(rates, played_by_the_senders_clock(signals, clock), strict=True):
        assert is_smooth(shown, clock, 7.5), f"{rate} a second"


def test_with_the_senders_times_a_network_may_lose_samples_and_change_its_delay():
    rates, signals = [30, 60, 90], []
    for rate in rates:
        taken = np.arange(int(14 * rate)) / rate
        chance = np.random.default_rng(8)
        delays = chance.uniform(0.0, 0.02, len(taken)) + 0.04 * (taken // 1.5 % 2)
        signals.append(Sent(taken, taken + 77.0, delays, np.arange(len(taken)) % 23 == 5))
    for rate, shown in zip(rates, played_by_the_senders_clock(signals), strict=True):
        assert is_smooth(shown, CLOCK, 8.0), f"{rate} a second"


def test_with_the_senders_times_a_new_rate_is_known_at_once():
    taken = np.concatenate((np.arange(180) / 30, 6.0 + np.arange(300) / 41))
    none = np.zeros(len(taken))
    (shown,) = played_by_the_senders_clock([Sent(taken, taken, none + 0.003, none.astype(bool))])
    assert is_smooth(shown, CLOCK, 3.0)


@pytest.mark.parametrize(
    "resolution",
    [pytest.param(0.0156, id="ticks of Windows"), pytest.param(128.0, id="seconds since 1970 as float")],
)
def test_a_senders_clock_that_is_coarse_or_stands_does_no_harm(resolution: float):
    rates, signals = [25, 30, 60], []
    for rate in rates:
        taken = np.arange(int(14 * rate)) / rate
        said = np.floor((taken + 1000.0) / resolution) * resolution
        delays = np.random.default_rng(9).uniform(0.0, 0.005, len(taken))
        signals.append(Sent(taken, said, delays, np.zeros(len(taken), bool)))
    for rate, shown in zip(rates, played_by_the_senders_clock(signals), strict=True):
        assert is_smooth(shown, CLOCK, 7.0), f"{rate} a second"


@pytest.mark.parametrize(
    "said", [lambda taken: 0.5 * taken, lambda taken: np.where(taken > 6.0, taken - 40.0, taken)]
)
def test_a_senders_clock_of_another_speed_or_that_begins_anew_is_followed_by_arrivals(said):
    taken = np.arange(14 * 30) / 30
    none = np.zeros(len(taken))
    (shown,) = played_by_the_senders_clock([Sent(taken, said(taken), none + 0.003, none.astype(bool))])
    late = [sway(tick / CLOCK - 0.06) for tick in range(len(shown))]
    assert np.abs(shown[300:] - late[300:]).max() < 12.0
    assert np.abs(np.diff(shown[300:])).max() < 3.0 * 30.0 * RATE / CLOCK
