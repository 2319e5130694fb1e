"""Joints' axes cleared of what single precision did to them.

Blender's numbers are right to seven digits. A loop in a plane, whose joints say some things twice, needs its axes parallel to far more than
that: else it could not move at all. So axes that are parallel or at a right angle but for rounding are made exactly so.
"""

import numpy as np

from ....solvers.mechanism.frames import Array

ROUNDING = 2e-5  # [rad] what a few products of matrices in single precision make of an exact angle


def straighten(rotations: list[Array]) -> list[Array]:
    """Rotations (3, 3) of joints' frames in the world, each aligned with the first one before it with which it shares an axis."""
    made: list[Array] = []
    for rotation in rotations:
        made.append(next((found for before in made if (found := _aligned(before, rotation)) is not None), rotation))
    return made


def _aligned(before: Array, rotation: Array) -> Array | None:
    """A rotation whose axes that nearly lie along axes of another one do so exactly; None where none does."""
    between = before.T @ rotation
    exact = np.round(between)
    near = np.abs(between - exact) < ROUNDING
    along = [k for k in range(3) if near[:, k].all() and np.abs(exact[:, k]).sum() == 1.0]
    if not along:
        return None
    if len(along) == 3:
        found: Array = before @ exact
        return found
    k = along[0]
    axis = exact[:, k]
    other = between[:, (k + 1) % 3]
    other = other - axis * (axis @ other)
    other /= np.linalg.norm(other)
    rel = np.empty((3, 3))
    rel[:, k], rel[:, (k + 1) % 3], rel[:, (k + 2) % 3] = axis, other, np.cross(axis, other)
    return before @ rel
