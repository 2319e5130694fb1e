"""Least squares within a box and linear constraints, by the method of multipliers over the box's own solver.

Bounds are many and cheap, while constraints are few; so the constraints become penalties whose targets are
shifted by multipliers until they hold exactly (Hestenes 1969; Powell 1969). Usual are one solve within the
box per set of active constraints, and two sets of multipliers; only one if they start from the last step's.
Constraints that contradict each other are violated with the least sum of squares (as in ProxQP, Bambade et
al. 2022), and that is reported. Among the solutions with this least violation the objective decides: the
contradictory bounds are moved by their violation, and the search goes on with bounds that can hold.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kinematics.se3 import Array
from ..tolerances import EXACT, MET
from . import box
from .bounded_step import MAX_ITERATIONS
from .box import MOST_ROUNDS, Sides

Mask = NDArray[np.bool_]

# factor by which the penalties' stiffness is increased, and how often: beyond that, rounding dominates
STIFFER, MOST_STIFFENINGS = 10.0, 5


@dataclass(frozen=True)
class Constraints:
    """Linear constraints lower <= A x <= upper; an equality has equal bounds."""

    matrix: Array  # (m, n)
    lower: Array  # (m,) lower bounds, infinite for none
    upper: Array  # (m,)

    def __len__(self) -> int:
        return len(self.matrix)

    @property
    def equal(self) -> Mask:
        is_equal: Mask = self.lower == self.upper
        return is_equal

    def beyond(self, x: Array, shift: Array | float = 0.0) -> Array:
        """Signed violation (m,) of the constraints at `x` (n,), with `shift` added to A x: positive above the
        upper bounds, negative below the lower.
        """
        at = self.matrix @ x + shift
        beyond: Array = np.maximum(at - self.upper, 0.0) + np.minimum(at - self.lower, 0.0)
        return beyond

    def moved(self, change: Array) -> "Constraints":
        """The constraints with both bounds moved by `change` (m,)."""
        return Constraints(self.matrix, self.lower + change, self.upper + change)

    @property
    def tolerance(self) -> Array:
        """Violation (m,) of each constraint, in its own units, that counts as zero."""
        bounds = np.where(np.isfinite(self.lower), np.abs(self.lower), 0.0) + np.where(
            np.isfinite(self.upper), np.abs(self.upper), 0.0
        )
        tolerance: Array = EXACT * (np.abs(self.matrix).sum(1) + bounds)
        return tolerance


def stacked(parts: list[Constraints]) -> Constraints:
    """All rows of several sets of constraints, in order."""
    return Constraints(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("matrix", "lower", "upper"))
    )


class ConstrainedSolution(NamedTuple):
    """A solution with its active bounds, multipliers and violations."""

    x: Array  # (n,) solution, within the box
    sides: Sides  # (n,) as in `box.Boxed`
    # (m,) forces of the constraints; zero for inactive ones, and for all if any is violated
    multipliers: Array
    yielded: Array  # (m,) signed violation of each constraint; zero if it holds
    rounds: int  # number of linear solves
    stopped: bool = False  # whether a search was stopped before the minimum


def of_box(boxed: box.Boxed, count: int = 0) -> ConstrainedSolution:
    """The solution of a box-bounded problem in which none of the `count` constraints is active."""
    return ConstrainedSolution(
        boxed.x, boxed.sides, np.zeros(count), np.zeros(count), boxed.rounds, boxed.stopped
    )


def solve(
    matrix: Array,
    vector: Array,
    lower: Array,
    upper: Array,
    constraints: Constraints | None,
    sides: Sides | None = None,
    multipliers: Array | None = None,
) -> ConstrainedSolution:
    """Solution that minimises x' H x / 2 - g' x within a box and linear constraints.

    Args:
        matrix: H (n, n), symmetric and positive definite.
        vector: g (n,).
        lower: Lower bounds (n,), possibly infinite.
        upper: Upper bounds (n,), not below `lower`.
        constraints: Linear constraints (m, n); None if there are none.
        sides: Active bounds to start from, as in `box.Boxed.sides`.
        multipliers: Multipliers (m,) of a similar problem, to start from.
    """
    if constraints is None:
        return of_box(box.solve(matrix, vector, lower, upper, sides))
    penalty = _Penalty(matrix, vector, lower, upper, constraints)
    tolerance, rounds, stopped = constraints.tolerance, 0, False
    if multipliers is not None and len(multipliers) == len(constraints) and multipliers.any():
        x, forces = np.clip(np.zeros(len(vector)), lower, upper), multipliers
        sides = np.zeros(len(vector), np.int8) if sides is None else sides
    else:
        boxed = box.solve(matrix, vector, lower, upper, sides)
        if (np.abs(constraints.beyond(boxed.x)) <= tolerance).all():
            return of_box(boxed, len(constraints))
        x, sides, rounds, forces = boxed.x, boxed.sides, boxed.rounds, np.zeros(len(constraints))
    last, stiffenings, pushed = np.full(len(constraints), np.inf), 0, 0.0
    for _ in range(MAX_ITERATIONS):
        if rounds >= MOST_ROUNDS:
            stopped = True
            break
        x, sides, more = penalty.minimum(x, sides, forces)
        rounds, pushed = rounds + more, pushed + penalty.stiffness
        before = forces
        forces = penalty.stiffness * penalty.constraints.beyond(x, before / penalty.stiffness)
        change = (forces - before) / penalty.stiffness
        # The change becomes zero if the constraints hold, and the least violation if they contradict each
        # other.
        if (np.abs(change) <= tolerance).all():
            break
        if stiffenings < MOST_STIFFENINGS:
            penalty.stiffness, stiffenings = STIFFER * penalty.stiffness, stiffenings + 1
        elif (np.abs(change - last) <= tolerance).all():  # no force reduces these violations
            penalty.constraints = penalty.constraints.moved(change)
            forces, pushed = forces - pushed * change, 0.0
            penalty.stiffness, stiffenings = penalty.stiffness / STIFFER**stiffenings, 0
        last = change
    beyond = constraints.beyond(x)
    yielded = np.where(np.abs(beyond) > tolerance, beyond, 0.0)
    # with violations the next step starts without multipliers, since its violations can differ
    return ConstrainedSolution(x, sides, 0.0 * forces if yielded.any() else forces, yielded, rounds, stopped)


class _Penalty:
    """The objective plus penalties on constraints, within the box."""

    def __init__(
        self, matrix: Array, vector: Array, lower: Array, upper: Array, constraints: Constraints
    ) -> None:
        self.matrix, self.vector, self.lower, self.upper, self.constraints = (
            matrix,
            vector,
            lower,
            upper,
            constraints,
        )
        size = float((constraints.matrix**2).sum(1).max(initial=0.0))
        # about 1 / `MET` times the objective's own stiffness; each update of the multipliers reduces the
        # error by about this ratio
        self.stiffness = float(matrix.diagonal().max()) / (MET * (size or 1.0))

    def _cost(self, x: Array, shift: Array) -> float:
        """The objective plus the penalties at `x` (n,), with targets shifted by `shift` (m,)."""
        beyond = self.constraints.beyond(x, shift)
        return (
            0.5 * float(x @ self.matrix @ x)
            - float(self.vector @ x)
            + 0.5 * self.stiffness * float(beyond @ beyond)
        )

    def minimum(self, x: Array, sides: Sides, forces: Array) -> tuple[Array, Sides, int]:
        """Minimises the cost with targets shifted by the multipliers `forces` (m,), by Newton's method from
        `x` (n,) on the active constraints, with a line search: the cost is convex and piecewise quadratic.

        Returns:
            The minimum (n,); its active bounds (n,); the number of linear solves.
        """
        constraints, shift, rounds = self.constraints, forces / self.stiffness, 0
        for _ in range(MAX_ITERATIONS):
            beyond = constraints.beyond(x, shift)
            active = (beyond != 0.0) | constraints.equal
            rows = constraints.matrix[active]
            slope = self.vector - self.matrix @ x - self.stiffness * (beyond[active] @ rows)
            boxed = box.solve(
                self.matrix + self.stiffness * (rows.T @ rows), slope, self.lower - x, self.upper - x, sides
            )
            rounds += boxed.rounds
            if boxed.stopped:
                return np.clip(x + boxed.x, self.lower, self.upper), boxed.sides, rounds
            clipped = np.clip(x + boxed.x, self.lower, self.upper)
            if (((constraints.beyond(clipped, shift) != 0.0) | constraints.equal) == active).all():
                return clipped, boxed.sides, rounds
            move, cost = boxed.x, self._cost(x, shift)
            while self._cost(x + move, shift) >= cost:
                move = 0.5 * move
                if np.array_equal(x + move, x):
                    return x, sides, rounds
            x, sides = np.clip(x + move, self.lower, self.upper), boxed.sides
        return x, sides, rounds
