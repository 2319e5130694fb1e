"""What a gaze solver is asked and what it answers: goals, solutions, how well they do, and the table of solvers. Knows no Blender."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .rotations import (
    NO_DIRECTION,
    Quaternion,
    Vector,
    Y,
    angle_between,
    conjugate,
    cross,
    dot,
    from_axes,
    length,
    multiply,
    normalized,
    reject,
    rotate,
    subtract,
    unit,
    vector_angle,
)
from .skeleton import Angles, Pose, Skeleton

HALF_ROLL: Quaternion = (0.0, 0.0, 1.0, 0.0)  # the tool rolled by pi about its own Y
EQUAL_ROLLS = 1e-9  # cosines nearer than this are equal: the choice must not hang on rounding
AT_LIMIT = 1e-9  # [rad] a joint this near to its limit is said to be at it
SAME_PLACE = 1e-9  # of the chain's reach: a target nearer to the tool has no direction
SHORTEST_LINK = 1e-6  # [m] a link shorter than this has no direction to keep
POLE = 1e-6  # sine of the angle between `up` and the view under which upright means nothing


class GazeError(ValueError):
    """A goal that no solver can take up; the message names what is wrong and the remedy."""


class PostureShapeError(GazeError):
    """The posture does not have one finite angle for each joint."""


class TargetError(GazeError):
    """The target has no direction, or is not finite."""


class UnknownSolverError(GazeError):
    """No solver has that name."""


@dataclass(frozen=True)
class Orientation:
    """The tool has this orientation in the base frame."""

    wxyz: Quaternion


@dataclass(frozen=True)
class Direction:
    """The tool's +Y lies along `vector` (base frame, any length). The roll is free, or, with `up`, upright: the tool's X stays
    perpendicular to `up` and its Z on `up`'s side. Looking along `up` itself, the roll is free again."""

    vector: Vector
    up: Vector | None = None


@dataclass(frozen=True)
class Point:
    """The tool's +Y passes through `place` [m] (base frame), seen from where the tool really is. Roll and `up` as for Direction."""

    place: Vector
    up: Vector | None = None


Aim = Orientation | Direction | Point


@dataclass(frozen=True)
class GazeGoal:
    """What the end must do, and the posture to keep while doing it."""

    aim: Aim
    posture: Angles  # (n,) [rad]
    symmetric: bool = True  # the end is as good rolled by pi about its own Y (ERIK's symmetric endpoint): for Orientation, and for `up`


@dataclass(frozen=True)
class Solution:
    """Joint angles, and how well they do."""

    angles: Angles  # (n,) [rad], within limits
    aim_error: float  # [rad] the angle by which the end misses its target; for Direction and Point, of the view alone
    orientation_error: float  # the paper's, sqrt(2) sin(phi / 4), phi the angle to the whole target: roll included where the goal has one
    posture_error: float  # the paper's, weighted
    shape_deviation: float  # [rad] what an animator sees of the difference
    limits_hit: tuple[int, ...]  # joints at a limit
    iterations: int
    converged: bool
    seconds: float
    memory: object = None  # hand it back at the next frame; solvers themselves keep nothing


class GazeSolver(Protocol):
    """A solver for one skeleton. Pure: the same arguments give the same answer."""

    def solve(self, goal: GazeGoal, start: Angles | None = None, memory: object = None) -> Solution:
        """The best solution found for `goal`.

        Args:
            goal: What the end must do, and the posture (n,) [rad] to keep.
            start: Angles (n,) [rad] to start from, usually the last frame's solution; None: from scratch.
            memory: The last solution's `memory`.

        Raises:
            PostureShapeError: the posture does not have one finite angle per joint.
            TargetError: the target is not finite, or has no direction.
        """
        ...


@dataclass(frozen=True)
class SolverInfo:
    """A line in the table of solvers."""

    name: str
    label: str
    description: str
    make: Callable[[Skeleton], GazeSolver]


def look(goal_aim: Direction | Point, eye: Vector) -> Vector:
    """From the tool's place `eye`, the vector (base frame, any length) along which the tool should look."""
    return goal_aim.vector if isinstance(goal_aim, Direction) else subtract(goal_aim.place, eye)


def upright(direction: Vector, up: Vector | None) -> Quaternion | None:
    """The orientation with Y along the unit vector `direction`, X perpendicular to `up`, Z on its side; None where the roll is free."""
    if up is None:
        return None
    z = reject(unit(up), direction)
    if length(z) < POLE:
        return None
    z = unit(z)
    return from_axes(cross(direction, z), direction, z)


def nearer_roll(target: Quaternion, end: Quaternion, symmetric: bool) -> Quaternion:
    """The target or, when symmetric, its half roll, whichever is nearer to the end; of equals the one that is a positive roll away."""
    if not symmetric:
        return target
    w, _, y, _ = multiply(conjugate(target), end)
    rolled = abs(y) > abs(w) if abs(abs(y) - abs(w)) > EQUAL_ROLLS else w * y < 0.0
    return multiply(target, HALF_ROLL) if rolled else target


def whole_angle(target: Quaternion, tool_rotation: Quaternion, symmetric: bool) -> float:
    """Angle [rad] from the tool to the target, or to the nearer of it and its half roll when the end is symmetric."""
    return angle_between(nearer_roll(target, tool_rotation, symmetric), tool_rotation)


def aim_error(goal: GazeGoal, pose: Pose) -> float:
    """The angle [rad] by which the end misses its target; for Direction and Point that of the view, whatever the roll."""
    if isinstance(goal.aim, Orientation):
        return whole_angle(normalized(goal.aim.wxyz), pose.tool_rotation, goal.symmetric)
    return vector_angle(rotate(pose.tool_rotation, Y), look(goal.aim, pose.tool_place))


def orientation_error(goal: GazeGoal, pose: Pose) -> float:
    """The paper's orientation error, sqrt(2) sin(phi / 4) in 0..1, phi the angle to the whole target (eq. 20)."""
    angle = aim_error(goal, pose)
    if not isinstance(goal.aim, Orientation):
        direction = look(goal.aim, pose.tool_place)
        target = upright(unit(direction), goal.aim.up) if length(direction) > NO_DIRECTION else None
        if target is not None:
            angle = whole_angle(target, pose.tool_rotation, goal.symmetric)
    return math.sqrt(2.0) * math.sin(0.25 * angle)


def check_goal(skeleton: Skeleton, goal: GazeGoal) -> tuple[float, ...]:
    """The posture's angles as floats; raises what `GazeSolver.solve` promises."""
    posture = tuple(float(angle) for angle in np.ravel(goal.posture))
    if len(posture) != len(skeleton):
        names = ", ".join(joint.name for joint in skeleton.joints)
        raise PostureShapeError(
            f"the posture has {len(posture)} angles, the chain {len(skeleton)} joints ({names}): store the posture again"
        )
    for joint, angle in zip(skeleton.joints, posture, strict=True):
        if not math.isfinite(angle):
            raise PostureShapeError(f"the posture's angle for joint '{joint.name}' is {angle}: store the posture again")
    aim = goal.aim
    if isinstance(aim, Orientation):
        _check_vector("target orientation", aim.wxyz, 4)
        return posture
    if isinstance(aim, Direction):
        _check_vector("target direction", aim.vector, 3)
    else:
        _check_vector("target point", aim.place, 3, may_vanish=True)
        eye = skeleton.forward(skeleton.clamp(posture)).tool_place
        if length(subtract(aim.place, eye)) <= max(SAME_PLACE * skeleton.reach, NO_DIRECTION):
            raise TargetError(f"the target {aim.place} is at the end's own place: move it away from '{skeleton.joints[-1].name}'")
    if aim.up is not None:
        _check_vector("up vector", aim.up, 3)
    return posture


def _check_vector(what: str, values: tuple[float, ...], count: int, may_vanish: bool = False) -> None:
    if len(values) != count or not all(map(math.isfinite, values)):
        raise TargetError(f"the {what} {tuple(values)} must be {count} finite numbers: check the target's transform")
    if not may_vanish and math.hypot(*values) <= NO_DIRECTION:
        raise TargetError(f"the {what} {tuple(values)} has no length: give it a direction")


def limits_hit(skeleton: Skeleton, angles: tuple[float, ...]) -> tuple[int, ...]:
    """Indices of the joints that are at a limit."""
    ranges = zip(angles, skeleton.lower, skeleton.upper, strict=True)
    return tuple(k for k, (angle, lower, upper) in enumerate(ranges) if angle - lower <= AT_LIMIT or upper - angle <= AT_LIMIT)


class Shape:
    """Shape deviation from one posture: what an animator sees of the difference.

    The angle whose cosine is the mean cosine between corresponding links' directions, solved against authored, after the turn about
    the base's axis (the first joint's) that makes it least. Links run to the next joint's place, the last to the tool's; the way the
    tool looks counts as one more. Links without a length do not count, nor does the first joint's: it only turns about the base's axis.
    """

    def __init__(self, skeleton: Skeleton, posture: tuple[float, ...]) -> None:
        self.skeleton = skeleton
        self.axis = skeleton.world_axes(skeleton.forward([0.0] * len(skeleton)))[0]
        offsets = [joint.rest_offset for joint in skeleton.joints[1:]] + [skeleton.tool_offset]
        self.links = [k for k, offset in enumerate(offsets) if k > 0 and length(offset) > SHORTEST_LINK]
        self.authored = self._directions(skeleton.forward(posture))

    def _directions(self, pose: Pose) -> list[Vector]:
        places = [*pose.places, pose.tool_place]
        links = [subtract(places[k + 1], places[k]) for k in self.links]
        return [unit(link) for link in links] + [rotate(pose.tool_rotation, Y)]

    def deviation(self, pose: Pose) -> float:
        """Shape deviation [rad] of a pose."""
        upright_sum = along = across = 0.0
        directions = self._directions(pose)
        for solved, authored in zip(directions, self.authored, strict=True):
            both = dot(solved, self.axis) * dot(authored, self.axis)
            upright_sum += both
            along += dot(solved, authored) - both
            across += dot(cross(authored, solved), self.axis)
        mean = (upright_sum + math.hypot(along, across)) / len(directions)
        return math.acos(min(1.0, max(-1.0, mean)))


def shape_deviation(skeleton: Skeleton, angles: Angles, posture: Angles) -> float:
    """Shape deviation [rad] of `angles` (n,) from `posture` (n,), see `Shape`."""
    return Shape(skeleton, tuple(map(float, posture))).deviation(skeleton.forward(tuple(map(float, angles))))


# The solvers import this module, so the table imports them when it is asked.


def _erik(skeleton: Skeleton) -> GazeSolver:
    from .erik.solver import Erik

    return Erik(skeleton)


def _erik_exact(skeleton: Skeleton) -> GazeSolver:
    from .erik_exact import ErikExact

    return ErikExact(skeleton)


def _expressive(skeleton: Skeleton) -> GazeSolver:
    from .expressive import Expressive

    return Expressive(skeleton)


SOLVERS: dict[str, SolverInfo] = {
    info.name: info
    for info in (
        SolverInfo("erik", "ERIK", "As published: orientation and posture within one threshold (Ribeiro & Paiva 2019)", _erik),
        SolverInfo("erik_exact", "ERIK, exact aim", "ERIK, then the least change that makes the aim exact", _erik_exact),
        SolverInfo(
            "expressive",
            "Expressive",
            "Exact aim, the shape nearest the authored one, no jumps; being completed",
            _expressive,
        ),
    )
}


def make_solver(name: str, skeleton: Skeleton) -> GazeSolver:
    """The solver of that name for `skeleton`; raises UnknownSolverError with the names that exist."""
    if name not in SOLVERS:
        raise UnknownSolverError(f"no solver is called '{name}': choose one of {', '.join(SOLVERS)}")
    return SOLVERS[name].make(skeleton)
