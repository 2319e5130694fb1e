"""Stacked frames (..., 4, 4) and rotations (..., 3, 3). Knows no Blender.

A frame F takes a point p given in it to F[:3, :3] p + F[:3, 3]. Conventions are those of `solvers.rotations`.
"""

import numpy as np
from numpy.typing import NDArray

from ..rotations import to_matrix
from .model import Frame

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

TINY_TURN = 1e-8  # [rad] below it a rotation equals its first order in double precision
NEAR_HALF_TURN = 1e-4  # cosine of half an angle: the sine of the whole angle has lost four digits by then
SMALLEST_SINE = 1e-12
LEAST_COSINE = 1e-6  # of half an angle: next to 180 degrees the derivative is unbounded

# Constant matrices that read vectors from rotations in one product, which is faster for few of them than picking entries.
HATS = np.zeros((3, 9))  # a vector's cross product matrix, row by row
HATS[(0, 1, 2, 0, 1, 2), (7, 2, 3, 5, 6, 1)] = (1.0, 1.0, 1.0, -1.0, -1.0, -1.0)
TO_VEE = 0.5 * HATS.T  # (9, 3)
TO_VEE_AND_TRACE = np.hstack((TO_VEE, np.eye(3).reshape(9, 1)))
TO_HALF_ANGLES_SLOPE = np.vstack((-0.5 * HATS, np.eye(3).reshape(1, 9)))  # of a half-angle vector and the cosine
TO_SWING_AND_SLOPE = np.array(((0, 1, 0, 0, -1, 0, 0, 0), (-1, 0, 0, 0, 0, 0, 0, -1), (0, 0, 1, 0, 0, 0, 1, 0)), float)


def frame_array(frame: Frame) -> Array:
    """Matrix (4, 4) of a frame."""
    made = np.eye(4)
    made[:3, :3] = to_matrix(frame.rotation)
    made[:3, 3] = frame.position
    return made


def run_of(indices: Indices) -> Indices | slice:
    """The same indices; as a slice, which numpy reads much faster, where they are contiguous."""
    is_run = len(indices) > 0 and indices[-1] - indices[0] == len(indices) - 1 and bool((indices[1:] > indices[:-1]).all())
    return slice(int(indices[0]), int(indices[-1]) + 1) if is_run else indices


def inverse(frames: Array) -> Array:
    """Inverse frames (..., 4, 4)."""
    back = np.zeros_like(frames)
    transposed = np.swapaxes(frames[..., :3, :3], -1, -2)
    back[..., :3, :3] = transposed
    back[..., :3, 3] = -(transposed @ frames[..., :3, 3, None])[..., 0]
    back[..., 3, 3] = 1.0
    return back


def hat(vectors: Array) -> Array:
    """Cross product matrices (..., 3, 3): hat(a) b = a x b."""
    made: Array = (vectors @ HATS).reshape(*vectors.shape, 3)
    return made


def cross(a: Array, b: Array) -> Array:
    """Cross products a x b (..., 3)."""
    return a[..., (1, 2, 0)] * b[..., (2, 0, 1)] - a[..., (2, 0, 1)] * b[..., (1, 2, 0)]


def vee(turns: Array) -> Array:
    """Rotation axes times the sine of the angle (..., 3)."""
    sine: Array = turns.reshape(*turns.shape[:-2], 9) @ TO_VEE
    return sine


def exponential(vectors: Array) -> Array:
    """Rotations (..., 3, 3) of rotation vectors (..., 3) [rad]."""
    angle = np.sqrt((vectors * vectors).sum(-1))[..., None, None]
    safe = np.where(angle > TINY_TURN, angle, 1.0)
    skew = hat(vectors)
    first = np.where(angle > TINY_TURN, np.sin(safe) / safe, 1.0)
    second = np.where(angle > TINY_TURN, (1.0 - np.cos(safe)) / (safe * safe), 0.5)
    turns: Array = np.eye(3) + first * skew + second * (skew @ skew)
    return turns


def angle_of(turns: Array) -> Array:
    """Angles (...) [rad] of rotations, exact near 0 and near pi alike."""
    sine = vee(turns)
    angles: Array = np.arctan2(np.sqrt((sine * sine).sum(-1)), 0.5 * (np.trace(turns, axis1=-2, axis2=-1) - 1.0))
    return angles


def logarithm(turns: Array) -> Array:
    """Rotation vectors (..., 3) [rad] of rotations by less than pi."""
    sine = vee(turns)
    size = np.sqrt((sine * sine).sum(-1))
    factor = np.where(size > TINY_TURN, angle_of(turns) / np.where(size > TINY_TURN, size, 1.0), 1.0)
    vectors: Array = sine * factor[..., None]
    return vectors


def orthonormal(turns: Array) -> Array:
    """Rotations (..., 3, 3) cleared of rounding: one Newton step toward the nearest rotation."""
    return 0.5 * turns @ (3.0 * np.eye(3) - np.swapaxes(turns, -1, -2) @ turns)


def half_angle(turns: Array) -> tuple[Array, Array]:
    """Axis times twice the sine of half the angle (..., 3), and its derivative (..., 3, 3) by a rotation from the left.

    Unlike dot products of axes it grows up to 180 degrees, so that a body rotated by 180 degrees is not taken for one that is aligned.
    """
    products = turns.reshape(*turns.shape[:-2], 9) @ TO_VEE_AND_TRACE
    cosine = np.maximum(0.5 * np.sqrt(np.maximum(1.0 + products[..., 3], 0.0)), LEAST_COSINE)  # of half the angle
    vector = products[..., :3] / cosine[..., None]
    if (cosine < NEAR_HALF_TURN).any():
        vector = np.where(cosine[..., None] < NEAR_HALF_TURN, _near_pi(turns), vector)
    products[..., :3], products[..., 3] = vector, cosine
    derivative: Array = (products @ TO_HALF_ANGLES_SLOPE).reshape(turns.shape)
    return vector, derivative


def _near_pi(turns: Array) -> Array:
    """Half-angle vectors (..., 3) from the symmetric part, 2 u u^T - 1, where the antisymmetric part has no digits left."""
    outer = 0.5 * (turns + np.swapaxes(turns, -1, -2)) + np.eye(3)
    largest = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), -1)
    axis = np.take_along_axis(outer, largest[..., None, None], -1)[..., 0]
    axis = axis / np.sqrt((axis * axis).sum(-1))[..., None]
    axis = np.where((axis * vee(turns)).sum(-1)[..., None] < 0.0, -axis, axis)
    vectors: Array = 2.0 * np.sin(0.5 * angle_of(turns))[..., None] * axis
    return vectors


def half_swing(axes: Array) -> tuple[Array, Array]:
    """Half-angle vectors (..., 2) of the least rotation from +Z to unit vectors (..., 3), and derivatives (..., 2, 3)."""
    z = axes[..., 2]
    far = np.maximum(1.0 + z, LEAST_COSINE * LEAST_COSINE)
    factor = np.sqrt(2.0 / far)
    # d(z axis x a) = (c - a z^T) w for a rotation w from the left, and d(cosine) = -(z x a) w
    products = (axes * factor[..., None]) @ TO_SWING_AND_SLOPE
    rows, derivative = products[..., :2], products[..., 2:].reshape(*axes.shape[:-1], 2, 3)
    derivative[..., :2] += (rows * (0.5 / (far * factor))[..., None])[..., :, None] * rows[..., None, :]
    if (far < NEAR_HALF_TURN * NEAR_HALF_TURN).any():  # about x, where the axis is undefined
        is_opposite = 1.0 + z < NEAR_HALF_TURN * NEAR_HALF_TURN
        sine = axes[..., 1::-1] * (-1.0, 1.0)
        length = np.sqrt((sine * sine).sum(-1))[..., None]
        axis = np.where(length > SMALLEST_SINE, sine / np.maximum(length, SMALLEST_SINE), (1.0, 0.0))
        rows = np.where(is_opposite[..., None], np.sqrt(2.0 - 2.0 * np.minimum(z, 1.0))[..., None] * axis, rows)
    return rows, derivative
