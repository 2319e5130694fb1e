"""Quadratic program of a step: least squares within a box and linear constraints. Knows no Blender.

Bounds are many and cheap, constraints few and expensive, so they are separate. Without constraints that matter the box's own solver is all
that runs. With them an active set of bounds and constraints, warm-started from the last step, is updated until a check of optimality
confirms it; where that cycles, the dual method decides. Contradicting constraints are violated with the least sum of squares, and reported.
"""

from typing import NamedTuple

import numpy as np

from .. import box
from ..box import ROUNDING, Boxed, Sides
from ..kinematics.se3 import Array
from . import dual
from .constraints import RANK, Constraints, least_violation

MOST_GUESSES = 12  # rounds before the dual method decides: steps of motion take one to three
WIDENING = 10.0  # tolerances by which violated constraints are widened, so that the least violation is feasible in spite of rounding


class Program(NamedTuple):
    """A solution, its active set and its violations."""

    x: Array  # (n,) within the box
    sides: Sides  # (n,) as in `Boxed`
    row_sides: Sides  # (m,) the same of the constraints
    yielded: Array  # (m,) signed violation of each constraint; zero where it holds
    rounds: int  # linear solves


def of_box(boxed: Boxed) -> Program:
    """A solution without constraints."""
    return Program(boxed.x, boxed.sides, np.zeros(0, np.int8), np.zeros(0), boxed.rounds)


def solve(
    matrix: Array,
    vector: Array,
    lower: Array,
    upper: Array,
    constraints: Constraints,
    sides: Sides | None = None,
    row_sides: Sides | None = None,
) -> Program:
    """Minimises x' H x / 2 - g' x within a box and constraints.

    Args:
        matrix: H (n, n), symmetric and positive definite.
        vector: g (n,).
        lower: (n,), may be infinite.
        upper: (n,), not below `lower`.
        constraints: Linear constraints (m, n).
        sides: Active bounds to start from, as in `Boxed.sides`.
        row_sides: Active constraints to start from, likewise.
    """
    boxed = box.solve(matrix, vector, lower, upper, sides)
    if np.all(np.abs(constraints.beyond(boxed.x)) <= constraints.tolerance):
        return Program(boxed.x, boxed.sides, np.zeros(len(constraints), np.int8), np.zeros(len(constraints)), boxed.rounds)
    first_sides = row_sides if row_sides is not None and len(row_sides) == len(constraints) else np.zeros(len(constraints), np.int8)
    found = _by_active_set(matrix, vector, lower, upper, constraints, boxed, first_sides)
    if found is not None:
        return found
    x = dual.solve(matrix, vector, lower, upper, constraints, boxed)
    if x is None:
        least = least_violation(constraints, matrix, vector, lower, upper)
        x = dual.solve(matrix, vector, lower, upper, _widened(constraints, least), boxed)
        x = least if x is None else x
    return _as_program(np.clip(x, lower, upper), lower, upper, constraints, boxed.rounds)


def _widened(constraints: Constraints, x: Array) -> Constraints:
    """Constraints widened so that `x` meets them."""
    at, slack = constraints.matrix @ x, WIDENING * constraints.tolerance
    over, under = at > constraints.upper + constraints.tolerance, at < constraints.lower - constraints.tolerance
    lower = np.where(under | (over & constraints.equal), at - slack, constraints.lower)
    upper = np.where(over | (under & constraints.equal), at + slack, constraints.upper)
    return Constraints(constraints.matrix, lower, upper)


def _as_program(x: Array, lower: Array, upper: Array, constraints: Constraints, rounds: int) -> Program:
    """`x` as a solution, with its active set and violations."""
    sides = np.where(x <= lower, -1, np.where(x >= upper, 1, 0)).astype(np.int8)
    at = constraints.matrix @ x
    row_sides = np.where(
        at <= constraints.lower + constraints.tolerance, -1, np.where(at >= constraints.upper - constraints.tolerance, 1, 0)
    ).astype(np.int8)
    beyond = constraints.beyond(x)
    return Program(x, sides, row_sides, np.where(np.abs(beyond) > WIDENING * constraints.tolerance, beyond, 0.0), rounds)


def _by_active_set(
    matrix: Array, vector: Array, lower: Array, upper: Array, constraints: Constraints, boxed: Boxed, row_sides: Sides
) -> Program | None:
    """The solution by an active set of which all wrong entries change at once; None where that does not end soon."""
    sides, pinned, equal = boxed.sides, lower == upper, constraints.equal
    steepest = float(matrix.diagonal().max())
    for rounds in range(1, MOST_GUESSES + 1):
        held = np.flatnonzero((row_sides != 0) | equal)
        bounds = np.where(row_sides[held] < 0, constraints.lower[held], constraints.upper[held])
        x, forces = _with_active(matrix, vector, lower, upper, sides, constraints.matrix[held], bounds)
        slope = matrix @ x - vector + constraints.matrix[held].T @ forces
        slack = ROUNDING * max(1.0, float(np.abs(x).max()))
        flat = ROUNDING * max(float(np.abs(vector).max()), steepest * float(np.abs(x).max()))
        under, over = x < lower - slack, x > upper + slack
        wrong = under | over | (~pinned & (sides * slope > flat))
        pulled = np.zeros(len(constraints))
        pulled[held] = forces
        beyond = constraints.beyond(x)
        violated = np.abs(beyond) > constraints.tolerance
        slackened = ~equal & (row_sides * pulled < -flat)
        if not wrong.any() and not violated.any() and not slackened.any():
            x = np.clip(x, lower, upper)
            return Program(x, sides, row_sides, np.zeros(len(constraints)), boxed.rounds + rounds)
        sides = np.where(wrong, np.where(sides != 0, 0, np.where(under, -1, 1)), sides).astype(np.int8)
        row_sides = np.where(slackened, 0, np.where(violated & ~equal, np.sign(beyond), row_sides)).astype(np.int8)
    return None


def _with_active(matrix: Array, vector: Array, lower: Array, upper: Array, sides: Sides, own: Array, bounds: Array) -> tuple[Array, Array]:
    """The minimum (n,) with active bounds and equality constraints (r, n) at (r,), and the constraints' multipliers (r,)."""
    x = np.where(sides < 0, lower, np.where(sides > 0, upper, 0.0))
    loose = np.flatnonzero(sides == 0)
    if not len(loose):
        return x, np.zeros(len(bounds))
    part = own[:, loose]
    right = np.concatenate([(vector - matrix @ x)[loose, None], part.T], axis=1)
    solved = np.linalg.solve(matrix[np.ix_(loose, loose)], right)
    forces = np.linalg.lstsq(part @ solved[:, 1:], part @ solved[:, 0] + own @ x - bounds, rcond=RANK)[0]
    x[loose] = solved[:, 0] - solved[:, 1:] @ forces
    return x, forces
