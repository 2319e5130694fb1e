"""Transitions between postures, of a given duration or as fast as limits allow: smooth from any state of
motion.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cbrt, sqrt

from .joint import Kinematic, Limits, check_step
from .profile import stopping_distance

# largest velocity, acceleration and jerk of the minimum-jerk movement over a unit of distance in a unit of
# time
PEAK_VELOCITY, PEAK_ACCELERATION, PEAK_JERK = 15 / 8, 10 / sqrt(3), 60.0


@dataclass(frozen=True, slots=True)
class TransitionState(Kinematic):
    """State of a joint during a transition: its motion, the target [rad], and the remaining time [s]."""

    target: float = 0.0
    remaining: float = 0.0


@dataclass(frozen=True)
class Transition:
    """Transition of one joint to each new target, along a polynomial of degree five. It lasts `seconds` [s];
    0: as short as the limits allow from rest.

    It continues position, velocity and acceleration and ends at rest; a new target restarts it. It keeps
    position limits only: the motion filter after it keeps the others.

    Source: Flash & Hogan 1985, "The coordination of arm movements": it is their minimum-jerk movement if it
    starts at rest.
    """

    limits: Limits
    seconds: float = 0.0

    def rest(self, position: float) -> TransitionState:
        """State of a joint at rest at `position` [rad]."""
        return TransitionState(position, target=position)

    def duration(self, state: Kinematic, target: float) -> float:
        """Duration [s] of a transition to `target` [rad]: `seconds` if that is set; else the shortest one
        that keeps all limits if the joint starts from rest.

        For a joint in motion the distance counts as its stopping distance plus the distance from where it
        would stop to the target.
        """
        if self.seconds:
            return self.seconds
        limits = self.limits
        stop = stopping_distance(state.velocity, state.acceleration, limits.acceleration, limits.jerk)
        distance = abs(stop) + abs(limits.clamp(target) - state.position - stop)
        return max(
            PEAK_VELOCITY * distance / limits.velocity,
            sqrt(PEAK_ACCELERATION * distance / limits.acceleration),
            cbrt(PEAK_JERK * distance / limits.jerk),
        )

    def remaining(self, state: Kinematic, target: float) -> float:
        """Time [s] until the joint arrives at `target` [rad]: the remaining time of a running transition, or
        the duration of a new one.
        """
        if isinstance(state, TransitionState) and state.target == self.limits.clamp(target):
            return state.remaining
        return self.duration(state, target)

    def step(
        self, state: Kinematic, target: float, dt: float, target_velocity: float | None = None
    ) -> TransitionState:
        """State `dt` seconds later; see `Filter.step`. `target_velocity` is not used."""
        check_step(target, dt, target_velocity)
        if dt == 0.0 and isinstance(state, TransitionState):
            return state
        target = self.limits.clamp(target)
        if isinstance(state, TransitionState) and state.target == target and not state.remaining:
            return state  # the joint is at rest at the target
        remaining = self.remaining(state, target)
        if remaining <= dt:
            return self.rest(target)
        if dt == 0.0:
            return TransitionState(state.position, state.velocity, state.acceleration, target, remaining)
        # With time in units of `remaining`: x = x0 + v s + a/2 s^2 + c3 s^3 + c4 s^4 + c5 s^5, which is at
        # rest at the target at s = 1.
        distance, velocity, acceleration = (
            target - state.position,
            state.velocity * remaining,
            state.acceleration * remaining * remaining,
        )
        c3 = 10.0 * distance - 6.0 * velocity - 1.5 * acceleration
        c4 = -15.0 * distance + 8.0 * velocity + 1.5 * acceleration
        c5 = 6.0 * distance - 3.0 * velocity - 0.5 * acceleration
        s = dt / remaining
        position = state.position + s * (velocity + s * (0.5 * acceleration + s * (c3 + s * (c4 + s * c5))))
        return TransitionState(
            self.limits.clamp(position),
            (velocity + s * (acceleration + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / remaining,
            (acceleration + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / (remaining * remaining),
            target,
            remaining - dt,
        )


def together(
    transitions: Sequence[Transition], states: Sequence[Kinematic], targets: Sequence[float], dt: float
) -> tuple[TransitionState, ...]:
    """States of several joints `dt` seconds later, on transitions that end together, with the slowest: from
    rest, a straight line in joint space.

    If the targets of some joints change on the way, these arrive together, and not before the others, whose
    transitions continue unchanged.
    """
    joints = tuple(zip(transitions, states, targets, strict=True))
    seconds = max((transition.remaining(state, target) for transition, state, target in joints), default=0.0)
    return tuple(
        replace(transition, seconds=seconds).step(state, target, dt) for transition, state, target in joints
    )
