"""The default filter: the quickest way to the target within the joint's limits, planned anew at every step. Knows no Blender."""

from dataclasses import dataclass, field, replace

from .filters import Character, Kinematic, check_step
from .limits import Limits
from .profile import ROUNDING, Point, stopping_range, toward_rest
from .target_motion import TargetMotion, lead, observed, standing

SLOWEST = 0.2  # pace at sigma = 1: acceleration then takes five times as long to build up, which already looks like moving under water


@dataclass(frozen=True, slots=True)
class Tracked(Kinematic):
    """A joint's state, with what it has seen of its target."""

    target_motion: TargetMotion | None = None


@dataclass(frozen=True, slots=True)
class TrackingFilter:
    """Follows the target as fast as limits and character allow, never past a target at rest, and comes to rest on it exactly.

    A neutral character (sigma 0) is time-optimal. Sigma stretches the time in which the acceleration builds up, from acceleration / jerk
    to that over pace = 1 - (1 - SLOWEST) sigma, and lowers the acceleration by pace squared, as if the motion were played slower; rho gives
    the acceleration back, from none of it at 0 to all at 1. The greatest velocity stays.

    State: `Tracked`; a plain `Kinematic` is one that has seen no target. A state outside the limits (they were narrowed) comes back within
    them as soon as the limits on acceleration and jerk allow.
    """

    limits: Limits
    character: Character = field(default_factory=Character)
    _used: Limits = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_used", used_limits(self.limits, self.character))

    def rest(self, position: float) -> Tracked:
        return Tracked(position)

    def step(self, state: Kinematic, target: float, dt: float, target_velocity: float | None = None) -> Kinematic:
        check_step(target, dt, target_velocity)
        if dt == 0.0:
            return state
        place = self.limits.clamp(target)
        if place != target and target_velocity is not None:
            target_velocity = 0.0  # beyond a limit it stands, for this joint
        seen = observed(state.target_motion if isinstance(state, Tracked) else None, place, dt, target_velocity, self._used)
        if target_velocity is None:
            return self._toward(state, seen, lead(seen, self._used), dt)
        return self._toward(state, seen, standing(seen.velocity, seen.acceleration, self._used), dt)

    def _toward(self, state: Kinematic, seen: TargetMotion, ahead: float, dt: float) -> Tracked:
        """The next state on the way to rest `ahead` of where the target is."""
        limits, used = self.limits, self._used
        goal = limits.clamp(seen.place + ahead)
        point = _way(state, goal, dt, used)
        if used is not limits and not _can_stop(point, limits):
            point = _way(state, goal, dt, limits)
        return Tracked(limits.absorb(point[0]), point[1], point[2], seen)


def used_limits(limits: Limits, character: Character) -> Limits:
    """What the character uses of the limits."""
    pace = 1.0 - (1.0 - SLOWEST) * character.sigma
    if pace == 1.0:
        return limits
    share = pace * pace + (1.0 - pace * pace) * character.rho
    return replace(limits, acceleration=limits.acceleration * share, jerk=limits.jerk * share * pace)


def _way(state: Kinematic, goal: float, dt: float, limits: Limits) -> Point:
    grain = ROUNDING * (abs(state.position) + abs(goal))
    position, velocity, acceleration = toward_rest(
        (state.position - goal, state.velocity, state.acceleration), dt, limits.velocity, limits.acceleration, limits.jerk, grain
    )
    return position + goal, velocity, acceleration


def _can_stop(point: Point, limits: Limits) -> bool:
    """Whether the joint can still stop within its position limits, and let go of its acceleration below the greatest velocity."""
    _, velocity, acceleration = point
    coasted = velocity + 0.5 * acceleration * abs(acceleration) / limits.jerk
    lowest, highest = stopping_range(point, limits.acceleration, limits.jerk)
    return abs(coasted) <= limits.velocity * (1.0 + ROUNDING) and limits.lower <= lowest and highest <= limits.upper
