"""Last stage before the conversion to channels: moves the commanded joint values toward a goal, within
limits.

Speeds and distances are given for revolute joints; those of other joints are `DeviceJoint.scale` times that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...motion import Kinematic, Limiter, Limits, make_limiter
from ...motion.profile import stopped, stopping_distance, stopping_range
from ..device import DeviceJoint
from .servo_speed_limiter import ServoSpeedLimiter
from .shown_ranges import Reach

# [rad/s] speed of a slow approach, 23 degrees a second: slow enough to step back from, or to press Stop
APPROACH_SPEED = 0.4
APPROACH_ACCELERATION = 1.0  # [rad/s2] acceleration of a slow approach: full speed after 0.4 s
APPROACH_PATIENCE = 1.0  # [s] delay after which an approach that should have arrived gets faster
# [s] time in which the limits of an approach grow to the joints' own: time to step back, or to press Stop
APPROACH_GROWTH = 2.0
# [rad/s] 1 degree per second: speed below which a goal counts as slow
GOAL_STANDS = 0.02
# [s] time below `GOAL_STANDS` after which the goal counts as at rest; at the reversal of a fast motion a goal
# is that slow for a shorter time
GOAL_STANDS_FOR = 0.1
ARRIVED = 0.01  # [rad] distance below which a joint counts as arrived: half a degree, below a servo's play
AT_REST = 1e-3  # [rad/s] speed below which a joint counts as at rest
ROUNDED_UP = 1.0 + 1e-9  # tolerance of a motion's limits, for rounding over many steps
LONGEST_STEP = 0.03  # [s] largest time step of a late period, so that the robot lags instead of jumping


class Drive:
    """Commanded state of the joints, moved toward a goal within limits.

    Its reference is always the last command, never the measured position: servos lag, and a limiter that
    starts from there crawls.

    Args:
        joints: The joints, in the order of all values here.
        ranges: Lowest and highest value of each (joints, 2): see `mixing.Mixing.ranges`.
        pose: Initial values (joints,); a joint beyond its range is moved back slowly, and stays within it
            from then on.
        speed_limiter: Keeps servos within their speeds; None if the joints' limits suffice.
    """

    def __init__(
        self,
        joints: Sequence[DeviceJoint],
        ranges: Sequence[tuple[float, float]],
        pose: Sequence[float],
        speed_limiter: ServoSpeedLimiter | None = None,
    ) -> None:
        self._speed_limiter = speed_limiter
        self._ranges = [
            replace(joint.limits, lower=span[0], upper=span[1])
            for joint, span in zip(joints, ranges, strict=True)
        ]
        self._states = [
            Kinematic(limits.absorb(value)) for limits, value in zip(self._ranges, pose, strict=True)
        ]
        self._limits = [
            _around(limits, state.position) for limits, state in zip(self._ranges, self._states, strict=True)
        ]
        self._scales = [joint.scale for joint in joints]
        self._limiters = [make_limiter(limits) for limits in self._limits]
        self.begin_approach()

    @property
    def commanded(self) -> tuple[float, ...]:
        """Commanded joint values (joints,), each in its joint's unit."""
        return tuple(state.position for state in self._states)

    @property
    def at_rest(self) -> bool:
        """Whether the commanded values are at rest."""
        return all(
            abs(state.velocity) < AT_REST * scale
            for state, scale in zip(self._states, self._scales, strict=True)
        )

    def has_arrived(self, goal: Sequence[Kinematic]) -> bool:
        """Whether every commanded value is within ARRIVED of `goal` (joints,)."""
        return self._distance(goal) < ARRIVED

    @property
    def may_follow(self) -> bool:
        """Whether the approach may end once it has arrived: its goal is at rest, or its limits have grown to
        the joints' own.
        """
        return self._goal_stands_for >= GOAL_STANDS_FOR or self._growth >= 1.0

    def follow(self, goal: Sequence[Kinematic], dt: float, reaches: Sequence[Reach] | None = None) -> None:
        """Advance by `dt` [s] along `goal` (joints,); a goal within the limits passes unchanged.

        Args:
            goal: Desired states.
            dt: Time step [s]; of a longer one than LONGEST_STEP only that part.
            reaches: Lowest and highest position at which each joint may come to a stop (joints, 2); the
                joints' limits take precedence. None: the joints' limits alone.
        """
        self._go(
            min(dt, LONGEST_STEP),
            lambda joint, time: self._toward(self._limiters, joint, goal, time, reaches),
        )

    def begin_approach(self) -> None:
        """Prepare for `approach`; joints that move faster than it brake first."""
        self._approach_time = self._goal_stands_for = 0.0
        self._grows_from = math.inf
        self._unmet = list(range(len(self._states)))  # joints that have not coincided with the goal yet
        # (joints,) goal minus commanded value at the start, whose sign tells on which side the goal was
        self._sides: list[float] = []
        self._set_growth(0.0)

    def approach(
        self, goal: Sequence[Kinematic], dt: float, reaches: Sequence[Reach] | None = None, hurry: bool = True
    ) -> None:
        """Advance by `dt` [s] toward `goal`, within the limits of a slow approach; arguments as of `follow`.

        With `hurry` these limits grow to the joints' own, from the time at which the joints should have
        arrived; or earlier, once each of them has met a goal that keeps moving.
        """
        self._measure_approach(goal, dt, hurry)
        if self._approach_time > self._grows_from and self._growth < 1.0:
            self._set_growth((self._approach_time - self._grows_from) / APPROACH_GROWTH)

        # a joint that is faster than the approach first brakes, within its own limits
        def slowly(joint: int, time: float) -> Kinematic:
            after, full = self._toward(self._slow, joint, goal, time, reaches), self._limiters[joint].limits
            is_slow = _is_slow(self._states[joint], self._slow[joint].limits)
            if is_slow and _stops_within(after, full, full):
                return after
            return _braked(self._states[joint], full, time)

        self._go(min(dt, LONGEST_STEP), slowly)

    def _measure_approach(self, goal: Sequence[Kinematic], dt: float, hurry: bool) -> None:
        """Update the quantities on which the growth of limits depends: joints that have not met the goal, the
        time for which the goal has been at rest and, with `hurry`, the start of the growth.
        """
        offsets = [
            desired.position - state.position for desired, state in zip(goal, self._states, strict=True)
        ]
        if self._approach_time == 0.0:
            self._sides = offsets
            if hurry:
                # [s] duration of an approach that accelerates and brakes, d / v + v / a, and a tolerance for
                # delays
                self._grows_from = (
                    self._distance(goal) / APPROACH_SPEED
                    + APPROACH_SPEED / APPROACH_ACCELERATION
                    + APPROACH_PATIENCE
                )
        self._approach_time += dt
        # a goal that passes a joint between two steps has met it, too, and is then on its other side
        self._unmet = [
            k
            for k in self._unmet
            if abs(offsets[k]) >= ARRIVED * self._scales[k] and offsets[k] * self._sides[k] > 0.0
        ]
        stands = all(
            abs(state.velocity) < GOAL_STANDS * scale for state, scale in zip(goal, self._scales, strict=True)
        )
        self._goal_stands_for = self._goal_stands_for + dt if stands else 0.0
        # a slow approach would never catch up with a goal that keeps moving
        if hurry and not stands and not self._unmet:
            self._grows_from = min(self._grows_from, self._approach_time)

    def brake(self, dt: float) -> None:
        """Advance by `dt` [s] toward a standstill, as fast as the limits allow."""
        dt = min(dt, LONGEST_STEP)
        self._go(dt, lambda joint, time: _braked(self._states[joint], self._limiters[joint].limits, time))

    def scale_velocities(self, factor: float) -> None:
        """Multiply all velocities by `factor`, 0 to 1, and accelerations by its square, for a robot that
        moves slower than commanded or, at 0, has come to rest.
        """
        if factor < 1.0:
            self._states = [
                Kinematic(state.position, factor * state.velocity, factor**2 * state.acceleration)
                for state in self._states
            ]

    def _distance(self, goal: Sequence[Kinematic]) -> float:
        """Largest distance of a joint from its goal [rad of a revolute joint]."""
        rows = zip(self._states, goal, self._scales, strict=True)
        return max(abs(state.position - desired.position) / scale for state, desired, scale in rows)

    def _set_growth(self, growth: float) -> None:
        """Set the limits of the approach: for a `growth` of 0 its own, for 1 the joints'. They only grow
        during an approach, so that earlier states stay within them.
        """
        self._growth = min(growth, 1.0)
        self._slow = [
            Limiter(
                replace(
                    limiter.limits,
                    velocity=_between(APPROACH_SPEED * scale, limiter.limits.velocity, self._growth),
                    acceleration=_between(
                        APPROACH_ACCELERATION * scale, limiter.limits.acceleration, self._growth
                    ),
                )
            )
            for limiter, scale in zip(self._limiters, self._scales, strict=True)
        ]

    def _toward(
        self,
        limiters: Sequence[Limiter],
        joint: int,
        goal: Sequence[Kinematic],
        time: float,
        reaches: Sequence[Reach] | None,
    ) -> Kinematic:
        """State of a joint after `time` [s] of its motion toward the goal."""
        limiter = limiters[joint] if reaches is None else _within(limiters[joint], reaches[joint])
        desired = goal[joint]
        return limiter.step(
            self._states[joint], desired.position, time, desired.velocity, desired.acceleration
        )

    def _go(self, dt: float, go: Callable[[int, float], Kinematic]) -> None:
        """Advance all joints by `dt` [s]; `go(joint, time)` returns a joint's state after `time` [s]. A joint
        that began beyond its range is bounded to it from when it can stop within it.
        """
        if self._speed_limiter is None:
            self._states = [go(joint, dt) for joint in range(len(self._states))]
        else:
            self._states = self._speed_limiter.step(self._states, dt, go)
        for joint, (limits, state) in enumerate(zip(self._ranges, self._states, strict=True)):
            if self._limits[joint] is not limits and _stops_within(state, limits, self._slow[joint].limits):
                self._limits[joint] = limits
                self._limiters[joint] = make_limiter(limits)
                self._slow[joint] = Limiter(
                    replace(self._slow[joint].limits, lower=limits.lower, upper=limits.upper)
                )


def _between(low: float, high: float, share: float) -> float:
    """The number at `share` of the distance from `low` to `high`; `high` if that is lower."""
    return min(low, high) + share * (high - min(low, high))


def _within(limiter: Limiter, reach: Reach) -> Limiter:
    """The limiter with its position limits narrowed to the part of `reach` that is within them."""
    limits = limiter.limits
    return Limiter(replace(limits, lower=limits.clamp(reach[0]), upper=limits.clamp(reach[1])))


def _around(limits: Limits, value: float) -> Limits:
    """The limits, with a range extended to contain `value`."""
    if limits.lower <= value <= limits.upper:
        return limits
    return replace(limits, lower=min(limits.lower, value), upper=max(limits.upper, value))


def _is_slow(state: Kinematic, limits: Limits) -> bool:
    """Whether velocity and acceleration are within the limits, apart from rounding errors."""
    return (
        abs(state.velocity) <= ROUNDED_UP * limits.velocity
        and abs(state.acceleration) <= ROUNDED_UP * limits.acceleration
    )


def _stops_within(state: Kinematic, limits: Limits, slow: Limits) -> bool:
    """Whether the joint would stay within the range of `limits` while it brakes at the acceleration and jerk
    of `slow`.
    """
    lowest, highest = stopping_range(
        (state.position, state.velocity, state.acceleration), slow.acceleration, slow.jerk
    )
    return limits.lower <= lowest and highest <= limits.upper


def _braked(state: Kinematic, limits: Limits, dt: float) -> Kinematic:
    """The state after `dt` [s] of the fastest stop within the limits."""
    point = stopped(
        (state.position, state.velocity, state.acceleration), dt, limits.acceleration, limits.jerk
    )
    if point is not None:
        return Kinematic(*point)
    stand = state.position + stopping_distance(
        state.velocity, state.acceleration, limits.acceleration, limits.jerk
    )
    return Kinematic(limits.clamp(stand))
