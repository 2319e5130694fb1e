"""Linear constraints lower <= A x <= upper, and the least violation of those that contradict each other. Knows no Blender."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import box
from ..kinematics.se3 import Array

Mask = NDArray[np.bool_]

TOLERANCE = 1e-10  # of a constraint's coefficients and bound: a smaller violation is rounding
OBJECTIVE_SHARE = 1e-7  # weight of the objective against the constraints' own stiffness, while violations are minimised
NEWTON_STEPS = 60  # of a piecewise quadratic: a few are usual
SHORTEST = 2.0**-30  # shortest Newton step of the line search
RANK = 1e-12  # of the largest singular value: a smaller one is rounding


@dataclass(frozen=True)
class Constraints:
    """Linear constraints; an equality has equal bounds."""

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
        """Signed violation (m,) of a point: positive above the upper bounds, negative below the lower ones."""
        at = self.matrix @ x
        beyond: Array = np.maximum(at - self.upper, 0.0) + np.minimum(at - self.lower, 0.0)
        return beyond

    @property
    def tolerance(self) -> Array:
        """Violations (m,) that count as none, in the constraints' units."""
        bounds = np.where(np.isfinite(self.lower), np.abs(self.lower), 0.0) + np.where(np.isfinite(self.upper), np.abs(self.upper), 0.0)
        tolerance: Array = TOLERANCE * (np.abs(self.matrix).sum(1) + bounds)
        return tolerance


def stacked(parts: list[Constraints]) -> Constraints:
    """All of them, in order."""
    return Constraints(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("matrix", "lower", "upper")))


def least_violation(constraints: Constraints, matrix: Array, vector: Array, lower: Array, upper: Array) -> Array:
    """The point (n,) in a box with the least sum of squared violations and, subject to that, the least x' H x / 2 - g' x.

    By Newton's method on the violated constraints, with a line search: the sum is convex and piecewise quadratic.
    """
    stiffness = float((constraints.matrix**2).sum(1).max(initial=0.0))
    share = OBJECTIVE_SHARE * (stiffness or 1.0) / float(matrix.diagonal().max())

    def cost(x: Array) -> float:
        beyond = constraints.beyond(x)
        return 0.5 * float(beyond @ beyond) + share * (0.5 * float(x @ matrix @ x) - float(vector @ x))

    answer = box.solve(matrix, vector, lower, upper)
    x = answer.x
    now = cost(x)
    for _ in range(NEWTON_STEPS):
        beyond = constraints.beyond(x)
        broken = (beyond != 0.0) | constraints.equal
        own = constraints.matrix[broken]
        bound = (own @ x) - beyond[broken]
        answer = box.solve(own.T @ own + share * matrix, own.T @ bound + share * vector, lower, upper, answer.sides)
        length, then = 1.0, cost(answer.x)
        while then >= now and length > SHORTEST:
            length *= 0.5
            then = cost(x + length * (answer.x - x))
        if then >= now:
            break
        x, now = x + length * (answer.x - x), then
    return _polished(constraints, x, lower, upper)


def _polished(constraints: Constraints, x: Array, lower: Array, upper: Array) -> Array:
    """`x` corrected for the objective's small weight in the least violation, as far as the same bounds and constraints stay active."""
    beyond = constraints.beyond(x)
    broken = (np.abs(beyond) > constraints.tolerance) | constraints.equal
    loose = (x > lower) & (x < upper)
    if not broken.any() or not loose.any():
        return x
    better = x.copy()
    better[loose] -= np.linalg.lstsq(constraints.matrix[broken][:, loose], beyond[broken], rcond=RANK)[0]
    better = np.clip(better, lower, upper)
    left = constraints.beyond(better)
    return better if float(left @ left) <= float(beyond @ beyond) else x
