"""Last stage before the conversion to channels: moves the commanded joint values toward a goal, within limits. Knows no Blender.

Speeds and distances are given for revolute joints; those of other joints are `Joint.scale` times that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...motion import Kinematic, Limiter, Limits, make_limiter
from ...motion.profile import stopped, stopping_distance
from ..device import Joint
from .servo_speed_limiter import ServoSpeedLimiter

APPROACH_SPEED = 0.4  # [rad/s] 23 degrees a second: slow enough to step back from, or to press Stop
APPROACH_ACCELERATION = 1.0  # [rad/s2] full approach speed after half a second
APPROACH_PATIENCE = 1.0  # [s] after which an approach that should have arrived doubles its speed, again and again
ARRIVED = 0.01  # [rad] half a degree: nearer than a servo's own play; the limiter closes the rest
AT_REST = 1e-3  # [rad/s]
LONGEST_STEP = 0.03  # [s] time step of a period that came later than this: the robot lags instead of jumping


class Drive:
    """Commanded state of the joints, moved toward a goal within limits.

    Its reference is always the last command, never the measured position: servos lag, and a limiter that starts from there crawls.

    Args:
        joints: The joints.
        ranges: Lowest and highest value of each (joints, 2): see `mixing.Mixing.ranges`.
        pose: Initial values (joints,); a joint beyond its range is led back slowly.
        speed_limiter: Keeps servos within their speeds; None: joints' limits are enough.
    """

    def __init__(
        self,
        joints: Sequence[Joint],
        ranges: Sequence[tuple[float, float]],
        pose: Sequence[float],
        speed_limiter: ServoSpeedLimiter | None = None,
    ) -> None:
        self._speed_limiter = speed_limiter
        self._limits = [_around(joint, span, value) for joint, span, value in zip(joints, ranges, pose, strict=True)]
        self._scales = [joint.scale for joint in joints]
        self._limiters = [make_limiter(limits) for limits in self._limits]
        self._states = [Kinematic(value) for value in pose]
        self._slow = self._limiters
        self._approach_time = 0.0
        self._approach_scale = 1.0
        self._next_doubling: float | None = None
        self.begin_approach()

    @property
    def commanded(self) -> tuple[float, ...]:
        """Commanded values (joints,)."""
        return tuple(state.position for state in self._states)

    @property
    def at_rest(self) -> bool:
        """Whether the commanded values are at rest."""
        return all(abs(state.velocity) < AT_REST * scale for state, scale in zip(self._states, self._scales, strict=True))

    def has_arrived(self, goal: Sequence[Kinematic]) -> bool:
        """Whether the commanded values are at `goal` (joints,)."""
        return self._distance(goal) < ARRIVED

    def follow(self, goal: Sequence[Kinematic], dt: float) -> None:
        """Advance by `dt` [s] along `goal` (joints,); a goal within the limits passes unchanged."""
        self._advance(self._limiters, goal, dt)

    def begin_approach(self) -> None:
        """Prepare for `approach`, from a standstill."""
        self._approach_time = 0.0
        self._next_doubling = None
        self._scale_approach(1.0)

    def approach(self, goal: Sequence[Kinematic], dt: float, hurry: bool = True) -> None:
        """As `follow`, slowly; with `hurry` the speed doubles whenever the goal should have been reached but moves away."""
        if self._next_doubling is None:
            self._next_doubling = self._distance(goal) / APPROACH_SPEED + APPROACH_SPEED / APPROACH_ACCELERATION + APPROACH_PATIENCE
        self._approach_time += dt
        if hurry and self._approach_time > self._next_doubling:
            self._next_doubling += APPROACH_PATIENCE
            self._scale_approach(2.0 * self._approach_scale)
        self._advance(self._slow, goal, dt)

    def brake(self, dt: float) -> None:
        """Advance by `dt` [s] toward a standstill, as fast as the limits allow."""
        dt = min(dt, LONGEST_STEP)
        self._go(dt, lambda joint, time: _braked(self._states[joint], self._limiters[joint].limits, time))

    def _distance(self, goal: Sequence[Kinematic]) -> float:
        """Largest distance of a joint from its goal [rad of a revolute joint]."""
        rows = zip(self._states, goal, self._scales, strict=True)
        return max(abs(state.position - desired.position) / scale for state, desired, scale in rows)

    def _scale_approach(self, share: float) -> None:
        """Set the limits of the slow approach to a `share` of the joints' limits. It only grows during an approach, so earlier states
        stay within them.
        """
        self._approach_scale = share
        self._slow = [
            Limiter(
                replace(
                    limits,
                    velocity=min(limits.velocity, APPROACH_SPEED * scale * share),
                    acceleration=min(limits.acceleration, APPROACH_ACCELERATION * scale * share),
                )
            )
            for limits, scale in zip(self._limits, self._scales, strict=True)
        ]

    def _advance(self, limiters: Sequence[Limiter], goal: Sequence[Kinematic], dt: float) -> None:
        def toward(joint: int, time: float) -> Kinematic:
            desired = goal[joint]
            return limiters[joint].step(self._states[joint], desired.position, time, desired.velocity, desired.acceleration)

        self._go(min(dt, LONGEST_STEP), toward)

    def _go(self, dt: float, go: Callable[[int, float], Kinematic]) -> None:
        """Advance all joints by `dt` [s]; `go(joint, time)` is a joint's state after a time of its own."""
        if self._speed_limiter is None:
            self._states = [go(joint, dt) for joint in range(len(self._states))]
        else:
            self._states = self._speed_limiter.step(self._states, dt, go)


def _around(joint: Joint, span: tuple[float, float], value: float) -> Limits:
    """The joint's limits over `span`, extended to contain `value`."""
    return replace(joint.limits, lower=min(span[0], value), upper=max(span[1], value))


def _braked(state: Kinematic, limits: Limits, dt: float) -> Kinematic:
    """The state after `dt` [s] of braking at the limits."""
    point = stopped((state.position, state.velocity, state.acceleration), dt, limits.acceleration, limits.jerk)
    if point is not None:
        return Kinematic(*point)
    stand = state.position + stopping_distance(state.velocity, state.acceleration, limits.acceleration, limits.jerk)
    return Kinematic(limits.clamp(stand))
