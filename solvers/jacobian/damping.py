"""Choices of damping from the survey of Buss (2009, section 5): they reduce the gain 1 / s of a singular
direction. Each returns the squared damping of every singular value s, so that its gain is s / (s^2 +
damping). Singular values have the errors' units (radians or fractions of the reach) per unit of the
joints.
"""

import math
from dataclasses import dataclass
from typing import Protocol

from .linear import Array, Factors


class DampingRule(Protocol):
    """Interface of a choice of damping for each singular direction."""

    def squares(self, parts: Factors, along: Array) -> Array | float:
        """Squared damping for each singular value (k,), or one number for all.

        Args:
            parts: The factors of the Jacobian.
            along: The error's components along the left singular vectors (k,).
        """
        ...


@dataclass(frozen=True)
class Constant:
    """Damping by the same constant for all singular values (Wampler 1986)."""

    damping: float = 0.1

    def squares(self, parts: Factors, along: Array) -> float:
        return self.damping**2


@dataclass(frozen=True)
class BySmallest:
    """Damping by the smallest singular value: just enough to bound the joint change (Maciejewski & Klein
    1988; ERIK's eq. 15).
    """

    # b_max [rad], the largest Euclidean norm of the joint change: with task priorities and .5, ends out of
    # reach oscillate six times as much
    largest_change: float = 0.35

    def squares(self, parts: Factors, along: Array) -> float:
        error_per_change = math.sqrt(float(along @ along)) / self.largest_change
        smallest = float(parts.values[-1])
        if smallest <= 0.5 * error_per_change:
            return 0.25 * error_per_change * error_per_change
        return max(0.0, smallest * (error_per_change - smallest))


@dataclass(frozen=True)
class ByError:
    """Damping proportional to the squared error, so that it vanishes at the goal: the squared damping is
    `gain` e'e / 2 (Chan & Lawrence 1988).

    In any pose, no singular direction then changes joints by more than 1 / sqrt(2 gain): the maximum of
    s e / (s^2 + damping).
    """

    # 8 limits joint changes to .25 rad: motion is smooth out of reach, and a dozen updates reduce the error
    # to a thousandth of the reach
    gain: float = 8.0

    def squares(self, parts: Factors, along: Array) -> float:
        return 0.5 * self.gain * float(along @ along)
