"""Many small bounded least-squares problems at once: minimise x' H x / 2 - g' x between bounds, for each of them. Knows no Blender."""

import numpy as np
import numpy.typing as npt

from ..kinematics.se3 import Array
from ..tolerances import EXACT
from .damping import REDUNDANT

Flags = npt.NDArray[np.bool_]


def boxed(matrix: Array, descent: Array, least: Array, most: Array, passes: int) -> Array:
    """Solutions (m, n), or, after so many passes of the active set, points within the bounds that are near them.

    Unknowns that a pass carries over a bound are fixed there and the others are solved again; those whose multiplier has changed sign are
    released. Bounds of zero that the gradient presses against are active from the start. Problems that are solved leave the batch.

    Args:
        matrix: H (m, n, n), positive definite.
        descent: g (m, n).
        least: Lower bounds (m, n).
        most: Upper bounds (m, n).
        passes: Linear solves at most.
    """
    answer, rows = np.empty_like(descent), np.arange(len(descent))
    # a bound of exactly 0 is that of an unknown at its limit
    held = ((least == 0.0) & (descent < 0.0)) | ((most == 0.0) & (descent > 0.0))
    fixed = np.zeros_like(descent)
    for left in reversed(range(passes)):
        move = _solved(matrix, descent, held, fixed)
        over = ((move < least) | (move > most)) & ~held
        changed = over
        if left and held.any():  # in the last pass none is released, so that the active set cannot cycle
            released = held & _is_released(matrix, descent, move, least, most)
            changed = over | released
        goes_on = changed.any(1)
        if not goes_on.any():
            answer[rows] = move
            return answer
        held = (held ^ changed)[goes_on]
        fixed = np.where(held, np.where(over, np.minimum(np.maximum(move, least), most), fixed)[goes_on], 0.0)
        answer[rows] = np.minimum(np.maximum(move, least), most)
        matrix, descent, least, most, rows = matrix[goes_on], descent[goes_on], least[goes_on], most[goes_on], rows[goes_on]
    return answer


def _solved(matrix: Array, descent: Array, held: Flags, fixed: Array) -> Array:
    """The minima (m, n) with held unknowns at `fixed` and the others free."""
    if not held.any():
        return np.asarray(np.linalg.solve(matrix, descent[:, :, None]))[:, :, 0]
    stiff = matrix.copy()
    diagonal = stiff.reshape(len(matrix), -1)[:, :: matrix.shape[1] + 1]
    stiffness = diagonal.max(1, keepdims=True) / REDUNDANT  # rounding is all that moves an unknown at its bound
    diagonal += held * stiffness
    move = np.linalg.solve(stiff, np.where(held, fixed * stiffness, descent)[:, :, None])[:, :, 0]
    return np.where(held, fixed, move)


def _is_released(matrix: Array, descent: Array, move: Array, least: Array, most: Array) -> Flags:
    """Which unknowns (m, n), if at a bound, have a multiplier that points inside."""
    pressed = descent - (matrix @ move[:, :, None])[:, :, 0]
    tolerance = EXACT * np.abs(descent).max(1, keepdims=True)
    back = ((move >= most) & (pressed < -tolerance)) | ((move <= least) & (pressed > tolerance))
    return np.asarray(back & (most > least))
