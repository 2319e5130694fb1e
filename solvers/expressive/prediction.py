"""Forecast of goals: given beforehand, or extrapolated from their velocity."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..gaze import FASTEST_TARGET
from ..goals import Aim, GazeGoal
from ..kinematics.rotations import ORIGIN, Vector, about, add, length, scale
from ..kinematics.skeleton import Angles
from ..tolerances import NO_DIRECTION
from .aims import BatchedAim
from .descent import Descent
from .model import Model
from .shape import Authored

HORIZON = 0.65  # [s] for which transitions are simulated: one of half a revolution takes .45
# [s] the same where goals are known or the aim is lost: a whole revolution takes .81 at the highest speed,
# and starts and brakes
WHOLE_TURN = 1.0
# [s] in which a goal's velocity decreases by a factor of e: most targets stop or change direction within half
# a second
LASTING = 0.55
SMOOTHING = 0.024  # [s] over which velocities are averaged: smooths hand-held targets
SLOWEST = 1e-7  # [rad/s or m/s] a slower target is at rest; without it the average would never reach zero


class Velocity(NamedTuple):
    """Velocity of one end's aim."""

    angular: Vector = ORIGIN  # [rad/s] rotation vector of an orientation or direction
    drift: Vector = ORIGIN  # [m/s] of a position


def farthest(current: Sequence[tuple[float, ...]], before: Sequence[tuple[float, ...]]) -> float:
    """The largest distance between corresponding goals' numbers (position, vector or rotation), each relative
    to the largest of these numbers.
    """
    extrapolated = ((these, those) for these, those in zip(current, before, strict=True) if these != those)
    return max(
        (math.dist(these, those) / max(map(abs, these + those)) for these, those in extrapolated), default=0.0
    )


def velocity(before: Aim, current: Aim, last: Velocity, dt: float) -> Velocity:
    """Averaged velocity of a goal that was `before` `dt` [s] ago and is `current`; `last`: the average up to
    the last frame.
    """
    if type(before) is not type(current):
        return Velocity()
    angular, drift = (
        scale(current.rotation_since(before), 1.0 / dt),
        scale(current.movement_since(before), 1.0 / dt),
    )
    is_jump = length(drift) > FASTEST_TARGET * max(before.distance, current.distance)
    if is_jump or length(angular) > FASTEST_TARGET:
        return Velocity()
    newest = 1.0 - math.exp(-dt / SMOOTHING)
    return Velocity(_blend(last.angular, angular, newest), _blend(last.drift, drift, newest))


def _blend(last: Vector, current: Vector, newest: float) -> Vector:
    mean = add(scale(last, 1.0 - newest), scale(current, newest))
    return mean if length(mean) > SLOWEST else ORIGIN


def extrapolated(aim: Aim, moving: Velocity, time: float) -> Aim:
    """The aim after a time [s] of a constant velocity."""
    angle = length(moving.angular) * time
    rotation = about(scale(moving.angular, time / angle), angle) if angle > NO_DIRECTION else None
    return aim.moved(rotation, scale(moving.drift, time))


class GoalForecast:
    """Forecast of the goals for the next seconds.

    Attributes:
        goal: The goal now.
        moving: Velocity of each of its ends' aims.
        ahead: Goals of the next frames, where they are known.
        horizon: Time [s] from now for which the goals count.
    """

    def __init__(
        self,
        goal: GazeGoal,
        moving: Sequence[Velocity],
        dt: float,
        ahead: Sequence[GazeGoal] = (),
        is_far: bool = False,
    ) -> None:
        """`moving` has one velocity for each of `goal.ends`; `ahead` are the goals of the next frames of `dt`
        [s], where they are known; `is_far`: the horizon is long enough for a whole revolution in any case.
        """
        self.goal, self.moving, self._dt, self.ahead = goal, moving, dt, ahead
        self.horizon = WHOLE_TURN if ahead or is_far else HORIZON

    def time_of(self, time: float) -> float:
        """The time [s] from now, or 0 where that is this frame."""
        return time if time > 0.5 * self._dt else 0.0

    def at(self, time: float) -> GazeGoal:
        """The goal forecast for `time` [s] from now."""
        time = self.time_of(time)
        if time == 0.0:
            return self.goal
        if self.ahead:
            return self.ahead[min(round(time / self._dt), len(self.ahead)) - 1]
        lasting = LASTING * (1.0 - math.exp(-time / LASTING))
        aim = extrapolated(self.goal.aim, self.moving[0], lasting)
        pairs = zip(self.goal.others, self.moving[1:], strict=True)
        return replace(
            self.goal,
            aim=aim,
            others=tuple(
                replace(other, aim=extrapolated(other.aim, motion, lasting)) for other, motion in pairs
            ),
        )


class FrameContext(NamedTuple):
    """Inputs of the planner for one frame of one solver."""

    forecast: GoalForecast
    authored: Authored
    posture: Angles  # (n,)
    angles: Angles  # (n,) of the last frame
    speed: float  # [rad/s] of the transition in progress
    lost: float  # [s] since the aim was last met
    dt: float  # [s] of the frame

    def descent(self, model: Model, time: float) -> Descent:
        """Descent toward the goal forecast for so many seconds from now."""
        return Descent(model, self.authored, BatchedAim(model.skeleton, self.forecast.at(time)))
