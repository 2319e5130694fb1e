"""The default motion filter: time-optimal motion to the target within the joint's limits, replanned at every
step.

The target's velocity and acceleration are estimated from its last positions, so that a joint keeps up with
it.
"""

from dataclasses import dataclass, field, replace
from math import copysign
from typing import NamedTuple

from .filters import NEUTRAL, MotionStyle
from .joint import Kinematic, Limits, check_step
from .profile import ROUNDING, Point, moved_toward, stopping_distance, stopping_range

# factor of the joint's acceleration limit: a higher acceleration of the target counts as a jump, and the
# speed gained by it is not extrapolated, since the joint would end in antiphase to the target
FOLLOWABLE = 2.0
# factor of the joint's jerk limit: from this jerk on, a target's acceleration is not extrapolated, since it
# can end twice as fast as it began; below this jerk, a share of the acceleration is extrapolated
GENTLE = 0.5
# multiple of the velocity that the last change of acceleration adds in a step: up to it, the target's
# velocity counts as noise and is not extrapolated
CLEAR = 3.0
# number of steps without a jump after which a target that rests or has reversed is trusted fully again; in
# noise, one or two steps look smooth by chance
SMOOTH_STEPS = 3


class TargetMotion(NamedTuple):
    """Estimated motion of the target after a step, and the part of its speed that can vanish again. Source:
    docs/motion.md, "A moving target".

    Attributes:
        position: Position of the target [rad], within the position limits.
        velocity: Mean over the last step, or the velocity that the caller gave [rad/s].
        acceleration: Difference of the last two velocities over the time between them [rad/s2]; 0 after a
            jump of a given velocity.
        dt: Duration of the last step [s].
        change: Change of the acceleration since the step before [rad/s2].
        untrusted: Part of the speed [rad/s] that appeared in jumps.
        smooth_steps: Number of steps since the last jump.
        jerk: Largest jerk since the target began to speed up, 0 while it does not [rad/s3].
    """

    position: float
    velocity: float
    acceleration: float
    dt: float
    change: float = 0.0
    untrusted: float = 0.0
    smooth_steps: int = 0
    jerk: float = 0.0


def observed(
    last: TargetMotion | None, position: float, dt: float, given_velocity: float | None, limits: Limits
) -> TargetMotion:
    """Motion of the target estimated from its new position, `dt` seconds after the last; if `last` is None,
    the target is assumed to be at rest, or to move evenly with `given_velocity` [rad/s].
    """
    if last is None:
        return TargetMotion(position, given_velocity or 0.0, 0.0, dt)
    velocity = (position - last.position) / dt if given_velocity is None else given_velocity
    between = 0.5 * (dt + last.dt)
    gained = velocity - last.velocity
    acceleration = gained / between
    change = acceleration - last.acceleration
    jumped = abs(change) > limits.jerk * between
    if given_velocity is not None:
        return TargetMotion(position, velocity, 0.0 if jumped else acceleration, dt)
    jumped = jumped or abs(acceleration) > FOLLOWABLE * limits.acceleration
    slower = velocity * last.velocity > 0.0 and abs(velocity) <= abs(last.velocity)
    untrusted = (
        last.untrusted + abs(gained) if jumped and not slower else max(last.untrusted - abs(gained), 0.0)
    )
    smooth_steps = 0 if jumped else last.smooth_steps + 1
    if smooth_steps >= SMOOTH_STEPS:  # a target that reverses smoothly, or is at rest, is fully trusted
        untrusted = min(untrusted, abs(velocity)) if velocity * last.velocity > 0.0 else 0.0
    jerk = max(last.jerk, abs(change) / between) if velocity * acceleration > 0.0 else 0.0
    return TargetMotion(position, velocity, acceleration, dt, change, untrusted, smooth_steps, jerk)


def stop_ahead(motion: TargetMotion, limits: Limits) -> float:
    """Displacement [rad] from the target's position to the position at which it would stop if it braked, for
    the trusted part of its motion only.
    """
    velocity, acceleration, dt, change, untrusted = motion[1:6]
    if abs(velocity) <= max(CLEAR * abs(change) * dt, untrusted):
        return 0.0
    if velocity * change > 0.0:
        change = 0.0  # a change since then is extrapolated only if it makes the target stop sooner
    # velocity gained since the middle of the last step, at which the mean velocity is exact
    gained = 0.5 * dt * (acceleration + 0.75 * change)
    acceleration += change  # the acceleration one step after the observation
    if acceleration * velocity > 0.0:
        # an acceleration that began abruptly can end abruptly
        acceleration *= max(1.0 - motion.jerk / (GENTLE * limits.jerk), 0.0)
    ahead = stopping_displacement(velocity - copysign(untrusted, velocity) + gained, acceleration, limits)
    return ahead if ahead * velocity > 0.0 else 0.0


def stopping_displacement(velocity: float, acceleration: float, limits: Limits) -> float:
    """Displacement [rad] after which a target with that motion would stop, if it braked at the joint's
    limits.
    """
    if velocity == 0.0 and acceleration == 0.0:
        return 0.0
    velocity = min(max(velocity, -limits.velocity), limits.velocity)
    acceleration = min(max(acceleration, -limits.acceleration), limits.acceleration)
    return stopping_distance(velocity, acceleration, limits.acceleration, limits.jerk)


# rate at sigma = 1: acceleration then builds up five times as slowly, which looks like moving under water
SLOWEST = 0.2


@dataclass(frozen=True, slots=True)
class TrackingState(Kinematic):
    """State of a joint: its own motion, and the estimated motion of its target (None if no target was
    observed yet).
    """

    target_motion: TargetMotion | None = None


@dataclass(frozen=True, slots=True)
class TrackingFilter:
    """Follows the target as fast as limits and style allow, and comes to rest exactly on it, without
    overshoot of a target at rest.

    A neutral style (sigma 0) is time-optimal. Sigma slows the build-up of acceleration: with rate = 1 -
    (1 - SLOWEST) sigma it takes acceleration / jerk / rate seconds, and the acceleration limit is multiplied
    by rate squared, as if the motion were played slower. Rho restores the acceleration limit, not at all at 0
    and fully at 1. The velocity limit is unchanged.

    State: `TrackingState`; a plain `Kinematic` has observed no target. A state outside the limits (after they
    were narrowed) returns into them as soon as the limits of acceleration and jerk allow.
    """

    limits: Limits
    style: MotionStyle = NEUTRAL
    _used: Limits = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_used", used_limits(self.limits, self.style))

    def rest(self, position: float) -> TrackingState:
        return TrackingState(position)

    def step(
        self, state: Kinematic, target: float, dt: float, target_velocity: float | None = None
    ) -> Kinematic:
        check_step(target, dt, target_velocity)
        if dt == 0.0:
            return state
        position = self.limits.clamp(target)
        if position != target and target_velocity is not None:
            target_velocity = 0.0  # a target beyond a limit is at rest at the limit
        seen = observed(
            state.target_motion if isinstance(state, TrackingState) else None,
            position,
            dt,
            target_velocity,
            self._used,
        )
        if target_velocity is None:
            return self._toward(state, seen, stop_ahead(seen, self._used), dt)
        return self._toward(
            state, seen, stopping_displacement(seen.velocity, seen.acceleration, self._used), dt
        )

    def _toward(self, state: Kinematic, seen: TargetMotion, ahead: float, dt: float) -> TrackingState:
        """Next state on the way to rest at `ahead` [rad] from the target's position."""
        limits, used = self.limits, self._used
        goal = limits.clamp(seen.position + ahead)
        point = moved_toward(state, goal, dt, used)
        if used is not limits and not _can_stop(point, limits):
            point = moved_toward(state, goal, dt, limits)
        return TrackingState(limits.absorb(point[0]), point[1], point[2], seen)


def used_limits(limits: Limits, style: MotionStyle) -> Limits:
    """The acceleration and jerk limits that the filter plans with: those of `limits`, reduced by the
    style's sigma and restored by rho.

    Position and velocity limits are unchanged.
    """
    rate = 1.0 - (1.0 - SLOWEST) * style.sigma
    if rate == 1.0:
        return limits
    share = rate * rate + (1.0 - rate * rate) * style.rho
    return replace(limits, acceleration=limits.acceleration * share, jerk=limits.jerk * share * rate)


def _can_stop(point: Point, limits: Limits) -> bool:
    """Whether the joint can still stop within its position limits, and end its acceleration within its
    velocity limit.
    """
    _, velocity, acceleration = point
    coasted = velocity + 0.5 * acceleration * abs(acceleration) / limits.jerk
    lowest, highest = stopping_range(point, limits.acceleration, limits.jerk)
    return (
        abs(coasted) <= limits.velocity * (1.0 + ROUNDING)
        and limits.lower <= lowest
        and highest <= limits.upper
    )
