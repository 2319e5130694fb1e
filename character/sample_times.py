"""Times at which samples of signals were taken, from those at which they came, which are known to a tick.
Pure functions.

Programs sample at a steady rate; networks deliver irregularly. So the times are the regression line through
the arrivals. What comes later than usual is late, or one before it was lost. Sources: Adriaensen 2005, "Using
a DLL to filter time"; Brookner 1998, "Tracking and Kalman Filtering Made Easy", section 1.2.10 (the
regression line as a filter).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..solvers.kinematics.se3 import Array

# samples of the regression: a few seconds, in which the sender's rate is constant and its delays average out
MEMORY = 256
# [s] without a sample, after which the sender has stopped: the next one belongs to a motion of its own
PAUSE = 0.5
LEAST = 1e-3  # [s] shortest period
MISSED = 2  # lost samples that are extrapolated; after more the stream was interrupted
TICKS = 1.1  # ticks by which a sample comes late since its time is known to a tick only
LATER = 3.0  # times the mean deviation, beyond which a sample is not late, but the one before it is lost
CLOSER = 9.0  # times nearer, squared, is the value to what it is after a lost sample
STEADY = 0.03  # share of a new deviation in the mean one
MISFIT = (
    0.75  # of a period: a sample that comes farther from its expected time does not fit the sender's rate
)
RELEARN = 4  # successive misfits after which the sender has another rate
COVERED = 0.99  # periods without a sample that the delay covers: one that is lost is extrapolated instead
SLEW = 0.01  # of a period in a tick: largest growth of the delay
FORGET = 30.0  # [s] time constant with which the delay decreases to what the sender needs

Mask = NDArray[np.bool_]


class Timing(NamedTuple):
    """What is known of the times of m signals' samples."""

    stamps: Array  # (m,) [s] times of the newest samples
    periods: Array  # (m,) [s] between samples; 0: not known yet
    counts: Array  # (m,) samples in the regression; 0: when the newest one came is not known
    misfits: Array  # (m,) successive samples that do not fit the period
    spreads: Array  # (m,) [s] mean deviation of samples from their expected times
    delays: Array  # (m,) [s] by which values are shown later than they were sampled


class Arrival(NamedTuple):
    """What a new sample of each of some signals is."""

    is_paused: Mask  # (m,) whether it is the first one after an interruption
    begins: Mask  # (m,) whether it is the first one from which the rate is known
    spans: Array  # (m,) [s] since the sample before


def unknown(count: int, is_timed: bool) -> Timing:
    """Timing of signals whose rate is not known; `is_timed`: their first samples have come just now, at the
    time 0.
    """
    none = np.zeros(count)
    return Timing(none, none, none + is_timed, none, none, none)


def renewed(
    before: Timing, time: float, dt: float, came: Array, moved: Array, usual: Array
) -> tuple[Timing, Arrival]:
    """Timing of signals after samples of each have come.

    Args:
        before: Timing after the samples before.
        time: [s] of the tick in which the samples came.
        dt: [s] since the tick before.
        came: (m,) samples that have come since then, at least 1.
        moved: (m, d) change of the values since the samples before.
        usual: (m, d) change in a period at the velocity until then; NaN: not known.
    """
    gap = np.maximum(time - before.stamps, LEAST)
    is_timed = before.counts > 0.0
    is_first = is_timed & (before.periods == 0.0) & (gap <= PAUSE)
    is_paused = (
        ~is_timed
        | (gap > PAUSE)
        | ((before.periods > 0.0) & (gap > (came + MISSED) * before.periods + 2.0 * dt))
    )
    period = np.where(is_first, gap / came, before.periods)
    late = gap - came * period
    lost = np.where(is_paused, 0.0, _lost(before, late, period, dt, came, moved, usual))
    passed, late = came + lost, late - lost * period
    fits = (np.abs(late) <= MISFIT * np.maximum(period, dt)) & (lost == 0.0)
    misfits = np.where(fits | is_paused, 0.0, before.misfits + 1.0)
    begins = is_first | (misfits >= RELEARN)
    period, passed = np.where(begins, gap / came, period), np.where(begins, came, passed)
    late, misfits = np.where(begins, 0.0, late), np.where(begins, 0.0, misfits)

    count = np.minimum(np.where(begins, 1.0, before.counts) + 1.0, MEMORY)
    fast, slow = (
        2.0 * (2.0 * count - 1.0) / (count * (count + 1.0)),
        6.0 / (count * (count + 1.0)),
    )  # shares of the lateness that count
    learnt = np.maximum(np.clip(period + slow * late / passed, 0.5 * period, 2.0 * period), LEAST)
    spread = np.where(begins, 0.5 * dt, before.spreads)
    spread = spread + (np.abs(late) - spread) * np.maximum(1.0 / (count + 1.0), STEADY)
    needed = np.maximum(time - dt - before.stamps, 0.0)  # the age of the sample before at the last tick
    spare = np.maximum(before.delays - needed, 0.0)
    timing = Timing(
        np.where(is_paused, time, time - late + fast * late),
        np.where(is_paused, before.periods, learnt),
        count,
        misfits,
        np.where(is_paused, before.spreads, spread),
        np.where(
            begins,
            np.maximum(gap - dt, 0.0),
            before.delays - spare * np.minimum(gap / FORGET + 1.0 / count, 1.0),
        ),
    )
    return timing, Arrival(is_paused, is_first, passed * period)


def _lost(
    before: Timing, late: Array, period: Array, dt: float, came: Array, moved: Array, usual: Array
) -> Array:
    """How many samples (m,) were lost. Where the time alone does not say it, the value does: it has come as
    much farther.
    """
    lost = np.maximum(np.rint(late / np.maximum(period, LEAST)), 0.0)
    if_late, if_lost = (((moved - count[:, None] * usual) ** 2).sum(1) for count in (came, came + lost))
    may_be_late = late <= np.maximum(TICKS * dt, LATER * before.spreads)
    return np.where(may_be_late & ~(CLOSER * if_lost < if_late), 0.0, lost)


def grown(timing: Timing, time: float) -> Timing:
    """Timing with delays that grow where a sample has become older than they cover, slowly, since the motion
    is slower meanwhile.
    """
    age = time - timing.stamps
    lacks = np.clip(age - timing.delays, 0.0, SLEW * timing.periods)
    return timing._replace(delays=timing.delays + np.where(age <= COVERED * timing.periods, lacks, 0.0))
