"""Bounded least squares: minimise x' H x / 2 - g' x for lower <= x <= upper, by a warm-started active set.

Block principal pivoting (Portugal, Judice & Vicente 1994): all unknowns that are wrongly free or wrongly at a
bound change at once. Where that no longer helps, they change one at a time, which lowers the objective each
time (a primal active set; Nocedal & Wright 2006, 16.5). A step of motion keeps nearly the same bounds active
as the step before, so that one or two solves are usual.
"""

import math
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..tolerances import EXACT

Array = NDArray[np.float64]
Sides = NDArray[np.int8]

# number of linear solves after which a search is stopped: random bodies of 66 joints take 70 at most; 200
# solves for 200 joints take .2 s
MOST_ROUNDS = 200
# number of rounds of changing all unknowns at once without progress, after which bounds are changed one by
# one
PATIENCE = 3
FREE, ABOVE = np.int8(0), np.int8(1)


class Boxed(NamedTuple):
    """Solution of a bounded least-squares problem, and its active bounds."""

    x: Array  # (n,) solution, within bounds
    sides: Sides  # (n,) -1 at its lower bound, 1 at its upper, 0 free
    rounds: int  # number of linear solves
    stopped: bool = False  # whether the search was stopped before the minimum


class Quadratic(Protocol):
    """Interface of an objective x' H x / 2 - g' x with a positive definite H, in any form that can be
    solved.
    """

    @property
    def steepest(self) -> float:
        """Largest diagonal entry of H, for tolerances."""

    @property
    def largest(self) -> float:
        """Largest absolute entry of g, for tolerances."""

    def free(self, sides: Sides, at_bounds: Array) -> tuple[Array, Array]:
        """The minimum (n,) with active unknowns at their bounds and the others free; and the gradient (n,) of
        active unknowns.

        `at_bounds` (n,) contains the bounds of active unknowns, and zeros for the others.
        """


class Dense:
    """Implementation of `Quadratic` with H as a full matrix."""

    def __init__(self, matrix: Array, vector: Array) -> None:
        self.matrix, self.vector = matrix, vector

    @cached_property
    def steepest(self) -> float:
        return float(self.matrix.diagonal().max(initial=0.0))

    @cached_property
    def largest(self) -> float:
        return float(np.abs(self.vector).max(initial=0.0))

    def free(self, sides: Sides, at_bounds: Array) -> tuple[Array, Array]:
        """Minimum (n,) with active unknowns at their bounds, and the gradient (n,) of active unknowns; see
        `Quadratic.free`.
        """
        matrix, vector = self.matrix, self.vector
        loose = (sides == 0).nonzero()[0]
        if len(loose) == len(sides):
            return _least(matrix, vector), at_bounds
        rows, x = matrix.take(loose, axis=0), at_bounds.copy()
        x[loose] = _least(rows.take(loose, axis=1), vector.take(loose) - rows @ at_bounds)
        slope: Array = matrix @ x
        slope -= vector
        slope[loose] = 0.0
        return x, slope


def _least(matrix: Array, vector: Array) -> Array:
    """Minimum of x' H x / 2 - g' x; the shortest one if H is numerically singular because it is very steep
    along some directions.
    """
    try:
        return np.linalg.solve(matrix, vector)
    except np.linalg.LinAlgError:
        shortest: Array = np.linalg.lstsq(matrix, vector, rcond=None)[0]
        return shortest


def solve(matrix: Array, vector: Array, lower: Array, upper: Array, sides: Sides | None = None) -> Boxed:
    """Solution of min x' H x / 2 - g' x with lower <= x <= upper.

    Args:
        matrix: H (n, n), symmetric and positive definite.
        vector: g (n,).
        lower: Lower bounds (n,), possibly infinite.
        upper: Upper bounds (n,), not below `lower`.
        sides: Active bounds to start from, as in `Boxed.sides`.
    """
    return minimum(Dense(matrix, vector), lower, upper, sides)


def minimum(quadratic: Quadratic, lower: Array, upper: Array, sides: Sides | None = None) -> Boxed:
    """Solution of the bounded problem for a quadratic in any form; arguments as for `solve`."""
    count = len(lower)
    pinned = lower == upper
    some_pinned = bool(pinned.any())
    if sides is None:
        sides = np.zeros(count, np.int8)
    fewest, patience, rounds = count + 1, PATIENCE, 0
    while True:
        if some_pinned:
            sides = np.where(pinned, ABOVE, sides)
        at_bounds = np.where(sides < 0, lower, upper)
        at_bounds[sides == 0] = 0.0
        if not math.isfinite(np.vdot(at_bounds, at_bounds)):
            # a bound that was active before has become infinite, so the unknown is free
            sides = np.where(np.isinf(at_bounds), FREE, sides)
            continue
        rounds += 1
        x, slope = quadratic.free(sides, at_bounds)
        size = math.sqrt(np.vdot(x, x))
        # An unknown is next at the bound that a step down the gradient crosses (Hintermueller, Ito & Kunisch
        # 2002).
        tolerance = EXACT * max(1.0, size)
        ahead = x
        if slope.any():
            rounding = EXACT * max(size, quadratic.largest / quadratic.steepest)
            ahead = x - slope / quadratic.steepest + (tolerance + rounding) * sides
        following = (ahead > upper + tolerance).view(np.int8) - (ahead < lower - tolerance).view(np.int8)
        # an unknown changes from one bound to the other only after a free round in between
        following[sides * following < 0] = FREE
        changed = (following != sides).nonzero()[0]
        if some_pinned:
            changed = changed[~pinned[changed]]
        if not len(changed):
            return Boxed(np.minimum(np.maximum(x, lower), upper), sides, rounds)
        if len(changed) < fewest:
            fewest, patience = len(changed), PATIENCE
        else:
            patience -= 1
        if patience < 0:
            return _descended(quadratic, lower, upper, np.minimum(np.maximum(x, lower), upper), rounds)
        sides = following


def _descended(quadratic: Quadratic, lower: Array, upper: Array, x: Array, rounds: int) -> Boxed:
    """Solution from `x` (n,) within bounds by a primal active set, after `rounds` linear solves.

    Each step lowers the objective and changes one bound, so that the search can be stopped after any of them.
    """
    pinned = lower == upper
    sides = np.where(pinned, ABOVE, (x >= upper).view(np.int8) - (x <= lower).view(np.int8))
    while True:
        at_bounds = np.where(sides < 0, lower, upper)
        at_bounds[sides == 0] = 0.0
        rounds += 1
        least, slope = quadratic.free(sides, at_bounds)
        move = least - x
        room = np.where(move > 0.0, upper, lower) - x
        crossing = (sides == 0) & (np.abs(move) > np.abs(room))
        # fractions of the move up to each bound that it crosses
        shares = np.divide(room, move, out=np.ones(len(x)), where=crossing)
        nearest = int(np.argmin(shares))
        x = np.minimum(np.maximum(x + shares[nearest] * move, lower), upper)
        if crossing[nearest]:
            sides[nearest] = ABOVE if move[nearest] > 0.0 else -ABOVE
        else:
            size = math.sqrt(np.vdot(x, x))
            rounding = EXACT * (max(1.0, size) * quadratic.steepest + quadratic.largest)
            # if positive, the objective decreases away from the bound
            inward = np.where(pinned, 0.0, slope * sides)
            steepest = int(np.argmax(inward))
            if inward[steepest] <= rounding:
                return Boxed(x, sides, rounds)
            sides[steepest] = FREE
        if rounds >= MOST_ROUNDS:
            return Boxed(x, sides, rounds, True)
