"""Transition of bones to another branch of optima: eased, where the branch that a motion was on has ended.

A target that passes behind is met over one shoulder, then over the other: between the two answers no
continuous motion keeps the aim. So the bones go from one to the other by minimum-jerk movements, at the speed
of a quick turn of a head.
"""

import math
from typing import NamedTuple

import numpy as np

from ..crossing import crossing_time, remaining_share
from ..kinematics.se3 import Array, angle_of, exponential, logarithm
from ..kinematics.skeleton import Angles
from ..tolerances import NO_DIRECTION
from .model import BonePose

# [rad] angle of a rotation, at most, by the distance of its matrix from one, 2 sqrt(2) sin(angle / 2)
ANGLE_BY_DISTANCE = math.pi / (2.0 * math.sqrt(2.0))

# why the aim is lost meanwhile, for `shortfall.reason`
UNFINISHED = "its bones are on their way to another pose that meets the goal: wait"


class BranchTransition(NamedTuple):
    """A transition in progress."""

    origin: BonePose  # deviation from the authored pose where it began
    optimum: BonePose  # deviation to which it leads
    vectors: Array  # (b, 3) [rad] rotations of the balls from there to the origin, in their own frames
    left: float  # [s] remaining time
    duration: float  # [s]

    def shown(self) -> BonePose:
        """The deviation on the way."""
        share = remaining_share(self.left / self.duration)
        values = self.optimum.values + share * (self.origin.values - self.optimum.values)
        return BonePose(values, self.optimum.balls @ exponential(share * self.vectors))

    def after(self, dt: float, optimum: BonePose) -> "BranchTransition | None":
        """The transition `dt` [s] later, to the optimum of then; None: it has ended.

        Bones stay on their way round, though the other one may have become the shorter one.
        """
        if self.left <= dt:
            return None
        shortest = _rotations(optimum, self.origin)
        angles = np.maximum(np.linalg.norm(shortest, axis=1, keepdims=True), NO_DIRECTION)
        long_way = shortest * (1.0 - 2.0 * math.pi / angles)
        is_longer = ((long_way - self.vectors) ** 2).sum(1) < ((shortest - self.vectors) ** 2).sum(1)
        vectors = np.where(is_longer[:, None], long_way, shortest)
        return self._replace(optimum=optimum, vectors=vectors, left=self.left - dt)


def begin(shown: BonePose, optimum: BonePose, units: Angles) -> BranchTransition | None:
    """A transition from one deviation to another, in which bones take the shortest rotation; None: they are
    the same. `units` as for `rotation`.
    """
    duration = crossing_time(rotation(shown, optimum, units))
    if duration == 0.0:
        return None
    return BranchTransition(shown, optimum, _rotations(optimum, shown), duration, duration)


def _rotations(before: BonePose, after: BonePose) -> Array:
    """Rotation vectors (b, 3) [rad] of the balls between two deviations."""
    vectors: Array = logarithm(before.balls.swapaxes(1, 2) @ after.balls)
    return vectors


def rotation(before: BonePose, after: BonePose, units: Angles) -> float:
    """Rotation [rad] of any bone against the base between two deviations, at most: the sum of all bones'
    rotations, and of displacements in `units` (n,).
    """
    balls = angle_of(before.balls.swapaxes(1, 2) @ after.balls)
    return float(balls.sum() + np.abs((after.values - before.values) / units).sum())


def most_rotation(before: BonePose, after: BonePose, units: Angles) -> float:
    """A bound [rad] of `rotation` that takes a fraction of its time."""
    turned, moved = (after.balls - before.balls).ravel(), (after.values - before.values) / units
    distances, displacements = len(after.balls) * float(turned @ turned), len(moved) * float(moved @ moved)
    return ANGLE_BY_DISTANCE * math.sqrt(distances) + math.sqrt(displacements)
