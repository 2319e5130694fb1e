"""Many small bounded least-squares problems at once: minimise x' H x / 2 - g' x between bounds, for each of
them.
"""

import numpy as np

from ..kinematics.se3 import Array
from ..kinematics.tree import Mask


def boxed(matrix: Array, descent: Array, least: Array, most: Array, passes: int) -> Array:
    """Solutions (m, n) of m bounded problems; if `passes` do not suffice, points within the bounds near the
    solution.

    Unknowns on or beyond a bound after a pass are active in the next one, at that bound, and stay so while
    the objective falls beyond it; the others are free. Unknowns with a bound of zero are active at first.
    Solved problems leave the batch.

    Args:
        matrix: H (m, n, n), positive definite.
        descent: g (m, n).
        least: Lower bounds (m, n).
        most: Upper bounds (m, n).
        passes: Largest number of linear solves.
    """
    return _boxed(
        matrix, descent, least, most, passes, (least == 0.0) | (most == 0.0), np.zeros_like(descent)
    )


def _boxed(
    matrix: Array,
    descent: Array,
    least: Array,
    most: Array,
    passes: int,
    is_active: Mask,
    active_values: Array,
) -> Array:
    """Same as `boxed`, given which unknowns are active at first (m, n), and their values (m, n)."""
    system = (
        _reduced(matrix, descent, is_active, active_values)
        if is_active.any()
        else (matrix, descent[:, :, None])
    )
    move = np.linalg.solve(*system)[:, :, 0]
    bounded = np.minimum(np.maximum(move, least), most)
    if passes == 1:
        return bounded
    outward = np.where(is_active, descent - np.einsum("mij,mj->mi", matrix, move), 0.0)
    beyond = ((move <= least) & (outward <= 0.0)) | ((move >= most) & (outward >= 0.0))
    left = (beyond != is_active).any(1)
    if left.any():
        bounded[left] = _boxed(
            matrix[left], descent[left], least[left], most[left], passes - 1, beyond[left], bounded[left]
        )
    return bounded


def _reduced(matrix: Array, descent: Array, is_active: Mask, active_values: Array) -> tuple[Array, Array]:
    """The systems, matrices (m, n, n) and right sides (m, n, 1), whose solutions have the active unknowns (m,
    n) at `active_values` (m, n).
    """
    free: Mask = ~is_active
    reduced = matrix * (free[:, :, None] & free[:, None, :])
    np.einsum("mii->mi", reduced)[:] += is_active
    pull = np.where(
        is_active, active_values, descent - np.einsum("mij,mj->mi", matrix, is_active * active_values)
    )
    return reduced, pull[:, :, None]
