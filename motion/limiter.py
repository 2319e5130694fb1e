"""The last guard before the wire: the default filter's code with limits a little wider, for motion made elsewhere. Knows no Blender."""

from dataclasses import dataclass
from math import isfinite

from .errors import TargetError
from .filters import Kinematic, check_step
from .limits import Limits
from .profile import ROUNDING, stopping_range, toward_rest
from .target_motion import TargetMotion, standing
from .tracking import Tracked, TrackingFilter

HEADROOM = 0.1  # share of each dynamic limit: a clock that plays frames 3% too fast adds 9.3% to the jerk, and must not look like a fault

JOINED_WITHIN = 0.25  # [s] at the headroom's velocity: a wider gap is closed sooner by going for the target with all there is


@dataclass(frozen=True, slots=True)
class Limiter(TrackingFilter):
    """Lets motion within its limits pass unchanged; for anything else it is the default filter, until the motion can be joined again."""

    def step(
        self,
        state: Kinematic,
        target: float,
        dt: float,
        target_velocity: float | None = None,
        target_acceleration: float | None = None,
    ) -> Kinematic:
        """As `Filter.step`; `target_acceleration` [rad/s2] together with the velocity says how the motion goes on at `target`.

        With both known, and a way there within the limits from which the joint can still stop within its position limits, the joint goes
        there exactly.
        """
        if target_velocity is None or target_acceleration is None:
            return TrackingFilter.step(self, state, target, dt, target_velocity)
        check_step(target, dt, target_velocity)
        if not isfinite(target_acceleration):
            raise TargetError(f"target acceleration is {target_acceleration}: pass None where it is not known")
        if dt == 0.0:
            return state
        place = self.limits.clamp(target)
        if place != target:
            target_velocity = target_acceleration = 0.0  # beyond a limit it stands, for this joint
        seen = TargetMotion(place, target_velocity, target_acceleration, dt)
        wanted = Tracked(place, target_velocity, target_acceleration, seen)
        if may_go(state, wanted, dt, self.limits):
            return wanted
        joining = self._joining(state, wanted, dt)
        if joining is not None and may_go(state, joining, dt, self.limits):
            return joining
        return self._toward(state, seen, standing(target_velocity, target_acceleration, self.limits), dt)

    def _joining(self, state: Kinematic, wanted: Tracked, dt: float) -> Tracked | None:
        """The next state where what is left between the joint and the motion is small enough to be made up with the headroom alone."""
        last = state.target_motion if isinstance(state, Tracked) else None
        if last is None:
            return None
        spare = HEADROOM / (1.0 + HEADROOM)
        speed, limit, jerk = spare * self.limits.velocity, spare * self.limits.acceleration, spare * self.limits.jerk
        apart = (state.position - last.place, state.velocity - last.velocity, state.acceleration - last.acceleration)
        if abs(apart[1]) > speed or abs(apart[2]) > limit or max(map(abs, stopping_range(apart, limit, jerk))) > JOINED_WITHIN * speed:
            return None
        grain = ROUNDING * (abs(state.position) + abs(last.place))
        left = toward_rest(apart, dt, speed, limit, jerk, grain)
        return Tracked(wanted.position + left[0], wanted.velocity + left[1], wanted.acceleration + left[2], wanted.target_motion)


def make_limiter(limits: Limits) -> Limiter:
    """The limiter of a joint whose character filter keeps `limits`."""
    return Limiter(limits.widened(HEADROOM))


def may_go(state: Kinematic, wanted: Kinematic, dt: float, limits: Limits) -> bool:
    """Whether the joint can be where and how it is wanted after `dt` seconds, within the limits, and stop within the position limits."""
    coasted = wanted.velocity + 0.5 * wanted.acceleration * abs(wanted.acceleration) / limits.jerk
    if max(abs(wanted.velocity), abs(coasted)) > limits.velocity or abs(wanted.acceleration) > limits.acceleration:
        return False
    if abs(wanted.position - state.position) > limits.velocity * dt or abs(wanted.velocity - state.velocity) > limits.acceleration * dt:
        return False
    mean = (wanted.position - state.position) / dt
    if max(abs(mean - state.velocity), abs(wanted.velocity - mean)) > 0.5 * limits.acceleration * dt:
        return False
    if not bridges(state, wanted, dt, limits.jerk):
        return False
    there = (wanted.position, wanted.velocity, wanted.acceleration)
    lowest, highest = stopping_range(there, limits.acceleration, limits.jerk)
    return limits.lower <= lowest and highest <= limits.upper


def bridges(start: Kinematic, end: Kinematic, dt: float, jerk: float) -> bool:
    """Whether any motion with |jerk| at most `jerk` leads from `start` to `end` in `dt` seconds.

    Over the step, as shares of what full jerk would do, the jerk's mean gives the change of acceleration, its first moment that of velocity
    and its second moment that of position. For given mean and first moment the second is greatest when the jerk is at its greatest, then at
    its least, then at its greatest, and least the other way round; everything between is possible (moments of a bounded function).
    """
    pushed = jerk * dt
    mean = (end.acceleration - start.acceleration) / pushed
    first = ((end.velocity - start.velocity) / dt - start.acceleration) / pushed
    second = 2.0 * ((end.position - start.position) / dt - start.velocity - 0.5 * start.acceleration * dt) / (pushed * dt)
    greatest = _greatest_second_moment(mean, first)
    least = _greatest_second_moment(-mean, -first)
    return greatest is not None and least is not None and -least <= second <= greatest


def _greatest_second_moment(mean: float, first: float) -> float | None:
    """The integral of (1 - t)^2 j over t in 0..1 for j = 1, -1, 1 with that mean and integral of (1 - t) j; None where there is none."""
    low = 0.5 * (1.0 - mean)  # how long j is -1
    if not 0.0 <= low <= 1.0:
        return None
    if low == 0.0:
        return 1.0 / 3.0 if first == 0.5 else None
    rest = (0.5 - first) / (2.0 * low)  # from the middle of it to the end
    if rest < 0.5 * low or rest > 1.0 - 0.5 * low:
        return None
    return 1.0 / 3.0 - 2.0 * low * (rest * rest + low * low / 12.0)
