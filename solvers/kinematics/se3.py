"""Stacked rotations (..., 3, 3), rotation vectors (..., 3) [rad] and frames (..., 4, 4).

A frame F takes a point p given in it to F[:3, :3] p + F[:3, 3]. Conventions are those of `rotations`, whose
plain floats are faster for a single rotation.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..tolerances import NO_DIRECTION, TINY
from .rotations import IDENTITY, Quaternion, Vector, to_matrix

Array = NDArray[np.float64]

# Limit for cos(angle / 2), or for half of sin(angle), below which a rotation counts as near 180 degrees.
# There the axis is read from the matrix's symmetric part, whose error is the square of this limit. The
# antisymmetric part has lost as many digits there as this limit has zeros.
NEAR_HALF_TURN = 1e-5

# Indices of components whose first three products minus the last three form a cross product.
CROSS_LEFT, CROSS_RIGHT = np.array((1, 2, 0, 2, 0, 1)), np.array((2, 0, 1, 1, 2, 0))

UNIT = np.eye(3)

# Constant matrices that read vectors from rotations in one product, which is faster than picking entries if
# there are few rotations.
# (3, 9): times a vector (3,), its cross product matrix, row by row
HATS = np.zeros((3, 9))
HATS[(0, 1, 2, 0, 1, 2), (7, 2, 3, 5, 6, 1)] = (1.0, 1.0, 1.0, -1.0, -1.0, -1.0)
# (9, 4): from a rotation matrix, row by row, the axis times the sine of the angle, and the trace
TO_VEE_AND_TRACE = np.hstack((0.5 * HATS.T, np.eye(3).reshape(9, 1)))
# (4, 9): from a half-angle vector and the cosine of half the angle, the derivative of `half_angle`
TO_HALF_ANGLES_SLOPE = np.vstack((-0.5 * HATS, np.eye(3).reshape(1, 9)))
# (3, 8): from an axis, +Z x axis without its third component (2,), and its derivative (2, 3)
TO_SWING_AND_SLOPE = np.array(
    ((0, 1, 0, 0, -1, 0, 0, 0), (-1, 0, 0, 0, 0, 0, 0, -1), (0, 0, 1, 0, 0, 0, 1, 0)), float
)


class RigidTransform(NamedTuple):
    """Rotation and position of a frame in another frame: a point p given in it is at rotation p rotation* +
    position.
    """

    rotation: Quaternion = IDENTITY
    position: Vector = (0.0, 0.0, 0.0)  # [m]


HERE = RigidTransform()


def frame_array(frame: RigidTransform) -> Array:
    """Homogeneous matrix (4, 4) of a frame."""
    matrix = np.eye(4)
    matrix[:3, :3] = to_matrix(frame.rotation)
    matrix[:3, 3] = frame.position
    return matrix


def inverse(frames: Array) -> Array:
    """Inverse frames (..., 4, 4)."""
    back = np.zeros_like(frames)
    transposed = np.swapaxes(frames[..., :3, :3], -1, -2)
    back[..., :3, :3] = transposed
    back[..., :3, 3] = -(transposed @ frames[..., :3, 3, None])[..., 0]
    back[..., 3, 3] = 1.0
    return back


def cross(a: Array, b: Array) -> Array:
    """Cross products a x b (..., 3); for few vectors several times as fast as numpy's own."""
    products = a.take(CROSS_LEFT, -1) * b.take(CROSS_RIGHT, -1)
    product: Array = products[..., :3] - products[..., 3:]
    return product


def hat(vectors: Array) -> Array:
    """Cross product matrices (..., 3, 3): hat(a) b = a x b."""
    matrices: Array = (vectors @ HATS).reshape(*vectors.shape, 3)
    return matrices


def exponential(vectors: Array) -> Array:
    """Rotations (..., 3, 3) of rotation vectors (..., 3) [rad]: I + sin(a) / a S + (1 - cos(a)) / a^2 S^2."""
    square = (vectors * vectors).sum(-1)[..., None, None]
    half = np.maximum(0.5 * np.sqrt(square), TINY)
    skew = hat(vectors)
    halved = np.sin(half) / half
    rotations: Array = UNIT + np.cos(half) * halved * skew + 0.5 * halved * halved * (skew @ skew)
    return rotations


def angle_of(rotations: Array) -> Array:
    """Angles (...) [rad] of rotations, exact near 0 and near pi alike."""
    return _sines_and_angles(rotations)[2]


def logarithm(rotations: Array) -> Array:
    """Rotation vectors (..., 3) [rad], of up to 180 degrees.

    A rotation by 180 degrees has two opposite axes; the one whose component of largest magnitude is positive
    is used.
    """
    sines, sine, angle = _sines_and_angles(rotations)
    vectors: Array = sines * (angle / np.maximum(sine, TINY))[..., None]
    if angle.max(initial=0.0) > math.pi - 2.0 * NEAR_HALF_TURN:
        is_reversed = angle > math.pi - 2.0 * NEAR_HALF_TURN
        vectors = np.where(
            is_reversed[..., None], angle[..., None] * _axes_near_pi(rotations, sines), vectors
        )
    return vectors


def _sines_and_angles(rotations: Array) -> tuple[Array, Array, Array]:
    """Sines and angles of rotations (..., 3, 3).

    Returns:
        Axes times the sine of the angle (..., 3), from the antisymmetric part; their lengths (...); and the
        angles (...) [rad].
    """
    products = rotations.reshape(*rotations.shape[:-2], 9) @ TO_VEE_AND_TRACE
    sines = products[..., :3]
    sine = np.sqrt(np.einsum("...i,...i", sines, sines))
    return sines, sine, np.arctan2(sine, 0.5 * (products[..., 3] - 1.0))


def _axes_near_pi(rotations: Array, sines: Array) -> Array:
    """Rotation axes (..., 3) from the symmetric part, 2 u u' - 1 near 180 degrees, where the antisymmetric
    part has no digits left. `sines` (..., 3), axes times sines of the angles, decides between u and -u.
    """
    outer = 0.5 * (rotations + np.swapaxes(rotations, -1, -2)) + np.eye(3)
    largest = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), -1)
    axis = np.take_along_axis(outer, largest[..., None, None], -1)[..., 0]
    axis = axis / np.sqrt((axis * axis).sum(-1))[..., None]
    axes: Array = np.where((axis * sines).sum(-1)[..., None] < 0.0, -axis, axis)
    return axes


def orthonormal(rotations: Array) -> Array:
    """Rotations (..., 3, 3) made orthonormal again by one Newton step toward the nearest rotation."""
    return 0.5 * rotations @ (3.0 * UNIT - np.swapaxes(rotations, -1, -2) @ rotations)


def half_angle(rotations: Array) -> tuple[Array, Array]:
    """Half-angle vectors (..., 3), the rotation axis times twice the sine of half the angle, and their
    derivatives (..., 3, 3) by a rotation from the left.

    Unlike an error made of dot products of axes, the vector's length increases up to 180 degrees, so that a
    body rotated by 180 degrees does not count as aligned.
    """
    products = rotations.reshape(*rotations.shape[:-2], 9) @ TO_VEE_AND_TRACE
    # cosine of half the angle
    cosine = np.maximum(0.5 * np.sqrt(np.maximum(1.0 + products[..., 3], 0.0)), TINY)
    vector = products[..., :3] / cosine[..., None]
    if (cosine < NEAR_HALF_TURN).any():
        near = (
            2.0 * np.sin(0.5 * angle_of(rotations))[..., None] * _axes_near_pi(rotations, products[..., :3])
        )
        vector = np.where(cosine[..., None] < NEAR_HALF_TURN, near, vector)
    products[..., :3], products[..., 3] = vector, cosine
    derivative: Array = (products @ TO_HALF_ANGLES_SLOPE).reshape(rotations.shape)
    return vector, derivative


def half_swing(axes: Array) -> tuple[Array, Array]:
    """Half-angle vectors (..., 2) of the smallest rotation from +Z to unit vectors (..., 3), and their
    derivatives (..., 2, 3).
    """
    z = axes[..., 2]
    far = np.maximum(1.0 + z, NEAR_HALF_TURN * NEAR_HALF_TURN)
    factor = np.sqrt(2.0 / far)
    # Of an axis a with c = z . a, rotated by a small rotation vector w from the left:
    # d(z x a) = (c I - a z^T) w, and dc = -(z x a) . w
    products = (axes * factor[..., None]) @ TO_SWING_AND_SLOPE
    rows, derivative = products[..., :2], products[..., 2:].reshape(*axes.shape[:-1], 2, 3)
    derivative[..., :2] += (rows * (0.5 / (far * factor))[..., None])[..., :, None] * rows[..., None, :]
    if (far == NEAR_HALF_TURN * NEAR_HALF_TURN).any():  # rotation about x, where the axis is undefined
        is_opposite = 1.0 + z <= NEAR_HALF_TURN * NEAR_HALF_TURN
        sine = axes[..., 1::-1] * (-1.0, 1.0)
        length = np.sqrt((sine * sine).sum(-1))[..., None]
        axis = np.where(length > NO_DIRECTION, sine / np.maximum(length, NO_DIRECTION), (1.0, 0.0))
        rows = np.where(
            is_opposite[..., None], np.sqrt(2.0 - 2.0 * np.minimum(z, 1.0))[..., None] * axis, rows
        )
    return rows, derivative
