"""Quaternions (w, x, y, z) and vectors as tuples of floats, with the conventions of all solvers.

Plain floats, because numpy costs more than the arithmetic at these sizes. A quaternion rotates a vector v by
q v q*, so the product p q rotates by q first, then by p. All angles are radians. "The paper" is Ribeiro &
Paiva 2019, which describes ERIK.
"""

import math
from collections.abc import Sequence

from ..tolerances import NO_DIRECTION, SAME_ANGLE

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Matrix = tuple[Vector, Vector, Vector]

IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)
ORIGIN: Vector = (0.0, 0.0, 0.0)
X: Vector = (1.0, 0.0, 0.0)
Y: Vector = (0.0, 1.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)


def dot(a: Vector, b: Vector) -> float:
    """Inner product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Cross product a x b, right-handed."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def add(a: Vector, b: Vector) -> Vector:
    """Sum a + b of two vectors."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector, b: Vector) -> Vector:
    """Difference a - b of two vectors."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(a: Vector, factor: float) -> Vector:
    """Vector `a` times `factor`."""
    return (a[0] * factor, a[1] * factor, a[2] * factor)


def length(a: Vector) -> float:
    """Euclidean length of a vector."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


def unit(a: Vector) -> Vector:
    """`a` scaled to unit length; raises ValueError if it is no longer than `NO_DIRECTION` or not finite."""
    size = math.hypot(*a)
    if not NO_DIRECTION < size < math.inf:
        raise ValueError(f"a vector with a direction is needed, not {a}")
    return (a[0] / size, a[1] / size, a[2] / size)


def reject(a: Vector, axis: Vector) -> Vector:
    """The part of `a` that is perpendicular to the unit vector `axis` (the paper's "proj" with an axis)."""
    along = dot(a, axis)
    return (a[0] - along * axis[0], a[1] - along * axis[1], a[2] - along * axis[2])


def perpendicular(a: Vector) -> Vector:
    """A unit vector perpendicular to the unit vector `a`: always the same one for the same `a`."""
    smallest = min(range(3), key=lambda i: abs(a[i]))
    return unit(cross(a, (X, Y, Z)[smallest]))


def vector_angle(a: Vector, b: Vector) -> float:
    """Angle [rad] in 0..pi between two vectors of any length; 0 if one has length 0."""
    return math.atan2(length(cross(a, b)), dot(a, b))


def signed_angle(a: Vector, b: Vector, about: Vector) -> float:
    """Angle [rad] from `a` to `b`, positive for a right-handed rotation about `about` (the paper's VecAngle
    with an axis).
    """
    normal = cross(a, b)
    size = math.atan2(length(normal), dot(a, b))
    return -size if dot(about, normal) < 0.0 else size


def multiply(p: Quaternion, q: Quaternion) -> Quaternion:
    """Hamilton product: rotation by `q`, then by `p`."""
    pw, px, py, pz = p
    qw, qx, qy, qz = q
    return (
        pw * qw - px * qx - py * qy - pz * qz,
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
    )


def conjugate(q: Quaternion) -> Quaternion:
    """The inverse of the unit quaternion `q`."""
    return (q[0], -q[1], -q[2], -q[3])


def normalized(q: Quaternion) -> Quaternion:
    """`q` scaled to unit length; raises ValueError if it is no longer than `NO_DIRECTION` or not finite."""
    size = math.hypot(*q)
    if not NO_DIRECTION < size < math.inf:
        raise ValueError(f"a quaternion with a length is needed, not {q}")
    return (q[0] / size, q[1] / size, q[2] / size, q[3] / size)


def rotate(q: Quaternion, v: Vector) -> Vector:
    """`v` rotated by the unit quaternion `q`."""
    w, x, y, z = q
    vx, vy, vz = v
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    return (vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx)


def about(axis: Vector, angle: float) -> Quaternion:
    """Quaternion of a rotation by `angle` [rad] about the unit vector `axis` (the paper's QAA)."""
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), axis[0] * s, axis[1] * s, axis[2] * s)


def between(a: Vector, b: Vector) -> Quaternion:
    """The shortest rotation from the unit vector `a` to the unit vector `b` (the paper's VDiffAsQ); for
    opposite vectors, one of the possible rotations.
    """
    w = 1.0 + dot(a, b)
    if w < SAME_ANGLE:  # for opposite vectors rounding errors would determine the axis
        axis = perpendicular(a)
        return (0.0, axis[0], axis[1], axis[2])
    n = cross(a, b)
    size = math.sqrt(w * w + n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    return (w / size, n[0] / size, n[1] / size, n[2] / size)


def turn_angle(q: Quaternion) -> float:
    """The angle [rad] in 0..pi of the rotation `q`, exact for small angles and near pi alike."""
    return 2.0 * math.atan2(math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), abs(q[0]))


def angle_between(p: Quaternion, q: Quaternion) -> float:
    """The angle [rad] in 0..pi of the rotation from `p` to `q`."""
    return turn_angle(multiply(conjugate(p), q))


def logarithm(q: Quaternion) -> Vector:
    """The rotation vector [rad] of the rotation `q`: its axis times its angle in 0..pi."""
    w, x, y, z = q if q[0] >= 0.0 else (-q[0], -q[1], -q[2], -q[3])
    size = math.sqrt(x * x + y * y + z * z)
    # `size` is the sine of half the angle; for smaller rotations their ratio is 2 in double precision
    factor = 2.0 * math.atan2(size, w) / size if size > SAME_ANGLE else 2.0
    return (x * factor, y * factor, z * factor)


def exponential(vector: Vector) -> Quaternion:
    """Quaternion of a rotation vector [rad]."""
    angle = length(vector)
    return (
        IDENTITY if angle == 0.0 else about((vector[0] / angle, vector[1] / angle, vector[2] / angle), angle)
    )


def twist_angle(q: Quaternion, axis: Vector) -> float:
    """The angle [rad] in -pi..pi of the twist of `q` about the unit vector `axis`; 0 if `q` reverses the
    axis.
    """
    along = q[1] * axis[0] + q[2] * axis[1] + q[3] * axis[2]
    return wrap(2.0 * math.atan2(along, q[0])) if along or q[0] else 0.0


def wrap(angle: float) -> float:
    """`angle` modulo full rotations, in -pi..pi."""
    return math.remainder(angle, math.tau)


def to_matrix(q: Quaternion) -> Matrix:
    """The rotation matrix of the unit quaternion `q`."""
    w, x, y, z = q
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


def from_matrix(rows: Sequence[Sequence[float]]) -> Quaternion:
    """The unit quaternion of a rotation matrix (3, 3)."""
    (a, b, c), (d, e, f), (g, h, i) = rows
    candidates = (
        (1.0 + a + e + i, h - f, c - g, d - b),
        (h - f, 1.0 + a - e - i, b + d, c + g),
        (c - g, b + d, 1.0 - a + e - i, f + h),
        (d - b, c + g, f + h, 1.0 - a - e + i),
    )
    # The candidate based on the largest component loses no digits.
    return normalized(max(enumerate(candidates), key=lambda pair: pair[1][pair[0]])[1])


def from_axes(x: Vector, y: Vector, z: Vector) -> Quaternion:
    """Quaternion that rotates the coordinate axes onto the orthonormal right-handed `x`, `y`, `z`."""
    return from_matrix(((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])))
