"""Rotations of bones and objects in every rotation mode: values of their channels, and angles of a bone's
hinges.

A bone that rotates by Euler angles has the hinges of its Euler order, and their angles are its channels. A
bone that rotates by quaternion or axis-angle has hinges too, of the order XYZ: its middle angle, about the
bone's length, is the least likely to come near 90 degrees, where the other two are not unique. Blender uses
this order too when it locks or limits single axes of such a bone.

Angles are computed in double precision, since single precision loses digits near those 90 degrees.
"""

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import atan2, ceil, floor, hypot, inf, pi, tau

import bpy

from ...solvers.kinematics import rotations
from ...solvers.kinematics.rotations import Quaternion
from .axes import INDEX, REVOLUTE, UNIT, JointKey, is_euler

Angles = tuple[float, float, float]  # [rad] about X, Y and Z, for any Euler order
# (bone, axis) -> (lowest, highest) value [rad or m] of the joint
Limits = Mapping[JointKey, tuple[float, float]]
Spans = Sequence[tuple[float, float]]  # (lowest, highest) angle [rad] about X, Y and Z

HINGES = "XYZ"
AT_REST: Angles = (0.0, 0.0, 0.0)
FREE = (-inf, inf)  # (lowest, highest) value [rad or m] of a joint without limits
UNLIMITED: Spans = (FREE,) * 3
SLACK = 1e-6  # [rad or m] distance beyond a limit that counts as within it (single precision)
# length of a pair (sine, cosine) up to which its arc tangent counts as undefined: single precision leaves
# only noise in it
GIMBAL = 1e-7
NO_ROTATION = 1e-6  # [rad] rotation below which its axis counts as undefined (single precision)
NO_LENGTH = 1e-35  # length of a quaternion below which Blender shows half a revolution about X
NO_AXIS = 1e-16  # length of an axis below which Blender shows no rotation
# order -> (indices of its axes, the last one nearest to the parent; 1 if they are right-handed, else -1)
PLACES = {
    order: (*(INDEX[axis] for axis in order), 1.0 if order in "XYZXY" else -1.0)
    for order in map("".join, permutations("XYZ"))
}
CHANNELS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
EULER = "rotation_euler"


def hinge_order(mode: str) -> str:
    """Euler order of the hinges of a bone with a rotation mode, as Blender writes it: the last letter is
    nearest the parent.
    """
    return HINGES if mode in CHANNELS else mode


def channel(mode: str) -> str:
    """Name of the pose bone's property that stores the rotation in this mode."""
    return CHANNELS.get(mode, EULER)


def stored(pose_bone: bpy.types.PoseBone) -> tuple[float, ...]:
    """Values of the bone's rotation channel."""
    return tuple(getattr(pose_bone, channel(pose_bone.rotation_mode)))


def quaternion(mode: str, numbers: Sequence[float]) -> Quaternion:
    """The rotation (unit quaternion) for values of a rotation channel, as Blender shows it."""
    if mode == "QUATERNION":
        w, x, y, z = numbers
        size = hypot(w, x, y, z)
        return (w / size, x / size, y / size, z / size) if size >= NO_LENGTH else (0.0, 1.0, 0.0, 0.0)
    if mode == "AXIS_ANGLE":
        angle, x, y, z = numbers
        size = hypot(x, y, z)
        return (
            rotations.about((x / size, y / size, z / size), angle) if size >= NO_AXIS else rotations.IDENTITY
        )
    return from_angles(numbers, mode)


def from_angles(angles: Sequence[float], order: str) -> Quaternion:
    """The rotation (unit quaternion) by Euler angles [rad] about X, Y and Z in an order."""
    rotation = rotations.IDENTITY
    for axis in reversed(order):
        angle = angles[INDEX[axis]]
        if angle:
            rotation = rotations.multiply(rotation, rotations.about(UNIT[axis], angle))
    return rotation


def angles_of(
    rotation: Quaternion, order: str, near: Sequence[float] = AT_REST, spans: Spans = UNLIMITED
) -> Angles:
    """Euler angles [rad] of a unit quaternion about X, Y and Z.

    Among all angles of the same rotation, those within `spans` if there are any, and of these the nearest to
    `near`. If the middle angle is near 90 degrees, the rotation determines only the sum or the difference of
    the other two; the remaining degree of freedom is taken from `near`.

    Source: Bernardes and Viollet 2022, "Quaternion to Euler angles conversion: a direct, general and
    computationally efficient method".
    """
    # Half the sum and half the difference of the outer angles are the arc tangents (atan2) of two pairs of
    # numbers; if both numbers of a pair are 0, the angle is undefined and is taken from `near`.
    i, j, k, sign = PLACES[order]
    w, along_i, along_j, along_k = rotation[0], rotation[1 + i], rotation[1 + j], sign * rotation[1 + k]
    a, b = w - along_j, along_i + along_k
    c, d = w + along_j, along_k - along_i
    below, above = hypot(a, b), hypot(c, d)
    half_sum = atan2(b, a) if below > GIMBAL else (near[i] + sign * near[k]) / 2
    half_difference = atan2(d, c) if above > GIMBAL else (sign * near[k] - near[i]) / 2
    principal = [0.0, 0.0, 0.0]
    principal[i] = half_sum - half_difference
    principal[j] = 2.0 * atan2(above, below) - pi / 2
    principal[k] = sign * (half_sum + half_difference)
    x, y, z = principal
    # Usually the principal angles are the nearest ones; then the comparison below is not needed.
    (low_x, high_x), (low_y, high_y), (low_z, high_z) = spans
    # within this distance no other solution is nearer
    is_near = abs(x - near[0]) + abs(y - near[1]) + abs(z - near[2]) < pi / 2
    if is_near and low_x <= x <= high_x and low_y <= y <= high_y and low_z <= z <= high_z:
        return x, y, z
    # the second solution for the same rotation: half a revolution is added to the two outer angles, and the
    # middle angle is mirrored; full revolutions may be added to the angles of both solutions
    other = [angle + pi for angle in principal]
    other[j] = pi - principal[j]
    x, y, z = min(
        (_equivalent(angles, near, spans) for angles in (principal, other)),
        key=lambda angles: _cost(angles, near, spans),
    )
    return x, y, z


def fitted_hinge(rotation: Quaternion, order: str, axis: str, angles: Angles) -> float:
    """Angle [rad] of the hinge about `axis` for which a bone's rotation is nearest to a unit quaternion, with
    its other hinges at `angles`.
    """
    upright, reversed_ = (_similarity(rotation, order, angles, {axis: angle}) for angle in (0.0, pi))
    return 2.0 * atan2(reversed_, upright)


def fitted_hinges(
    rotation: Quaternion, order: str, axes: tuple[str, str], angles: Angles, near: Sequence[float]
) -> tuple[float, float]:
    """Angles [rad] of the hinges about two axes for which a bone's rotation is nearest to a unit quaternion,
    with its third hinge as in `angles`; `near` as for `angles_of`.
    """
    # The similarity is bilinear in the cosines and sines of both half angles, with four coefficients. It is
    # the sum of a cosine of the angles' sum and a cosine of their difference, so each of the two can be
    # maximised separately.
    first, second = axes
    (a, b), (c, d) = (
        [_similarity(rotation, order, angles, {first: one, second: other}) for other in (0.0, pi)]
        for one in (0.0, pi)
    )
    one, other = near[INDEX[first]], near[INDEX[second]]
    half_sum = atan2(b + c, a - d) if hypot(b + c, a - d) > GIMBAL else (one + other) / 2
    half_difference = atan2(c - b, a + d) if hypot(c - b, a + d) > GIMBAL else (one - other) / 2
    return half_sum + half_difference, half_sum - half_difference


def _similarity(rotation: Quaternion, order: str, angles: Angles, changed: Mapping[str, float]) -> float:
    """Cosine of half the angle between a unit quaternion and a bone's rotation with hinges at `angles` [rad],
    except those in `changed`.
    """
    hinge_angles = [changed.get(axis, angle) for axis, angle in zip(REVOLUTE, angles, strict=True)]
    pairs = zip(rotation, from_angles(hinge_angles, order), strict=True)
    return sum(one * other for one, other in pairs)


def _equivalent(angles: Sequence[float], near: Sequence[float], spans: Spans) -> list[float]:
    """The angles [rad], shifted by full revolutions to be within the spans and near to `near`."""
    return [nearest(angle, last, span) for angle, last, span in zip(angles, near, spans, strict=True)]


def nearest(angle: float, near: float, span: tuple[float, float]) -> float:
    """An angle [rad] shifted by full revolutions: the value within `span` that is nearest to `near`; if no
    value is within `span`, the nearest of all.
    """
    low, high = span
    closest = angle + tau * round((near - angle) / tau)
    if closest < low - SLACK:
        inside = angle + tau * ceil((low - SLACK - angle) / tau)
    elif closest > high + SLACK:
        inside = angle + tau * floor((high + SLACK - angle) / tau)
    else:
        return closest
    return inside if low - SLACK <= inside <= high + SLACK else closest


def _cost(angles: Sequence[float], near: Sequence[float], spans: Spans) -> tuple[float, float]:
    """Distance [rad] of the angles beyond the spans, and their distance from `near`."""
    beyond = sum(
        max(low - SLACK - angle, angle - high - SLACK, 0.0)
        for angle, (low, high) in zip(angles, spans, strict=True)
    )
    return beyond, sum(abs(angle - last) for angle, last in zip(angles, near, strict=True))


def numbers(mode: str, rotation: Quaternion, before: Sequence[float] | None = None) -> tuple[float, ...]:
    """Values of the rotation channel for a unit quaternion; among all values of the same rotation, those
    nearest to `before` if that is given, so that no curve jumps.
    """
    if mode == "QUATERNION":
        is_opposite = before is not None and sum(a * b for a, b in zip(rotation, before, strict=True)) < 0.0
        return tuple(-part for part in rotation) if is_opposite else tuple(rotation)
    if mode == "AXIS_ANGLE":
        return _axis_angle(rotation, before)
    return angles_of(rotation, mode, before or AT_REST)


def _axis_angle(rotation: Quaternion, before: Sequence[float] | None) -> tuple[float, ...]:
    """Angle [rad] and unit axis; if `before` is given, those nearest to it."""
    vector = rotations.logarithm(rotation)
    angle = rotations.length(vector)
    axis = rotations.scale(vector, 1.0 / angle) if angle else rotations.Y
    if before is None:
        return (angle, *axis)
    last, *last_axis = before
    if angle < NO_ROTATION and (size := rotations.length(last_axis)) >= NO_AXIS:
        return (tau * round(last / tau), *rotations.scale(last_axis, 1.0 / size))
    if rotations.dot(axis, last_axis) < 0.0:
        angle, axis = -angle, rotations.scale(axis, -1.0)
    return (angle + tau * round((last - angle) / tau), *axis)


def hinges(pose_bone: bpy.types.PoseBone, spans: Spans = UNLIMITED) -> Angles:
    """Angles [rad] of the bone's hinges about X, Y and Z; within `spans` if its rotation mode allows
    several.
    """
    if is_euler(pose_bone):
        return tuple(pose_bone.rotation_euler)
    return angles_of(quaternion(pose_bone.rotation_mode, stored(pose_bone)), HINGES, spans=spans)


def spans_of(limits: Limits, bone: str) -> Spans:
    """Limits [rad] of a bone's hinges about X, Y and Z, from the limits of joints; unlimited for hinges that
    are no joints.
    """
    return tuple(limits.get((bone, axis), FREE) for axis in REVOLUTE)


def with_hinges(
    pose_bone: bpy.types.PoseBone,
    values: Mapping[str, float],
    before: Sequence[float] | None = None,
    spans: Spans = UNLIMITED,
) -> tuple[float, ...]:
    """Values of the bone's rotation channel with new angles [rad] of some hinges; its other hinges stay as
    authored.

    Args:
        pose_bone: The bone.
        values: Axis -> new angle [rad].
        before: Values of the channel that the returned ones are near to; None: the authored ones.
        spans: Limits [rad] of the hinges, by which the angles of the other hinges are chosen.
    """
    authored, mode = stored(pose_bone), pose_bone.rotation_mode
    angles = list(hinges(pose_bone, spans))
    for axis, value in values.items():
        angles[INDEX[axis]] = value
    return (
        tuple(angles)
        if is_euler(pose_bone)
        else numbers(mode, from_angles(angles, HINGES), before or authored)
    )
