"""Motion of solutions from frame to frame: its limits, and the steps of transitions between branches.

A branch is a continuous family of solutions, represented by one configuration that follows the goal. A path
stays on its branch or is a transition to another one, which either holds the aim on the way or moves all
joints straight. While a goal stands still, steps converge to a solution (`Settling`).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..gaze import SPEED
from ..kinematics.skeleton import Angles
from ..tolerances import LEAST_GAIN
from .descent import Candidates, ShapeDescent, StepGoal
from .model import Indices, Model

# [s] time constant of the damping's decrease, and of the trust region's if the solution does not improve
SETTLING = 0.16
LEAST_DAMPING = 0.01  # fraction of the damping that remains at last
# [s] time after which no transition begins, and the trust region decreases even if the solution improves
PLANNING_TIME = 5.0
GIVING_UP = 10.0 * PLANNING_TIME  # [s] time after which a transition in progress is abandoned
# lower limit of the movement allowed to joints, as a multiple of the goal's: near singular poses they
# need that much more
FOLLOWING_RATIO = 20.0
# [rad/s^2] acceleration limit of a joint: it reaches full speed within 64 ms
ACCELERATION = math.radians(7560)
# [rad/s^2] acceleration limit in straight transitions, which lose the aim, and where the aim would be lost
# otherwise: full speed within 17 ms
HURRIED = math.radians(28800)
# weight of the squared movement of branches, which converge freely; for paths the weight is 1
BRANCH_INERTIA = 0.1
# [rad] distance of the farthest joint below which a transition ends and local steps continue
ARRIVAL_DISTANCE = math.radians(5)

FOLLOW, STAY, WITH_AIM, DIRECT = range(4)
"""Kinds of path: the branch itself, which follows the goal freely; no transition; toward the branch while the
aim is held; straight to it.
"""
KINDS = (WITH_AIM, DIRECT)  # the kinds that are transitions
# For each kind of path: whether it moves toward a branch, the weights of the shape, the aim and the squared
# movement, and the acceleration.
MOVING, SHAPE, AIM = (
    np.array((0.0, 0.0, 1.0, 1.0)),
    np.array((1.0, 1.0, 0.0, 0.0)),
    np.array((1.0, 1.0, 1.0, 0.0)),
)
INERTIA, ACCELERATIONS = (
    np.array((BRANCH_INERTIA, 1.0, 1.0, 1.0)),
    np.array((ACCELERATION, ACCELERATION, ACCELERATION, HURRIED)),
)
# for each kind of path, its share of the speed limit; branches have no limit
SPEED_SHARES = np.array((math.inf, 1.0, 1.0, 1.0))

Bounds = tuple[Angles, Angles]  # lower and upper bounds on angles (n,) or (m, n)


def braking_speed(distance: Angles, acceleration: Angles | float, dt: float) -> Angles:
    """Largest speed [rad/s] from which a joint comes to rest within a distance [rad], in steps of `dt` [s].
    It is the root v of v^2 / (2 a) + v dt / 2 = distance, but at least the speed gained in one step.
    """
    gain = acceleration * dt
    return np.maximum(gain, np.sqrt(2.0 * acceleration * distance) - 0.5 * gain)


def within_speed(model: Model, angles: Angles, time: float, share: Angles | float = 1.0) -> Bounds:
    """Lower and upper bounds on the angles (..., n) after a time [s], within the joint limits and a fraction
    of the speed limit.
    """
    room = share * SPEED * time * model.scale
    return np.maximum(model.lower, angles - room), np.minimum(model.upper, angles + room)


class StepBounds:
    """Bounds on the angles that a chain can have after `dt` [s], from its angles (n,) [rad; prismatic joints
    m] and velocities (n,) [rad/s; prismatic joints m/s] at the start, in `before`.
    """

    def __init__(
        self, model: Model, start: tuple[float, ...], velocity: tuple[float, ...], dt: float
    ) -> None:
        self.model, self.before, self.dt = model, (start, velocity), dt

    @cached_property
    def start(self) -> Angles:
        """Angles (n,) [rad] at the start."""
        return np.array(self.before[0])

    @cached_property
    def velocity(self) -> Angles:
        """Velocity (n,) [rad/s] at the start."""
        return np.array(self.before[1])

    def by_speed(self, share: float = 1.0) -> Bounds:
        """Lower and upper bounds (n,) within the joint limits and a fraction of the speed limit."""
        return within_speed(self.model, self.start, self.dt, share)

    def by_acceleration(self, acceleration: float, share: float = 1.0) -> Bounds:
        """Lower and upper bounds (n,) [rad; prismatic joints m] within the joint limits, an acceleration
        [rad/s2; prismatic joints reaches/s2] and the fraction `share` of the speed limit.
        """
        lower, upper = self.by_speed()
        middle, gain = self.start + self.velocity * self.dt, acceleration * self.dt**2 * self.model.scale
        slowest, fastest = middle - gain, middle + gain
        if share < 1.0:
            short, long = self.by_speed(share)
            lower, upper = (
                np.maximum(lower, np.minimum(short, fastest)),
                np.minimum(upper, np.maximum(long, slowest)),
            )
        return np.minimum(np.maximum(lower, slowest), upper), np.maximum(np.minimum(upper, fastest), lower)

    def braked(self, desired: Angles, bounds: Bounds) -> Angles:
        """`desired` (n,) [rad], or a point on the way to it from which each joint can still come to rest at
        `desired` under the acceleration limit.
        """
        acceleration = ACCELERATION * self.model.scale
        away = desired - self.start
        slowed = np.sign(away) * np.minimum(
            np.abs(away), self.dt * braking_speed(np.abs(away), acceleration, self.dt)
        )
        goes_on = np.abs(away - self.velocity * self.dt) <= acceleration * self.dt**2
        lower, upper = bounds
        braked: Angles = np.minimum(np.maximum(self.start + np.where(goes_on, away, slowed), lower), upper)
        return braked


@dataclass(frozen=True)
class ActiveTransition:
    """A transition in progress from one branch of solutions to another."""

    kind: int  # WITH_AIM or DIRECT
    branch: tuple[float, ...]  # (n,) configuration of the target branch [rad; prismatic joints m]


class Transitions(NamedTuple):
    """Transitions of m candidate configurations between branches."""

    kinds: Indices  # (m,) kind of each transition
    goals: Angles  # (m, n) configurations of the target branches [rad; prismatic joints m]
    speeds: Angles  # (m,) [rad/s] speed of the farthest joint


def duration(model: Model, distance: Angles) -> Angles:
    """Duration [s] of straight transitions over distances [rad] of the farthest joint."""
    fastest = model.options.transition_speed
    time: Angles = np.where(
        distance < fastest**2 / HURRIED,
        2.0 * np.sqrt(distance / HURRIED),
        distance / fastest + fastest / HURRIED,
    )
    return time


def moved(
    descent: ShapeDescent,
    candidates: Candidates,
    transitions: Transitions,
    time: float,
    dt: float,
    bounds: Bounds,
) -> tuple[Angles, Angles]:
    """Angles (m, n) of candidates after one step of their transitions, and their new speeds (m,) [rad/s].

    Args:
        descent: Descent toward the goal at the time of the step.
        candidates: The candidates before the step.
        transitions: Their transitions.
        time: Duration of the step [s].
        dt: Duration of a frame [s]: speeds change from frame to frame.
        bounds: Lower and upper bounds on the angles (m, n).
    """
    model, angles, kinds = descent.model, candidates.angles, transitions.kinds
    is_moving, acceleration = MOVING.take(kinds), ACCELERATIONS.take(kinds)
    away = (transitions.goals - angles) * is_moving[:, None]
    left = np.maximum((np.abs(away) / model.scale).max(1), ARRIVAL_DISTANCE)
    fastest = np.minimum(model.options.transition_speed, braking_speed(left, acceleration, dt))
    travel = time * np.minimum(fastest, transitions.speeds + 0.5 * (time + dt) * acceleration)
    toward = away * np.minimum(1.0, travel / left)[:, None]
    speeds = is_moving * np.minimum(fastest, transitions.speeds + time * acceleration)
    return (
        descent.guided(
            candidates, StepGoal(toward, SHAPE.take(kinds), AIM.take(kinds), INERTIA.take(kinds), *bounds)
        ),
        speeds,
    )


def arrived(model: Model, angles: Angles, goals: Angles) -> NDArray[np.bool_]:
    """Which candidates (m,) are so near to their branch that the transition ends and ordinary local steps
    take over.
    """
    has_arrived: NDArray[np.bool_] = (np.abs(angles - goals) / model.scale).max(1) < ARRIVAL_DISTANCE
    return has_arrived


class Settling(NamedTuple):
    """State of convergence to a goal that stands still.

    Along a shallow valley damped steps take minutes to converge, so damping decreases with time. If the aim
    cannot be met, or a joint is at a limit, steps can overshoot for ever, so each frame without improvement
    shrinks the trust region; after some time every frame does.
    """

    time: float = 0.0  # [s] time since the goal stopped moving
    best: float = math.inf  # cost of the best solution since the last transition
    last: float = math.inf  # cost of the last solution
    trust: float = 1.0  # trust region, as a fraction of the largest speed of the joints

    @property
    def damping_share(self) -> float:
        """Factor of the damping of steps, which decreases from 1 while the goal stands still."""
        return max(math.exp(-self.time / SETTLING), LEAST_DAMPING)

    @property
    def may_plan(self) -> bool:
        """Whether new transitions can begin: not after the goal has stood still for `PLANNING_TIME`."""
        return self.time < PLANNING_TIME

    @property
    def may_continue_transition(self) -> bool:
        """Whether a transition in progress can continue: not after the goal has stood still for
        `GIVING_UP`.
        """
        return self.time < GIVING_UP

    def at(self, merit: float, dt: float) -> "Settling":
        """The settling state after a frame of `dt` [s] whose solution has the cost `merit`."""
        better = merit < (1.0 - LEAST_GAIN) * self.best
        factor = math.exp(min(dt, PLANNING_TIME) / SETTLING)  # bounded, since one frame can last for minutes
        trust = min(1.0, factor * self.trust) if better and self.may_plan else self.trust / factor
        return Settling(self.time, merit if better else self.best, merit, trust)

    def after_change(self, by: float, dt: float) -> "Settling":
        """The settling state after the goal or posture has changed by `by` [rad, or relative to its size] in
        a frame of `dt` [s].
        """
        restored = min(1.0, FOLLOWING_RATIO * by / (SPEED * dt))
        # After a large change the last cost means nothing: every solution on the way would count as worse.
        return Settling() if restored == 1.0 else Settling(best=self.last, trust=max(self.trust, restored))

    def in_transition(self) -> "Settling":
        """The settling state during a transition: the time is kept, the trust region and the lowest cost so
        far are reset.

        Frames of a transition cost more and move farther by design; without the reset they would count as
        frames without improvement.
        """
        return Settling(self.time)

    def later(self, dt: float) -> "Settling":
        """The settling state with `dt` [s] added to its time."""
        return Settling(self.time + dt, self.best, self.last, self.trust)
