"""The quadratic program of a step: least squares within a box and general rows. Knows no Blender.

Bounds are many and cheap, rows few and dear, so they are kept apart. Without rows that matter the box's own solver is all that runs. With
them the sides of bounds and rows are guessed from the step before and mended together, which a check of optimality confirms; where that
goes round in circles the dual method decides. Rows that contradict each other or the box give way to the least sum of squares, and it is
told by how much.
"""

from typing import NamedTuple

import numpy as np

from .. import box
from ..box import ROUNDING, Boxed, Sides
from . import dual
from .rows import RANK, Rows, least_violation
from .so3 import Array

GUESSES = 12  # rounds before the dual method decides: steps of motion take one to three
GIVEN = 10.0  # tolerances by which rows that gave way are widened, so that their least violation is within them in spite of rounding


class Program(NamedTuple):
    """An answer, what holds it, and what gave way."""

    x: Array  # (n,) within the box
    sides: Sides  # (n,) as in `Boxed`
    row_sides: Sides  # (m,) the same of the rows
    yielded: Array  # (m,) by how much a row is beyond its bounds, signed; zero where it holds
    rounds: int  # linear solves


def of_box(boxed: Boxed) -> Program:
    """An answer without rows."""
    return Program(boxed.x, boxed.sides, np.zeros(0, np.int8), np.zeros(0), boxed.rounds)


def solve(
    matrix: Array, vector: Array, lower: Array, upper: Array, rows: Rows, sides: Sides | None = None, row_sides: Sides | None = None
) -> Program:
    """Minimise x' H x / 2 - g' x.

    Args:
        matrix: H (n, n), symmetric and positive definite.
        vector: g (n,).
        lower: (n,), may be infinite.
        upper: (n,), not below `lower`.
        rows: General rows (m, n).
        sides: Which bounds are likely to hold it.
        row_sides: Which rows.
    """
    boxed = box.solve(matrix, vector, lower, upper, sides)
    if np.all(np.abs(rows.beyond(boxed.x)) <= rows.tolerance):
        return Program(boxed.x, boxed.sides, np.zeros(len(rows), np.int8), np.zeros(len(rows)), boxed.rounds)
    guess = row_sides if row_sides is not None and len(row_sides) == len(rows) else np.zeros(len(rows), np.int8)
    found = _guessed(matrix, vector, lower, upper, rows, boxed, guess)
    if found is not None:
        return found
    x = dual.solve(matrix, vector, lower, upper, rows, boxed)
    if x is None:
        least = least_violation(rows, matrix, vector, lower, upper)
        x = dual.solve(matrix, vector, lower, upper, _widened(rows, least), boxed)
        x = least if x is None else x
    return _told(np.clip(x, lower, upper), lower, upper, rows, boxed.rounds)


def _widened(rows: Rows, x: Array) -> Rows:
    """Rows within which `x` is."""
    at, slack = rows.matrix @ x, GIVEN * rows.tolerance
    over, under = at > rows.upper + rows.tolerance, at < rows.lower - rows.tolerance
    lower = np.where(under | (over & rows.equal), at - slack, rows.lower)
    upper = np.where(over | (under & rows.equal), at + slack, rows.upper)
    return Rows(rows.matrix, lower, upper)


def _told(x: Array, lower: Array, upper: Array, rows: Rows, rounds: int) -> Program:
    """`x` as an answer."""
    sides = np.where(x <= lower, -1, np.where(x >= upper, 1, 0)).astype(np.int8)
    at = rows.matrix @ x
    row_sides = np.where(at <= rows.lower + rows.tolerance, -1, np.where(at >= rows.upper - rows.tolerance, 1, 0)).astype(np.int8)
    beyond = rows.beyond(x)
    return Program(x, sides, row_sides, np.where(np.abs(beyond) > GIVEN * rows.tolerance, beyond, 0.0), rounds)


def _guessed(matrix: Array, vector: Array, lower: Array, upper: Array, rows: Rows, boxed: Boxed, row_sides: Sides) -> Program | None:
    """The answer from sides that are changed all at once until none is wrong; None where that does not end soon."""
    sides, pinned, equal = boxed.sides, lower == upper, rows.equal
    steepest = float(matrix.diagonal().max())
    for rounds in range(1, GUESSES + 1):
        held = np.flatnonzero((row_sides != 0) | equal)
        bounds = np.where(row_sides[held] < 0, rows.lower[held], rows.upper[held])
        x, forces = _with_rows(matrix, vector, lower, upper, sides, rows.matrix[held], bounds)
        slope = matrix @ x - vector + rows.matrix[held].T @ forces
        slack = ROUNDING * max(1.0, float(np.abs(x).max()))
        flat = ROUNDING * max(float(np.abs(vector).max()), steepest * float(np.abs(x).max()))
        under, over = x < lower - slack, x > upper + slack
        wrong = under | over | (~pinned & (sides * slope > flat))
        pulled = np.zeros(len(rows))
        pulled[held] = forces
        beyond = rows.beyond(x)
        missed = np.abs(beyond) > rows.tolerance
        slackened = ~equal & (row_sides * pulled < -flat)
        if not wrong.any() and not missed.any() and not slackened.any():
            x = np.clip(x, lower, upper)
            return Program(x, sides, row_sides, np.zeros(len(rows)), boxed.rounds + rounds)
        sides = np.where(wrong, np.where(sides != 0, 0, np.where(under, -1, 1)), sides).astype(np.int8)
        row_sides = np.where(slackened, 0, np.where(missed & ~equal, np.sign(beyond), row_sides)).astype(np.int8)
    return None


def _with_rows(matrix: Array, vector: Array, lower: Array, upper: Array, sides: Sides, own: Array, bounds: Array) -> tuple[Array, Array]:
    """The minimum (n,) with unknowns that have a side at that bound and rows (r, n) at theirs (r,), and the rows' forces (r,)."""
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
