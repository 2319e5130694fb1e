"""Motion of solutions from frame to frame: its limits, and the steps of transitions between branches. Knows no Blender.

A branch is a continuous family of solutions, given by one configuration that follows the goal. A path stays on its branch or is a
transition to another one, which either holds the aim on the way or moves all joints straight.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..gaze import SPEED
from ..kinematics.skeleton import Angles
from .descent import Candidates, Descent, StepGoal
from .model import Indices, Model

ACCELERATION = math.radians(7560)  # [rad/s^2] limit of a joint: full speed within 64 ms
# [rad/s^2] the same where the aim would be lost otherwise, and in straight transitions, which lose it: full speed within 17 ms
HURRIED = math.radians(28800)
BRANCH_INERTIA = 0.1  # weight of the squared movement of branches, which converge freely; paths have 1
ARRIVAL_DISTANCE = math.radians(5)  # [rad] distance of the farthest joint at which a transition ends and local steps go on

FOLLOW, STAY, WITH_AIM, DIRECT = range(4)
"""Kinds: the branch itself, which follows the goal freely; no transition; toward the branch while the aim is held; straight to it."""
KINDS = (WITH_AIM, DIRECT)


def braking_speed(distance: Angles, acceleration: Angles | float, dt: float) -> Angles:
    """Largest speed [rad/s] from which a joint comes to rest within a distance [rad], in steps of `dt` [s].

    The root of v^2 / (2 a) + v dt / 2 = distance; not less than what one step gains.
    """
    gain = acceleration * dt
    return np.maximum(gain, np.sqrt(2.0 * acceleration * distance) - 0.5 * gain)


def within_speed(model: Model, angles: Angles, time: float, share: float = 1.0) -> tuple[Angles, Angles]:
    """Lower and upper bounds on the angles (..., n) after a time [s], within the joint limits and a share of the speed limit."""
    room = share * SPEED * time * model.scale
    return np.maximum(model.lower, angles - room), np.minimum(model.upper, angles + room)


class StepBounds:
    """Bounds on the angles [rad] that a chain can have after `dt` [s], from its angles (n,) and velocity (n,) [rad/s] at the start."""

    def __init__(self, model: Model, start: Angles, velocity: Angles, dt: float) -> None:
        self.model, self.start, self.velocity, self.dt = model, start, velocity, dt

    def by_speed(self, share: float = 1.0) -> tuple[Angles, Angles]:
        """Lower and upper bounds (n,) within the joint limits and a share of the speed limit."""
        return within_speed(self.model, self.start, self.dt, share)

    def by_acceleration(self, acceleration: float, share: float = 1.0) -> tuple[Angles, Angles]:
        """Lower and upper bounds (n,) within the joint limits, the acceleration limit and a share of the speed limit."""
        lower, upper = self.by_speed()
        middle, gain = self.start + self.velocity * self.dt, acceleration * self.dt**2 * self.model.scale
        slowest, fastest = middle - gain, middle + gain
        if share < 1.0:
            short, long = self.by_speed(share)
            lower, upper = np.maximum(lower, np.minimum(short, fastest)), np.minimum(upper, np.maximum(long, slowest))
        return np.minimum(np.maximum(lower, slowest), upper), np.maximum(np.minimum(upper, fastest), lower)

    def braked(self, desired: Angles, bounds: tuple[Angles, Angles]) -> Angles:
        """`desired` (n,), or a point on the way to it from which each joint can still come to rest at `desired` under the acceleration
        limit.
        """
        acceleration = ACCELERATION * self.model.scale
        away = desired - self.start
        slowed = np.sign(away) * np.minimum(np.abs(away), self.dt * braking_speed(np.abs(away), acceleration, self.dt))
        goes_on = np.abs(away - self.velocity * self.dt) <= acceleration * self.dt**2
        braked: Angles = np.clip(self.start + np.where(goes_on, away, slowed), *bounds)
        return braked


@dataclass(frozen=True)
class Transition:
    """A transition in progress from one branch of solutions to another."""

    kind: int
    branch: tuple[float, ...]  # (n,) configuration of the target branch


class Transitions(NamedTuple):
    """Transitions of m candidate configurations between branches."""

    kinds: Indices  # (m,)
    goals: Angles  # (m, n) configurations of the target branches
    speeds: Angles  # (m,) [rad/s] of the farthest joint


def duration(model: Model, distance: Angles) -> Angles:
    """Time [s] of straight transitions over distances [rad] of the farthest joint."""
    fastest = model.options.transition_speed
    time: Angles = np.where(distance < fastest**2 / HURRIED, 2.0 * np.sqrt(distance / HURRIED), distance / fastest + fastest / HURRIED)
    return time


def moved(
    descent: Descent, candidates: Candidates, transitions: Transitions, time: float, dt: float, bounds: tuple[Angles, Angles]
) -> tuple[Angles, Angles]:
    """Angles (m, n) of candidates after one step of their transitions, and their new speeds (m,) [rad/s].

    Args:
        descent: Toward the goal at that time.
        candidates: The candidates before the step.
        transitions: Their transitions.
        time: Duration of the step [s].
        dt: Duration of a frame [s]: speeds change from frame to frame.
        bounds: Lower and upper bounds on the angles (m, n) of candidates that are not branches.
    """
    model, angles, kinds = descent.model, candidates.angles, transitions.kinds
    is_free, is_moving, is_direct = kinds == FOLLOW, kinds > STAY, kinds == DIRECT
    away = np.where(is_moving[:, None], transitions.goals - angles, 0.0)
    left = np.maximum((np.abs(away) / model.scale).max(1), ARRIVAL_DISTANCE)
    acceleration = np.where(is_direct, HURRIED, ACCELERATION)
    fastest = np.minimum(model.options.transition_speed, braking_speed(left, acceleration, dt))
    travel = time * np.minimum(fastest, transitions.speeds + 0.5 * (time + dt) * acceleration)
    toward = away * np.minimum(1.0, travel / left)[:, None]
    shape, aim = np.where(is_moving, 0.0, 1.0), np.where(is_direct, 0.0, 1.0)
    speeds = np.where(is_moving, np.minimum(fastest, transitions.speeds + time * acceleration), 0.0)
    lower, upper = (np.where(is_free[:, None], *pair) for pair in zip((model.lower, model.upper), bounds, strict=True))
    return descent.guided(candidates, StepGoal(toward, shape, aim, np.where(is_free, BRANCH_INERTIA, 1.0), lower, upper)), speeds


def arrived(model: Model, angles: Angles, goals: Angles) -> NDArray[np.bool_]:
    """Which candidates (m,) are so near their branch that the transition ends and ordinary local steps take over."""
    there: NDArray[np.bool_] = (np.abs(angles - goals) / model.scale).max(1) < ARRIVAL_DISTANCE
    return there
