"""Streams: converts samples that arrive at any times to values at every tick. Pure functions, independent of
the network and the clock.

A program that sends 30 poses a second to a clock of 60 ticks a second would move a body in steps. Here every
sample begins a cubic Hermite curve from the shown value and velocity to the sample and its velocity, so that
the velocity is continuous at any rates. The curve ends when its sample is to be shown. By then the next
sample is known (`sample_times`), even if it is late or lost, so that losses are bridged between their
neighbours. If no sample arrives, the value continues with its velocity and acceleration for one period, and
then returns to its last sample.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..solvers.kinematics.se3 import Array
from . import sample_times
from .sample_times import LEAST, PAUSE, Arrival, Course, Timing

REJOIN = 0.5  # [s] default of the longest time in which an interrupted signal catches up with its new samples
START = 0.25  # [s] time in which the motion moves to a new stream that is slower than the ticks
ROUNDING = 1e-6  # relative rounding error of times
# number of periods in which an extrapolated signal returns to its last sample, if no other arrives
RETURN = 3.0
INSTANT = 1e-9  # [s] shortest duration of a curve; a shorter one counts as a step
# largest distance by which a signal without sent velocities leaves the range of its last three samples, as a
# multiple of that range
BEYOND = 2.0
# [1/s] smallest speed by which changes of velocity are divided
LEAST_RATE = 1e-12

__all__ = ["PAUSE", "REJOIN", "Samples", "StreamState", "advance", "begin"]

Indices = NDArray[np.int64]
Motion = tuple[Array, Array]  # values (m, d) and velocities (m, d) [1/s]
Rows = TypeVar("Rows", bound=tuple[Any, ...])


UNKNOWN = np.array(np.nan)  # a value that is not known, for all signals


class Samples(NamedTuple):
    """The newest sample of each of m signals with d components."""

    values: Array  # (m, d); NaN: lost
    numbers: Indices  # (m,) number of samples of the signal that have arrived so far
    velocities: Array  # (m, d) [1/s] as sent with the sample; NaN: not sent
    times: Array  # (m,) [s] when the sample was taken, by the sender's clock; NaN if not given
    # (m,) time from the sample's arrival to this tick, as a share of the time since the previous tick; NaN if
    # unknown
    ages: Array = UNKNOWN


class Tendency(NamedTuple):
    """Motion of m signals between their last samples."""

    slopes: Array  # (m, d) [1/s] mean velocities between the last two samples; NaN if not known
    spans: Array  # (m,) [s] time between the last two samples
    bends: Array  # (m, d) [1/s] change of the mean velocities at the last sample but one
    # (m, d) [1/s] velocities at the last samples, of parabolas through the last three; NaN if not known
    velocities: Array
    # (m, d) [1/s^2] accelerations of these parabolas, reduced, down to 0, where a velocity appears suddenly,
    # as in a step or in noise; 0 if not known
    accelerations: Array

    @property
    def course(self) -> Course:
        """The motion at the last samples."""
        return Course(self.velocities, self.accelerations)


class Cubics(NamedTuple):
    """Curves of m signals from their shown values to their newest samples. Times are in seconds since the
    start.
    """

    begin: Array  # (m,) [s] start of each curve
    begin_values: Array  # (m, d)
    begin_velocities: Array  # (m, d) [1/s]
    end: Array  # (m,) [s] end of each curve
    end_values: Array  # (m, d)
    end_velocities: Array  # (m, d) [1/s]
    end_accelerations: Array  # (m, d) [1/s^2]
    caught_up: Array  # (m,) [s] time at which an interrupted signal has caught up
    lowest: Array  # (m, d) lower bounds of the values, however steep the last samples are
    highest: Array  # (m, d) upper bounds

    def at(self, time: float, periods: Array, rest: Array) -> tuple[Array, Array]:
        """Values (m, d), clamped to `lowest` and `highest`, and velocities (m, d) [1/s], 0 where clamped, at
        a time when the curves have begun.

        Args:
            time: [s] since the start.
            periods: (m,) [s] periods between samples: a signal continues for one period after the end of its
                curve; 0 if it does not continue.
            rest: (m, d) last samples, to which signals then return.
        """
        course = _cubic(
            (self.begin_values, self.begin_velocities),
            (self.end_values, self.end_velocities),
            self.end - self.begin,
            time - self.begin,
        )
        late = np.clip(time - self.end, 0.0, periods)
        beyond = _parabola(self.end_values, self.end_velocities, self.end_accelerations, late)
        back = time - self.end - periods
        returned = _cubic(beyond, (rest, np.zeros_like(rest)), RETURN * periods, back)
        phase = (time >= self.end).astype(int) + (back >= 0.0)
        value, velocity = (
            np.choose(phase[:, None], parts) for parts in zip(course, beyond, returned, strict=True)
        )
        clamped = np.clip(value, self.lowest, self.highest)
        return clamped, np.where(clamped == value, velocity, 0.0)


class StreamState(NamedTuple):
    """State of m signals between ticks."""

    time: float  # [s] time since the start
    samples: Samples
    timing: Timing
    tendency: Tendency
    cubics: Cubics

    @property
    def values(self) -> Array:
        """Values (m, d) of the signals at the current tick."""
        return self.cubics.at(self.time, self.timing.periods, self.samples.values)[0]

    def only(self, rows: Sequence[int] | Indices) -> "StreamState":
        """State of some of the signals."""
        samples, timing = _rows_of_all(self.samples, rows), _rows_of_all(self.timing, rows)
        return StreamState(
            self.time, samples, timing, _rows_of_all(self.tendency, rows), _rows_of_all(self.cubics, rows)
        )

    def with_row(self, first: "StreamState") -> "StreamState":
        """State with the signals of `first` added; their stream has just begun."""
        timing = first.timing.at(self.time, np.arange(len(first.timing.counts)))
        times = {name: getattr(first.cubics, name) + self.time for name in ("begin", "end", "caught_up")}
        return StreamState(
            self.time,
            _joined(self.samples, first.samples),
            _joined(self.timing, timing),
            _joined(self.tendency, first.tendency),
            _joined(self.cubics, first.cubics._replace(**times)),
        )

    def with_samples_now(self, rows: Sequence[int], dt: float) -> "StreamState":
        """State in which the samples of some signals (`rows`) have arrived since the last tick, `dt` [s]
        ago.
        """
        indices = np.array(rows, int)
        before = dt * np.nan_to_num(self.samples.ages[indices])
        return self._replace(timing=self.timing.at(self.time, indices, before))


def begin(samples: Samples, is_timed: bool = False) -> StreamState:
    """State at rest at the newest samples; `is_timed`: these have arrived just now."""
    values = samples.values
    none, still = np.zeros(len(values)), np.zeros_like(values)
    unknown = np.full_like(values, np.nan)
    tendency = Tendency(unknown, none, still, unknown, still)
    return StreamState(
        0.0,
        samples,
        sample_times.unknown(samples.times, is_timed, values.shape[1]),
        tendency,
        Cubics(none, values, still, none, values, still, still, none, values, values),
    )


def advance(
    state: StreamState | None, samples: Samples, dt: float, rejoin: float = REJOIN
) -> tuple[Array, StreamState]:
    """Values (m, d) of the signals `dt` [s] later, and the next state.

    Args:
        state: State returned by the last call; None, or a state of another shape (m, d): the signals begin at
            rest at their samples.
        samples: The newest samples.
        dt: Time [s] since the last call; 0: the values stay, and new samples wait for the next call.
        rejoin: Longest time [s] in which the first sample after a pause is reached.
    """
    if state is None or state.samples.values.shape != samples.values.shape:
        state = begin(samples)
    if dt > 0.0:
        fresh = np.flatnonzero(samples.numbers != state.samples.numbers)
        if len(fresh):
            state = _renewed(state, samples, fresh, dt, rejoin)
        time = state.time + dt
        state = state._replace(time=time, timing=sample_times.slewed(state.timing, dt))
    return state.values, state


def _renewed(state: StreamState, samples: Samples, rows: Indices, dt: float, rejoin: float) -> StreamState:
    """The state with new curves for the signals `rows`, whose samples have arrived since the last tick, `dt`
    [s] ago; `rejoin` as for `advance`.
    """
    renewed, new = state.only(rows), _rows_of_all(samples, rows)
    sample_counts = np.maximum(new.numbers - renewed.samples.numbers, 1).astype(float)
    timing, arrival = sample_times.renewed(
        renewed.timing,
        state.time + dt,
        dt,
        sample_counts,
        new.times,
        new.ages,
        new.values - renewed.samples.values,
        renewed.tendency.course,
    )
    shown, velocity = renewed.cubics.at(renewed.time, renewed.timing.periods, renewed.samples.values)
    # a signal that was lost, or is lost now, begins anew
    is_new = ~(np.isfinite(shown) & np.isfinite(new.values)).all(1)
    tendency, velocities, accelerations = _tendency(renewed, new, arrival, is_new)
    cubics = _cubics(
        renewed, new, timing, arrival, is_new, (shown, velocity), (velocities, accelerations), dt, rejoin
    )
    return StreamState(
        state.time,
        samples,
        _with_rows(state.timing, rows, timing),
        _with_rows(state.tendency, rows, tendency),
        _with_rows(state.cubics, rows, cubics),
    )


def _tendency(
    state: StreamState, new: Samples, arrival: Arrival, is_new: NDArray[np.bool_]
) -> tuple[Tendency, Array, Array]:
    """Motion of the signals to their new samples, and the velocities (m, d) [1/s] and accelerations (m, d)
    [1/s^2] with which their curves pass these; arguments as in `_renewed`.
    """
    before, spans = state.tendency, arrival.spans
    stops = (arrival.is_paused | is_new)[:, None]
    slopes = np.where(stops, np.nan, (new.values - state.samples.values) / np.maximum(spans, LEAST)[:, None])
    bends = np.where(np.isfinite(slopes + before.slopes), slopes - before.slopes, 0.0)
    summed_spans = np.maximum(spans + before.spans, LEAST)
    # a velocity that appears suddenly, as in a step or in noise, is not continued
    size = sum(np.linalg.norm(part, axis=1) for part in (slopes, before.slopes, before.bends))
    sudden = np.linalg.norm(bends - before.bends, axis=1) / np.maximum(size, LEAST_RATE)
    trust = np.where(np.isfinite(size), np.clip(2.0 - 2.0 * sudden, 0.0, 1.0), 0.0)[:, None]
    # velocity at the last sample, by the parabola through the last three
    bent = np.where(np.isfinite(before.slopes), (spans / summed_spans)[:, None] * bends, 0.0)
    parabola, accelerations = slopes + bent, 2.0 * bends / summed_spans[:, None]
    velocities = np.where(trust > 0.0, trust * parabola, 0.0)
    velocities = np.where(np.isfinite(new.velocities) & ~is_new[:, None], new.velocities, velocities)
    accelerations = trust * accelerations
    return Tendency(slopes, spans, bends, parabola, accelerations), velocities, accelerations


def _cubics(
    state: StreamState,
    new: Samples,
    timing: Timing,
    arrival: Arrival,
    is_new: NDArray[np.bool_],
    shown: tuple[Array, Array],
    motion: tuple[Array, Array],
    dt: float,
    rejoin: float,
) -> Cubics:
    """Curves from the shown values and velocities, `shown` (m, d) each, to the new samples with their
    velocities and accelerations, `motion` (m, d) each.

    A curve ends when its sample is due, but not within a period; while an interruption is caught up, it ends
    with that. If it ends after its sample is due, it ends at the extrapolated position of the signal. A
    signal that begins anew has its new value at once. Other arguments as in `_renewed`.
    """
    due = timing.stamps + timing.delays
    overdue = state.time - state.cubics.end
    is_interrupted = arrival.is_paused | (overdue > timing.periods)
    is_slow = timing.periods > (1.0 + ROUNDING) * dt
    gap = np.where(state.timing.counts > 0.0, overdue, np.maximum(START, overdue))
    caught_up = np.where(is_interrupted, state.time + np.minimum(gap, rejoin), state.cubics.caught_up)
    # the signal is slower than the ticks, or was so before its rate changed
    is_shown_late = is_slow | (state.timing.periods > 0.0)
    caught_up = np.where(arrival.begins, state.time + START * is_shown_late, caught_up)
    soonest = np.where(arrival.is_paused, state.time + dt, np.maximum(due, state.time + timing.periods))
    stops = arrival.is_paused | is_new
    end = np.where(is_new, state.time + dt, np.maximum(soonest, caught_up))
    ahead = np.where(stops, 0.0, end - due)[:, None]
    # an acceleration is extrapolated for a limited time only
    accelerated = np.minimum(ahead, timing.periods[:, None])
    velocities, accelerations = motion
    goals = new.values + ahead * velocities + (ahead - 0.5 * accelerated) * accelerated * accelerations
    values, rates = np.where(is_new[:, None], new.values, shown[0]), np.where(is_new[:, None], 0.0, shown[1])
    lowest, highest = _limits(
        state, new, values, (ahead + timing.periods[:, None]) * np.nan_to_num(new.velocities)
    )
    return Cubics(
        np.full(len(end), state.time),
        values,
        rates,
        end,
        goals,
        velocities + accelerated * accelerations,
        accelerations,
        caught_up,
        lowest,
        highest,
    )


def _limits(state: StreamState, new: Samples, shown: Array, sent: Array) -> tuple[Array, Array]:
    """Bounds (m, d) between which a signal stays: the range of its last three samples, extended on both sides
    by `BEYOND` times its size and by the motion `sent` (m, d) that sent velocities give, and then to the
    value `shown` (m, d). Without them the parabola through few samples, or through samples that arrived
    almost together, could leave this range steeply.
    """
    before = state.samples.values - state.tendency.slopes * state.tendency.spans[:, None]
    last = np.array((new.values, state.samples.values, before))
    lowest, highest = np.fmin.reduce(last), np.fmax.reduce(last)
    apart = BEYOND * np.nan_to_num(highest - lowest) + np.abs(sent)
    return np.fmin(lowest - apart, shown), np.fmax(highest + apart, shown)


def _cubic(begin: Motion, end: Motion, span: Array, time: Array) -> Motion:
    """Values and velocities (m, d) at times (m,) [s] after the start of cubic Hermite curves of durations
    `span` (m,) [s].
    """
    length = np.maximum(span, INSTANT)[:, None]
    s = np.clip(time[:, None] / length, 0.0, 1.0)
    away, first, last = begin[0] - end[0], length * begin[1], length * end[1]
    value = end[0] + (s - 1.0) ** 2 * ((1.0 + 2.0 * s) * away + s * first) + s * s * (s - 1.0) * last
    slope = 6.0 * s * (s - 1.0) * away + (s - 1.0) * (3.0 * s - 1.0) * first + s * (3.0 * s - 2.0) * last
    return value, slope / length


def _parabola(values: Array, velocities: Array, accelerations: Array, time: Array) -> Motion:
    """Values and velocities (m, d) after times (m,) [s] with constant accelerations."""
    t = time[:, None]
    return values + t * velocities + 0.5 * t * t * accelerations, velocities + t * accelerations


def _rows_of_all(part: Rows, rows: Sequence[int] | Indices) -> Rows:
    """Some rows of all arrays of a tuple."""
    return type(part)(*(_rows_of(array, rows) for array in part))


def _rows_of(array: Any, rows: Sequence[int] | Indices) -> Any:
    """Some rows of an array, or of all arrays of a tuple; a number that holds for all signals is
    unchanged.
    """
    if isinstance(array, tuple):
        return _rows_of_all(array, rows)
    return array[rows] if array.ndim else array


def _joined(part: Rows, other: Rows) -> Rows:
    """The concatenated rows of two tuples of arrays."""
    return type(part)(*(np.concatenate(arrays) for arrays in zip(part, other, strict=True)))


def _with_rows(part: Rows, rows: Indices, new: Rows) -> Rows:
    """A tuple of arrays with some rows replaced by `new`."""
    changed = [array.copy() for array in part]
    for array, values in zip(changed, new, strict=True):
        array[rows] = values
    return type(part)(*changed)
