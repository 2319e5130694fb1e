"""Detects a change of a signal's sample rate, from a window of the newest samples and regression lines of
their times over their numbers, under the assumption of no loss. Pure functions.

With an outdated period, samples seem to be lost or late. For each sample of the window, two descriptions of
the later samples are compared: one by the current line, including the assumed losses, and one by a new line,
including the line's two parameters and the sample at which it begins. The shortest description decides
whether and when the sender has changed its rate. Losses are more likely if values move less evenly without
them: a lost sample changes the values too, a late one only its time.

Sources: Rissanen 1978, "Modeling by shortest data description"; Lorden 1971, "Procedures for reacting to a
change in distribution" (the likelihood ratio, over all times of the change).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..solvers.kinematics.se3 import Array

LENGTH = 32  # number of samples in a window; 24 and 48 gave the same results
COLUMNS = 5  # number of values stored for each sample: those of TimedSample
LINE = 2.0  # number of a line's parameters, and so the number of samples that a line always fits exactly
# smallest sum of squared deviations of sample numbers, so that a single sample causes no division by 0
LEAST_SPREAD = 1e-12

Mask = NDArray[np.bool_]


class TimedSample(NamedTuple):
    """A new sample of each of m signals, relative to the current line."""

    taken: Array  # (m,) [s] best estimate of the time at which the sample was taken
    came: Array  # (m,) number of samples that arrived together with this one, itself included
    late: Array  # (m,) [s] lateness of the sample, scaled as if the line were known exactly
    lost: Array  # (m,) number of samples lost before it
    # (m,) [nats] evidence in the values that no sample was lost: how much shorter their description then is
    # than with lost samples
    values: Array


class Verdict(NamedTuple):
    """Result for each of m signals: whether its sender has changed its rate and, if so, the line of the
    samples since then. For other signals only `is_new` has a meaning.
    """

    is_new: Mask  # (m,) whether the sender has changed its rate
    periods: Array  # (m,) [s] period of the line since the change
    newest: Array  # (m,) [s] time of the newest sample, by the line since the change
    counts: Array  # (m,) number of samples since the change
    spreads: Array  # (m,) [s] root mean square deviation of the samples from the line since the change
    needs: Array  # (m,) [s] greatest age that a sample had when the next one arrived


def empty(count: int) -> Array:
    """Empty windows (m, 5, 32) of `count` = m signals: the five fields of `TimedSample` for each of 32
    samples, the newest last; NaN where there is no sample.
    """
    return np.full((count, COLUMNS, LENGTH), np.nan)


def added(window: Array, sample: TimedSample, begins: Mask) -> Array:
    """Windows (m, 5, 32) with a sample added to each signal; windows of the signals in the mask `begins` (m,)
    are emptied first.
    """
    older = np.where(begins[:, None, None], np.nan, window[:, :, 1:])
    return np.concatenate((older, np.stack(sample, 1)[:, :, None]), 2)


def verdict(window: Array, dt: float, rounding: Array) -> Verdict:
    """Whether, by each window, the sender has changed its rate, and the new rate.

    Args:
        window: (m, 5, 32) windows.
        dt: [s] time between ticks.
        rounding: (m,) [s] time differences below this cannot be distinguished: deviations up to half of it do
            not count.
    """
    is_there = np.isfinite(window[:, 0])
    taken, counts, late, lost, values = np.where(is_there[:, None], window, 0.0).transpose(1, 0, 2)

    # lines through each sample and all later ones; numbers and times are relative to the newest sample
    n = _from_each(is_there.astype(float))
    x, t = counts - _from_each(counts), np.where(is_there, taken - taken[:, -1:], 0.0)
    x_sum, t_sum = _from_each(x * is_there), _from_each(t)
    n_at_least_1 = np.maximum(n, 1.0)
    x_spread = np.maximum(_from_each(x * x * is_there) - x_sum**2 / n_at_least_1, LEAST_SPREAD)
    covariance = _from_each(x * t) - x_sum * t_sum / n_at_least_1
    periods = covariance / x_spread
    residuals = np.maximum(_from_each(t * t) - t_sum**2 / n_at_least_1 - covariance**2 / x_spread, 0.0)

    # Lengths of both descriptions of the samples after each sample. Deviations up to half of `rounding` do
    # not count.
    after = np.maximum(n - 1.0, 1.0)
    least = (rounding * rounding / 4.0)[:, None]
    present = np.maximum(_after_each(late * late) / after, least)
    log_ratio = 0.5 * np.log(present / np.maximum(residuals / after, least))
    log_ratio += _loss(_after_each(lost) / after)
    evidence = after * log_ratio + np.minimum(_after_each(values), 0.0)
    margin = evidence - 0.5 * LINE * np.log(n_at_least_1) - np.log(LENGTH)
    margin = np.where(is_there & (n > LINE) & (periods > 0.0), margin, -np.inf)

    change_index = np.argmax(margin, 1)
    at_change = np.arange(len(change_index)), change_index
    period, count = periods[at_change], n_at_least_1[at_change]
    newest = (t_sum[at_change] - period * x_sum[at_change]) / count
    ages = t[:, 1:] - (newest[:, None] + period[:, None] * x[:, :-1]) - dt
    is_since = np.arange(1, window.shape[2]) > change_index[:, None]
    needs = np.where(is_since, np.maximum(ages, 0.0), 0.0).max(1)
    return Verdict(
        margin[at_change] > 0.0,
        period,
        taken[:, -1] + newest,
        count,
        np.sqrt(residuals[at_change] / count),
        needs,
    )


def _from_each(values: Array) -> Array:
    """Sums (m, n): each of the values (m, n) plus all later values."""
    sums: Array = np.cumsum(values[:, ::-1], 1)[:, ::-1]
    return sums


def _after_each(values: Array) -> Array:
    """Sums (m, n): of the values (m, n) later than each value."""
    return np.concatenate((_from_each(values)[:, 1:], np.zeros((len(values), 1))), 1)


def _loss(mean: Array) -> Array:
    """Description length [nats] of the losses before one sample, elementwise for the mean number of losses:
    the entropy of the geometric distribution.
    """
    entropy: Array = (1.0 + mean) * np.log1p(mean) - mean * np.log(np.where(mean > 0.0, mean, 1.0))
    return entropy
