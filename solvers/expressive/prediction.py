"""Motion of goals: their change since the last frame, and their forecast, from known frames ahead or
extrapolated from their velocity.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..gaze import FASTEST_TARGET
from ..goals import Aim, GazeGoal
from ..kinematics.rotations import ORIGIN, Vector, about, length, scale
from ..tolerances import NO_DIRECTION
from .aims import BatchedAim
from .descent import ShapeDescent
from .model import Model
from .shape import Authored

HORIZON = 0.65  # [s] simulated duration of transitions: half a revolution takes .45
# [s] simulated duration if goals are known or the aim is lost: a full revolution takes .81 at the highest
# speed, plus starting and braking
WHOLE_TURN = 1.0
# [s] duration of a lost aim after which all branches are searched, repeatedly, and plans look ahead far
# enough for a full revolution
LASTING_LOSS = 0.5
# [s] time constant with which a goal's velocity is expected to decay: most targets stop or change direction
# within half a second
LASTING = 0.55
SMOOTHING = 0.024  # [s] duration over which a target's velocity is averaged, to smooth hand-held targets
# [rad/s or m/s] velocity below which a target counts as at rest: the average would never reach zero
SLOWEST = 1e-7


class Velocity(NamedTuple):
    """Velocity of one end's aim."""

    angular: Vector = ORIGIN  # [rad/s] angular velocity of an orientation or direction, as a rotation vector
    drift: Vector = ORIGIN  # [m/s] velocity of a position


def farthest(current: Sequence[tuple[float, ...]], before: Sequence[tuple[float, ...]]) -> float:
    """The largest distance between the numbers of one aim in two frames (`Aim.numbers`), relative to the
    largest of these numbers in magnitude.
    """
    largest = 0.0
    for these, those in zip(current, before, strict=True):
        if these != those:
            largest = max(largest, math.dist(these, those) / max(map(abs, these + those)))
    return largest


def velocity(before: Aim, current: Aim, last: Velocity, dt: float) -> Velocity:
    """Averaged velocity of a goal that was at `before` `dt` [s] ago and is now at `current`; `last` is the
    average up to the last frame.
    """
    if current.change_since(before) > FASTEST_TARGET * dt:  # a target that has jumped counts as at rest
        return Velocity()
    rate, newest = 1.0 / dt, 1.0 - math.exp(-dt / SMOOTHING)
    return Velocity(
        _blend(last.angular, current.rotation_since(before), rate, newest),
        _blend(last.drift, current.movement_since(before), rate, newest),
    )


class TrackedGoal(NamedTuple):
    """A frame's goal, in the form in which frames are compared."""

    problem: tuple[object, ...] = ()  # skeleton, options and kinds of goal
    values: tuple[tuple[float, ...], ...] = ()  # numbers of the posture and of each aim
    aims: tuple[Aim, ...] = ()

    @staticmethod
    def of(model: Model, goal: GazeGoal, posture: tuple[float, ...]) -> "TrackedGoal":
        """A goal for a model, with the posture (n,) [rad or m] to keep."""
        ends = goal.ends
        aims = tuple([end.aim for end in ends])
        values = (posture, *[aim.numbers for aim in aims])
        kinds = [
            (type(end.aim), end.aim.up is None, end.aim.level is None, end.end, end.symmetric) for end in ends
        ]
        problem = (model.skeleton, model.options, goal.keep, *kinds, *goal.weights, *map(len, values))
        return TrackedGoal(problem, values, aims)

    def equals(self, last: "TrackedGoal") -> bool:
        """Whether this goal and its posture are the same as the last frame's."""
        return self.problem == last.problem and self.values == last.values

    def velocities(self, last: "TrackedGoal", moving: Sequence[Velocity], dt: float) -> tuple[Velocity, ...]:
        """Velocity of each aim, from the last frame's goal, `dt` [s] ago, and the velocities `moving` up to
        then.
        """
        if len(last.aims) != len(self.aims):
            return tuple(Velocity() for _ in self.aims)
        return tuple([velocity(*pair, dt) for pair in zip(last.aims, self.aims, moving, strict=True)])

    def distance(self, last: "TrackedGoal") -> float:
        """Change of aims or posture [rad, or relative to their size] since the last frame's goal, which has
        the same `problem`.
        """
        posture, last_posture = self.values[0], last.values[0]
        return max(farthest(self.values[1:], last.values[1:]), math.dist(posture, last_posture))


def _blend(last: Vector, change: Vector, rate: float, newest: float) -> Vector:
    """Average of a velocity: `last`, with the share `newest` of `change` times `rate` [1/s]."""
    (a, b, c), (x, y, z), older = last, change, 1.0 - newest
    mean = older * a + newest * (x * rate), older * b + newest * (y * rate), older * c + newest * (z * rate)
    return mean if length(mean) > SLOWEST else ORIGIN


def extrapolated(aim: Aim, moving: Velocity, time: float) -> Aim:
    """The aim after a time [s] at constant velocity."""
    angle = length(moving.angular) * time
    rotation = about(scale(moving.angular, time / angle), angle) if angle > NO_DIRECTION else None
    return aim.moved(rotation, scale(moving.drift, time))


class GoalForecast:
    """Forecast of the goals for the next seconds.

    Attributes:
        goal: The current goal.
        moving: Velocity of each of its ends' aims.
        ahead: Goals of the next frames, as far as they are known.
        horizon: Time [s] from now for which goals are considered.
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
        [s], as far as they are known; `is_far` makes the horizon long enough for a whole revolution in any
        case.
        """
        self.goal, self.moving, self._dt, self.ahead = goal, moving, dt, ahead
        self.horizon = WHOLE_TURN if ahead or is_far else HORIZON

    def time_of(self, time: float) -> float:
        """`time` [s] from now, or 0 if no later frame is nearer to that time than the current one."""
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
    """Inputs of a frame's step and plan."""

    goal: GazeGoal
    moving: Sequence[Velocity]  # velocity of each of its ends' aims
    ahead: Sequence[GazeGoal]  # goals of the next frames, as far as they are known
    authored: Authored
    angles: tuple[float, ...]  # (n,) [rad; prismatic joints m] angles in the last frame
    velocity: tuple[float, ...]  # (n,) [rad/s; prismatic joints m/s] velocities in the last frame
    speed: float  # [rad/s] speed of the transition in progress
    lost: float  # [s] time since the aim was last met
    dt: float  # [s] duration of the frame

    @property
    def forecast(self) -> GoalForecast:
        """Forecast of the goal; while the aim is lost, its horizon allows a whole revolution."""
        return GoalForecast(self.goal, self.moving, self.dt, self.ahead, self.lost >= LASTING_LOSS)

    def descent(self, model: Model, time: float) -> ShapeDescent:
        """Descent toward the goal forecast for `time` [s] from now."""
        return ShapeDescent(model, self.authored, BatchedAim(model.skeleton, self.forecast.at(time)))
