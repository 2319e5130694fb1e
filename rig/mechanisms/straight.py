"""Removes single-precision rounding errors from the axes of joints.

Blender's numbers have seven digits. A planar loop has redundant constraints, so its axes must be parallel far
more precisely, or it could not move. Axes that are parallel or perpendicular up to rounding are made exactly
so.
"""

import numpy as np

from ...solvers.kinematics.se3 import Array

# [rad] angle up to which two axes count as parallel, or perpendicular: the error after a few products of
# matrices in single precision
ROUNDING = 2e-5


def straighten(rotations: list[Array]) -> list[Array]:
    """Rotations (3, 3) of joint frames in the world, with axes that are nearly parallel or perpendicular made
    exactly so.
    """
    straightened: list[Array] = []
    for rotation in rotations:
        straightened.append(
            next(
                (aligned for before in straightened if (aligned := _aligned(before, rotation)) is not None),
                rotation,
            )
        )
    return straightened


def _aligned(before: Array, rotation: Array) -> Array | None:
    """A rotation (3, 3), with axes that nearly coincide with axes of `before` (3, 3) moved exactly onto
    these; None if none does.
    """
    between = before.T @ rotation
    exact = np.round(between)
    near = np.abs(between - exact) < ROUNDING
    along = [k for k in range(3) if near[:, k].all() and np.abs(exact[:, k]).sum() == 1.0]
    if not along:
        return None
    if len(along) == 3:
        exact_rotation: Array = before @ exact
        return exact_rotation
    k = along[0]
    axis = exact[:, k]
    other = between[:, (k + 1) % 3]
    other = other - axis * (axis @ other)
    other /= np.linalg.norm(other)
    relative = np.empty((3, 3))
    relative[:, k], relative[:, (k + 1) % 3], relative[:, (k + 2) % 3] = axis, other, np.cross(axis, other)
    return before @ relative
