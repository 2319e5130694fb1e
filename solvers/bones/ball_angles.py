"""Angles of three revolute joints with perpendicular axes at one position, from the rotation that they
produce together.
"""

import math

import numpy as np

from ..kinematics.se3 import Array, cross, exponential

# cosine of the middle angle below which the first and the last joint count as rotating about one axis (gimbal
# lock)
NEAR_GIMBAL = 1e-6


def ball_rotation(axes: Array, angles: Array) -> Array:
    """Rotations (b, 3, 3) of three joints about `axes` (b, 3, 3; each row is an axis, the one nearest to the
    parent first) at `angles` (b, 3) [rad].
    """
    turned = exponential(axes * angles[:, :, None])
    rotation: Array = turned[:, 0] @ turned[:, 1] @ turned[:, 2]
    return rotation


def ball_angles(axes: Array, rotations: Array, near: Array) -> Array:
    """Angles (b, 3) [rad] of three joints with axes (b, 3, 3), one in each row, that together make rotations
    (b, 3, 3); of all solutions, the one nearest to `near` (b, 3) [rad].

    With axes a, b, c and s = a . (b x c): a . R c = s sin(second), b . R c = -s cos(second) sin(first) and
    a . R b = -s cos(second) sin(third). If the first and the last joint rotate about one axis, the last
    stays as in `near`.
    """
    entries = (axes @ rotations @ axes.swapaxes(1, 2)).tolist()  # rotations in the frame of the axes
    senses = (axes[:, 0] * cross(axes[:, 1], axes[:, 2])).sum(1).tolist()
    angles = np.empty((len(axes), 3))
    # In a loop: for the few bones of a chain, plain floats are several times as fast as arrays.
    for k, (((aa, ab, ac), (_, _, bc), (_, _, cc)), sense, previous) in enumerate(
        zip(entries, senses, near.tolist(), strict=True)
    ):
        cosine = math.hypot(bc, cc)  # cosine of the middle Euler angle
        second, first, third = (
            math.atan2(sense * ac, cosine),
            math.atan2(-sense * bc, cc),
            math.atan2(-sense * ab, aa),
        )
        if cosine < NEAR_GIMBAL:
            third = previous[2]
            first = _first_alone(axes[k], sense, rotations[k], third)
        angles[k] = _nearest(first, second, third, previous)
    return angles


def _first_alone(axes: Array, sense: float, rotation: Array, third: float) -> float:
    """Angle [rad] of the first joint if it rotates about the same axis as the last one, which is at the angle
    `third` [rad].
    """
    # the middle axis after the rotations of the first two joints
    middle = rotation @ exponential(-axes[2] * third) @ axes[1]
    return math.atan2(sense * float(axes[2] @ middle), float(axes[1] @ middle))


def _nearest(first: float, second: float, third: float, near: list[float]) -> list[float]:
    """The angles (3) [rad] that give the same rotation as these and are nearest to `near` (3)."""
    solutions = (first, second, third), (first + math.pi, math.pi - second, third + math.pi)
    nearest_turns = [
        [
            angle - math.tau * round((angle - goal) / math.tau)
            for angle, goal in zip(angles, near, strict=True)
        ]
        for angles in solutions
    ]
    return min(
        nearest_turns,
        key=lambda angles: sum(abs(angle - goal) for angle, goal in zip(angles, near, strict=True)),
    )
