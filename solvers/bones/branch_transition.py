"""Eased transition of bones to another branch of optima, after the branch of a motion has ended.

A character that follows a target behind it looks over one shoulder, then over the other: no continuous motion
between these two optima keeps the aim. So the bones move from one optimum to the other by a minimum-jerk
movement, at the speed of a quick turn of a head.
"""

import math
from typing import NamedTuple

import numpy as np

from ..crossing import crossing_time, minimum_jerk
from ..kinematics.se3 import Array, exponential, logarithm
from ..kinematics.skeleton import Angles
from ..tolerances import NO_DIRECTION
from .model import BonePose

# largest ratio of the angle [rad] between two rotations to the Frobenius distance of their matrices, which is
# 2 sqrt(2) sin(angle / 2)
ANGLE_BY_DISTANCE = math.pi / (2.0 * math.sqrt(2.0))

# why the aim is lost during a transition, for `shortfall.reason`
UNFINISHED = "its bones are on their way to another pose that meets the goal: wait"


class BranchTransition(NamedTuple):
    """Transition of bones from one optimum to another, in progress."""

    origin: BonePose  # deviation from the authored pose when the transition begins
    optimum: BonePose  # deviation from the authored pose when the transition ends
    # (b, 3) [rad] rotation vectors of the balls from the optimum to the origin, in their own frames
    vectors: Array
    units: Angles  # (n,) units of the joints, as for `rotation`
    left: float  # [s] remaining time of the transition
    duration: float  # [s] duration of the whole transition

    def shown(self) -> BonePose:
        """The current deviation."""
        share = minimum_jerk(self.left / self.duration)
        values = self.optimum.values + share * (self.origin.values - self.optimum.values)
        return BonePose(values, self.optimum.balls @ exponential(share * self.vectors))

    def after(self, dt: float, optimum: BonePose) -> "BranchTransition | None":
        """The transition `dt` [s] later, to that frame's optimum; None if the transition has ended.

        Each ball keeps rotating in the same direction, even if the opposite direction has become shorter. If
        the optimum moves away, the transition lasts longer: the same share of a longer movement is left, at
        the same speed.
        """
        if self.left <= dt:
            return None
        shortest = _rotations(optimum, self.origin)
        angles = np.maximum(np.linalg.norm(shortest, axis=1, keepdims=True), NO_DIRECTION)
        long_way = shortest * (1.0 - 2.0 * math.pi / angles)
        is_longer = ((long_way - self.vectors) ** 2).sum(1) < ((shortest - self.vectors) ** 2).sum(1)
        vectors = np.where(is_longer[:, None], long_way, shortest)
        angle = _angle(vectors, self.origin.values - optimum.values, self.units)
        duration = max(self.duration, crossing_time(angle))
        left = (self.left - dt) * duration / self.duration
        return self._replace(optimum=optimum, vectors=vectors, left=left, duration=duration)


def begin(shown: BonePose, optimum: BonePose, units: Angles) -> BranchTransition | None:
    """A transition from one deviation to another, in which bones take the shortest rotation; None if the two
    deviations are the same. `units` as for `rotation`.
    """
    duration = crossing_time(rotation(shown, optimum, units))
    if duration == 0.0:
        return None
    return BranchTransition(shown, optimum, _rotations(optimum, shown), units, duration, duration)


def _rotations(before: BonePose, after: BonePose) -> Array:
    """Rotation vectors (b, 3) [rad] of the balls between two deviations."""
    vectors: Array = logarithm(before.balls.swapaxes(1, 2) @ after.balls)
    return vectors


def rotation(before: BonePose, after: BonePose, units: Angles) -> float:
    """Upper bound [rad] of any bone's rotation in the base frame between two deviations: the sum of the
    angles of all balls and of the changes of the other coordinates, each divided by its unit in `units`
    (n,) to count as an angle.
    """
    return _angle(_rotations(before, after), after.values - before.values, units)


def _angle(vectors: Array, changes: Angles, units: Angles) -> float:
    """Sum [rad] of the angles of rotation vectors (b, 3) [rad] and of the changes (n,) of the other
    coordinates, each divided by its unit in `units` (n,) to count as an angle.
    """
    return float(np.linalg.norm(vectors, axis=1).sum() + np.abs(changes / units).sum())


def most_rotation(before: BonePose, after: BonePose, units: Angles) -> float:
    """Upper bound [rad] of `rotation` for the same arguments, computed in a fraction of its time."""
    turned, moved = (after.balls - before.balls).ravel(), (after.values - before.values) / units
    distances, displacements = len(after.balls) * float(turned @ turned), len(moved) * float(moved @ moved)
    return ANGLE_BY_DISTANCE * math.sqrt(distances) + math.sqrt(displacements)
