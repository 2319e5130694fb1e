"""Many small bounded least-squares problems at once: minimise x' H x / 2 - g' x between bounds, for each of them. Knows no Blender."""

import numpy as np

from ..kinematics.se3 import Array
from ..tolerances import SAME_ANGLE


def boxed(matrix: Array, descent: Array, least: Array, most: Array, passes: int) -> Array:
    """Solutions (m, n) of m bounded problems. If `passes` do not suffice, points within the bounds near the solution.

    Active unknowns are held at their bounds by a large penalty, which lets them deviate along their multiplier by a negligible amount above
    rounding. So one rule serves all unknowns: those on or beyond a bound after a pass are active in the next one, the others are free.
    Unknowns with a bound of zero are active at first. Problems that are solved leave the batch.

    Args:
        matrix: H (m, n, n), positive definite.
        descent: g (m, n).
        least: Lower bounds (m, n).
        most: Upper bounds (m, n).
        passes: Linear solves at most.
    """
    answer, rows = np.empty_like(descent), np.arange(len(descent))
    held, place = (least == 0.0) | (most == 0.0), np.zeros_like(descent)
    for left in reversed(range(passes)):
        stiff, pull = matrix, descent
        if held.any():
            stiff = matrix.copy()
            diagonal = stiff.reshape(len(stiff), -1)[:, :: stiff.shape[1] + 1]
            springs = held * (diagonal.max(1, keepdims=True) / SAME_ANGLE)
            diagonal += springs
            pull = descent + springs * place
        move = np.linalg.solve(stiff, pull[:, :, None])[:, :, 0]
        place = np.minimum(np.maximum(move, least), most)
        answer[rows] = place
        beyond = (move <= least) | (move >= most)
        goes_on = (beyond != held).any(1)
        if not (left and goes_on.any()):
            break
        held, place, rows = beyond[goes_on], place[goes_on], rows[goes_on]
        matrix, descent, least, most = matrix[goes_on], descent[goes_on], least[goes_on], most[goes_on]
    return answer
