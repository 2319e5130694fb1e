"""Forecast of goals: given beforehand, or extrapolated from their velocity. Knows no Blender."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..gaze import PlanSlot
from ..goals import Aim, Direction, Frame, GazeGoal, Orientation, Point, Position
from ..kinematics.rotations import (
    NO_DIRECTION,
    ORIGIN,
    Vector,
    about,
    add,
    between,
    conjugate,
    length,
    logarithm,
    multiply,
    normalized,
    rotate,
    scale,
    unit,
)
from ..kinematics.rotations import subtract as difference
from ..kinematics.skeleton import Angles
from .aims import BatchedAim
from .descent import Descent
from .model import Authored, Model

DECAY = 0.97  # share of a goal's velocity that is left after each frame: most targets stop or change direction within half a second
FASTEST_TURN = 0.3  # [rad per frame] a faster rotation is a jump of the target, not movement
FASTEST_DRIFT = 0.3  # [of the target's distance from the base, per frame] the same for positions
NEWEST = 0.5  # weight of the last frame in the velocity: smooths hand-held targets
SLOWEST = 1e-9  # [rad or m per frame] a slower target is at rest; without it the average would never reach zero


class Velocity(NamedTuple):
    """Velocity of one goal."""

    turn: Vector = ORIGIN  # [rad per frame] rotation vector of an orientation or direction
    drift: Vector = ORIGIN  # [m per frame] of a position


def numbers(aim: Aim) -> tuple[float, ...]:
    """All numbers of an aim, to compare aims by."""
    parts: list[Sequence[float]] = []
    if isinstance(aim, Point | Position | Frame):
        parts.append(aim.position)
    if isinstance(aim, Orientation | Frame):
        parts.append(aim.wxyz)
    if isinstance(aim, Direction):
        parts.append(aim.vector)
    if isinstance(aim, Direction | Point):
        parts += [up for up in (aim.up, aim.level) if up is not None]
    return tuple(float(number) for part in parts for number in part)


def farthest(now: Sequence[tuple[float, ...]], before: Sequence[tuple[float, ...]]) -> float:
    """The largest difference among the numbers of goals, each relative to its largest number."""
    extrapolated = ((these, those) for these, those in zip(now, before, strict=True) if these != those)
    return max((math.dist(these, those) / max(map(abs, these + those)) for these, those in extrapolated), default=0.0)


def velocity(before: Aim, now: Aim, last: Velocity) -> Velocity:
    """Averaged velocity of a goal that was `before` in the last frame and is `now`; `last`: the average up to the last frame."""
    turn, drift = ORIGIN, ORIGIN
    if type(before) is not type(now):
        return Velocity()
    if isinstance(before, Orientation | Frame) and isinstance(now, Orientation | Frame):
        turn = logarithm(multiply(normalized(now.wxyz), conjugate(normalized(before.wxyz))))
    if isinstance(before, Direction) and isinstance(now, Direction):
        turn = logarithm(between(unit(before.vector), unit(now.vector)))
    if isinstance(before, Point | Position | Frame) and isinstance(now, Point | Position | Frame):
        drift = difference(now.position, before.position)
        if length(drift) > FASTEST_DRIFT * max(length(before.position), length(now.position)):
            return Velocity()
    if length(turn) > FASTEST_TURN:
        return Velocity()
    return Velocity(_blend(last.turn, turn), _blend(last.drift, drift))


def _blend(last: Vector, now: Vector) -> Vector:
    mean = add(scale(last, 1.0 - NEWEST), scale(now, NEWEST))
    return mean if length(mean) > SLOWEST else ORIGIN


def extrapolated(aim: Aim, moving: Velocity, frames: float) -> Aim:
    """The aim after so many frames of a velocity."""
    angle = length(moving.turn) * frames
    turn = about(scale(moving.turn, frames / angle), angle) if angle > NO_DIRECTION else None
    if isinstance(aim, Orientation | Frame) and turn is not None:
        aim = replace(aim, wxyz=multiply(turn, normalized(aim.wxyz)))
    if isinstance(aim, Direction) and turn is not None:
        aim = replace(aim, vector=rotate(turn, unit(aim.vector)))
    if isinstance(aim, Point | Position | Frame):
        aim = replace(aim, position=add(aim.position, scale(moving.drift, frames)))
    return aim


class GoalForecast:
    """Goals of the coming frames."""

    def __init__(self, goal: GazeGoal, moving: Sequence[Velocity], ahead: Sequence[GazeGoal] = ()) -> None:
        """`moving` has one velocity for each of `goal.ends`; `ahead` are the goals of the next frames, where they are known."""
        self.goal, self._moving, self._ahead = goal, moving, ahead

    def at(self, frames: int) -> GazeGoal:
        """The goal so many frames from now."""
        if frames <= 0:
            return self.goal
        if self._ahead:
            return self._ahead[min(frames, len(self._ahead)) - 1]
        lasting = DECAY * (1.0 - DECAY**frames) / (1.0 - DECAY)
        aim = extrapolated(self.goal.aim, self._moving[0], lasting)
        pairs = zip(self.goal.others, self._moving[1:], strict=True)
        return replace(
            self.goal, aim=aim, others=tuple(replace(other, aim=extrapolated(other.aim, motion, lasting)) for other, motion in pairs)
        )


class FrameContext(NamedTuple):
    """Inputs of the planner for one frame of one solver."""

    forecast: GoalForecast
    authored: Authored
    posture: Angles  # (n,)
    angles: Angles  # (n,) of the last frame
    speed: float  # [rad per frame] of the transition in progress
    lost: int  # frames since the aim was last met
    slot: PlanSlot  # whether this solver may plan in this frame

    def descent(self, model: Model, frames: int) -> Descent:
        """Descent toward the goal forecast for so many frames from now."""
        return Descent(model, self.authored, BatchedAim(model, self.forecast.at(frames)))
