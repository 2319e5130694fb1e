"""The default filter. Knows no Blender."""

from dataclasses import dataclass

from .filters import Character, Kinematic, check_step
from .limits import Limits


@dataclass(frozen=True, slots=True)
class TrackingFilter:
    """Follows the target as fast as the limits allow, and comes to rest on it exactly."""

    limits: Limits
    character: Character = Character()

    def rest(self, position: float) -> Kinematic:
        return Kinematic(position)

    def step(self, state: Kinematic, target: float, dt: float, target_velocity: float | None = None) -> Kinematic:
        check_step(target, dt, target_velocity)
        if dt == 0.0:
            return state
        reach = self.limits.velocity * dt
        position = min(max(self.limits.clamp(target), state.position - reach), state.position + reach)
        return Kinematic(position, (position - state.position) / dt)
