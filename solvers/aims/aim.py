"""An aim: the class from which each kind of aim derives.

A kind of aim is a frozen dataclass. Its error is a residual block of its own, or several of `blocks.py`. What
follows from its fields need not be said again: `position` moves with a target, `vector` and `wxyz` rotate
with it, and `up` and `level` stay.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import ClassVar, NamedTuple, Self

from ..errors import TargetError
from ..kinematics.rotations import (
    ORIGIN,
    Quaternion,
    Vector,
    Y,
    add,
    between,
    conjugate,
    logarithm,
    multiply,
    normalized,
    rotate,
    subtract,
    unit,
)
from ..tolerances import NO_DIRECTION
from .block import Block


class _Role(NamedTuple):
    """What a field of an aim is."""

    what: str
    length: int  # number of its components
    may_vanish: bool = False


ROLES = {
    "wxyz": _Role("target orientation", 4),
    "position": _Role("target point", 3, may_vanish=True),
    "vector": _Role("target direction", 3),
    "up": _Role("up vector", 3),
    "level": _Role("up vector", 3),
}


@dataclass(frozen=True)
class Aim(Block):
    """What an end should do, in the base frame of its skeleton.

    Attributes:
        words: What it asks for, as in "this solver cannot ...".
        is_look: Whether it is an orientation alone, wherever the end is: some solvers do no other aims.
    """

    words: ClassVar[str] = "meet this goal"
    is_look: ClassVar[bool] = False

    def blocks(self, symmetric: bool) -> tuple[Block, ...]:
        """Its residual blocks; `symmetric`: the end is equally good when rolled by pi about its own Y."""
        return (self,)

    @property
    def up(self) -> Vector | None:
        """The vector against which the end should be upright; None: its roll is free, or prescribed."""
        return None

    @property
    def level(self) -> Vector | None:
        """The up vector relative to which the posture's roll is preferred; None: no roll is."""
        return None

    @property
    def desired_position(self) -> Vector | None:
        """The position [m] that the end should have; None: it prescribes none."""
        return None

    @property
    def desired_orientation(self) -> Quaternion | None:
        """The orientation that the end should have; None: it prescribes none."""
        return None

    def gaze(self, eye: Vector) -> Vector | None:
        """Direction (any length) in which an end at position `eye` should look; None: it prescribes none."""
        return None

    def redirected(self, gaze: Vector, eye: Vector) -> Self:
        """The aim of an end at position `eye` that looks along `gaze` instead, as far away as `gaze` is long;
        only of aims that have a `gaze`.
        """
        raise NotImplementedError

    def with_free_roll(self) -> Self:
        """The aim without `up`; itself, if it has none."""
        return self if self.up is None else replace(self, **{"up": None})

    @property
    def distance(self) -> float:
        """Distance [m] of its `position` from the base; 0 if it has none."""
        return math.hypot(*vars(self).get("position", ORIGIN))

    @property
    def numbers(self) -> tuple[float, ...]:
        """All its numbers, so that aims can be compared."""
        return tuple(float(number) for vector in self._vectors().values() for number in vector)

    def _vectors(self) -> dict[str, tuple[float, ...]]:
        """Its fields that are not None, as tuples of numbers."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: tuple(value) if isinstance(value, Iterable) else (value,)
            for name, value in values.items()
            if value is not None
        }

    def check(self) -> None:
        """Raises TargetError where a number is not finite, or a direction has no length."""
        for name, numbers in self._vectors().items():
            _check_vector(ROLES.get(name, _Role(name, len(numbers), may_vanish=True)), numbers)

    def rotation_since(self, before: Self) -> Vector:
        """Rotation vector [rad] by which its target has rotated since it was `before`."""
        last, now = vars(before), vars(self)
        if "wxyz" in now:
            return logarithm(multiply(normalized(now["wxyz"]), conjugate(normalized(last["wxyz"]))))
        if "vector" in now:
            return logarithm(between(unit(last["vector"]), unit(now["vector"])))
        return ORIGIN

    def movement_since(self, before: Self) -> Vector:
        """Vector [m] by which its target has moved since it was `before`."""
        last, now = vars(before), vars(self)
        return subtract(now["position"], last["position"]) if "position" in now else ORIGIN

    def moved(self, rotation: Quaternion | None, movement: Vector) -> Self:
        """The aim after its target has rotated (None: has not) and moved [m]."""
        now = vars(self)
        changed: dict[str, tuple[float, ...]] = {}
        if rotation is not None and "wxyz" in now:
            changed["wxyz"] = multiply(rotation, normalized(now["wxyz"]))
        if rotation is not None and "vector" in now:
            changed["vector"] = rotate(rotation, unit(now["vector"]))
        if "position" in now:
            changed["position"] = add(now["position"], movement)
        return replace(self, **changed) if changed else self

    @classmethod
    def met_by(cls, rotation: Quaternion, position: Vector, reach: float) -> Self:
        """An aim of this kind that an end at this frame meets; `reach` [m] is its skeleton's."""
        values = {"wxyz": rotation, "position": position, "vector": rotate(rotation, Y)}
        names = {each.name for each in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in names})


def _check_vector(role: _Role, values: tuple[float, ...]) -> None:
    if len(values) != role.length or not all(map(math.isfinite, values)):
        raise TargetError(
            f"the {role.what} {values} must be {role.length} finite numbers: check the target's transform"
        )
    if not role.may_vanish and math.hypot(*values) <= NO_DIRECTION:
        raise TargetError(f"the {role.what} {values} has no length: give it a direction")
