"""Limits of joints, with speeds and accelerations per second; each limit is an object that bounds the end of
a step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from .kinematics.se3 import Array


class LimitError(ValueError):
    """A limit of motion that no joint can keep; the message names the limit and the remedy."""


class JointState(NamedTuple):
    """Values, speeds and position limits of the coordinates at the start of a step."""

    values: Array  # (n,) [rad or m]
    speeds: Array  # (n,) [rad/s or m/s] speeds in the last step
    lower: Array  # (n,) [rad or m] lower position limits, infinite for none
    upper: Array  # (n,) [rad or m] upper position limits, infinite for none


class Limit(Protocol):
    """Interface of a limit of position or motion."""

    def bounds(self, joints: JointState, dt: float) -> tuple[Array, Array]:
        """Least and largest values (n,) [rad or m] after a step of `dt` [s]; the least is never above the
        largest.
        """


def bounds(limits: Sequence[Limit], joints: JointState, dt: float) -> tuple[Array, Array]:
    """Least and largest values (n,) [rad or m] after a step of `dt` [s] that all limits allow; if limits
    contradict each other, the earlier one takes precedence.
    """
    first, *others = limits
    least, largest = first.bounds(joints, dt)
    for limit in others:
        low, high = limit.bounds(joints, dt)  # limited as by np.clip, but in a third of the time
        least, largest = (
            np.minimum(np.maximum(low, least), largest),
            np.minimum(np.maximum(high, least), largest),
        )
    return least, largest


@dataclass(frozen=True)
class VelocityLimit:
    """Limit of the coordinates' speeds."""

    most: Array | float  # (n,), or one for all [rad/s or m/s]; infinite: no limit

    def bounds(self, joints: JointState, dt: float) -> tuple[Array, Array]:
        """Least and largest values (n,) [rad or m] after a step of `dt` [s] at the largest speeds."""
        reach = self.most * dt
        return joints.values - reach, joints.values + reach


class PositionLimit:
    """Position limits of the coordinates. A coordinate outside its limits returns as fast as the limits
    before this one allow.
    """

    def bounds(self, joints: JointState, dt: float) -> tuple[Array, Array]:
        """Least and largest values (n,) [rad or m] after a step of `dt` [s] within the position limits."""
        return joints.lower, joints.upper


@dataclass(frozen=True)
class AccelerationLimit:
    """Limit of the coordinates' accelerations, also while braking."""

    most: Array | float  # (n,), or one for all [rad/s^2 or m/s^2]

    def bounds(self, joints: JointState, dt: float) -> tuple[Array, Array]:
        """Least and largest values (n,) [rad or m] after a step of `dt` [s] within the acceleration limits,
        from which the joints can still stop within their position limits.
        """
        values, speeds, lower, upper = joints
        change = self.most * dt * dt
        back, ahead = (
            -self._longest_stoppable_move(values - lower, dt),
            self._longest_stoppable_move(upper - values, dt),
        )
        down = np.minimum(np.maximum(speeds * dt - change, back), ahead)
        up = np.minimum(np.maximum(speeds * dt + change, back), ahead)
        return values + down, values + up

    def _longest_stoppable_move(self, distance: Array, dt: float) -> Array:
        """Largest move (n,) in a step from which a joint can still stop within the distance d of `distance`
        (n,) [rad or m]: (v + a dt / 2)^2 <= 2 a d.

        If it holds for one step, it holds for the next with the speed reduced by a dt.
        """
        distance = np.maximum(distance, 0.0)
        speed = np.maximum(0.0, np.sqrt(2.0 * self.most * distance) - 0.5 * self.most * dt)
        return np.minimum(distance, speed * dt)


def usual_limits(
    velocity: Array | float | None = None, acceleration: Array | float | None = None
) -> tuple[Limit, ...]:
    """Limits of velocity [rad/s or m/s], of position and of acceleration [rad/s^2 or m/s^2]; None: no limit.

    If they contradict each other, position limits take precedence over those of acceleration; a joint outside
    its position limits comes back as fast as its velocity limit allows.

    Raises:
        LimitError: a limit is not above zero.
    """
    for name, value in (("velocity", velocity), ("acceleration", acceleration)):
        if value is not None and not np.all(np.asarray(value) > 0.0):
            raise LimitError(f"the {name} limits must be above zero, got {value}: None means no limit")
    first = () if velocity is None else (VelocityLimit(velocity),)
    return (*first, PositionLimit(), *(() if acceleration is None else (AccelerationLimit(acceleration),)))
