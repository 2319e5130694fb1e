"""Bounded least squares: minimise x' H x / 2 - g' x for lower <= x <= upper, by a warm-started active set. Knows no Blender.

Block principal pivoting (Portugal, Judice & Vicente 1994): all unknowns on the wrong side change it at once; where that no longer helps,
one at a time in Murty's order, which ends for every positive definite H. A step of motion keeps nearly the same bounds active as the step
before, so that one or two solves are usual.
"""

from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Sides = NDArray[np.int8]

PATIENCE = 3  # rounds of changing all at once without progress before they are changed one by one
ROUNDING = 1e-12  # of the largest term of the gradient, and of the largest unknown: what is smaller is zero
MOST_ROUNDS = 40  # for each unknown; never reached for a positive definite H


class Boxed(NamedTuple):
    """Solution and its active bounds."""

    x: Array  # (n,) within bounds
    sides: Sides  # (n,) -1 at its lower bound, 1 at its upper, 0 free
    rounds: int  # linear solves


class Quadratic(Protocol):
    """Objective x' H x / 2 - g' x with a positive definite H, in any form that can be solved."""

    @property
    def steepest(self) -> float:
        """H's largest diagonal entry, for tolerances."""

    @property
    def largest(self) -> float:
        """Largest absolute entry of g."""

    def free(self, sides: Sides, lower: Array, upper: Array) -> tuple[Array, Array]:
        """The minimum (n,) with active unknowns at their bounds and the others free; and the gradient (n,) there, valid for active
        unknowns.
        """


class Dense:
    """`Quadratic` with a dense H."""

    def __init__(self, matrix: Array, vector: Array) -> None:
        self.matrix, self.vector = matrix, vector

    @cached_property
    def steepest(self) -> float:
        return float(self.matrix.diagonal().max(initial=0.0))

    @cached_property
    def largest(self) -> float:
        return float(np.abs(self.vector).max(initial=0.0))

    def free(self, sides: Sides, lower: Array, upper: Array) -> tuple[Array, Array]:
        """As `Quadratic.free`."""
        matrix, vector = self.matrix, self.vector
        held = sides.nonzero()[0]
        slope = np.zeros(len(vector))
        if not len(held):
            return np.linalg.solve(matrix, vector), slope
        loose = (sides == 0).nonzero()[0]
        x = np.where(sides < 0, lower, upper)
        if len(loose):
            rows = matrix.take(loose, axis=0)
            x[loose] = np.linalg.solve(rows.take(loose, axis=1), vector[loose] - rows.take(held, axis=1) @ x[held])
        slope[held] = matrix.take(held, axis=0) @ x - vector[held]
        return x, slope


def solve(matrix: Array, vector: Array, lower: Array, upper: Array, sides: Sides | None = None) -> Boxed:
    """The minimum.

    Args:
        matrix: H (n, n), symmetric and positive definite.
        vector: g (n,).
        lower: (n,), may be infinite.
        upper: (n,), not below `lower`.
        sides: Active bounds to start from, as in `Boxed.sides`.
    """
    return minimum(Dense(matrix, vector), lower, upper, sides)


def minimum(quadratic: Quadratic, lower: Array, upper: Array, sides: Sides | None = None) -> Boxed:
    """The minimum for an H of any form; arguments as for `solve`."""
    count = len(lower)
    if sides is None:
        sides = np.zeros(count, np.int8)
    unpinned = lower != upper
    some_held = bool(sides.any()) or not unpinned.all()
    if some_held:
        low, high = ~unpinned | ((sides < 0) & (lower > -np.inf)), unpinned & (sides > 0) & (upper < np.inf)
        sides = high.astype(np.int8) - low.astype(np.int8)
    fewest, patience = count + 1, PATIENCE
    most = MOST_ROUNDS * count + MOST_ROUNDS
    rounds = 0
    while True:
        rounds += 1
        x, slope = quadratic.free(sides, lower, upper)
        within = np.minimum(np.maximum(x, lower), upper)
        size = float(np.abs(x).max(initial=0.0))
        outside = within - x
        wrong = np.abs(outside) > ROUNDING * max(1.0, size)
        if some_held:
            wrong |= (sides * slope > ROUNDING * max(quadratic.largest, quadratic.steepest * size)) & unpinned
        count_wrong = int(np.count_nonzero(wrong))
        if not count_wrong or rounds == most:
            return Boxed(within, sides, rounds)
        if count_wrong < fewest:
            fewest, patience = count_wrong, PATIENCE
        else:
            patience -= 1
        if patience < 0:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        changed = wrong.nonzero()[0]
        sides = sides.copy()
        sides[changed] = np.where(sides[changed] != 0, 0, np.where(outside[changed] > 0.0, -1, 1))
        some_held = bool(sides.any())
