"""Streams: from samples that come at times of their own to values at every tick. Pure functions; knows no Blender, no network and no clock.

A program that sends 30 poses a second to a clock of 60 ticks would move a body in stairs. Here every sample begins a cubic from the shown
value and velocity to the sample and its velocity, so that the value has a continuous velocity whatever the rates are. The cubic ends when
the next sample is due; if that does not come, the value goes on with its velocity for one period, and comes to rest within the next one.

The times of samples are known to a tick, and networks deliver irregularly. Programs sample regularly, so sample times are the regression
line through the times at which they came. Sources: Hermite's cubic; Adriaensen 2005, "Using a DLL to filter time"; Brookner 1998, "Tracking
and Kalman Filtering Made Easy", section 1.2.10 (the regression line as a filter).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..solvers.kinematics.se3 import Array

MEMORY = 256  # samples of the regression: a few seconds, in which the sender's rate is constant and its delays average out
PAUSE = 0.5  # [s] without a sample, after which the sender has stopped: the next one belongs to a motion of its own
RETURN = 3.0  # periods in which a signal that has gone on comes back to its last sample, if no other comes
LEAST = 1e-3  # [s] shortest period
LEAST_RATE = 1e-12  # [1/s] smaller velocities count as none
MISSED = 2  # lost samples that are extrapolated; after more the stream was interrupted, and is caught up with
SLACK = 1.1  # ticks by which a sample comes late since its time is known to a tick only
LATER = 3.0  # times the mean deviation, beyond which a sample is not late, but the one before it is lost
STEADY = 0.03  # share of a new deviation in the mean one
MISFIT = 0.75  # of a period: a sample that comes farther from its expected time does not fit the sender's rate
RELEARN = 4  # successive misfits after which the sender has another rate
REJOIN = 0.5  # [s] longest time in which a stream that was interrupted is caught up with
SHORTEST = 0.5  # of a period: shortest duration of a cubic, for a sample that comes too late to be reached in time
COVERED = 0.99  # periods without a sample that the delay covers: one that is lost is extrapolated instead
SLEW = 0.01  # [s/s] largest growth of the delay: by that share the motion is slower meanwhile
FORGET = 30.0  # [s] time constant with which the delay decreases to what the sender needs

Indices = NDArray[np.int64]


class Samples(NamedTuple):
    """The newest sample of each of m signals with d components."""

    values: Array  # (m, d); NaN: lost
    numbers: Indices  # (m,) samples of the signal that have come so far
    velocities: Array  # (m, d) [1/s] as sent with the sample; NaN: not sent

    def only(self, rows: Sequence[int]) -> "Samples":
        """Some of the signals."""
        return Samples(*(part[list(rows)] for part in self))


class StreamState(NamedTuple):
    """State of m signals with d components between ticks. Times are in seconds since the start."""

    time: float
    samples: Samples
    stamps: Array  # (m,) [s] times of the newest samples
    periods: Array  # (m,) [s] between samples; 0: not known yet
    counts: Array  # (m,) samples in the regression
    misfits: Array  # (m,) successive samples that do not fit the period
    spreads: Array  # (m,) [s] mean deviation of samples from their expected times
    delays: Array  # (m,) [s] by which values are shown later than they were sampled
    slopes: Array  # (m, d) [1/s] mean velocities between the last two samples; NaN: not known
    spans: Array  # (m,) [s] between the last two samples
    bends: Array  # (m, d) [1/s] change of the mean velocities at the last sample
    begin: Array  # (m,) [s] begin of each signal's cubic
    begin_values: Array  # (m, d)
    begin_velocities: Array  # (m, d) [1/s]
    end: Array  # (m,) [s]
    end_values: Array  # (m, d)
    end_velocities: Array  # (m, d) [1/s]
    caught_up: Array  # (m,) [s] when a signal that was interrupted is where it would be otherwise

    def only(self, rows: Sequence[int]) -> "StreamState":
        """State of some of the signals."""
        return StreamState(self.time, self.samples.only(rows), *(part[list(rows)] for part in self[2:]))

    def with_row(self, first: "StreamState") -> "StreamState":
        """State with the signals of a state at its begin as well."""
        samples = Samples(*(np.concatenate(parts) for parts in zip(self.samples, first.samples, strict=True)))
        state = StreamState(self.time, samples, *(np.concatenate(parts) for parts in zip(self[2:], first[2:], strict=True)))
        new = len(first.samples.numbers)
        for times in (state.stamps, state.begin, state.end, state.caught_up):
            times[-new:] = self.time
        return state

    def timed(self, rows: Sequence[int]) -> "StreamState":
        """State in which the samples of some signals have come just now."""
        stamps = self.stamps.copy()
        stamps[list(rows)] = self.time
        return self._replace(stamps=stamps)

    def at(self, time: float) -> tuple[Array, Array]:
        """Values (m, d) and velocities (m, d) [1/s] at a time since the begin of the cubics."""
        span = np.maximum(self.end - self.begin, 1e-9)[:, None]
        s = np.clip((time - self.begin)[:, None] / span, 0.0, 1.0)
        away = self.begin_values - self.end_values
        first, last = span * self.begin_velocities, span * self.end_velocities
        value = self.end_values + (s - 1.0) ** 2 * ((1.0 + 2.0 * s) * away + s * first) + s * s * (s - 1.0) * last
        slope = 6.0 * s * (s - 1.0) * away + (s - 1.0) * (3.0 * s - 1.0) * first + s * (3.0 * s - 2.0) * last
        moved, rate = _coasted(time - self.end, self.periods)
        is_over = (time >= self.end)[:, None]
        coasted = self.end_values + moved[:, None] * self.end_velocities
        return np.where(is_over, coasted, value), np.where(is_over, rate[:, None] * self.end_velocities, slope / span)


def _coasted(late: Array, periods: Array) -> tuple[Array, Array]:
    """Seconds of motion (m,) at the last velocity beyond the last value, and share (m,) of that velocity, `late` [s] after a sample was
    due.
    """
    known = np.maximum(periods, LEAST)
    share = np.clip(late / known, 0.0, 1.0 + RETURN)
    back = np.maximum(share - 1.0, 0.0) / RETURN
    far = np.where(share <= 1.0, share, (1.0 - back) ** 2 * (1.0 + (2.0 + RETURN) * back))
    rate = np.where(share <= 1.0, 1.0, (1.0 - back) * (1.0 - 3.0 * (1.0 + 2.0 / RETURN) * back))
    return np.where(periods > 0.0, known * far, 0.0), np.where(periods > 0.0, rate, 0.0)


def begin(samples: Samples, is_timed: bool = False) -> StreamState:
    """The state at rest in the newest samples; `is_timed`: these have come just now."""
    values = samples.values
    none, still = np.zeros(len(values)), np.zeros_like(values)
    unknown = np.full_like(values, np.nan)
    return StreamState(
        0.0, samples, none, none, none + is_timed, none, none, none, unknown, none, still, none, values, still, none, values, still, none
    )


def advance(state: StreamState | None, samples: Samples, dt: float, rejoin: float = REJOIN) -> tuple[Array, StreamState]:
    """Values (m, d) of the signals `dt` [s] later, and the next state.

    Args:
        state: State that the last call returned; None: the signals begin at rest in their samples.
        samples: The newest samples.
        dt: Time that passed [s]; 0: the values stay, and new samples wait for the next call.
        rejoin: Longest time [s] in which the first sample after a pause is reached.
    """
    if state is None or state.samples.values.shape != samples.values.shape:
        state = begin(samples)
    if dt <= 0.0:
        return state.at(state.time)[0], state
    fresh = np.flatnonzero(samples.numbers != state.samples.numbers)
    time = state.time + dt
    if len(fresh):
        state = _renewed(state, samples, fresh, dt, rejoin)
    age = time - state.stamps
    lacks = np.where(age <= COVERED * state.periods, np.clip(age - state.delays, 0.0, SLEW * state.periods), 0.0)
    state = state._replace(time=time, delays=state.delays + lacks)
    return state.at(time)[0], state


def _renewed(state: StreamState, samples: Samples, fresh: Indices, dt: float, rejoin: float) -> StreamState:
    """The state with new cubics for the signals `fresh`, of which samples came since the last call."""
    time = state.time + dt
    shown, velocities = (part[fresh] for part in state.at(state.time))
    before, values = state.samples.values[fresh], samples.values[fresh]
    gap, period, count = np.maximum(time - state.stamps[fresh], LEAST), state.periods[fresh], state.counts[fresh]
    is_new = ~np.isfinite(shown).all(1) | ~np.isfinite(values).all(1)
    came = np.maximum(samples.numbers[fresh] - state.samples.numbers[fresh], 1).astype(float)
    is_first = (period == 0.0) & (count > 0.0) & (gap <= PAUSE)
    is_paused = (count == 0.0) | (gap > PAUSE) | (gap > (came + MISSED) * period + 2.0 * dt) & (period > 0.0)
    period = np.where(is_first, gap / came, period)
    # Late, or is one lost before it? What is lost shows in how far the value has come.
    late = gap - came * period
    lost = np.maximum(np.rint(late / np.maximum(period, LEAST)), 0.0) * ~is_paused
    is_usual = late <= np.maximum(SLACK * dt, LATER * state.spreads[fresh])
    moved, usual = values - before, state.slopes[fresh] * period[:, None]
    if_late, if_lost = (((moved - n[:, None] * usual) ** 2).sum(1) for n in (came, came + lost))
    lost = np.where(is_usual & ~(9.0 * if_lost < if_late), 0.0, lost)
    passed = came + lost  # periods since the last sample
    late -= lost * period
    fits = (np.abs(late) <= MISFIT * np.maximum(period, dt)) & (lost == 0.0)
    misfits = np.where(fits | is_paused, 0.0, state.misfits[fresh] + 1.0)
    relearns = misfits >= RELEARN
    period, passed = np.where(relearns, gap / came, period), np.where(relearns, came, passed)
    late, misfits = np.where(relearns, 0.0, late), np.where(relearns, 0.0, misfits)
    count = np.where(relearns | is_first, 1.0, count) + 1.0
    count = np.minimum(count, MEMORY)
    spread = np.where(is_first | relearns, 0.5 * dt, state.spreads[fresh])
    spread = spread + np.where(is_paused, 0.0, (np.abs(late) - spread) * np.maximum(1.0 / (count + 1.0), STEADY))
    followed = 2.0 * (2.0 * count - 1.0) / (count * (count + 1.0))  # share of a sample's lateness that is taken for its time
    stamp = np.where(is_paused, time, time - late + followed * late)
    span = passed * period
    learnt = np.clip(period + 6.0 / (count * (count + 1.0)) * late / passed, 0.5 * period, 2.0 * period)
    period = np.where(is_paused, period, np.maximum(learnt, LEAST))
    fresh_delay = np.maximum(gap - dt, 0.0) * (is_first | relearns)
    spare = np.maximum(state.delays[fresh] - np.maximum(state.time - state.stamps[fresh], 0.0), 0.0)
    delay = np.where(relearns | is_first, fresh_delay, state.delays[fresh] - spare * np.minimum(gap / FORGET + 1.0 / count, 1.0))

    # velocity at the sample: that of the parabola through the last three samples, unless it was sent
    slope = np.where(is_paused[:, None], np.nan, (values - before) / np.maximum(span, 1e-9)[:, None])
    share = (span / np.maximum(span + state.spans[fresh], 1e-9))[:, None]
    bend = np.where(np.isfinite(slope + state.slopes[fresh]), slope - state.slopes[fresh], 0.0)
    velocity = np.where(is_paused[:, None], 0.0, slope + share * bend)
    # A velocity that has appeared at once, as in a step or in noise, is not continued.
    size = sum(np.linalg.norm(part, axis=1) for part in (slope, state.slopes[fresh], state.bends[fresh]))
    sudden = np.linalg.norm(bend - state.bends[fresh], axis=1) / np.maximum(size, LEAST_RATE)
    trust = np.where(np.isfinite(size), np.clip(2.0 - 2.0 * sudden, 0.0, 1.0), 0.0)[:, None]
    velocity, trusted = np.where(trust > 0.0, velocity * trust, 0.0), bend * trust
    velocity = np.where(np.isfinite(samples.velocities[fresh]), samples.velocities[fresh], velocity)
    velocity = np.where(is_new[:, None], 0.0, velocity)
    acceleration = np.where((is_new | is_paused)[:, None], 0.0, 2.0 * trusted / np.maximum(span + state.spans[fresh], LEAST)[:, None])

    due = stamp + delay
    missing = state.time - state.end[fresh]  # [s] since the last cubic has ended
    caught_up = np.where(is_paused | (missing > period), state.time + np.minimum(missing, rejoin), state.caught_up[fresh])
    reached = np.maximum(np.maximum(np.where(is_paused, time, due), state.time + SHORTEST * period * ~is_paused), caught_up)
    reached = np.where(is_new, time, reached)
    ahead = np.where(is_paused | is_new, 0.0, reached - due)[:, None]
    bends = np.minimum(ahead, period[:, None])
    goal = values + ahead * velocity + (ahead - 0.5 * bends) * bends * acceleration
    velocity = velocity + bends * acceleration

    def put(known: Array, new: Array) -> Array:
        changed = known.copy()
        changed[fresh] = new
        return changed

    return state._replace(
        samples=samples,
        stamps=put(state.stamps, stamp),
        periods=put(state.periods, period),
        counts=put(state.counts, count),
        misfits=put(state.misfits, misfits),
        spreads=put(state.spreads, spread),
        delays=put(state.delays, delay),
        slopes=put(state.slopes, np.where(is_new[:, None], np.nan, slope)),
        spans=put(state.spans, span),
        bends=put(state.bends, np.where(np.isfinite(slope), bend, 0.0)),
        begin=put(state.begin, np.full(len(fresh), state.time)),
        begin_values=put(state.begin_values, np.where(is_new[:, None], values, shown)),
        begin_velocities=put(state.begin_velocities, np.where(is_new[:, None], 0.0, velocities)),
        end=put(state.end, reached),
        end_values=put(state.end_values, goal),
        end_velocities=put(state.end_velocities, velocity),
        caught_up=put(state.caught_up, caught_up),
    )
