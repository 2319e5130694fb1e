"""Rigid transforms in double precision: a rotation and an offset."""

from typing import NamedTuple

from ..solvers.kinematics.rotations import (
    IDENTITY,
    Quaternion,
    Vector,
    X,
    Y,
    Z,
    about,
    add,
    conjugate,
    multiply,
    rotate,
    scale,
)


class Transform(NamedTuple):
    """Pose of a frame in another one: point p of the frame is at rotation p rotation* + offset [m] in the
    other frame (rotation* is the conjugate quaternion).
    """

    rotation: Quaternion = IDENTITY
    offset: Vector = (0.0, 0.0, 0.0)  # [m]

    def then(self, inner: "Transform") -> "Transform":
        """Composition: the pose, in the other frame, of a frame whose pose in this one is `inner`."""
        return Transform(
            multiply(self.rotation, inner.rotation), add(self.offset, rotate(self.rotation, inner.offset))
        )

    def inverse(self) -> "Transform":
        """Inverse transform: pose of the other frame in this one."""
        back = conjugate(self.rotation)
        return Transform(back, scale(rotate(back, self.offset), -1.0))

    def point(self, position: Vector) -> Vector:
        """Position in the other frame of a point given in this one."""
        return add(self.offset, rotate(self.rotation, position))


IDENTITY_TRANSFORM = Transform()


def from_rpy(roll: float, pitch: float, yaw: float) -> Quaternion:
    """Rotation from URDF's fixed-axis angles [rad]: about x, then y, then z of the parent frame."""
    return multiply(about(Z, yaw), multiply(about(Y, pitch), about(X, roll)))


def translation(axis: Vector, distance: float) -> Transform:
    """Translation by a distance [m] along a unit axis."""
    return Transform(IDENTITY, scale(axis, distance))


def rotation(axis: Vector, angle: float) -> Transform:
    """Rotation by an angle [rad] about a unit axis."""
    return Transform(about(axis, angle))
