"""Many small bounded least-squares problems at once: minimise x' H x / 2 - g' x between bounds, for each of
them.
"""

import numpy as np

from ..kinematics.se3 import Array
from ..tolerances import SAME_ANGLE


def boxed(matrix: Array, descent: Array, least: Array, most: Array, passes: int) -> Array:
    """Solutions (m, n) of m bounded problems. If `passes` do not suffice, points within the bounds near the
    solution.

    Active unknowns are held at their bounds by a large penalty, which lets them deviate along their
    multiplier by a negligible amount above rounding. So one rule serves all unknowns: those on or beyond a
    bound after a pass are active in the next one, the others are free. Unknowns with a bound of zero are
    active at first. Problems that are solved leave the batch.

    Args:
        matrix: H (m, n, n), positive definite.
        descent: g (m, n).
        least: Lower bounds (m, n).
        most: Upper bounds (m, n).
        passes: Linear solves at most.
    """
    return _boxed(
        matrix, descent, least, most, passes, (least == 0.0) | (most == 0.0), np.zeros_like(descent)
    )


def _boxed(
    matrix: Array, descent: Array, least: Array, most: Array, passes: int, held: Array, place: Array
) -> Array:
    """As `boxed`, with those unknowns that are active at first (m, n), and their values (m, n)."""
    stiff, pull = matrix, descent
    if held.any():
        stiff = matrix.copy()
        diagonal = stiff.reshape(len(stiff), -1)[:, :: stiff.shape[1] + 1]
        springs = held * (diagonal.max(1, keepdims=True) / SAME_ANGLE)
        diagonal += springs
        pull = descent + springs * place
    move = np.linalg.solve(stiff, pull[:, :, None])[:, :, 0]
    place = np.minimum(np.maximum(move, least), most)
    beyond = (move <= least) | (move >= most)
    if passes > 1 and (beyond != held).any():
        left = (beyond != held).any(1)
        place[left] = _boxed(
            matrix[left], descent[left], least[left], most[left], passes - 1, beyond[left], place[left]
        )
    return place
