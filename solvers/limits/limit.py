"""Interface of a limit, and the bounds of several together. Knows no Blender."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ..kinematics.se3 import Array


class JointState(NamedTuple):
    """Values, speeds and position limits of coordinates before a step."""

    values: Array  # (n,) [rad or m]
    speeds: Array  # (n,) [rad/s or m/s] in the last step
    lower: Array  # (n,) [rad or m] position limits, may be infinite
    upper: Array  # (n,)


class Limit(Protocol):
    """A limit of position or motion."""

    def bounds(self, joints: JointState, dt: float) -> tuple[Array, Array]:
        """Least and largest values (n,) after a step of `dt` [s], the least never above the largest."""


def bounds(limits: Sequence[Limit], joints: JointState, dt: float) -> tuple[Array, Array]:
    """Least and largest values (n,) after a step of `dt` [s] by all limits; where they contradict each other, the first of them holds."""
    first, *others = limits
    least, largest = first.bounds(joints, dt)
    for limit in others:
        low, high = limit.bounds(joints, dt)  # clipped as by np.clip, in a third of the time
        least, largest = np.minimum(np.maximum(low, least), largest), np.minimum(np.maximum(high, least), largest)
    return least, largest
