"""Inputs of the gaze solvers: goals of ends, the posture to keep, and checks of both."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .kinematics.rotations import (
    Quaternion,
    Vector,
    conjugate,
    cross,
    from_axes,
    length,
    multiply,
    reject,
    subtract,
    unit,
)
from .kinematics.skeleton import Angles, Skeleton
from .tolerances import LONGEST_FRAME, MET, NO_DIRECTION, SAME_ANGLE, SHORTEST_FRAME, is_frame

HALF_ROLL: Quaternion = (0.0, 0.0, 1.0, 0.0)  # the tool rolled by pi about its own Y


class GazeError(ValueError):
    """An invalid goal; the message names what is wrong and the remedy."""


class PostureShapeError(GazeError):
    """The posture, or the start, does not have one finite angle for each joint."""


class GoalKindError(GazeError):
    """The solver does not support this kind of aim."""


class TargetError(GazeError):
    """The target has no direction, or is not finite."""


@dataclass(frozen=True)
class Orientation:
    """Aim: the tool has this orientation in the base frame."""

    wxyz: Quaternion


@dataclass(frozen=True)
class Direction:
    """Aim: the tool's +Y lies along `vector` (base frame, any length). The roll is free, or, with `up`,
    upright: the tool's X is perpendicular to `up` and its Z on `up`'s side; where the view is along `up`
    itself, the roll is free again.

    With `level` the roll is free, but of the poses that meet the aim, those with the posture's roll relative
    to this up vector are preferred. Only Expressive uses it.
    """

    vector: Vector
    up: Vector | None = None
    level: Vector | None = None


@dataclass(frozen=True)
class Point:
    """Aim: the tool's +Y passes through `position` [m] (base frame), seen from the tool's real position.
    Roll, `up` and `level` as for Direction.
    """

    position: Vector
    up: Vector | None = None
    level: Vector | None = None


@dataclass(frozen=True)
class Position:
    """Aim: the tool's position is `position` [m] (base frame), in any orientation."""

    position: Vector


@dataclass(frozen=True)
class Frame:
    """Aim: the tool's position is `position` [m], and its orientation `wxyz` (both in the base frame)."""

    position: Vector
    wxyz: Quaternion


@dataclass(frozen=True)
class PositionAndDirection(Direction, Position):
    """Aim: the tool's position is `position` [m], and its +Y lies along `vector` (both in the base frame).
    Roll, `up` and `level` as for Direction.
    """


Aim = Orientation | Direction | Point | Position | Frame
LOOKS: frozenset[type] = frozenset({Orientation, Direction, Point})  # aims without a position
WORDS: dict[type, str] = {  # every kind of aim, and what it asks for
    Orientation: "match an orientation",
    Direction: "look along a direction",
    Point: "look at a point",
    Position: "reach a position",
    Frame: "reach and orient",
    PositionAndDirection: "reach and look along a direction",
}
AIMS = frozenset(WORDS)


@dataclass(frozen=True)
class EndGoal:
    """Goal of one end.

    Goals that cannot all be met are met in the sense of least squares of weight times error; a distance
    counts in shares of the skeleton's reach.
    """

    aim: Aim
    end: int = 0  # index in `Skeleton.ends`
    weight: float = 1.0
    symmetric: bool = True  # equally good when rolled by pi about its own Y: for Orientation, Frame and `up`


@dataclass(frozen=True)
class GazeGoal:
    """Goal of a gaze solver: aim of the end, posture to keep, and on a tree the goals of other ends."""

    aim: Aim
    posture: Angles  # (n,) [rad], prismatic joints [m]
    # the end is equally good when rolled by pi about its own Y (ERIK's symmetric endpoint): for Orientation,
    # Frame and `up`
    symmetric: bool = True
    weight: float = 1.0
    keep: float = 1.0  # weight of the posture beneath the aim, 0 to 1
    others: tuple[EndGoal, ...] = ()

    @cached_property
    def ends(self) -> tuple[EndGoal, ...]:
        """The goals of all ends, the tool's own first."""
        return EndGoal(self.aim, 0, self.weight, self.symmetric), *self.others

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """Weights of all ends, relative to the largest."""
        ends = self.ends
        heaviest = max(end_goal.weight for end_goal in ends) or 1.0
        return tuple(end_goal.weight / heaviest for end_goal in ends)


def look(goal_aim: Direction | Point, eye: Vector) -> Vector:
    """Direction (base frame, any length) in which a tool at position `eye` should look."""
    return goal_aim.vector if isinstance(goal_aim, Direction) else subtract(goal_aim.position, eye)


def upright(direction: Vector, up: Vector | None) -> Quaternion | None:
    """The orientation with Y along the unit vector `direction`, X perpendicular to `up` and Z on the side of
    `up`; None if the roll is free.
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
    orientation; if both are equally near, the one reached by a positive roll.
    """
    if not symmetric:
        return target
    w, _, y, _ = multiply(conjugate(target), end)
    rolled = abs(y) > abs(w) if abs(abs(y) - abs(w)) > SAME_ANGLE else w * y < 0.0
    return multiply(target, HALF_ROLL) if rolled else target


def orientation_of(aim: Aim) -> Quaternion | None:
    """The orientation that an aim prescribes; None: it prescribes none."""
    return aim.wxyz if isinstance(aim, Orientation | Frame) else None


def position_of(aim: Aim) -> Vector | None:
    """The position [m] that an aim prescribes; None: it prescribes none."""
    return aim.position if isinstance(aim, Position | Frame) else None


def with_free_roll(goal: GazeGoal) -> GazeGoal:
    """The goal with the roll of all ends free (no `up`); the same object if it has no `up`."""

    def freed(aim: Aim) -> Aim:
        return replace(aim, up=None) if isinstance(aim, Direction | Point) and aim.up is not None else aim

    if all(freed(end_goal.aim) is end_goal.aim for end_goal in goal.ends):
        return goal
    return replace(
        goal, aim=freed(goal.aim), others=tuple(replace(other, aim=freed(other.aim)) for other in goal.others)
    )


def check_goal(
    skeleton: Skeleton,
    goal: GazeGoal,
    aims: frozenset[type] = AIMS,
    start: Sequence[float] | Angles | None = None,
    dt: float | None = None,
) -> tuple[float, ...]:
    """The posture (n,) as floats, after checks of the whole goal, the start and the duration of the frame.
    Raises the errors of `GazeSolver.solve`; GoalKindError for an aim whose type is not in `aims`.
    """
    if dt is not None and not is_frame(dt):
        raise GazeError(
            f"the frame lasts {dt} s: give it a duration above 0, from {SHORTEST_FRAME:g} to"
            f" {LONGEST_FRAME:g} s"
        )
    if start is not None:
        _check_start(skeleton, start)
    posture = tuple(np.ravel(goal.posture).astype(float).tolist())
    if len(posture) != len(skeleton):
        names = ", ".join(joint.name for joint in skeleton.joints)
        raise PostureShapeError(
            f"the posture has {len(posture)} angles, the chain {len(skeleton)} joints ({names}): store the"
            " posture again"
        )
    for joint, angle in zip(skeleton.joints, posture, strict=True):
        if not math.isfinite(angle):
            raise PostureShapeError(
                f"the posture's angle for joint '{joint.name}' is {angle}: store the posture again"
            )
    if not 0.0 <= goal.keep <= 1.0:
        raise GazeError(f"the posture has the weight {goal.keep}: choose a share between 0 and 1")
    for end_goal in goal.ends:
        if type(end_goal.aim) not in aims:
            known = ", ".join(sorted(WORDS[kind] for kind in aims))
            raise GoalKindError(
                f"this solver cannot {WORDS[type(end_goal.aim)]}, only {known}: choose another solver or goal"
            )
        _check_end(skeleton, end_goal)
    return posture


def _check_start(skeleton: Skeleton, start: Sequence[float] | Angles) -> None:
    if len(start) != len(skeleton):
        raise PostureShapeError(
            f"the start has {len(start)} angles, the chain {len(skeleton)} joints: begin from scratch"
        )
    finite = np.isfinite(start)
    if not finite.all():
        first = int(np.argmin(finite))
        raise PostureShapeError(
            f"the start's angle for joint '{skeleton.joints[first].name}' is {start[first]}: begin from scratch"
        )


def _check_end(skeleton: Skeleton, end_goal: EndGoal) -> None:
    if not 0 <= end_goal.end < len(skeleton.ends):
        raise GazeError(
            f"there is no end {end_goal.end}: the skeleton has {len(skeleton.ends)}, counted from 0"
        )
    if not (end_goal.weight >= 0.0 and math.isfinite(end_goal.weight)):
        raise GazeError(
            f"the weight of '{skeleton.ends[end_goal.end].name}' is {end_goal.weight}: choose a number from"
            " 0 up"
        )
    aim = end_goal.aim
    if isinstance(aim, Orientation | Frame):
        _check_vector("target orientation", aim.wxyz, 4)
    if isinstance(aim, Point | Position | Frame):
        _check_vector("target point", aim.position, 3, may_vanish=True)
    if isinstance(aim, Direction):
        _check_vector("target direction", aim.vector, 3)
    if isinstance(aim, Direction | Point):
        for up in (aim.up, aim.level):
            if up is not None:
                _check_vector("up vector", up, 3)


def _check_vector(what: str, values: tuple[float, ...], count: int, may_vanish: bool = False) -> None:
    if len(values) != count or not all(map(math.isfinite, values)):
        raise TargetError(
            f"the {what} {tuple(values)} must be {count} finite numbers: check the target's transform"
        )
    if not may_vanish and math.hypot(*values) <= NO_DIRECTION:
        raise TargetError(f"the {what} {tuple(values)} has no length: give it a direction")
