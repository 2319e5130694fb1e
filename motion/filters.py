"""Interface of motion filters: the style parameters, the protocol, the table's entries."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite
from typing import Protocol

from .errors import MotionStyleError
from .joint import Kinematic, Limits


@dataclass(frozen=True, slots=True)
class MotionStyle:
    """Style of a motion within the same limits (Ribeiro & Paiva 2019, section 3.7); all dimensionless.

    Attributes:
        sigma: Smoothness, 0 to 1: 0 is neutral, 1 the smoothest and slowest.
        rho: Responsiveness, 0 up to but not 1: makes a smooth motion faster again.
        velocity, acceleration, jerk: Shares of the joint's limits that the motion uses at most: above 0, up
            to 1.
        beta: Exponent with which the Nutty filter slows down toward a position limit: 1 from mid-range on,
            larger values only nearer to the limit. Above 0; the other filters ignore it.

    Raises:
        MotionStyleError: a field is out of its range.
    """

    sigma: float = 0.0
    rho: float = 0.0
    beta: float = 1.0
    velocity: float = 1.0
    acceleration: float = 1.0
    jerk: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.sigma <= 1.0:
            raise MotionStyleError(f"style `sigma` is {self.sigma}: choose it from 0 to 1")
        if not 0.0 <= self.rho < 1.0:
            raise MotionStyleError(f"style `rho` is {self.rho}: choose it from 0 up to but not 1")
        if not (self.beta > 0.0 and isfinite(self.beta)):
            raise MotionStyleError(f"style `beta` is {self.beta}: choose it above 0")
        for name in ("velocity", "acceleration", "jerk"):
            if not 0.0 < getattr(self, name) <= 1.0:
                raise MotionStyleError(
                    f"style `{name}` is {getattr(self, name)}: choose a share above 0 and up to 1"
                )

    def within(self, limits: Limits) -> Limits:
        """Limits of a joint reduced to the shares of velocity, acceleration and jerk that this style
        uses.
        """
        if self.velocity == self.acceleration == self.jerk == 1.0:
            return limits
        return replace(
            limits,
            velocity=self.velocity * limits.velocity,
            acceleration=self.acceleration * limits.acceleration,
            jerk=self.jerk * limits.jerk,
        )


NEUTRAL = MotionStyle()  # style that uses the whole of the limits and does not smooth
NO_FILTER = "none"  # key that stands for "no motion filter" in settings


class Filter(Protocol):
    """Interface of a joint's motion filter: turns its target into a motion that a motor can follow. Its
    methods are pure functions of their arguments.
    """

    @property
    def limits(self) -> Limits:
        """Limits within which the output stays."""

    def rest(self, position: float) -> Kinematic:
        """State of a joint at rest at `position` [rad]."""

    def step(
        self, state: Kinematic, target: float, dt: float, target_velocity: float | None = None
    ) -> Kinematic:
        """State `dt` seconds later, moving toward `target`.

        Args:
            state: State that `rest` or the last `step` returned.
            target: Desired position [rad]; clamped to the position limits.
            dt: Time [s] since `state`, at least 0; it can change from step to step. 0 returns the same state.
            target_velocity: Velocity of the target [rad/s], if the caller knows it; None: the filter
                estimates it.

        Raises:
            TargetError: `target` or `target_velocity` is not a finite number.
            TimeStepError: `dt` is negative or not a finite number.
        """


@dataclass(frozen=True, slots=True)
class FilterInfo:
    """Entry of the table of filters from which a user chooses."""

    name: str
    label: str
    description: str
    make: Callable[[Limits, MotionStyle], Filter]
