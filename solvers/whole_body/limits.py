"""How far joints may move in a step: limits of position, velocity and acceleration as a box. Knows no Blender."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from .so3 import Array

OUTERMOST = 1.0  # of K_g b dt in eq. 12: beyond it a step can overrun the limit, since tanh(x) only stays below x


@dataclass(frozen=True)
class Limits:
    """What bounds a joint's move. Position limits are the body's own and always hold."""

    velocity: Array | float | None = None  # (n,) or for all [rad/s or m/s]; None: no limit
    acceleration: Array | float | None = None  # [rad/s^2 or m/s^2]
    avoidance: Literal["exact", "tanh"] = "exact"  # "tanh": slower near a limit, eq. 12, which needs a velocity limit
    slope: float = 10.0  # [1/rad or 1/m] K_g of eq. 12; lowered where the step is too long for it

    def __post_init__(self) -> None:
        for name in ("velocity", "acceleration"):
            value = getattr(self, name)
            if value is not None and not np.all(np.asarray(value) > 0.0):
                raise ValueError(f"the {name} limits must be above zero, got {value}: None means no limit")
        if self.avoidance == "tanh" and self.velocity is None:
            raise ValueError("avoidance 'tanh' scales velocity limits: give some")

    def box(self, joints: Array, speed: Array, lower: Array, upper: Array, dt: float) -> tuple[Array, Array]:
        """Least and largest move (n,) of joints in a step, the least never above the largest.

        Where they contradict each other position limits win, then velocity limits, then those of acceleration; a joint outside its
        position limits comes back as fast as its velocity limit lets it.

        Args:
            joints: (n,) [rad or m]
            speed: (n,) [rad/s or m/s] of the step before.
            lower: Limits (n,), may be infinite.
            upper: The same.
            dt: [s]
        """
        down, up = lower - joints, upper - joints
        if self.velocity is not None:
            most = dt * np.asarray(self.velocity, float)
            if self.avoidance == "tanh":
                slope = np.minimum(self.slope, OUTERMOST / most)  # K_g b dt <= 1
                down, up = (
                    most * np.tanh(slope * down),
                    most * np.tanh(slope * up),
                )  # eq. 12b; atop the limit it is zero, beyond it leads back
            else:
                down, up = (np.minimum(np.maximum(room, -most), most) for room in (down, up))  # as clip, in a third of the time
        if self.acceleration is not None:
            rate = np.asarray(self.acceleration, float)
            most_up = np.minimum(up, self._braking(upper - joints, rate, dt))
            most_down = np.maximum(down, -self._braking(joints - lower, rate, dt))
            change = rate * dt * dt
            down = np.clip(speed * dt - change, most_down, most_up)
            up = np.clip(speed * dt + change, most_down, most_up)
        return down, up

    def row_box(self, rooms_below: Array, rooms_above: Array, sizes: Array, dt: float) -> tuple[Array, Array]:
        """The same (m,) for rows over joints that have rooms (m,) left below (<= 0) and above; sizes (m, n) of the rows' factors."""
        if self.avoidance == "exact":
            return rooms_below, rooms_above
        most = dt * sizes @ np.broadcast_to(np.asarray(self.velocity, float), sizes.shape[1:])
        return self._within(rooms_below, most), self._within(rooms_above, most)

    def _within(self, room: Array, most: Array) -> Array:
        """The part of a room that a step of at most `most` may use."""
        if self.avoidance == "exact":
            return np.clip(room, -most, most)
        slope = np.minimum(self.slope, OUTERMOST / most)  # K_g b dt <= 1
        part: Array = most * np.tanh(slope * room)  # eq. 12b; at the limit it is zero, beyond it leads back
        return part

    @staticmethod
    def _braking(room: Array, rate: Array, dt: float) -> Array:
        """The largest move in a step after which `rate` still stops the joint within its room: (v + a dt / 2)^2 <= 2 a room.

        If it holds at a step, it holds at the next with the speed lowered by a dt.
        """
        room = np.maximum(room, 0.0)
        speed = np.maximum(0.0, np.sqrt(2.0 * rate * room) - 0.5 * rate * dt)
        return np.minimum(room, speed * dt)
