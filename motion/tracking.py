"""The default motion filter: time-optimal motion to the target within the joint's limits, replanned at every step. Knows no Blender."""

from dataclasses import dataclass, field, replace

from .filters import Character, Kinematic, check_step
from .limits import Limits
from .profile import ROUNDING, Point, stopping_range, toward_rest
from .target_motion import TargetMotion, observed, stop_ahead, stopping_displacement

SLOWEST = 0.2  # rate at sigma = 1: acceleration then takes five times as long to build up, which looks like moving under water


@dataclass(frozen=True, slots=True)
class TrackingState(Kinematic):
    """State of a joint, with the observed motion of its target."""

    target_motion: TargetMotion | None = None


@dataclass(frozen=True, slots=True)
class TrackingFilter:
    """Follows the target as fast as limits and character allow, without overshoot of a target at rest, and comes to rest exactly on it.

    A neutral character (sigma 0) is time-optimal. Sigma slows the build-up of acceleration: with rate = 1 - (1 - SLOWEST) sigma it takes
    acceleration / jerk / rate seconds, and the acceleration limit is multiplied by rate squared, as if the motion were played slower. Rho
    restores the acceleration limit, not at all at 0 and fully at 1. The velocity limit is unchanged.

    State: `TrackingState`; a plain `Kinematic` has observed no target. A state outside the limits (after they were narrowed) returns into
    them as soon as the limits of acceleration and jerk allow.
    """

    limits: Limits
    character: Character = field(default_factory=Character)
    _used: Limits = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_used", used_limits(self.limits, self.character))

    def rest(self, position: float) -> TrackingState:
        return TrackingState(position)

    def step(self, state: Kinematic, target: float, dt: float, target_velocity: float | None = None) -> Kinematic:
        check_step(target, dt, target_velocity)
        if dt == 0.0:
            return state
        position = self.limits.clamp(target)
        if position != target and target_velocity is not None:
            target_velocity = 0.0  # a target beyond a limit is at rest at the limit
        seen = observed(state.target_motion if isinstance(state, TrackingState) else None, position, dt, target_velocity, self._used)
        if target_velocity is None:
            return self._toward(state, seen, stop_ahead(seen, self._used), dt)
        return self._toward(state, seen, stopping_displacement(seen.velocity, seen.acceleration, self._used), dt)

    def _toward(self, state: Kinematic, seen: TargetMotion, ahead: float, dt: float) -> TrackingState:
        """Next state toward rest at a displacement `ahead` [rad] of the target."""
        limits, used = self.limits, self._used
        goal = limits.clamp(seen.position + ahead)
        point = _moved(state, goal, dt, used)
        if used is not limits and not _can_stop(point, limits):
            point = _moved(state, goal, dt, limits)
        return TrackingState(limits.absorb(point[0]), point[1], point[2], seen)


def used_limits(limits: Limits, character: Character) -> Limits:
    """Limits reduced by the character's sigma and rho."""
    rate = 1.0 - (1.0 - SLOWEST) * character.sigma
    if rate == 1.0:
        return limits
    share = rate * rate + (1.0 - rate * rate) * character.rho
    return replace(limits, acceleration=limits.acceleration * share, jerk=limits.jerk * share * rate)


def _moved(state: Kinematic, goal: float, dt: float, limits: Limits) -> Point:
    """Point `dt` seconds later on the time-optimal motion to rest at `goal`."""
    grain = ROUNDING * (abs(state.position) + abs(goal))
    position, velocity, acceleration = toward_rest(
        (state.position - goal, state.velocity, state.acceleration), dt, limits.velocity, limits.acceleration, limits.jerk, grain
    )
    return position + goal, velocity, acceleration


def _can_stop(point: Point, limits: Limits) -> bool:
    """Whether the joint can still stop within its position limits, and end its acceleration within its velocity limit."""
    _, velocity, acceleration = point
    coasted = velocity + 0.5 * acceleration * abs(acceleration) / limits.jerk
    lowest, highest = stopping_range(point, limits.acceleration, limits.jerk)
    return abs(coasted) <= limits.velocity * (1.0 + ROUNDING) and limits.lower <= lowest and highest <= limits.upper
