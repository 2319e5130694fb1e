"""Transitions from one branch of solutions to another: the movement of one step of each. Knows no Blender."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..skeleton import Angles
from .descent import StepGoal
from .model import Indices, Model
from .motion_limits import ARRIVAL_DISTANCE, DIRECT_ACCELERATION, LARGEST_ACCELERATION, LARGEST_MOVE

STAY, WITH_AIM, DIRECT = range(3)
"""Kinds: no transition; toward the branch while the aim is held; straight to the branch, whatever the aim."""
KINDS = (WITH_AIM, DIRECT)

Floats = tuple[float, ...]
"""Joint angles, or other numbers, as an immutable value."""


@dataclass(frozen=True)
class Transition:
    """A transition in progress."""

    kind: int
    branch: Floats  # (n,) configuration of the target branch


class Transitions(NamedTuple):
    """Transitions of m candidates."""

    kinds: Indices  # (m,)
    goals: Angles  # (m, n) configurations of the target branches
    speeds: Angles  # (m,) [rad a frame]


def step_goals(
    model: Model, angles: Angles, transitions: Transitions, frames: int, lower: Angles, upper: Angles
) -> tuple[StepGoal, Angles]:
    """Objectives of one step of `frames` frames for candidates at `angles` (m, n) within bounds (m, n), and their speeds (m,) after it."""
    is_moving = transitions.kinds != STAY
    away = np.where(is_moving[:, None], transitions.goals - angles, 0.0)
    far = np.abs(away) / model.scale
    left = np.maximum(far.max(1), ARRIVAL_DISTANCE)
    fastest = min(LARGEST_MOVE, model.options.glide_speed)
    acceleration = np.where(transitions.kinds == DIRECT, DIRECT_ACCELERATION, LARGEST_ACCELERATION)
    brake = np.maximum(acceleration, np.sqrt(2.0 * acceleration * left) - 0.5 * acceleration)
    travel = frames * np.minimum(np.minimum(fastest, transitions.speeds + 0.5 * (frames + 1) * acceleration), brake)
    toward = away * np.minimum(1.0, travel / left)[:, None]
    staying = np.where(is_moving, 0.0, 1.0)
    step_goal = StepGoal(toward, staying, np.where(transitions.kinds == DIRECT, 0.0, 1.0), np.ones(len(angles)), lower, upper)
    return step_goal, np.where(is_moving, np.minimum(np.minimum(fastest, brake), transitions.speeds + frames * acceleration), 0.0)


def arrived(model: Model, angles: Angles, goals: Angles) -> NDArray[np.bool_]:
    """Which candidates (m,) are so near their branch that local steps go on alone."""
    there: NDArray[np.bool_] = (np.abs(angles - goals) / model.scale).max(1) < ARRIVAL_DISTANCE
    return there


def as_tuples(angles: Angles) -> tuple[Floats, ...]:
    """The configurations (m, n) as immutable tuples."""
    return tuple(tuple(row) for row in angles.tolist())
