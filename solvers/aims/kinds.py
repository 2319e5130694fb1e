"""Limber's kinds of aims."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from ..kinematics.rotations import Quaternion, Vector, Y, add, rotate, scale, subtract, unit
from .aim import Aim
from .block import Block
from .blocks import OrientationBlock, PositionBlock, ViewBlock


@dataclass(frozen=True)
class Orientation(Aim):
    """Aim: the tool has this orientation in the base frame."""

    wxyz: Quaternion
    words: ClassVar[str] = "match an orientation"
    is_look: ClassVar[bool] = True

    def blocks(self, symmetric: bool) -> tuple[Block, ...]:
        return (OrientationBlock(self.wxyz, symmetric),)

    @property
    def desired_orientation(self) -> Quaternion:
        return self.wxyz


@dataclass(frozen=True)
class Direction(Aim):
    """Aim: the tool's +Y lies along `vector` (base frame, any length). The roll is free, or, with `up`,
    upright: the tool's X is perpendicular to `up` and its Z on `up`'s side; where the view is along `up`
    itself, the roll is free again.

    With `level` the roll is free, but of the poses that meet the aim, those with the posture's roll relative
    to this up vector are preferred. Only Expressive uses it.
    """

    vector: Vector
    up: Vector | None = None
    level: Vector | None = None
    words: ClassVar[str] = "look along a direction"
    is_look: ClassVar[bool] = True

    def blocks(self, symmetric: bool) -> tuple[Block, ...]:
        return (ViewBlock(self.vector, False, self.up, symmetric),)

    def gaze(self, eye: Vector) -> Vector:
        return unit(self.vector)

    def redirected(self, gaze: Vector, eye: Vector) -> Self:
        return replace(self, vector=gaze)


@dataclass(frozen=True)
class Point(Aim):
    """Aim: the tool's +Y passes through `position` [m] (base frame), seen from the tool's real position.
    Roll, `up` and `level` as for Direction.
    """

    position: Vector
    up: Vector | None = None
    level: Vector | None = None
    words: ClassVar[str] = "look at a point"
    is_look: ClassVar[bool] = True

    def blocks(self, symmetric: bool) -> tuple[Block, ...]:
        return (ViewBlock(self.position, True, self.up, symmetric),)

    def gaze(self, eye: Vector) -> Vector:
        return subtract(self.position, eye)

    def redirected(self, gaze: Vector, eye: Vector) -> Self:
        return replace(self, position=add(eye, gaze))

    @classmethod
    def met_by(cls, rotation: Quaternion, position: Vector, reach: float) -> Self:
        return cls(add(position, scale(rotate(rotation, Y), reach)))


@dataclass(frozen=True)
class Position(Aim):
    """Aim: the tool's position is `position` [m] (base frame), in any orientation."""

    position: Vector
    words: ClassVar[str] = "reach a position"

    def blocks(self, symmetric: bool) -> tuple[Block, ...]:
        return (PositionBlock(self.position),)

    @property
    def desired_position(self) -> Vector:
        return self.position


@dataclass(frozen=True)
class Frame(Aim):
    """Aim: the tool's position is `position` [m], and its orientation `wxyz` (both in the base frame)."""

    position: Vector
    wxyz: Quaternion
    words: ClassVar[str] = "reach and orient"

    def blocks(self, symmetric: bool) -> tuple[Block, ...]:
        return OrientationBlock(self.wxyz, symmetric), PositionBlock(self.position)

    @property
    def desired_position(self) -> Vector:
        return self.position

    @property
    def desired_orientation(self) -> Quaternion:
        return self.wxyz


@dataclass(frozen=True)
class PositionAndDirection(Direction, Position):
    """Aim: the tool's position is `position` [m], and its +Y lies along `vector` (both in the base frame).
    Roll, `up` and `level` as for Direction.
    """

    words: ClassVar[str] = "reach and look along a direction"
    is_look: ClassVar[bool] = False

    def blocks(self, symmetric: bool) -> tuple[Block, ...]:
        return ViewBlock(self.vector, False, self.up, symmetric), PositionBlock(self.position)


AIMS: tuple[type[Aim], ...] = (Orientation, Direction, Point, Position, Frame, PositionAndDirection)
