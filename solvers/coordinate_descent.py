"""Cyclic coordinate descent: joint after joint, each turned alone until its ends are as near to their targets as it can bring them.
Knows no Blender.

The sweep and the step of a hinge are here, for CCD and for ERIK's variants of it alike; what is pulled where, they say themselves.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .rotations import (
    IDENTITY,
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

ORIGIN: Vector = (0.0, 0.0, 0.0)
NO_PULL = 1e-18  # of pulls (squared lengths): what is pulled by less has no lever
OPPOSITE = 1e-9  # of a pull's own size: as far off as can be, so that either way round is as good


class Pull(NamedTuple):
    """What draws a joint to turn. Turned by phi, its ends are nearer to their targets by `level` cos phi + `across` sin phi.

    The pulls of several targets add up. `together` is 1 + cos of the angle that is missed, in whichever direction: what the quaternion
    between two vectors has for its real part.
    """

    across: float = 0.0
    level: float = 0.0
    together: float = 0.0

    def plus(self, other: "Pull") -> "Pull":
        """Both at once."""
        return Pull(self.across + other.across, self.level + other.level, self.together + other.together)

    def times(self, weight: float) -> "Pull":
        """The same, `weight` times as strong."""
        return Pull(weight * self.across, weight * self.level, weight * self.together)

    @property
    def turn(self) -> float:
        """The angle [rad] by which a hinge turns after the quaternion step: all turn at once, then the hinge keeps what is about its axis.

        Zalo turns the joint by the quaternion between the two vectors and puts the hinge's axis back where it was by the shortest way; what
        is left is the quaternion's twist about the axis, 2 atan2(n axis, w). Of several pulls the quaternions' parts add up; for a whole
        orientation that is the best turn. It never goes too far: targets come nearer with every step, and where an end is nearly along the
        axis, so that `best_turn` would swing wildly, it hardly turns. Opposite vectors leave the axis open: it is then the hinge's own.
        """
        if self.level < 0.0 and self.together <= -OPPOSITE * self.level and abs(self.across) <= -OPPOSITE * self.level:
            return math.pi
        if self.across * self.across + self.together * self.together <= NO_PULL:
            return 0.0
        return 2.0 * math.atan2(self.across, self.together)

    @property
    def best_turn(self) -> float:
        """The angle [rad] that brings the ends nearest: of one vector, between both projections on the plane across the axis."""
        if self.across * self.across + self.level * self.level <= NO_PULL:
            return 0.0
        return math.atan2(self.across, self.level)

    def gain(self, turn: float) -> float:
        """How near the ends are after a turn [rad], up to a constant."""
        return self.level * math.cos(turn) + self.across * math.sin(turn)


def pull_of_vectors(axis: Vector, now: Vector, wanted: Vector) -> Pull:
    """The pull that draws the vector `now` (any length) towards `wanted`, about a unit axis."""
    both = dot(now, wanted)
    across = dot(axis, cross(now, wanted))
    return Pull(across, both - dot(now, axis) * dot(wanted, axis), length(now) * length(wanted) + both)


def pull_of_frames(axis: Vector, now: Quaternion, wanted: Quaternion) -> Pull:
    """The pull that draws the whole orientation `now` to `wanted`: of three vectors, as if they were half as long."""
    w, x, y, z = multiply(wanted, conjugate(now))
    along = x * axis[0] + y * axis[1] + z * axis[2]
    return Pull(2.0 * w * along, w * w - along * along, 2.0 * w * w)


class Tool:
    """An end on its way: its rotation and place [m] in the base frame."""

    __slots__ = ("place", "rotation")

    def __init__(self, rotation: Quaternion, place: Vector = ORIGIN) -> None:
        self.rotation, self.place = rotation, place

    def turn(self, turn: Quaternion, about_place: Vector | None) -> None:
        """Turned about a place; None: places do not count."""
        self.rotation = multiply(turn, self.rotation)
        if about_place is not None:
            self.place = add(rotate(turn, subtract(self.place, about_place)), about_place)

    def shift(self, by: Vector) -> None:
        self.place = add(self.place, by)


class Linkage(NamedTuple):
    """Where a sweep begins."""

    axes: Sequence[Vector]  # of each joint, base frame
    places: Sequence[Vector] | None  # [m] None: they do not count, nothing slides
    parents: Sequence[int]  # -1: the base
    slides: Sequence[bool]
    carried: Sequence[Sequence[int]]  # indices of the tools that a joint moves
    tools: Sequence[Tool]  # moved as the sweep goes


# Of a joint, its axis and its place now: by how much it moves [rad, m]; None: the sweep is over.
Move = Callable[[int, Vector, Vector], float | None]


def sweep(linkage: Linkage, move: Move, tip_first: bool) -> None:
    """One sweep over all joints, each moved by what `move` says, from the tip to the base or from the base to the tip.

    `move` sees each joint where those before it have brought it, and the tools likewise; the angles are its own to keep.
    """
    if tip_first:
        _sweep_from_tip(linkage, move)
    else:
        _sweep_from_base(linkage, move)


def _sweep_from_tip(linkage: Linkage, move: Move) -> None:
    """Joints nearer to the base have not moved when it is a joint's turn."""
    axes, places, _, slides, carried, tools = linkage
    for k in range(len(axes) - 1, -1, -1):
        axis, place = axes[k], places[k] if places else None
        amount = move(k, axis, place or ORIGIN)
        if amount is None:
            return
        if not amount:
            continue
        turn = about(axis, amount)
        for e in carried[k]:
            if slides[k]:
                tools[e].shift(scale(axis, amount))
            else:
                tools[e].turn(turn, place)


def _sweep_from_base(linkage: Linkage, move: Move) -> None:
    """What has moved carries all joints after it: the turn and shift of each body since the sweep began are handed on."""
    axes, places, parents, slides, carried, tools = linkage
    turns: list[Quaternion] = []
    shifts: list[Vector] = []
    for k, parent in enumerate(parents):
        turned, shift = (turns[parent], shifts[parent]) if parent >= 0 else (IDENTITY, ORIGIN)
        axis = rotate(turned, axes[k])
        place = add(rotate(turned, places[k]), shift) if places else None
        amount = move(k, axis, place or ORIGIN)
        if amount is None:
            return
        if amount and slides[k]:
            by = scale(axis, amount)
            shift = add(shift, by)
            for e in carried[k]:
                tools[e].shift(by)
        elif amount:
            turn = about(axis, amount)
            turned = multiply(turn, turned)
            if place:
                shift = add(rotate(turn, subtract(shift, place)), place)
            for e in carried[k]:
                tools[e].turn(turn, place)
        turns.append(turned)
        shifts.append(shift)
