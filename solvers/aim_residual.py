"""Residual of a goal and its Jacobian, in plain floats.

The residual of an orientation is the rotation vector [rad] of its error, which does not vanish at 180
degrees. It has three components, or two across the view where the roll is free. A position adds three, in
shares of the skeleton's reach. The residuals of several ends are stacked, each times its weight.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from .goals import (
    Direction,
    EndGoal,
    GazeGoal,
    Point,
    look,
    nearer_roll,
    orientation_of,
    position_of,
    upright,
)
from .kinematics.rotations import (
    ORIGIN,
    Quaternion,
    Vector,
    Y,
    between,
    conjugate,
    cross,
    dot,
    length,
    logarithm,
    multiply,
    normalized,
    perpendicular,
    reject,
    rotate,
    scale,
    subtract,
    twist_angle,
    unit,
    vector_angle,
)
from .kinematics.skeleton import Pose, Skeleton
from .tolerances import NO_DIRECTION

ROLL_WEIGHT = 0.1  # weight of uprightness against the view: where a chain cannot have both, the view wins


class Residual(NamedTuple):
    """Error of a goal and its Jacobian with respect to the joints."""

    error: tuple[float, ...]  # (r,) [rad], positions in shares of the reach
    columns: Sequence[
        tuple[float, ...]
    ]  # one (r,) for each joint: reduction of the error per unit of its movement

    @property
    def size(self) -> float:
        return math.hypot(*self.error)


class Part(NamedTuple):
    """Unweighted residual of one end's aim or position."""

    kind: Literal["aim", "position"]
    end: int  # index in `goal.ends`
    residual: Residual


def residual(skeleton: Skeleton, goal: GazeGoal, pose: Pose) -> Residual:
    """The weighted residual of all ends at a pose. Uprightness is weighted by the sine of the angle between
    `up` and the view.
    """
    weights = goal.weights
    weighted = [_weighted(part.residual, weights[part.end]) for part in parts(skeleton, goal, pose)]
    return weighted[0] if len(weighted) == 1 else _stacked(weighted)


def parts(skeleton: Skeleton, goal: GazeGoal, pose: Pose, at_targets: bool = False) -> list[Part]:
    """Unweighted residuals of all ends, one part for each aim and each position.

    With `at_targets` the columns of positions are those of the targets, as if they were fixed to the links
    that carry the ends: the alternate Jacobian of Buss (2009), section 2. A view's columns are the same for
    both.
    """
    axes = skeleton.world_axes(pose)
    return [
        part
        for index, wanted in enumerate(goal.ends)
        for part in _of_end(skeleton, index, wanted, pose, axes, at_targets)
    ]


def _of_end(
    skeleton: Skeleton, index: int, wanted: EndGoal, pose: Pose, axes: list[Vector], at_targets: bool
) -> list[Part]:
    """Residuals of one end; columns of joints that do not move it are zero."""
    rotation, position = skeleton.end_pose(pose, wanted.end)
    carried = range(len(skeleton)) if skeleton.is_chain else skeleton.path(wanted.end)
    goal_position, target = position_of(wanted.aim), orientation_of(wanted.aim)
    found = []
    if target is not None:
        difference = multiply(
            nearer_roll(normalized(target), rotation, wanted.symmetric), conjugate(rotation)
        )
        found.append(Part("aim", index, Residual(logarithm(difference), _angular(skeleton, axes, carried))))
    if goal_position is not None:
        moved = goal_position if at_targets else position
        found.append(
            Part(
                "position", index, _to_position(skeleton, goal_position, position, moved, pose, axes, carried)
            )
        )
    if isinstance(wanted.aim, Direction | Point):
        found.append(Part("aim", index, _to_view(skeleton, wanted, rotation, position, pose, axes, carried)))
    return found


def _to_position(
    skeleton: Skeleton,
    wanted: Vector,
    position: Vector,
    moved: Vector,
    pose: Pose,
    axes: list[Vector],
    carried: Sequence[int],
) -> Residual:
    """Residual from `position` to `wanted` [m], with the velocities of a point at `moved` on the
    end's link.
    """
    share = 1.0 / skeleton.reach
    velocities = _linear(skeleton, moved, pose, axes, carried)
    return Residual(
        scale(subtract(wanted, position), share), [scale(velocity, share) for velocity in velocities]
    )


def _to_view(
    skeleton: Skeleton,
    wanted_end: EndGoal,
    rotation: Quaternion,
    position: Vector,
    pose: Pose,
    axes: list[Vector],
    carried: Sequence[int],
) -> Residual:
    aim = wanted_end.aim
    assert isinstance(aim, Direction | Point)
    turns: Sequence[Vector] = _angular(skeleton, axes, carried)
    view = rotate(rotation, Y)
    gap = look(aim, position)
    distance = length(gap)
    if distance <= NO_DIRECTION:  # the end is at its target: any view will do
        return Residual((0.0, 0.0), [(0.0, 0.0)] * len(skeleton))
    wanted = unit(gap)
    if isinstance(aim, Point):  # relative to the direction to the target, which changes as the end moves
        velocities = _linear(skeleton, position, pose, axes, carried)
        pairs = zip(turns, velocities, strict=True)
        turns = [subtract(turn, scale(cross(wanted, velocity), -1.0 / distance)) for turn, velocity in pairs]
    across = perpendicular(view)
    other = cross(view, across)
    normal = cross(view, wanted)
    size = length(normal)
    turn = (
        scale(normal, vector_angle(view, wanted) / size)
        if size > NO_DIRECTION
        else scale(across, vector_angle(view, wanted))
    )
    error: tuple[float, ...] = (dot(turn, across), dot(turn, other))
    target = upright(wanted, aim.up)
    if target is None:
        return Residual(error, [(dot(turn, across), dot(turn, other)) for turn in turns])
    assert aim.up is not None
    weight = ROLL_WEIGHT * length(reject(unit(aim.up), wanted))
    levelled = multiply(between(view, wanted), rotation)
    roll = twist_angle(
        multiply(nearer_roll(target, levelled, wanted_end.symmetric), conjugate(levelled)), wanted
    )
    rolls = scale(view, weight)
    return Residual(
        (*error, weight * roll), [(dot(turn, across), dot(turn, other), dot(turn, rolls)) for turn in turns]
    )


def _weighted(part: Residual, weight: float) -> Residual:
    if weight == 1.0:
        return part
    return Residual(
        tuple(weight * e for e in part.error), [tuple(weight * c for c in column) for column in part.columns]
    )


def _stacked(parts: Sequence[Residual]) -> Residual:
    error = tuple(e for part in parts for e in part.error)
    return Residual(
        error,
        [
            tuple(c for column in columns for c in column)
            for columns in zip(*(p.columns for p in parts), strict=True)
        ],
    )


def _angular(skeleton: Skeleton, axes: list[Vector], carried: Sequence[int]) -> list[Vector]:
    """Angular velocity of the end per unit speed of each joint, base frame."""
    turns: list[Vector] = [ORIGIN] * len(axes)
    for k in carried:
        if skeleton.joints[k].kind == "revolute":
            turns[k] = axes[k]
    return turns


def _linear(
    skeleton: Skeleton, position: Vector, pose: Pose, axes: list[Vector], carried: Sequence[int]
) -> list[Vector]:
    """Velocity [m] of the end's position per unit speed of each joint, base frame."""
    velocities: list[Vector] = [ORIGIN] * len(axes)
    for k in carried:
        velocities[k] = (
            cross(axes[k], subtract(position, pose.positions[k]))
            if skeleton.joints[k].kind == "revolute"
            else axes[k]
        )
    return velocities
