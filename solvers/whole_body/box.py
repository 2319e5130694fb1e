"""Least squares within a box: minimise x' H x / 2 - g' x for lower <= x <= upper, by an active set that is warm-started. Knows no Blender.

Block principal pivoting (Portugal, Judice & Vicente 1994): all unknowns on the wrong side change it at once; where that stops getting
better, one at a time in Murty's order, which ends for every positive definite H. A step of motion keeps nearly the same bounds active as
the step before, so that one or two solves are the rule.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .so3 import Array

Sides = NDArray[np.int8]

PATIENCE = 3  # rounds of changing all at once that get no better before they are changed one by one
ROUNDING = 1e-12  # of the largest term of the gradient, and of the largest unknown: what is smaller is zero
MOST_ROUNDS = 40  # for each unknown, never reached by what is positive definite to rounding


class Boxed(NamedTuple):
    """An answer, and which bounds hold it."""

    x: Array  # (n,) within bounds
    sides: Sides  # (n,) -1 at its lower bound, 1 at its upper, 0 free
    rounds: int  # linear solves


def free(sides: Sides, matrix: Array, vector: Array, lower: Array, upper: Array) -> Array:
    """The minimum (n,) with unknowns that have a side at that bound, and the others free of theirs."""
    held = np.flatnonzero(sides)
    if not len(held):
        return np.linalg.solve(matrix, vector)
    loose = np.flatnonzero(sides == 0)
    x = np.where(sides < 0, lower, upper)
    rows = matrix.take(loose, axis=0)
    x[loose] = np.linalg.solve(rows.take(loose, axis=1), vector[loose] - rows.take(held, axis=1) @ x[held]) if len(loose) else 0.0
    return x


def solve(matrix: Array, vector: Array, lower: Array, upper: Array, sides: Sides | None = None) -> Boxed:
    """The one minimum.

    Args:
        matrix: H (n, n), symmetric and positive definite.
        vector: g (n,).
        lower: (n,), may be infinite.
        upper: (n,), not below `lower`.
        sides: Which bounds are likely to hold it, as in `Boxed.sides`.
    """
    if sides is None:
        sides = np.zeros(len(vector), np.int8)
    pinned = lower == upper
    sides = np.where(pinned | ((sides < 0) & (lower > -np.inf)), -1, np.where((sides > 0) & (upper < np.inf), 1, 0)).astype(np.int8)
    fewest, patience = len(vector) + 1, PATIENCE
    steepest = float(matrix.diagonal().max(initial=0.0))
    most = MOST_ROUNDS * len(vector) + MOST_ROUNDS
    rounds = 0
    while True:
        rounds += 1
        x = free(sides, matrix, vector, lower, upper)
        slack = ROUNDING * max(1.0, float(np.abs(x).max(initial=0.0)))
        under, over = x < lower - slack, x > upper + slack
        wrong = under | over
        if sides.any():
            slope = matrix @ x - vector
            flat = ROUNDING * max(float(np.abs(vector).max()), steepest * float(np.abs(x).max()))
            wrong |= ~pinned & (sides * slope > flat)
        count = int(np.count_nonzero(wrong))
        if not count or rounds == most:
            break
        if count < fewest:
            fewest, patience = count, PATIENCE
        else:
            patience -= 1
        if patience < 0:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        sides = np.where(wrong, np.where(sides != 0, 0, np.where(under, -1, 1)), sides).astype(np.int8)
    return Boxed(np.minimum(np.maximum(x, lower), upper), sides, rounds)
