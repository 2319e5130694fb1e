"""General rows over unknowns, lower <= A x <= upper, and how they give way where they contradict each other. Knows no Blender."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import box
from .so3 import Array

Mask = NDArray[np.bool_]

HELD = 1e-10  # of a row's size and bound: a violation below is rounding
MILD = 1e-7  # of the rows' own stiffness: how little the objective counts while violations are made least
NEWTON_STEPS = 60  # of a piecewise quadratic: it takes a few
SHORTEST = 2.0**-30  # of a Newton step, in halvings
RANK = 1e-12  # of the largest singular value: a smaller one is rounding


@dataclass(frozen=True)
class Rows:
    """Rows; an equality has equal bounds."""

    matrix: Array  # (m, n)
    lower: Array  # (m,) may be infinite
    upper: Array  # (m,)

    def __len__(self) -> int:
        return len(self.matrix)

    @property
    def equal(self) -> Mask:
        found: Mask = self.lower == self.upper
        return found

    def beyond(self, x: Array) -> Array:
        """How far (m,) a point is above the upper bounds, or below the lower ones as a negative number."""
        at = self.matrix @ x
        beyond: Array = np.maximum(at - self.upper, 0.0) + np.minimum(at - self.lower, 0.0)
        return beyond

    @property
    def tolerance(self) -> Array:
        """What counts as held (m,), in the rows' units."""
        bounds = np.where(np.isfinite(self.lower), np.abs(self.lower), 0.0) + np.where(np.isfinite(self.upper), np.abs(self.upper), 0.0)
        tolerance: Array = HELD * (np.abs(self.matrix).sum(1) + bounds)
        return tolerance


def stacked(parts: list[Rows]) -> Rows:
    """All of them, in order."""
    return Rows(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("matrix", "lower", "upper")))


def least_violation(rows: Rows, matrix: Array, vector: Array, lower: Array, upper: Array) -> Array:
    """The point (n,) in a box where the sum of squared violations is least, and beside it the objective x' H x / 2 - g' x.

    By Newton's method on the violated rows, with a line search: the sum is convex and piecewise quadratic.
    """
    stiffness = float((rows.matrix**2).sum(1).max(initial=0.0))
    share = MILD * (stiffness or 1.0) / float(matrix.diagonal().max())

    def cost(x: Array) -> float:
        beyond = rows.beyond(x)
        return 0.5 * float(beyond @ beyond) + share * (0.5 * float(x @ matrix @ x) - float(vector @ x))

    answer = box.solve(matrix, vector, lower, upper)
    x = answer.x
    now = cost(x)
    for _ in range(NEWTON_STEPS):
        beyond = rows.beyond(x)
        broken = (beyond != 0.0) | rows.equal
        own = rows.matrix[broken]
        bound = (own @ x) - beyond[broken]
        answer = box.solve(own.T @ own + share * matrix, own.T @ bound + share * vector, lower, upper, answer.sides)
        length, then = 1.0, cost(answer.x)
        while then >= now and length > SHORTEST:
            length *= 0.5
            then = cost(x + length * (answer.x - x))
        if then >= now:
            break
        x, now = x + length * (answer.x - x), then
    return _polished(rows, x, lower, upper)


def _polished(rows: Rows, x: Array, lower: Array, upper: Array) -> Array:
    """`x` without what the objective's small share pulled it off the least violation, as far as the same bounds and rows hold it."""
    beyond = rows.beyond(x)
    broken = (np.abs(beyond) > rows.tolerance) | rows.equal
    loose = (x > lower) & (x < upper)
    if not broken.any() or not loose.any():
        return x
    better = x.copy()
    better[loose] -= np.linalg.lstsq(rows.matrix[broken][:, loose], beyond[broken], rcond=RANK)[0]
    better = np.clip(better, lower, upper)
    left = rows.beyond(better)
    return better if float(left @ left) <= float(beyond @ beyond) else x
