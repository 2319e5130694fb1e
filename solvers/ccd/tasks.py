"""Tasks of CCD: how the goal of an end contributes to the step of each joint that carries the end."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ..aims.blocks import OrientationBlock, PositionBlock, ResidualBlock, ViewBlock
from ..aims.rolls import HALF_ROLL, nearer_roll, upright
from ..coordinate_descent import Pull, Tool, pull_of_frames, pull_of_vectors
from ..goals import EndGoal
from ..kinematics.rotations import (
    Quaternion,
    Vector,
    Y,
    Z,
    add,
    conjugate,
    cross,
    dot,
    length,
    multiply,
    reject,
    rotate,
    scale,
    subtract,
    to_matrix,
    unit,
)
from ..kinematics.se3 import Array
from ..tolerances import NO_DIRECTION, SINGLE_PRECISION

NOTHING = Pull()


class TranslationPull(NamedTuple):
    """Newton step [m] of a prismatic joint, `pull` / `stiffness`; both are summed over several goals."""

    pull: float = 0.0
    stiffness: float = 0.0


class Range(NamedTuple):
    """Range of rotation [rad] that is left to a joint within its limits, relative to its current angle."""

    back: float  # [rad] distance to the lower limit, zero or negative
    ahead: float  # [rad] distance to the upper limit


class Pulling(Protocol):
    """Interface of a block's contribution to the joints' steps; the block is the end's whole orientation,
    its view, or any other.
    """

    def rotation_pull(self, axis: Vector, position: Vector, range_left: Range, tool: Tool) -> Pull:
        """Gradient terms of a revolute joint with this axis (unit) and position [m] in the base frame, at the
        end's current pose `tool`; `range_left` is what the joint can still rotate.
        """
        ...

    def translation_pull(self, axis: Vector, tool: Tool) -> TranslationPull:
        """Newton step of a prismatic joint along `axis` (unit), at the end's current pose `tool`."""
        ...


class WholeOrientation:
    """Contribution of an end's desired orientation."""

    def __init__(self, target: Quaternion, symmetric: bool) -> None:
        self.target, self.symmetric = target, symmetric

    def rotation_pull(self, axis: Vector, position: Vector, range_left: Range, tool: Tool) -> Pull:
        return pull_to_frame(axis, tool.rotation, self.target, self.symmetric, range_left)

    def translation_pull(self, axis: Vector, tool: Tool) -> TranslationPull:
        return TranslationPull()


class View:
    """Contribution of an end's desired view: along a direction or to a point, with free or upright roll."""

    def __init__(self, block: ViewBlock) -> None:
        self.block = block

    def rotation_pull(self, axis: Vector, position: Vector, range_left: Range, tool: Tool) -> Pull:
        view, gap = rotate(tool.rotation, Y), self.block.gaze(tool.position)
        if length(gap) <= NO_DIRECTION:  # if the end is at its target, any view will do
            return NOTHING
        pull = (
            pull_to_point(axis, position, tool.position, view, self.block.goal)
            if self.block.is_point
            else None
        )
        desired_view = unit(gap)
        pull = pull_of_vectors(axis, view, desired_view) if pull is None else pull
        target = upright(desired_view, self.block.up)
        if target is None or self.block.up is None:
            return pull
        weight = length(reject(self.block.up, desired_view))
        level = rotate(nearer_roll(target, tool.rotation, self.block.symmetric), Z)
        return pull.plus(pull_of_vectors(axis, rotate(tool.rotation, Z), level).times(weight))

    def translation_pull(self, axis: Vector, tool: Tool) -> TranslationPull:
        """Newton step of a prismatic joint along `axis` after which the line of sight passes nearest to the
        target point; none if the view is along a direction.
        """
        if not self.block.is_point:
            return TranslationPull()
        view, gap = rotate(tool.rotation, Y), self.block.gaze(tool.position)
        away, across = length(gap), reject(axis, view)
        if away <= NO_DIRECTION or length(across) < SINGLE_PRECISION:
            return TranslationPull()
        share = 1.0 / (away * away)
        return TranslationPull(share * dot(reject(gap, view), across), share * dot(across, across))


class Linearised:
    """Any other block, by its residual: prismatic joints take a Newton step, revolute joints about such a
    step if it is small. Large ones stay below 90 degrees near the goal, and below 180 elsewhere.
    """

    def __init__(self, block: ResidualBlock, reach: float) -> None:
        self.block, self.reach = block, reach

    def rotation_pull(self, axis: Vector, position: Vector, range_left: Range, tool: Tool) -> Pull:
        arm = subtract(tool.position, position)
        slope, square = self._slope(np.array(axis), np.array(cross(axis, arm)), tool)
        return Pull(slope, square, 2.0 * square)

    def translation_pull(self, axis: Vector, tool: Tool) -> TranslationPull:
        return TranslationPull(*self._slope(np.zeros(3), np.array(axis), tool))

    def _slope(self, angular: Array, velocity: Array, tool: Tool) -> tuple[float, float]:
        """Product of the error and its reduction by a joint that rotates the end by `angular` (3,) [rad] and
        moves it by `velocity` (3,) [m] per unit; and the square of that reduction.
        """
        errors = self.block.errors(
            np.array([to_matrix(tool.rotation)]), np.array([tool.position]), self.reach
        )
        column = np.zeros(errors.error.shape[1])
        if errors.by_rotation is not None:
            column += angular @ errors.by_rotation.reshape(3, -1)
        if errors.by_movement is not None:
            column += velocity @ errors.by_movement.reshape(3, -1)
        return float(errors.error[0] @ column), float(column @ column)


class EndTask:
    """Task of one end, its aim and its position: the rotation or translation of a single joint that brings
    the end nearest to its goal.

    For an orientation and a position, joints can be divided (Zalo's "bonus: direction"): the last joints
    serve the orientation, those before them the position. The latter bring the wrist (the position of the
    first of the last joints) to the position that follows from the end's desired pose, so that the two groups
    do not disturb each other.
    """

    def __init__(
        self, end_goal: EndGoal, spot: int, wrist: frozenset[int], reach: float, splits: bool
    ) -> None:
        """The task of an end goal.

        Args:
            end_goal: Goal of the end.
            spot: Index of the tool that represents the end's wrist.
            wrist: The last joints, which serve the orientation where joints are divided.
            reach: Reach of the skeleton [m]; distances are divided by it.
            splits: Whether joints are divided between an orientation and a position; False: every joint
                serves both.
        """
        self.position: Vector | None = None
        self.orientation: WholeOrientation | None = None
        self.pulling: list[Pulling] = []
        for block in end_goal.blocks:
            if isinstance(block, PositionBlock):
                self.position = block.position
            elif isinstance(block, OrientationBlock):
                self.orientation = WholeOrientation(block.wxyz, block.two_sided)
                self.pulling.append(self.orientation)
            else:
                self.pulling.append(View(block) if isinstance(block, ViewBlock) else Linearised(block, reach))
        self.end, self.spot, self.wrist, self.stiffness = (
            end_goal.end,
            spot,
            wrist,
            (1.0 / reach) * (1.0 / reach),
        )
        self.splits = splits and self.orientation is not None and self.position is not None

    def rotation_pull(
        self, k: int, axis: Vector, position: Vector, range_left: Range, tools: Sequence[Tool]
    ) -> Pull:
        """Gradient terms of the task for revolute joint `k`, which has this axis (unit) and position [m] in
        the base frame, at the current poses `tools` of ends and wrists; `range_left` is what it can still
        rotate.
        """
        pull = NOTHING
        if k in self.wrist or not self.splits:
            for each in self.pulling:
                pull = pull.plus(each.rotation_pull(axis, position, range_left, tools[self.end]))
        if self.position is not None and not (k in self.wrist and self.splits):
            current, desired = self._present_and_desired(tools, self.position, self.splits)
            pull = pull.plus(
                pull_of_vectors(axis, subtract(current, position), subtract(desired, position)).times(
                    self.stiffness
                )
            )
        return pull

    def translation_pull(self, k: int, axis: Vector, tools: Sequence[Tool]) -> TranslationPull:
        """Newton step of prismatic joint `k` along `axis` (unit) toward the task's position or, without one,
        its view, at the current poses `tools` of ends and wrists.
        """
        if self.position is not None:
            current, desired = self._present_and_desired(
                tools, self.position, self.splits and k <= min(self.wrist, default=k)
            )
            return TranslationPull(self.stiffness * dot(subtract(desired, current), axis), self.stiffness)
        pulls = [each.translation_pull(axis, tools[self.end]) for each in self.pulling]
        return TranslationPull(sum(each.pull for each in pulls), sum(each.stiffness for each in pulls))

    def _present_and_desired(
        self, tools: Sequence[Tool], target_position: Vector, of_wrist: bool
    ) -> tuple[Vector, Vector]:
        """Current and desired position [m] of the end or, if `of_wrist`, of its wrist."""
        tool, wrist_position = tools[self.end], tools[self.spot].position
        if not of_wrist or self.orientation is None:
            return tool.position, target_position
        target = nearer_roll(self.orientation.target, tool.rotation, self.orientation.symmetric)
        return wrist_position, add(
            target_position,
            rotate(multiply(target, conjugate(tool.rotation)), subtract(wrist_position, tool.position)),
        )


def pull_to_frame(
    axis: Vector, current: Quaternion, target: Quaternion, symmetric: bool, range_left: Range
) -> Pull:
    """Gradient terms of a revolute joint with the unit axis `axis` for an end whose orientation `current`
    should become `target`; of a symmetric end's two equivalent rolls the nearer one is used.

    If the joint cannot reach that roll within its limits, the roll that it can get nearer to is used.
    """
    nearer = pull_of_frames(axis, current, nearer_roll(target, current, symmetric))
    if not symmetric or range_left.back <= nearer.best_rotation <= range_left.ahead:
        return nearer
    other = pull_of_frames(axis, current, multiply(nearer_roll(target, current, symmetric), HALF_ROLL))
    return other if _nearness(other, range_left) > _nearness(nearer, range_left) else nearer


def _nearness(pull: Pull, range_left: Range) -> float:
    """Best value (1 + cos of the remaining angle) that a revolute joint can reach for a whole orientation."""
    return pull.gain(rotation_within(pull, pull.best_rotation, range_left)) + pull.together - pull.level


def rotation_within(pull: Pull, angle: float, range_left: Range) -> float:
    """`angle` [rad] if the range allows it; otherwise the equivalent angle in the other direction; otherwise
    the better limit of the range [rad].
    """
    for candidate in (angle, angle - math.copysign(math.tau, angle)):
        if range_left.back <= candidate <= range_left.ahead:
            return candidate
    return max(range_left, key=pull.gain)


def pull_to_point(axis: Vector, position: Vector, eye: Vector, view: Vector, target: Vector) -> Pull | None:
    """Gradient terms of a revolute joint at `position` that bring the line of sight onto a point [m]; None if
    no point ahead of the eye can be used for that, or the target is at the joint.

    The point on the line of sight that is as far from the joint as the target is can be rotated onto the
    target; then the view is exact, however near the target. If no point of the line is so near the joint, the
    nearest one is used.
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
