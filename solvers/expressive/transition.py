"""Transitions between branches of solutions: how they move, and what they cost. Knows no Blender.

A branch is a continuous family of solutions, given by one configuration that follows the goal. A path is to stay, or a transition to
another branch: with the aim held on the way, or straight. Its cost is the mean over the time T that counts, in degrees of shape deviation:

    C = 1/T  integral over T of  [ keep s(t) + 30 e(t) + 90 min(1, e(t) / 1 degree) ] dt

with s the shape deviation and e the aim error in degrees. How long the aim is lost follows from the distance and the limits of motion: a
straight transition over a distance d lasts d / v + v / a with the largest speed v and acceleration a.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kinematics.skeleton import Angles
from .descent import AIM_COST, Candidates, Descent, StepGoal
from .limits import ACCELERATION, HURRIED, braking_speed
from .model import Indices, Model

FOLLOW, STAY, WITH_AIM, DIRECT = range(4)
"""Kinds: the branch itself, which follows the goal freely; no transition; toward the branch while the aim is held; straight to it."""
KINDS = (WITH_AIM, DIRECT)

LOST_COST = 90.0  # [deg of shape deviation] that a lost aim costs on top
AIM_LOST = math.radians(1)  # [rad] aim error from which the aim counts as lost
BRANCH_INERTIA = 0.1  # weight of the squared movement of branches, against 1 of paths: they converge freely
ARRIVAL_DISTANCE = math.radians(5)  # [rad] distance of the farthest joint at which a transition ends and local steps go on


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


def cost_rate(shape: Angles, aim_error: Angles, keep: float) -> Angles:
    """Cost per second [deg] for shape deviations and aim errors [rad]: the integrand of C."""
    rate: Angles = np.degrees(keep * shape + AIM_COST * aim_error) + LOST_COST * np.minimum(1.0, aim_error / AIM_LOST)
    return rate


def shape_of(cosine: Angles) -> Angles:
    """Shape deviation [rad] from mean cosines. Losses of preferred rolls can lower a mean cosine below -1, which is clamped."""
    shape: Angles = np.arccos(np.clip(cosine, -1.0, 1.0)) + np.maximum(0.0, -1.0 - cosine)
    return shape


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
