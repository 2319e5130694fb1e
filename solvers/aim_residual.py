"""How an aim is missed, as a small residual and its Jacobian: what exact-aim solvers drive to zero. Knows no Blender.

The residual is a rotation vector [rad], so its length is the true angle missed at any distance and it never vanishes at 180 degrees. With
the roll free it has two components, across the view; else three.
"""

import math
from typing import NamedTuple

from .gaze import Direction, GazeGoal, Orientation, look, nearer_roll, upright
from .rotations import (
    NO_DIRECTION,
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
from .skeleton import Pose, Skeleton

ROLL_WEIGHT = 0.1  # of uprightness against the view: where a chain cannot have both, the view wins


class Residual(NamedTuple):
    """What is left to turn, and how each joint's movement turns it."""

    error: tuple[float, ...]  # (r,) [rad], r 2 or 3
    columns: list[tuple[float, ...]]  # one (r,) for each joint: what a unit of its movement takes off the error

    @property
    def size(self) -> float:
        return math.hypot(*self.error)


def residual(skeleton: Skeleton, goal: GazeGoal, pose: Pose) -> Residual:
    """The goal's residual at a pose. Uprightness counts by the sine of the angle between `up` and the view: not when they are parallel."""
    turns = _angular(skeleton, pose)
    aim = goal.aim
    if isinstance(aim, Orientation):
        difference = multiply(nearer_roll(normalized(aim.wxyz), pose.tool_rotation, goal.symmetric), conjugate(pose.tool_rotation))
        return Residual(logarithm(difference), list(turns))
    view = rotate(pose.tool_rotation, Y)
    gap = look(aim, pose.tool_place)
    distance = length(gap)
    if distance <= NO_DIRECTION:  # the end has run into its target: any view will do
        return Residual((0.0, 0.0), [(0.0, 0.0)] * len(skeleton))
    wanted = unit(gap)
    if not isinstance(aim, Direction):
        turns = _with_parallax(skeleton, pose, turns, wanted, distance)
    across = perpendicular(view)
    other = cross(view, across)
    normal = cross(view, wanted)
    size = length(normal)
    turn = scale(normal, vector_angle(view, wanted) / size) if size > NO_DIRECTION else scale(across, vector_angle(view, wanted))
    error: tuple[float, ...] = (dot(turn, across), dot(turn, other))
    target = upright(wanted, aim.up)
    if target is None:
        return Residual(error, [(dot(turn, across), dot(turn, other)) for turn in turns])
    assert aim.up is not None
    weight = ROLL_WEIGHT * length(reject(unit(aim.up), wanted))
    levelled = multiply(between(view, wanted), pose.tool_rotation)
    roll = twist_angle(multiply(nearer_roll(target, levelled, goal.symmetric), conjugate(levelled)), wanted)
    rolls = scale(view, weight)
    return Residual((*error, weight * roll), [(dot(turn, across), dot(turn, other), dot(turn, rolls)) for turn in turns])


def _angular(skeleton: Skeleton, pose: Pose) -> list[Vector]:
    """Angular velocity of the tool per unit speed of each joint, base frame."""
    axes = skeleton.world_axes(pose)
    return [axis if joint.kind == "revolute" else (0.0, 0.0, 0.0) for axis, joint in zip(axes, skeleton.joints, strict=True)]


def _with_parallax(skeleton: Skeleton, pose: Pose, turns: list[Vector], wanted: Vector, distance: float) -> list[Vector]:
    """The turns less those of the wanted direction itself, which moves as the end does."""
    less = []
    for joint, place, axis, turn in zip(skeleton.joints, pose.places, skeleton.world_axes(pose), turns, strict=True):
        velocity = cross(axis, subtract(pose.tool_place, place)) if joint.kind == "revolute" else axis
        wanted_turn = scale(cross(wanted, velocity), -1.0 / distance)
        less.append(subtract(turn, wanted_turn))
    return less
