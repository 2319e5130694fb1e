"""Rigid transforms in doubles: a turn and a place. Knows no Blender."""

from typing import NamedTuple

from ..solvers.rotations import IDENTITY, Quaternion, Vector, X, Y, Z, about, add, conjugate, multiply, rotate, scale


class Transform(NamedTuple):
    """A frame in another one: a point p in it is at rotation p rotation* + offset in the other."""

    rotation: Quaternion = IDENTITY
    offset: Vector = (0.0, 0.0, 0.0)  # [m]

    def then(self, inner: "Transform") -> "Transform":
        """The frame `inner`, which is told in this one, where this one is told."""
        return Transform(multiply(self.rotation, inner.rotation), add(self.offset, rotate(self.rotation, inner.offset)))

    def inverse(self) -> "Transform":
        back = conjugate(self.rotation)
        return Transform(back, scale(rotate(back, self.offset), -1.0))

    def point(self, place: Vector) -> Vector:
        """Where a point of this frame is in the other."""
        return add(self.offset, rotate(self.rotation, place))


STILL = Transform()


def from_rpy(roll: float, pitch: float, yaw: float) -> Quaternion:
    """URDF's fixed-axis angles [rad]: first about x, then y, then z of the frame in which they are told."""
    return multiply(about(Z, yaw), multiply(about(Y, pitch), about(X, roll)))


def slide(axis: Vector, way: float) -> Transform:
    """A move [m] along an axis."""
    return Transform(IDENTITY, scale(axis, way))


def turn(axis: Vector, angle: float) -> Transform:
    """A turn [rad] about a unit axis."""
    return Transform(about(axis, angle))
