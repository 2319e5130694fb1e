"""Limits of acceleration, with which joints brake in time for their position limits. Knows no Blender."""

from dataclasses import dataclass

import numpy as np

from ..kinematics.se3 import Array
from .limit import JointState


@dataclass(frozen=True)
class AccelerationLimit:
    """Largest accelerations, also of braking."""

    most: Array | float  # (n,) or for all [rad/s^2 or m/s^2]

    def bounds(self, joints: JointState, dt: float) -> tuple[Array, Array]:
        """As `Limit.bounds`."""
        values, speeds, lower, upper = joints
        change = self.most * dt * dt
        back, ahead = -self._stoppable(values - lower, dt), self._stoppable(upper - values, dt)
        down = np.minimum(np.maximum(speeds * dt - change, back), ahead)
        up = np.minimum(np.maximum(speeds * dt + change, back), ahead)
        return values + down, values + up

    def _stoppable(self, room: Array, dt: float) -> Array:
        """Largest move in a step from which a joint can still stop within `room`: (v + a dt / 2)^2 <= 2 a room.

        Where it holds for one step, it holds for the next with the speed lowered by a dt.
        """
        room = np.maximum(room, 0.0)
        speed = np.maximum(0.0, np.sqrt(2.0 * self.most * room) - 0.5 * self.most * dt)
        return np.minimum(room, speed * dt)
