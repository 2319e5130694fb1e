"""Angles of three revolute joints about perpendicular axes at one position, from the rotation that they make together. Knows no Blender."""

import math

import numpy as np

from ..kinematics.se3 import Array, cross, exponential

NEAR_GIMBAL = 1e-6  # cosine of the middle angle below which the first and the last joint rotate about one axis
FULL_TURN = 2.0 * math.pi


def ball_rotation(axes: Array, angles: Array) -> Array:
    """Rotations (b, 3, 3) of three joints about `axes` (b, 3, 3; a row is an axis, nearest the parent first) at `angles` (b, 3) [rad]."""
    turned = exponential(axes * angles[:, :, None])
    rotation: Array = turned[:, 0] @ turned[:, 1] @ turned[:, 2]
    return rotation


def ball_angles(axes: Array, rotations: Array, near: Array) -> Array:
    """Angles (b, 3) [rad] of the joints for rotations (b, 3, 3); of all that make them, those nearest to `near` (b, 3).

    With axes a, b, c and s = a . (b x c): a . R c = s sin(second), b . R c = -s cos(second) sin(first) and
    a . R b = -s cos(second) sin(third). Where the first and the last joint rotate about one axis, the last stays as in `near`.
    """
    entries = axes @ rotations @ axes.swapaxes(1, 2)  # in the frame of the axes
    sense = (axes[:, 0] * cross(axes[:, 1], axes[:, 2])).sum(1)
    cosine = np.hypot(entries[:, 1, 2], entries[:, 2, 2])  # of the middle angle
    second = np.arctan2(sense * entries[:, 0, 2], cosine)
    first = np.arctan2(-sense * entries[:, 1, 2], entries[:, 2, 2])
    third = np.arctan2(-sense * entries[:, 0, 1], entries[:, 0, 0])
    locked = cosine < NEAR_GIMBAL
    if locked.any():
        third = np.where(locked, near[:, 2], third)
        back = rotations @ exponential(-axes[:, 2] * third[:, None])  # of the first two joints
        middle = np.einsum("bij,bj->bi", back, axes[:, 1])
        alone = np.arctan2(sense * np.einsum("bi,bi->b", axes[:, 2], middle), np.einsum("bi,bi->b", axes[:, 1], middle))
        first = np.where(locked, alone, first)
    both = np.array(((first, second, third), (first + math.pi, math.pi - second, third + math.pi))).swapaxes(1, 2)
    both -= FULL_TURN * np.round((both - near) / FULL_TURN)
    apart = np.abs(both - near).sum(2)
    angles: Array = np.where((apart[0] <= apart[1])[:, None], both[0], both[1])
    return angles
