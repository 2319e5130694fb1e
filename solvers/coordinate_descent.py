"""Cyclic coordinate descent: one joint after another moves so that the ends it carries come as near to their
targets as possible.

This module has the sweep and the step of a revolute joint; CCD and ERIK's variants of it choose the targets
of each step. "Zalo" is the author of the quaternion CCD that docs/ccd.md describes.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .kinematics.rotations import (
    IDENTITY,
    ORIGIN,
    Quaternion,
    Vector,
    about,
    add,
    conjugate,
    cross,
    dot,
    length,
    multiply,
    rotate,
    scale,
    subtract,
)
from .tolerances import SAME_ANGLE

STILL = IDENTITY, ORIGIN  # rotation and translation of a body that has not moved
# sum of a pull's squared terms up to which the target counts as having no lever arm about the joint, which
# then stays; also the stiffness up to which a prismatic joint stays
NO_PULL = SAME_ANGLE * SAME_ANGLE


class Pull(NamedTuple):
    """Gradient terms of a revolute joint's objective, which is maximised: after a rotation by phi it is, up
    to a constant, `level` cos phi + `across` sin phi.

    The terms of several targets are added. For unit vectors `together` is 1 + cos of the error angle;
    `across` and `together` are proportional to the component along the axis and the real part of the
    quaternion between two vectors.
    """

    across: float = 0.0
    level: float = 0.0
    together: float = 0.0

    def plus(self, other: "Pull") -> "Pull":
        """The sum of these gradient terms and those of `other`."""
        return Pull(self.across + other.across, self.level + other.level, self.together + other.together)

    def times(self, weight: float) -> "Pull":
        """These gradient terms times `weight`."""
        return Pull(weight * self.across, weight * self.level, weight * self.together)

    @property
    def quaternion_rotation(self) -> float:
        """Rotation angle [rad] of a revolute joint by the quaternion step: the rotation between the vectors,
        projected onto the joint's axis.

        Zalo rotates the joint by the quaternion between the two vectors and returns the joint's axis to its
        direction by the shortest rotation; the rest is the quaternion's twist about the axis, 2 atan2(n axis,
        w). Of several pulls the quaternions' parts add up; for a whole orientation that is the optimum. It
        never overshoots: each step reduces the error, and where an end is nearly along the axis, so that
        `best_rotation` would swing wildly, it hardly rotates. For opposite vectors the axis is undefined; the
        joint's own is used.
        """
        if self.level < 0.0 and max(self.together, abs(self.across)) <= -SAME_ANGLE * self.level:
            return math.pi
        if self.across * self.across + self.together * self.together <= NO_PULL:
            return 0.0
        return 2.0 * math.atan2(self.across, self.together)

    @property
    def best_rotation(self) -> float:
        """Rotation angle [rad] that maximises the objective. For a single vector it aligns the projections of
        both vectors onto the plane perpendicular to the axis.
        """
        if self.across * self.across + self.level * self.level <= NO_PULL:
            return 0.0
        return math.atan2(self.across, self.level)

    def gain(self, rotation: float) -> float:
        """Value of the objective after a rotation [rad], up to a constant."""
        return self.level * math.cos(rotation) + self.across * math.sin(rotation)


def pull_of_vectors(axis: Vector, current: Vector, desired: Vector) -> Pull:
    """Gradient terms of a revolute joint with unit axis `axis` for the vector `current` (any length), which
    should have the direction `desired`.
    """
    dot_product = dot(current, desired)
    across = dot(axis, cross(current, desired))
    return Pull(
        across,
        dot_product - dot(current, axis) * dot(desired, axis),
        length(current) * length(desired) + dot_product,
    )


def pull_of_frames(axis: Vector, current: Quaternion, desired: Quaternion) -> Pull:
    """Gradient terms of a revolute joint with unit axis `axis` for the orientation `current`, which should
    become `desired`. `across` and `level` are half the sums of those of the three axes of the orientation;
    `together` is 1 + cos of the angle between the two orientations.
    """
    w, x, y, z = multiply(desired, conjugate(current))
    along = x * axis[0] + y * axis[1] + z * axis[2]
    return Pull(2.0 * w * along, w * w - along * along, 2.0 * w * w)


class Tool:
    """Rotation and position [m] of an end in the base frame, updated during a sweep."""

    __slots__ = ("position", "rotation")

    def __init__(self, rotation: Quaternion, position: Vector = ORIGIN) -> None:
        self.rotation, self.position = rotation, position

    def rotate(self, rotation: Quaternion, about_position: Vector | None) -> None:
        """Rotates the end by `rotation` about a position [m]; without a position only the orientation
        changes.
        """
        self.rotation = multiply(rotation, self.rotation)
        if about_position is not None:
            self.position = add(rotate(rotation, subtract(self.position, about_position)), about_position)

    def translate(self, by: Vector) -> None:
        """Moves the end by `by` [m]."""
        self.position = add(self.position, by)


class SweepStart(NamedTuple):
    """Poses of joints and tools at the start of a sweep."""

    axes: Sequence[Vector]  # axis of each joint in the base frame
    # [m] position of each joint; None: positions do not matter, and no joint is prismatic
    positions: Sequence[Vector] | None
    parents: Sequence[int]  # index of each joint's parent; -1: the base
    prismatic: Sequence[bool]
    carried: Sequence[Sequence[int]]  # for each joint, indices of the tools that it moves
    tools: Sequence[Tool]  # updated during the sweep


# Arguments: index of the joint, its axis and its position [m] at this moment. Returns its movement [rad or
# m]; None ends the sweep.
Move = Callable[[int, Vector, Vector], float | None]


def sweep(linkage: SweepStart, move: Move, tip_first: bool) -> None:
    """One sweep over all joints, from the tip to the base (`tip_first`) or from the base to the tip; `move`
    chooses each joint's movement.

    `move` sees each joint with the tools moved by the earlier joints of the sweep; it stores the angles
    itself.
    """
    axes, positions, parents, prismatic, carried, tools = linkage
    # rotation and translation of each joint's body so far in this sweep, and, last, of the base (index -1)
    moved = [STILL] * (len(axes) + 1)
    for k in range(len(axes) - 1, -1, -1) if tip_first else range(len(axes)):
        axis, position = axes[k], positions[k] if positions else None
        turned, shift = before = moved[parents[k]]
        if before is not STILL:
            axis = rotate(turned, axis)
            position = add(rotate(turned, position), shift) if position else None
        amount = move(k, axis, position or ORIGIN)
        if amount is None:
            return
        if not amount:
            moved[k] = before
            continue
        if prismatic[k]:
            by = scale(axis, amount)
            shift = add(shift, by)
            for e in carried[k]:
                tools[e].translate(by)
        else:
            rotation = about(axis, amount)
            for e in carried[k]:
                tools[e].rotate(rotation, position)
            if not tip_first:
                turned = multiply(rotation, turned)
                shift = add(rotate(rotation, subtract(shift, position)), position) if position else shift
        moved[k] = turned, shift
