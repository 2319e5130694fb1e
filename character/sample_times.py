"""Estimates when samples of signals were taken from when they arrived. Pure functions.

Programs sample at a steady rate; networks deliver samples late, in clumps, or not at all. So the time of a
sample is a whole number of periods after that of the previous sample. The line of these times is fitted to
the arrivals by a regression in which large deviations are clipped to the usual size. The number of samples
lost before a new sample is the number that fits both its arrival and the motion of its values best: a lost
sample changes both, a late one only its arrival. If the motion does not show how many were lost, the number
does not matter either. Between two ticks several samples can arrive; the time at which the system received
each of them is more precise than the time of the tick. A change of the sender's rate is detected in a window
of samples (`rate_window`).

If a sender gives the times of its samples by its own clock, these do not depend on the network: the line is
then fitted to the sender's times, and arrivals only give the offset of the two clocks, by the smallest delay.
If values move as evenly by the sender's times as by the line, the sender's times are used directly, so that
its rate need not be steady; otherwise its clock is coarse, and the line is used. A time that is not later
than the previous one is ignored, and so is a clock that stands still, jumps or has another speed.

Values are shown with a delay that is just long enough for the next sample to be known in time, even if it is
as late, or as many samples before it are lost, as in the last half minute.

Sources: Adriaensen 2005, "Using a DLL to filter time"; Brookner 1998, "Tracking and Kalman Filtering Made
Easy", section 1.2.10 (the regression line as a filter); Ramjee et al. 1994, "Adaptive playout mechanisms for
packetized audio applications in wide-area networks"; Huber 1964, "Robust estimation of a location parameter".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..solvers.kinematics.se3 import Array
from . import rate_window

# number of samples in the regression: a few seconds, in which the sender's rate is constant and its delays
# average out
MEMORY = 256
LEARNT = 3  # number of samples after which the period is known well enough to detect losses
# [s] time without a sample after which the sender counts as stopped; the next sample begins a new motion
PAUSE = 0.5
LEAST = 1e-3  # [s] shortest period
# largest deviation from the regression line that counts, as a multiple of the mean deviation; larger ones are
# clipped to it
ROBUST = 2.0
STEADY = 0.1  # weight of a new deviation in the mean deviation
LONGEST = 0.1  # [s] largest excess of the delay over the time between samples
# [s/s] largest rate of change of the delay; the displayed motion runs slower or faster by the same fraction
SLEW = 0.01
# [s] time after which a required delay is forgotten, and in which the drift of two clocks is measured
FORGET = 30.0
SHRINK = 10.0  # [s] time constant with which a forgotten delay decreases
# share of the greatest required delay: while samples still require more than this share of it, it is not
# forgotten
ABOUT = 0.8
# ratio of the values' errors by the sender's times to those by the line, above which the sender's clock
# counts as coarse. Times that are rounded down scatter about twice as much from sample to sample as about a
# line.
COARSE = 1.25
# share of a period: if the mean intervals of the sender's clock and of the arrivals differ by more, the two
# clocks count as running at different speeds, and the sender's times are ignored
PACE = 0.2
SMALLEST = 1e-12  # smallest mean error of values: the error of rounding alone
# [s] largest jitter of known arrival times that counts as noise: the interval at which a radio network
# delivers; if ticks are closer together, the time between ticks
UNEVEN = 0.0125
# numbers of lost samples to try, relative to the number that follows from the time of arrival
NEAR = np.array([-1.0, 0.0, 1.0])

Mask = NDArray[np.bool_]


class Timing(NamedTuple):
    """State of the estimation of the sample times of m signals. Times are in seconds since the start."""

    raws: Array  # (m,) [s] times of the newest samples by the sender's clock, if it gives them
    lines: Array  # (m,) [s] times of the newest samples by the line of steady times
    is_exact: Mask  # (m,) whether the sender's times are used directly
    sent: Array  # (m,) [s] times of the newest samples as sent; NaN if not given
    arrivals: Array  # (m,) [s] times of arrival of the newest samples
    drifts: Array  # (m,) [s] mean difference of the intervals between arrivals and between the sender's times
    periods: Array  # (m,) [s] time between samples; 0 if not known yet
    counts: Array  # (m,) number of samples in the regression; 0 if the arrival of the newest one is not known
    # (m, 5, 32) the newest samples, from which a change of the rate is detected (`rate_window`)
    window: Array
    # (m, 4, d) motion if no sample was lost: slope to the newest sample, velocity and acceleration there (all
    # per sample, not per second), and number of samples that arrived with it; NaN if not known
    unbroken: Array
    spreads: Array  # (m,) [s] mean deviation of arrivals from the line
    # (m,) mean distance of values from the extrapolation of the earlier motion; NaN if not known
    errors: Array
    sent_errors: Array  # (m,) mean distance as in `errors`, with the sender's times
    needs: Array  # (m,) [s] greatest age of a sample when the next one arrived, in the last half minute
    needed: Array  # (m,) [s] last time at which the age was at least `ABOUT` of `needs`
    delays: Array  # (m,) [s] delay between a sample and its display

    @property
    def stamps(self) -> Array:
        """Times (m,) [s] of the newest samples."""
        return np.where(self.is_exact, self.raws, self.lines)

    def at(self, time: float, rows: NDArray[np.int64], before: Array | float = 0.0) -> "Timing":
        """The timing after a tick at `time` [s] with new samples of the signals `rows` (k,), which arrived
        `before` (k,) [s] earlier than the tick.
        """
        raws, lines, arrivals = self.raws.copy(), self.lines.copy(), self.arrivals.copy()
        raws[rows] = lines[rows] = time - before
        arrivals[rows] = time
        return self._replace(raws=raws, lines=lines, arrivals=arrivals)


class Arrival(NamedTuple):
    """Classification of a new sample of each of some signals."""

    is_paused: Mask  # (m,) whether the sample is the first one after an interruption
    begins: Mask  # (m,) whether the sample is the first one from which the rate, or a new rate, is known
    spans: Array  # (m,) [s] time since the previous sample


class Course(NamedTuple):
    """Motion of m signals at their newest samples, as far as it is known."""

    velocities: Array  # (m, d) [1/s] velocities at the samples; NaN if not known
    accelerations: Array  # (m, d) [1/s^2]

    def misses(self, moved: Array, spans: Array) -> Array:
        """Distances (m,) of values that have changed by `moved` (m, d) in `spans` (m,) [s] from the
        extrapolated motion; NaN if not known.
        """
        time = spans[:, None]
        expected = time * self.velocities + 0.5 * time * time * self.accelerations
        return np.asarray(np.linalg.norm(moved - expected, axis=1))


def unknown(sent: Array, is_timed: bool, size: int) -> Timing:
    """Timing of signals of `size` components whose rate is not known yet.

    Args:
        sent: (m,) [s] times of their first samples by the sender's clock; NaN if not given.
        is_timed: Whether these samples have just arrived, at the time 0.
        size: Number of components of a signal.
    """
    none = np.zeros(len(sent))
    unknown_errors = none + np.nan
    counts, never = none + is_timed, np.zeros(len(sent), bool)
    times = (none, none, never, sent, none, none)
    window, unbroken = rate_window.empty(len(sent)), np.full((len(sent), 4, size), np.nan)
    return Timing(
        *times, none, counts, window, unbroken, none, unknown_errors, unknown_errors, none, none, none
    )


def is_outdated(sent: float, newest: float) -> bool:
    """Whether a sample taken at `sent` [s] of the sender's clock has been overtaken in the network by one
    taken at `newest` [s]. False if one of them is NaN (unknown), or if `newest` is `PAUSE` or more later:
    then the clock was set back.
    """
    return 0.0 < newest - sent < PAUSE


def renewed(
    before: Timing,
    time: float,
    dt: float,
    sample_counts: Array,
    sent: Array,
    ages: Array,
    moved: Array,
    course: Course,
) -> tuple[Timing, Arrival]:
    """Timing of signals after new samples of each signal have arrived, and the classification of these
    samples.

    Args:
        before: Timing after the previous samples.
        time: [s] time of the tick in which the samples arrived.
        dt: [s] time since the previous tick.
        sample_counts: (m,) number of samples that have arrived since the previous tick, at least 1.
        sent: (m,) [s] times of the newest samples by the sender's clock; NaN if not given.
        ages: (m,) time from the arrival of the newest samples to this tick, as shares of `dt`; NaN if
            unknown.
        moved: (m, d) change of the values since the previous samples.
        course: Motion of the values up to the previous samples.
    """
    stamps = before.stamps
    gap = np.maximum(time - stamps, LEAST)
    arrived_at = time - dt * np.nan_to_num(ages)
    sent_span = sent - before.sent
    is_later, follows_sender, drifts = _sender_clock(before, time, gap, sent_span)
    # Deviations from the line up to half of this value carry no information.
    rounding = np.where(np.isfinite(ages) & ~follows_sender, np.minimum(dt, UNEVEN), dt)
    # best estimate of the time at which the sample was taken
    taken_at = np.where(follows_sender, before.raws + sent_span, arrived_at)
    was_known = before.counts > 0.0
    is_first = was_known & (before.periods == 0.0) & (gap <= PAUSE)
    is_paused = ~was_known | (gap > PAUSE)
    first_span = np.where(follows_sender, sent_span, np.maximum(arrived_at - stamps, LEAST))
    period = np.where(is_first, first_span / sample_counts, before.periods)
    is_known = ~is_paused & (before.counts > LEARNT)
    line_gap = np.maximum(taken_at - before.lines, LEAST)
    lost = np.where(is_known, _lost(before, line_gap, period, rounding, sample_counts, moved, course), 0.0)
    passed = sample_counts + lost
    late = line_gap - passed * period
    errors_now = course.misses(moved, passed * period)
    unbroken, errors_unbroken = _followed(before.unbroken, moved, sample_counts, is_paused)
    # evidence [nats] in the values that no sample was lost: log-likelihood ratio of the extrapolation without
    # and with lost samples, whose errors have long tails (Cauchy)
    scale = np.maximum(before.errors, SMALLEST)
    evidence = np.log1p((errors_now / scale) ** 2) - np.log1p((errors_unbroken / scale) ** 2)
    evidence = np.where(is_known & np.isfinite(evidence), evidence, 0.0)
    # lateness as if the line were known exactly: a new sample also moves a line through few samples
    beside = late * np.sqrt(1.0 - _shares(np.minimum(before.counts + 1.0, MEMORY))[0])
    sample = rate_window.TimedSample(taken_at, sample_counts, beside, lost, evidence)
    window = rate_window.added(before.window, sample, is_paused)
    rate_verdict = rate_window.verdict(window, dt, rounding)
    is_other = rate_verdict.is_new & is_known
    begins = is_first | is_other
    period = np.where(is_other, rate_verdict.periods, period)
    passed = np.where(begins, sample_counts, passed)
    late = np.where(is_first, 0.0, np.where(is_other, taken_at - rate_verdict.newest, late))

    count = np.minimum(
        np.where(is_other, rate_verdict.counts, np.where(is_first, 1.0, before.counts) + 1.0), MEMORY
    )
    most = np.where(count > LEARNT, np.maximum(ROBUST * before.spreads, 0.5 * rounding), np.inf)
    pull = np.where(is_other, 0.0, np.clip(late, -most, most))
    fast, slow = _shares(count)
    share = np.maximum(1.0 / (count + 1.0), STEADY)
    spread = np.where(is_other, rate_verdict.spreads, np.where(is_first, 0.5 * rounding, before.spreads))
    errors = _mean_error(before.errors, errors_now, share)
    sent_errors = _mean_error(before.sent_errors, course.misses(moved, sent_span), share)
    is_exact = follows_sender & ~is_paused & ~(sent_errors > COARSE * errors)
    span = np.where(is_exact, sent_span, passed * period)

    fast, slow = np.where(is_exact, 1.0, fast), np.where(is_exact, 1.0 / count, slow)
    pull = np.where(is_exact, late, pull)
    learnt = np.maximum(np.clip(period + slow * pull / passed, 0.5 * period, 2.0 * period), LEAST)
    line = np.where(is_paused, arrived_at, taken_at - late + fast * pull)
    raw = np.where(follows_sender & ~is_paused, taken_at, line)
    # difference of the clocks by which times are corrected; the delays change by as much, so displayed times
    # stay the same
    age = time - raw
    apart = np.where(
        follows_sender & ~is_paused, np.where(age < 0.0, age, age * np.minimum(span / FORGET, 1.0)), 0.0
    )
    # Greatest age of the previous sample, needed as a delay. After a change of the rate it exceeds the new
    # period by at least as much as the old one; otherwise it is the age at the last tick.
    still_needed = np.maximum(rate_verdict.needs, before.needs - before.periods + period)
    need = np.where(is_other, still_needed, np.maximum(gap - dt, 0.0))
    is_old = time - before.needed > FORGET
    forgotten = np.where(is_old, before.needs * (1.0 - np.minimum(gap / SHRINK, 1.0)), before.needs)
    is_covered = need <= period + LONGEST  # a longer gap is an interruption
    needs = np.where(begins, need, np.maximum(forgotten, np.where(is_covered, need, 0.0)))
    is_needed = begins | is_covered & (need >= ABOUT * needs)
    follows = before.sent + span
    is_near = np.abs(sent - follows) <= PAUSE
    window = np.where(is_other[:, None, None], np.nan, window)
    window[:, 0] += apart[:, None]
    timing = Timing(
        raw + apart,
        line + apart,
        is_exact,
        np.where(is_later | is_paused | ~is_near, np.where(np.isfinite(sent), sent, follows), follows),
        np.full_like(gap, time),
        drifts,
        np.where(is_paused, before.periods, learnt),
        count,
        window,
        unbroken,
        np.where(is_paused, before.spreads, spread + (np.abs(late) - spread) * share),
        np.where(is_paused, before.errors, errors),
        np.where(is_paused, before.sent_errors, sent_errors),
        np.maximum(np.where(is_paused, before.needs, needs) - apart, 0.0),
        np.where(is_needed & ~is_paused, time, before.needed),
        np.clip(np.where(begins, need, before.delays) - apart, 0.0, learnt + LONGEST),
    )
    return timing, Arrival(is_paused, begins, span)


def _sender_clock(before: Timing, time: float, gap: Array, sent_span: Array) -> tuple[Mask, Mask, Array]:
    """Compares the sender's clock with ours, for samples that have just arrived.

    Args:
        before: State before these samples.
        time: Time of their arrival [s].
        gap: Time (m,) [s] from when the previous samples were taken, as estimated, to this arrival.
        sent_span: Time (m,) [s] from the previous samples to these by the sender's clock.

    Returns:
        Masks (m,) of the samples that are later than the previous ones by the sender's clock, by less than
        `PAUSE`, and of those among them that this clock can time; and the mean time (m,) [s] by which it
        falls behind ours from sample to sample, including these samples.
    """
    is_later = (sent_span > 0.0) & (sent_span <= PAUSE) & (gap <= PAUSE)
    drift = np.where(is_later, time - before.arrivals - sent_span, 0.0)
    drifts = before.drifts + (drift - before.drifts) / np.minimum(before.counts + 1.0, MEMORY)
    has_our_pace = np.abs(drifts) <= PACE * np.maximum(before.periods, sent_span)
    return is_later, is_later & has_our_pace & (np.abs(before.raws + sent_span - time) <= PAUSE), drifts


def _shares(count: Array) -> tuple[Array, Array]:
    """Gains of a regression line through `count` (m,) samples, as shares of the last sample's lateness: by
    the first (m,) the line moves at its end, by the second (m,) its period changes.
    """
    return 2.0 * (2.0 * count - 1.0) / (count * (count + 1.0)), 6.0 / (count * (count + 1.0))


def _followed(unbroken: Array, moved: Array, sample_counts: Array, is_paused: Mask) -> tuple[Array, Array]:
    """Motion of values if no sample was lost, after they have moved by `moved` (m, d) in `sample_counts`
    samples: its new state (m, 4, d), given the state `unbroken` before, and the distances (m,) of the values
    from the extrapolation of that state.
    """
    slopes, velocities, accelerations, spans = unbroken.transpose(1, 0, 2)
    errors = Course(velocities, accelerations).misses(moved, sample_counts)
    new_spans = np.broadcast_to(sample_counts[:, None], moved.shape)
    new_slopes = np.where(is_paused[:, None], np.nan, moved / new_spans)
    bends = (new_slopes - slopes) / (new_spans + spans)
    return np.stack((new_slopes, new_slopes + new_spans * bends, 2.0 * bends, new_spans), 1), errors


def _mean_error(before: Array, error: Array, share: Array) -> Array:
    """Running means (m,) of errors: the means `before`, to which new errors (m,) are added with the weight
    `share`. The first error is the first mean; NaN changes nothing.
    """
    mean = np.where(np.isfinite(before), before, error)
    return np.where(np.isfinite(error), mean + (error - mean) * share, before)


def _lost(
    before: Timing,
    gap: Array,
    period: Array,
    rounding: Array,
    sample_counts: Array,
    moved: Array,
    course: Course,
) -> Array:
    """Most likely numbers (m,) of samples lost before the newest ones, by arrivals and values. Deviations of
    both have long tails (Cauchy distribution). `gap`, `period`, `rounding`: (m,) [s] time since the sample
    before, expected period, and time differences that carry no information; other arguments as for `renewed`.
    """
    spread = np.maximum(before.spreads, 0.5 * rounding)
    about = np.rint((gap - sample_counts * period) / np.maximum(period, LEAST))
    best, least = np.zeros_like(gap), np.full_like(gap, np.inf)
    for tried in (np.zeros_like(gap), *(np.maximum(about + near, 0.0) for near in NEAR)):
        spans = (sample_counts + tried) * period
        error = course.misses(moved, spans) / np.maximum(before.errors, SMALLEST)
        cost = np.log1p(((gap - spans) / spread) ** 2) + np.log1p(
            np.where(np.isfinite(error), error, 0.0) ** 2
        )
        best, least = np.where(cost < least, tried, best), np.minimum(cost, least)
    return best


def slewed(timing: Timing, dt: float) -> Timing:
    """Timing with delays moved toward the delays that the sender requires, by at most `SLEW` times `dt`
    [s].
    """
    needs = np.minimum(timing.needs, timing.periods + LONGEST)
    return timing._replace(delays=timing.delays + np.clip(needs - timing.delays, -SLEW * dt, SLEW * dt))
