"""Orientations with a given view and roll."""

from ..kinematics.rotations import (
    Quaternion,
    Vector,
    angle_between,
    conjugate,
    cross,
    from_axes,
    length,
    multiply,
    reject,
    unit,
)
from ..tolerances import MET, SAME_ANGLE

HALF_ROLL: Quaternion = (0.0, 0.0, 1.0, 0.0)  # the tool rolled by pi about its own Y


def upright(direction: Vector, up: Vector | None) -> Quaternion | None:
    """The orientation with Y along the unit vector `direction`, X perpendicular to `up` and Z on the side of
    `up`; None if the roll is free, since `up` is None or the direction is along it.
    """
    if up is None:
        return None
    z = reject(unit(up), direction)
    if length(z) < MET:
        return None
    z = unit(z)
    return from_axes(cross(direction, z), direction, z)


def nearer_roll(target: Quaternion, end: Quaternion, symmetric: bool) -> Quaternion:
    """The target or, for a symmetric end, the target rolled by pi, whichever is nearer to the end's
    orientation; if both are equally near, the one that a roll by +pi / 2 brings to the end's roll.
    """
    if not symmetric:
        return target
    w, _, y, _ = multiply(conjugate(target), end)
    rolled = abs(y) > abs(w) if abs(abs(y) - abs(w)) > SAME_ANGLE else w * y < 0.0
    return multiply(target, HALF_ROLL) if rolled else target


def whole_angle(target: Quaternion, tool_rotation: Quaternion, symmetric: bool) -> float:
    """Angle [rad] from the tool's orientation to the target; for a symmetric end, to the target or the target
    rolled by pi, whichever is nearer.
    """
    return angle_between(nearer_roll(target, tool_rotation, symmetric), tool_rotation)
