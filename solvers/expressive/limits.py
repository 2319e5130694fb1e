"""Motion limits (per second) of the expressive solver's solutions. Knows no Blender."""

import math

import numpy as np

from ..gaze import SPEED
from ..kinematics.skeleton import Angles
from .model import Model

ACCELERATION = math.radians(7560)  # [rad/s^2] of a joint: full speed within 64 ms
# [rad/s^2] the same where the aim would be lost otherwise, and in straight transitions, which lose it: full speed within 17 ms
HURRIED = math.radians(28800)


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
