"""Inputs of the gaze solvers: goals of ends and the posture to keep, with checks."""

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from .aims.aim import AIMS, Aim, Direction, Frame, Orientation, Point, Position, PositionAndDirection
from .aims.blocks import ResidualBlock
from .aims.rolls import HALF_ROLL, nearer_roll, upright
from .errors import GazeError, GoalKindError, PostureShapeError, TargetError
from .kernel.aims import aim_numbers
from .kernel.library import KernelError
from .kinematics.skeleton import Angles, Skeleton
from .tolerances import LONGEST_FRAME, SHORTEST_FRAME

__all__ = [
    "AIMS",
    "HALF_ROLL",
    "Aim",
    "Direction",
    "EndGoal",
    "Frame",
    "GazeError",
    "GazeGoal",
    "GoalKindError",
    "Orientation",
    "Point",
    "Position",
    "PositionAndDirection",
    "PostureShapeError",
    "TargetError",
    "any_aim",
    "check_goal",
    "looks",
    "nearer_roll",
    "upright",
    "with_free_roll",
]  # fmt: skip

Kinds = Callable[[type[Aim]], bool]  # whether a solver supports a kind of aim


def any_aim(kind: type[Aim]) -> bool:
    """Whether an aim of that kind is supported: always True."""
    return True


def looks(kind: type[Aim]) -> bool:
    """Whether an aim of that kind prescribes only an orientation or view, and no position."""
    return kind.is_look


@dataclass(frozen=True)
class EndGoal:
    """Goal of one end.

    If not all goals can be met, the sum of squares of weight times error is minimised; distances are divided
    by the skeleton's reach.
    """

    aim: Aim
    end: int = 0  # index in `Skeleton.ends`
    weight: float = 1.0
    # whether the end is equally good when rolled by pi about its own Y; for Orientation, Frame and `up`
    symmetric: bool = True

    @cached_property
    def blocks(self) -> tuple[ResidualBlock, ...]:
        """The residual blocks of the end's aim."""
        return self.aim.blocks(self.symmetric)


@dataclass(frozen=True)
class GazeGoal:
    """Goal of a gaze solver: aim of the skeleton's first end (the tool), posture to keep, and on a tree the
    goals of other ends.

    A goal is an immutable value: data derived from it are computed once, so a changed posture needs a new
    goal.
    """

    aim: Aim
    posture: Angles  # (n,) [rad], prismatic joints [m]
    # whether the end is equally good when rolled by pi about its own Y (ERIK's symmetric endpoint); used
    # for `Orientation`, for `Frame` and with `up`
    symmetric: bool = True
    weight: float = 1.0
    keep: float = 1.0  # weight of the posture in relation to the aim, 0 to 1
    others: tuple[EndGoal, ...] = ()
    # goals of all ends, the tool's first
    ends: tuple[EndGoal, ...] = field(init=False, repr=False, compare=False)
    # weights of the ends, relative to the largest
    weights: tuple[float, ...] = field(init=False, repr=False, compare=False)
    # arguments with which `check_goal` last accepted the goal: numbers of joints and ends of the skeleton,
    # and the supported kinds of aims
    accepted_for: tuple[int, int, Kinds] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ends = EndGoal(self.aim, 0, self.weight, self.symmetric), *self.others
        weights = [end_goal.weight for end_goal in ends]
        heaviest = max(weights) or 1.0
        shares = tuple([weight / heaviest for weight in weights])
        vars(self).update(ends=ends, weights=shares, accepted_for=None)

    def with_offsets(self, offsets: Angles) -> "GazeGoal":
        """The goal with offsets (n,) [rad or m] added to its posture."""
        changed = object.__new__(GazeGoal)
        angles = tuple([angle + offset for angle, offset in zip(self.angles, offsets.tolist(), strict=True)])
        # all other attributes, also cached ones, do not depend on the posture
        vars(changed).update(vars(self), posture=np.array(angles), angles=angles, accepted_for=None)
        return changed

    @cached_property
    def blocks(self) -> tuple[ResidualBlock, ...]:
        """The residual blocks of all ends' aims."""
        return tuple([block for end_goal in self.ends for block in end_goal.blocks])

    @cached_property
    def angles(self) -> tuple[float, ...]:
        """The posture (n,) as floats."""
        return tuple(np.asarray(self.posture, float).ravel().tolist())

    @cached_property
    def numbers(self) -> "array[float] | None":
        """The aims of all ends as an array of `struct limber_aim`; None if the compiled kernel does not
        support one of them.
        """
        numbers: list[float] = []
        for each, weight in zip(self.ends, self.weights, strict=True):
            aim = aim_numbers(
                each.end, each.aim.blocks(each.symmetric), each.aim.level, weight, each.symmetric
            )
            if aim is None:
                return None
            numbers += aim
        return array("d", numbers)

    @property
    def kernel_numbers(self) -> "array[float]":
        """`numbers`; raises KernelError if the kernel does not support an aim."""
        if self.numbers is None:
            raise KernelError(f"the kernel cannot {self.aim.words}")
        return self.numbers

    @property
    def kernel_address(self) -> int:
        """Address of the array `kernel_numbers`, valid as long as the goal. It is not stored, since a copy of
        the goal has an array of its own.
        """
        return self.kernel_numbers.buffer_info()[0]


def with_free_roll(goal: GazeGoal) -> GazeGoal:
    """The goal without `up` in any aim, so that directions and points leave the roll free; the same object if
    no aim has one. Aims at a whole orientation are unchanged.
    """
    if all(end_goal.aim.up is None for end_goal in goal.ends):
        return goal
    others = tuple(replace(other, aim=other.aim.with_free_roll()) for other in goal.others)
    return replace(goal, aim=goal.aim.with_free_roll(), others=others)


def check_goal(
    skeleton: Skeleton,
    goal: GazeGoal,
    supports: Kinds = any_aim,
    start: Sequence[float] | Angles | None = None,
    dt: float | None = None,
) -> tuple[float, ...]:
    """The posture (n,) [rad or m] as floats, after checks of the whole goal, the start and the duration of
    the frame. Raises the errors of `GazeSolver.solve`, among them GoalKindError for an aim of an
    unsupported kind.
    """
    if dt is not None and not SHORTEST_FRAME <= dt <= LONGEST_FRAME:
        raise GazeError(
            f"the frame lasts {dt} s: give it a duration above 0, from {SHORTEST_FRAME:g} to"
            f" {LONGEST_FRAME:g} s"
        )
    if start is not None:
        _check_start(skeleton, start)
    case = len(skeleton.joints), len(skeleton.ends), supports
    if case != goal.accepted_for:
        _check_for(skeleton, goal, supports)
        vars(goal)["accepted_for"] = case
    return goal.angles


def _check_for(skeleton: Skeleton, goal: GazeGoal, supports: Kinds) -> None:
    """Checks the goal alone; raises the errors of `check_goal`."""
    posture = goal.angles
    if len(posture) != len(skeleton.joints):
        names = ", ".join(joint.name for joint in skeleton.joints)
        raise PostureShapeError(
            f"the posture has {len(posture)} angles, the chain {len(skeleton)} joints ({names}): store the"
            " posture again"
        )
    first = _first_infinite(posture)
    if first is not None:
        raise PostureShapeError(
            f"the posture's angle for joint '{skeleton.joints[first].name}' is {posture[first]}: store the"
            " posture again"
        )
    if not 0.0 <= goal.keep <= 1.0:
        raise GazeError(f"the posture has the weight {goal.keep}: choose a share between 0 and 1")
    for end_goal in goal.ends:
        kind = type(end_goal.aim)
        if not supports(kind):
            known = ", ".join(sorted(each.words for each in AIMS if supports(each)))
            raise GoalKindError(
                f"this solver cannot {kind.words}, only {known}: choose another solver or goal"
            )
        _check_end(skeleton, end_goal)


def _check_start(skeleton: Skeleton, start: Sequence[float] | Angles) -> None:
    """Raises PostureShapeError if `start` is no finite angle for each joint."""
    if len(start) != len(skeleton.joints):
        raise PostureShapeError(
            f"the start has {len(start)} angles, the chain {len(skeleton)} joints: begin from scratch"
        )
    values = start.tolist() if isinstance(start, np.ndarray) else start
    first = _first_infinite(values)
    if first is not None:
        raise PostureShapeError(
            f"the start's angle for joint '{skeleton.joints[first].name}' is {start[first]}: begin from scratch"
        )


def _first_infinite(values: Sequence[float]) -> int | None:
    """Index of the first value (n,) that is not finite; None if all are finite."""
    if math.isfinite(sum(values)):  # a value that is not finite makes the sum infinite or NaN
        return None
    return next((k for k, value in enumerate(values) if not math.isfinite(value)), None)


def _check_end(skeleton: Skeleton, end_goal: EndGoal) -> None:
    """Raises GazeError if the goal's end does not exist, or its weight or aim cannot be used."""
    if not 0 <= end_goal.end < len(skeleton.ends):
        raise GazeError(
            f"there is no end {end_goal.end}: the skeleton has {len(skeleton.ends)}, counted from 0"
        )
    if not (end_goal.weight >= 0.0 and math.isfinite(end_goal.weight)):
        raise GazeError(
            f"the weight of '{skeleton.ends[end_goal.end].name}' is {end_goal.weight}: choose a number from"
            " 0 up"
        )
    end_goal.aim.check()
