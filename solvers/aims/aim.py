"""Aims: what an end effector should do. The base class of aims, and Limber's kinds of aim.

A kind of aim is a frozen dataclass. Its error is a residual block of its own, or several of `blocks.py`. What
follows from the names of its fields is derived from them: `position` moves with a target, `vector` and `wxyz`
rotate with it, and `up` and `level` stay.
"""

import math
from dataclasses import dataclass, fields, replace
from typing import ClassVar, NamedTuple, Self

import numpy as np

from ..errors import TargetError
from ..kinematics.rotations import (
    ORIGIN,
    Quaternion,
    Vector,
    Y,
    add,
    between,
    conjugate,
    length,
    logarithm,
    multiply,
    normalized,
    rotate,
    scale,
    subtract,
    unit,
)
from ..tolerances import NO_DIRECTION
from .blocks import OrientationBlock, PositionBlock, ResidualBlock, ViewBlock


class _Role(NamedTuple):
    """What `Aim.check` requires of an aim's field."""

    what: str  # name of the field's value in messages
    length: int  # number of its components
    may_vanish: bool = False  # whether all components can be 0 at once


# name of an aim's field -> what `Aim.check` requires of it
ROLES = {
    "wxyz": _Role("target orientation", 4),
    "position": _Role("target point", 3, may_vanish=True),
    "vector": _Role("target direction", 3),
    "up": _Role("up vector", 3),
    "level": _Role("up vector", 3),
}


@dataclass(frozen=True)
class Aim(ResidualBlock):
    """What an end should do, in the base frame of its skeleton.

    Attributes:
        words: Verb phrase for the goal, to complete the sentence "this solver cannot ...".
        is_look: Whether it prescribes only an orientation, not a position: some solvers support no other
            aims.
    """

    words: ClassVar[str] = "meet this goal"
    is_look: ClassVar[bool] = False

    def blocks(self, symmetric: bool) -> tuple[ResidualBlock, ...]:
        """The aim's residual blocks. `symmetric`: whether the end is equally good when rolled by pi about its
        own Y.
        """
        return (self,)

    @property
    def up(self) -> Vector | None:
        """The vector relative to which the end should be upright; None if its roll is free or prescribed."""
        return None

    @property
    def level(self) -> Vector | None:
        """The up vector relative to which the posture's roll is preferred; None if no roll is preferred."""
        return None

    @property
    def desired_position(self) -> Vector | None:
        """The position [m] that the end should have; None if the aim prescribes none."""
        return None

    @property
    def desired_orientation(self) -> Quaternion | None:
        """The orientation that the end should have; None if the aim prescribes none."""
        return None

    def gaze(self, eye: Vector) -> Vector | None:
        """Direction (any length) in which an end at position `eye` [m] should look; None if the aim
        prescribes none.
        """
        return None

    def redirected(self, gaze: Vector, eye: Vector) -> Self:
        """The aim changed to look along `gaze` from position `eye` [m], at a target as far away as `gaze` is
        long. Only for aims that have a `gaze`.
        """
        raise NotImplementedError

    def with_free_roll(self) -> Self:
        """The aim without `up`; the same object if the aim has no `up`."""
        return self if self.up is None else replace(self, **{"up": None})

    @property
    def distance(self) -> float:
        """Distance [m] of the aim's `position` from the base; 0 if the aim has no position."""
        return math.hypot(*vars(self).get("position", ORIGIN))

    @property
    def numbers(self) -> tuple[float, ...]:
        """All numbers of the aim in one tuple, so that aims can be compared."""
        numbers: list[float] = []
        for value in vars(self).values():
            if value is not None:
                numbers += value if type(value) is tuple else np.ravel(value).tolist()
        return tuple(numbers)

    def check(self) -> None:
        """Raises TargetError if a number is not finite, or a direction has no length."""
        for name, value in vars(self).items():
            if value is not None:
                numbers = value if type(value) is tuple else tuple(np.ravel(value).tolist())
                _check_vector(ROLES.get(name) or _Role(name, len(numbers), may_vanish=True), numbers)

    def rotation_since(self, before: Self) -> Vector:
        """Rotation vector [rad] by which the target has rotated since the aim `before`."""
        last, current = vars(before), vars(self)
        if "wxyz" in current:
            return logarithm(multiply(normalized(current["wxyz"]), conjugate(normalized(last["wxyz"]))))
        if "vector" in current:
            return logarithm(between(unit(last["vector"]), unit(current["vector"])))
        return ORIGIN

    def movement_since(self, before: Self) -> Vector:
        """Displacement [m] of the target since the aim `before`."""
        last, current = vars(before), vars(self)
        return subtract(current["position"], last["position"]) if "position" in current else ORIGIN

    def change_since(self, before: "Aim") -> float:
        """How far the target has moved since the aim `before`, as seen from the base: the angle [rad] by
        which it has rotated or, if larger, its displacement as a multiple of its distance; infinite for
        another kind of aim.
        """
        if type(before) is not type(self):
            return math.inf
        turned = length(self.rotation_since(before))
        displacement = length(self.movement_since(before))
        if displacement == 0.0:
            return turned
        return max(turned, displacement / max(before.distance, self.distance))

    def moved(self, rotation: Quaternion | None, movement: Vector) -> Self:
        """The aim after its target has rotated by `rotation` (None: not at all) and moved by `movement`
        [m].
        """
        fields_by_name = vars(self)
        changed: dict[str, tuple[float, ...]] = {}
        if rotation is not None and "wxyz" in fields_by_name:
            changed["wxyz"] = multiply(rotation, normalized(fields_by_name["wxyz"]))
        if rotation is not None and "vector" in fields_by_name:
            changed["vector"] = rotate(rotation, unit(fields_by_name["vector"]))
        if "position" in fields_by_name:
            changed["position"] = add(fields_by_name["position"], movement)
        return replace(self, **changed) if changed else self

    @classmethod
    def met_by(cls, rotation: Quaternion, position: Vector, reach: float) -> Self:
        """An aim of this kind that an end with this orientation and position [m] meets; `reach` [m] is that
        of the skeleton.
        """
        values = {"wxyz": rotation, "position": position, "vector": rotate(rotation, Y)}
        names = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in names})


def _check_vector(role: _Role, values: tuple[float, ...]) -> None:
    """Raises TargetError if a vector of an aim is not finite, has the wrong number of components, or has no
    length where its role needs a direction.
    """
    size = math.hypot(*values)
    if len(values) != role.length or not (size < math.inf or all(map(math.isfinite, values))):
        raise TargetError(
            f"the {role.what} {values} must be {role.length} finite numbers: check the target's transform"
        )
    if not role.may_vanish and size <= NO_DIRECTION:
        raise TargetError(f"the {role.what} {values} has no length: give it a direction")


@dataclass(frozen=True)
class Orientation(Aim):
    """Aim: the tool has this orientation in the base frame."""

    wxyz: Quaternion
    words: ClassVar[str] = "match an orientation"
    is_look: ClassVar[bool] = True

    def blocks(self, symmetric: bool) -> tuple[ResidualBlock, ...]:
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

    def blocks(self, symmetric: bool) -> tuple[ResidualBlock, ...]:
        return (ViewBlock(self.vector, False, self.up, symmetric),)

    def gaze(self, eye: Vector) -> Vector:
        return unit(self.vector)

    def redirected(self, gaze: Vector, eye: Vector) -> Self:
        return replace(self, vector=gaze)


@dataclass(frozen=True)
class Point(Aim):
    """Aim: the tool's +Y points from the tool's position in the solution to `position` [m] (base frame).
    Roll, `up` and `level` as for Direction.
    """

    position: Vector
    up: Vector | None = None
    level: Vector | None = None
    words: ClassVar[str] = "look at a point"
    is_look: ClassVar[bool] = True

    def blocks(self, symmetric: bool) -> tuple[ResidualBlock, ...]:
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

    def blocks(self, symmetric: bool) -> tuple[ResidualBlock, ...]:
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

    def blocks(self, symmetric: bool) -> tuple[ResidualBlock, ...]:
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

    def blocks(self, symmetric: bool) -> tuple[ResidualBlock, ...]:
        return ViewBlock(self.vector, False, self.up, symmetric), PositionBlock(self.position)


AIMS: tuple[type[Aim], ...] = (Orientation, Direction, Point, Position, Frame, PositionAndDirection)
