"""The limiter: the last check of a motion before it is sent, with limits slightly wider than the motion
filter's.
"""

from dataclasses import dataclass
from math import isfinite

from .errors import TargetError
from .joint import Kinematic, Limits, check_step
from .profile import ROUNDING, stopping_range, toward_rest
from .tracking import TargetMotion, TrackingFilter, TrackingState, stopping_displacement

# share added to the motion filter's velocity, acceleration and jerk limits: frames played 3% too fast raise
# the jerk by 9.3% (1.03 cubed), and such motion is to pass unchanged
HEADROOM = 0.1
# [s] largest position error that the headroom alone corrects, divided by the headroom's velocity; a larger
# error is corrected by the time-optimal motion, which is faster
JOINED_WITHIN = 0.25


@dataclass(frozen=True, slots=True)
class Limiter(TrackingFilter):
    """Passes motion within its limits unchanged, if its velocity and acceleration are given. From a small
    error the joint catches up with such motion by the headroom alone; otherwise the default filter moves it.
    """

    def step(
        self,
        state: Kinematic,
        target: float,
        dt: float,
        target_velocity: float | None = None,
        target_acceleration: float | None = None,
    ) -> Kinematic:
        """State `dt` seconds later; as `Filter.step`, with a further argument `target_acceleration` [rad/s2].

        If the target's velocity and acceleration are known, and the joint can reach that state within its
        limits and then still stop within its position limits, the result is exactly the target's state.
        """
        if target_velocity is None or target_acceleration is None:
            return TrackingFilter.step(self, state, target, dt, target_velocity)
        check_step(target, dt, target_velocity)
        if not isfinite(target_acceleration):
            raise TargetError(f"target acceleration is {target_acceleration}: pass None if it is unknown")
        if dt == 0.0:
            return state
        position = self.limits.clamp(target)
        if position != target:
            target_velocity = target_acceleration = 0.0  # a target beyond a limit is at rest at the limit
        seen = TargetMotion(position, target_velocity, target_acceleration, dt)
        requested = TrackingState(position, target_velocity, target_acceleration, seen)
        if is_reachable(state, requested, dt, self.limits):
            return requested
        joining = self._joining(state, requested, dt)
        if joining is not None and is_reachable(state, joining, dt, self.limits):
            return joining
        return self._toward(
            state, seen, stopping_displacement(target_velocity, target_acceleration, self.limits), dt
        )

    def _joining(self, state: Kinematic, requested: TrackingState, dt: float) -> TrackingState | None:
        """Next state of a joint that catches up with the motion using only the headroom; None if its error is
        too large for that, the motion's last state is unknown, or the motion has come to rest.
        """
        last = state.target_motion if isinstance(state, TrackingState) else None
        if last is None or requested.velocity == requested.acceleration == 0.0:
            # With the headroom a joint could overshoot its target, and be stopped at a position limit again
            # and again; the time-optimal motion comes to rest without overshoot.
            return None
        spare = HEADROOM / (1.0 + HEADROOM)
        speed, limit, jerk = (
            spare * self.limits.velocity,
            spare * self.limits.acceleration,
            spare * self.limits.jerk,
        )
        error = (
            state.position - last.position,
            state.velocity - last.velocity,
            state.acceleration - last.acceleration,
        )
        if (
            abs(error[1]) > speed
            or abs(error[2]) > limit
            or max(map(abs, stopping_range(error, limit, jerk))) > JOINED_WITHIN * speed
        ):
            return None
        grain = ROUNDING * (abs(state.position) + abs(last.position))
        left = toward_rest(error, dt, speed, limit, jerk, grain)
        return TrackingState(
            requested.position + left[0],
            requested.velocity + left[1],
            requested.acceleration + left[2],
            requested.target_motion,
        )


def make_limiter(limits: Limits) -> Limiter:
    """Limiter of a joint whose motion filter keeps `limits`."""
    return Limiter(limits.widened(HEADROOM))


def is_reachable(state: Kinematic, end: Kinematic, dt: float, limits: Limits) -> bool:
    """Whether the joint can get from `state` to `end` in `dt` seconds within the limits, and then stop within
    the position limits.
    """
    coasted = end.velocity + 0.5 * end.acceleration * abs(end.acceleration) / limits.jerk
    if max(abs(end.velocity), abs(coasted)) > limits.velocity or abs(end.acceleration) > limits.acceleration:
        return False
    if (
        abs(end.position - state.position) > limits.velocity * dt
        or abs(end.velocity - state.velocity) > limits.acceleration * dt
    ):
        return False
    mean = (end.position - state.position) / dt
    if max(abs(mean - state.velocity), abs(end.velocity - mean)) > 0.5 * limits.acceleration * dt:
        return False
    if not jerk_suffices(state, end, dt, limits.jerk):
        return False
    at_end = (end.position, end.velocity, end.acceleration)
    lowest, highest = stopping_range(at_end, limits.acceleration, limits.jerk)
    return limits.lower <= lowest and highest <= limits.upper


def jerk_suffices(start: Kinematic, end: Kinematic, dt: float, jerk: float) -> bool:
    """Whether a motion with |jerk| at most `jerk` leads from `start` to `end` in `dt` seconds.

    Relative to full jerk over the step, the jerk's mean gives the change of acceleration, its first moment
    about the end of the step that of velocity, and its second moment that of position. For given mean and
    first moment the second moment is largest if the jerk is at its maximum, then at its minimum, then at its
    maximum, and smallest for the opposite signs; every value between is possible (moments of a bounded
    function).
    """
    pushed = jerk * dt
    mean = (end.acceleration - start.acceleration) / pushed
    first = ((end.velocity - start.velocity) / dt - start.acceleration) / pushed
    second = (
        2.0
        * ((end.position - start.position) / dt - start.velocity - 0.5 * start.acceleration * dt)
        / (pushed * dt)
    )
    greatest = _greatest_second_moment(mean, first)
    least = _greatest_second_moment(-mean, -first)
    return greatest is not None and least is not None and -least <= second <= greatest


def _greatest_second_moment(mean: float, first: float) -> float | None:
    """Integral of (1 - t)^2 j over t in 0..1 for j = 1, -1, 1 with that mean and integral of (1 - t) j; None
    if there is no such j.
    """
    low = 0.5 * (1.0 - mean)  # duration of the phase with jerk -1
    if not 0.0 <= low <= 1.0:
        return None
    if low == 0.0:
        return 1.0 / 3.0 if first == 0.5 else None
    # time from the middle of the phase with jerk -1 to the end of the step
    rest = (0.5 - first) / (2.0 * low)
    if rest < 0.5 * low or rest > 1.0 - 0.5 * low:
        return None
    return 1.0 / 3.0 - 2.0 * low * (rest * rest + low * low / 12.0)
