"""Whether the samples of a signal come at another rate than before: a window of samples, and the line through
their times as if none had been lost. Pure functions.

A period that is no longer true explains samples by losses and lateness. Lost samples make the times
irregular; another rate does not: then the window's own line, without any loss, lies nearer to them. Losses
are seen only where samples are farther apart than ticks.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..solvers.kinematics.se3 import Array

LENGTH = 16  # ticks with samples in a window: half a second at 30 Hz
SEVERAL = 2  # losses in a window that a line can hide only where they come regularly
FITTED = 2.0  # numbers of a line, by which its mean square is smaller than that of the scatter
COLUMNS = 10
LEAST_SPREAD = 1e-12  # of numbers of samples, in a window that has but one

Mask = NDArray[np.bool_]


class Verdict(NamedTuple):
    """What a window says when it is full."""

    is_new: Mask  # (m,) whether the sender has another rate
    periods: Array  # (m,) [s] between samples: slope of the line through the window's times


def empty(count: int) -> Array:
    """Windows (m, 10) of m signals: the first time [s]; the samples since then; the ticks at which any came,
    the first included; of these those that do not fit; and the sums of squared lateness, of x, x^2, t, xt and
    t^2, with the number x of samples and the time t [s] since the first.
    """
    return np.zeros((count, COLUMNS))


def added(window: Array, taken: Array, came: Array, late: Array, fits: Mask) -> Array:
    """Windows to which a sample of each signal is added; an empty one begins with it."""
    begins = window[:, 2] == 0.0
    start = np.where(begins, taken, window[:, 0])
    x, t = np.where(begins, 0.0, window[:, 1] + came), taken - start
    error = np.where(begins, 0.0, late * late)
    sums = (np.ones_like(t), np.where(begins, 0.0, ~fits), error, x, x * x, t, x * t, t * t)
    return np.column_stack((start, x, window[:, 2:] + np.column_stack(sums)))


def verdict(window: Array, dt: float) -> Verdict:
    """What windows say, where ticks are `dt` [s] apart."""
    _, _, n, misfits, lateness, x, xx, t, xt, tt = window.T
    n = np.maximum(n, 1.0)
    spread, along = np.maximum(xx - x * x / n, LEAST_SPREAD), xt - x * t / n
    own = np.maximum(tt - t * t / n - along * along / spread, 0.0)
    periods = along / spread
    is_nearer = own / np.maximum(n - FITTED, 1.0) < lateness / n
    is_other = (misfits >= n - 1.0) | ((misfits >= SEVERAL) & is_nearer & (periods > dt))
    return Verdict((n >= LENGTH) & is_other, periods)


def without_full(window: Array) -> Array:
    """Windows of which full ones are empty again."""
    return np.where(window[:, 2:3] >= LENGTH, 0.0, window)
