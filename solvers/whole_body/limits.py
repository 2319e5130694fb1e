"""Limits of joint position, velocity and acceleration as bounds on a step. Knows no Blender."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..kinematics.se3 import Array


@dataclass(frozen=True)
class Limits:
    """Limits of a joint's motion. Position limits are the body's own and always hold."""

    velocity: Array | float | None = None  # (n,) or for all [rad/s or m/s]; None: no limit
    acceleration: Array | float | None = None  # [rad/s^2 or m/s^2]
    linear: ClassVar[bool] = False  # as `Law.linear`

    def __post_init__(self) -> None:
        for name in ("velocity", "acceleration"):
            value = getattr(self, name)
            if value is not None and not np.all(np.asarray(value) > 0.0):
                raise ValueError(f"the {name} limits must be above zero, got {value}: None means no limit")

    def box(self, joints: Array, speed: Array, lower: Array, upper: Array, dt: float) -> tuple[Array, Array]:
        """Least and largest moves (n,) of joints in a step, the least never above the largest.

        Where they contradict each other position limits win, then velocity limits, then those of acceleration; a joint outside its
        position limits comes back as fast as its velocity limit allows.

        Args:
            joints: (n,) [rad or m]
            speed: (n,) [rad/s or m/s] of the last step.
            lower: Limits (n,), may be infinite.
            upper: The same.
            dt: [s]
        """
        down, up = lower - joints, upper - joints
        if self.velocity is not None:
            most = dt * np.asarray(self.velocity, float)
            down, up = self._within(down, most), self._within(up, most)
        if self.acceleration is not None:
            rate = np.asarray(self.acceleration, float)
            most_up = np.minimum(up, self._braking(upper - joints, rate, dt))
            most_down = np.maximum(down, -self._braking(joints - lower, rate, dt))
            change = rate * dt * dt
            down = np.clip(speed * dt - change, most_down, most_up)
            up = np.clip(speed * dt + change, most_down, most_up)
        return down, up

    def row_box(self, rooms_below: Array, rooms_above: Array, sizes: Array, dt: float) -> tuple[Array, Array]:
        """Bounds (m,) of couplings with distances (m,) to their bounds below (<= 0) and above; sizes (m, n) of their factors."""
        return rooms_below, rooms_above

    def _within(self, room: Array, most: Array) -> Array:
        """The part of a distance to a limit that a step of at most `most` may use."""
        part: Array = np.minimum(np.maximum(room, -most), most)  # as np.clip, in a third of the time
        return part

    @staticmethod
    def _braking(room: Array, rate: Array, dt: float) -> Array:
        """Largest move in a step from which `rate` can still stop a joint within `room`: (v + a dt / 2)^2 <= 2 a room.

        Where it holds for one step, it holds for the next with the speed lowered by a dt.
        """
        room = np.maximum(room, 0.0)
        speed = np.maximum(0.0, np.sqrt(2.0 * rate * room) - 0.5 * rate * dt)
        return np.minimum(room, speed * dt)
