"""Tasks of CCD: what an end goal contributes to the step of each joint that carries the end. Knows no Blender."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..coordinate_descent import Pull, Tool, pull_of_frames, pull_of_vectors
from ..goals import HALF_ROLL, Direction, EndGoal, Point, look, nearer_roll, orientation_of, position_of, upright
from ..kinematics.rotations import (
    Quaternion,
    Vector,
    Y,
    Z,
    add,
    conjugate,
    dot,
    length,
    multiply,
    normalized,
    reject,
    rotate,
    scale,
    subtract,
    unit,
)
from ..tolerances import NO_DIRECTION, SINGLE_PRECISION

NOTHING = Pull()


class TranslationPull(NamedTuple):
    """Newton step of a prismatic joint: `pull` over `stiffness` [m]; those of several goals add up."""

    pull: float = 0.0
    stiffness: float = 0.0


class Range(NamedTuple):
    """How far [rad] a joint may rotate within its limits."""

    back: float  # not positive
    ahead: float


class Task(Protocol):
    """Task of one end: the rotation or translation of a single joint that brings the end nearest to its goal."""

    def rotation_pull(self, k: int, axis: Vector, position: Vector, range_left: Range, tools: Sequence[Tool]) -> Pull:
        """Gradient terms of the task for hinge `k`, which now has this axis (unit) and position [m] in the base frame."""
        ...

    def translation_pull(self, k: int, axis: Vector, tools: Sequence[Tool]) -> TranslationPull:
        """Newton step of prismatic joint `k` along `axis` towards the task's target, for the ends' present poses `tools`."""
        ...


class OrientationTask:
    """Task of the orientation of an end."""

    def __init__(self, end: int, target: Quaternion, symmetric: bool) -> None:
        self.end, self.target, self.symmetric = end, target, symmetric

    def rotation_pull(self, k: int, axis: Vector, position: Vector, range_left: Range, tools: Sequence[Tool]) -> Pull:
        return pull_to_frame(axis, tools[self.end].rotation, self.target, self.symmetric, range_left)

    def translation_pull(self, k: int, axis: Vector, tools: Sequence[Tool]) -> TranslationPull:
        return TranslationPull()


class PositionTask:
    """Task of the position of an end, or of another point fixed to the same joint; errors in shares of the skeleton's reach."""

    def __init__(self, spot: int, position: Vector, reach: float) -> None:
        self.spot, self.position, self.share = spot, position, 1.0 / reach

    def rotation_pull(self, k: int, axis: Vector, position: Vector, range_left: Range, tools: Sequence[Tool]) -> Pull:
        return self.towards(axis, position, tools[self.spot].position, self.position)

    def towards(self, axis: Vector, position: Vector, now: Vector, end_goal: Vector) -> Pull:
        """Gradient terms of a hinge for a point that is at `now` [m] and should be at `end_goal` [m]."""
        return pull_of_vectors(axis, subtract(now, position), subtract(end_goal, position)).times(self.share * self.share)

    def translation_pull(self, k: int, axis: Vector, tools: Sequence[Tool]) -> TranslationPull:
        stiffness = self.share * self.share
        return TranslationPull(stiffness * dot(subtract(self.position, tools[self.spot].position), axis), stiffness)


class WristTask:
    """Task of position and orientation of an end, divided between joints: the last ones serve the orientation, those before them the
    position.

    Zalo's "bonus: direction". The wrist is the position of the first of the last joints. The joints before it bring it to the position that
    it has when the end has both its orientation and its position, so that the two parts do not disturb each other.
    """

    def __init__(self, end: int, spot: int, wrist: frozenset[int], orientation_task: OrientationTask, position_task: PositionTask) -> None:
        self.end, self.spot, self.wrist, self.orientation_task, self.position_task = end, spot, wrist, orientation_task, position_task

    def _wrist_target(self, tools: Sequence[Tool]) -> Vector:
        tool = tools[self.end]
        target = nearer_roll(self.orientation_task.target, tool.rotation, self.orientation_task.symmetric)
        arm = subtract(tools[self.spot].position, tool.position)
        return add(self.position_task.position, rotate(multiply(target, conjugate(tool.rotation)), arm))

    def rotation_pull(self, k: int, axis: Vector, position: Vector, range_left: Range, tools: Sequence[Tool]) -> Pull:
        if k in self.wrist:
            return self.orientation_task.rotation_pull(k, axis, position, range_left, tools)
        return self.position_task.towards(axis, position, tools[self.spot].position, self._wrist_target(tools))

    def translation_pull(self, k: int, axis: Vector, tools: Sequence[Tool]) -> TranslationPull:
        if k > min(self.wrist, default=k):
            return self.position_task.translation_pull(k, axis, tools)
        stiffness = self.position_task.share * self.position_task.share
        return TranslationPull(stiffness * dot(subtract(self._wrist_target(tools), tools[self.spot].position), axis), stiffness)


class PoseTask:
    """Task of position and orientation of an end, to which every joint contributes."""

    def __init__(self, orientation_task: "OrientationTask | ViewTask", position_task: PositionTask) -> None:
        self.orientation_task, self.position_task = orientation_task, position_task

    def rotation_pull(self, k: int, axis: Vector, position: Vector, range_left: Range, tools: Sequence[Tool]) -> Pull:
        return self.orientation_task.rotation_pull(k, axis, position, range_left, tools).plus(
            self.position_task.rotation_pull(k, axis, position, range_left, tools)
        )

    def translation_pull(self, k: int, axis: Vector, tools: Sequence[Tool]) -> TranslationPull:
        return self.position_task.translation_pull(k, axis, tools)


class ViewTask:
    """Task of the view of an end: along a direction or to a point, with free or upright roll."""

    def __init__(self, end: int, aim: Direction | Point, symmetric: bool) -> None:
        self.end, self.aim, self.symmetric = end, aim, symmetric

    def rotation_pull(self, k: int, axis: Vector, position: Vector, range_left: Range, tools: Sequence[Tool]) -> Pull:
        tool = tools[self.end]
        view, gap = rotate(tool.rotation, Y), look(self.aim, tool.position)
        if length(gap) <= NO_DIRECTION:  # the end is at its target: any view will do
            return NOTHING
        pull = pull_to_point(axis, position, tool.position, view, self.aim.position) if isinstance(self.aim, Point) else None
        end_goal = unit(gap)
        pull = pull_of_vectors(axis, view, end_goal) if pull is None else pull
        target = upright(end_goal, self.aim.up)
        if target is None or self.aim.up is None:
            return pull
        weight = length(reject(unit(self.aim.up), end_goal))
        level = rotate(nearer_roll(target, tool.rotation, self.symmetric), Z)
        return pull.plus(pull_of_vectors(axis, rotate(tool.rotation, Z), level).times(weight))

    def translation_pull(self, k: int, axis: Vector, tools: Sequence[Tool]) -> TranslationPull:
        """Newton step of prismatic joint `k` along `axis` after which the line of sight passes nearest to the target point."""
        if not isinstance(self.aim, Point):
            return TranslationPull()
        view, gap = rotate(tools[self.end].rotation, Y), look(self.aim, tools[self.end].position)
        away, across = length(gap), reject(axis, view)
        if away <= NO_DIRECTION or length(across) < SINGLE_PRECISION:
            return TranslationPull()
        share = 1.0 / (away * away)
        return TranslationPull(share * dot(reject(gap, view), across), share * dot(across, across))


def pull_to_frame(axis: Vector, now: Quaternion, target: Quaternion, symmetric: bool, range_left: Range) -> Pull:
    """Gradient terms of a hinge for a desired orientation; of a symmetric end's two equivalent rolls the nearer one is used.

    Where the hinge cannot reach that roll within its limits, the roll that it comes nearer to is used.
    """
    nearer = pull_of_frames(axis, now, nearer_roll(target, now, symmetric))
    if not symmetric or range_left.back <= nearer.best_rotation <= range_left.ahead:
        return nearer
    other = pull_of_frames(axis, now, multiply(nearer_roll(target, now, symmetric), HALF_ROLL))
    return other if _nearness(other, range_left) > _nearness(nearer, range_left) else nearer


def _nearness(pull: Pull, range_left: Range) -> float:
    """Best value (1 + cos of the remaining angle) that a hinge can reach for a whole orientation."""
    return pull.gain(rotation_within(pull, pull.best_rotation, range_left)) + pull.together - pull.level


def rotation_within(pull: Pull, angle: float, range_left: Range) -> float:
    """`angle` [rad] if the range allows it, else the equivalent angle in the other direction, else the better limit of the range."""
    for candidate in (angle, angle - math.copysign(math.tau, angle)):
        if range_left.back <= candidate <= range_left.ahead:
            return candidate
    return max(range_left, key=pull.gain)


def pull_to_point(axis: Vector, position: Vector, eye: Vector, view: Vector, target: Vector) -> Pull | None:
    """Gradient terms of a hinge at `position` that bring the line of sight onto a point [m]; None if the hinge cannot change that.

    The point on the line of sight that is as far from the joint as the target is can be rotated onto the target; then the view is exact,
    however near the target. If no point of the line is so near the joint, the nearest one is used.
    """
    arm, sight = subtract(target, position), subtract(eye, position)
    away, along = length(arm), dot(sight, view)
    discriminant = along * along - dot(sight, sight) + away * away
    ahead = math.sqrt(max(discriminant, 0.0)) - along
    spot = add(sight, scale(view, ahead))
    size = length(spot)
    if ahead <= 0.0 or min(away, size) <= NO_DIRECTION:
        return None
    return pull_of_vectors(axis, scale(spot, 1.0 / size), scale(arm, 1.0 / away))


def task_of(end_goal: EndGoal, spot: int, wrist: frozenset[int], reach: float, splits: bool) -> Task:
    """The task of one end goal.

    Args:
        end_goal: Goal of the end.
        spot: Index of the tool that is the end's wrist.
        wrist: The last joints, which serve the orientation where a position is given as well.
        reach: [m] of the skeleton.
        splits: Whether joints are divided in this way; False: every joint serves position and orientation.
    """
    target, position = orientation_of(end_goal.aim), position_of(end_goal.aim)
    position_task = None if position is None else PositionTask(end_goal.end, position, reach)
    if isinstance(end_goal.aim, Direction | Point):
        view_task = ViewTask(end_goal.end, end_goal.aim, end_goal.symmetric)
        return view_task if position_task is None else PoseTask(view_task, position_task)
    if target is None:
        assert position_task is not None
        return position_task
    orientation_task = OrientationTask(end_goal.end, normalized(target), end_goal.symmetric)
    if position_task is None:
        return orientation_task
    return WristTask(end_goal.end, spot, wrist, orientation_task, position_task) if splits else PoseTask(orientation_task, position_task)
