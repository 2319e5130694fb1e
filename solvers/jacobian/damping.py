"""Choices of damping, among those that Buss (2009, section 5) surveys: how a direction's gain 1 / s is held back. Knows no Blender.

Each gives the squared damping of every singular value, so that its gain is s / (s^2 + damping). Singular values have the errors' units,
radians or shares of the reach, over the joints' units.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .linear import Array, Factors

NEWTON_STEPS = 20  # of Bounded: it takes fewer than ten, from below and without overshoot
CLOSE_ENOUGH = 1e-6  # of the bound


class Damping(Protocol):
    """How much each direction is damped."""

    def squares(self, parts: Factors, along: Array, rows: int) -> Array | float:
        """Squared damping, one for each singular value (k,) or for all.

        Args:
            parts: The factors of the Jacobian.
            along: The error's components along the left singular vectors (k,).
            rows: Of the Jacobian: its rank where nothing is singular is the lesser of this and its columns.
        """
        ...


@dataclass(frozen=True)
class Constant:
    """The same everywhere (Wampler 1986)."""

    damping: float = 0.1

    def squares(self, parts: Factors, along: Array, rows: int) -> float:
        return self.damping**2


@dataclass(frozen=True)
class ByManipulability:
    """From `damping` at a singular pose down to none where Yoshikawa's manipulability is above a threshold (Nakamura & Hanafusa 1986)."""

    damping: float = 0.1
    threshold: float = 0.05

    def squares(self, parts: Factors, along: Array, rows: int) -> float:
        is_full = parts.rank == min(rows, parts.right.shape[1])
        manipulability = float(np.prod(parts.values)) if is_full else 0.0
        return (self.damping * max(0.0, 1.0 - manipulability / self.threshold)) ** 2


@dataclass(frozen=True)
class BySmallest:
    """Just enough, by the smallest singular value, for a change of at most `largest_change` (Maciejewski & Klein 1988; ERIK's eq. 15)."""

    largest_change: float = 0.5  # b_max [rad], Euclidean

    def squares(self, parts: Factors, along: Array, rows: int) -> float:
        wanted = math.sqrt(float(along @ along)) / self.largest_change
        smallest = float(parts.values[-1])
        if smallest <= 0.5 * wanted:
            return 0.25 * wanted * wanted
        return max(0.0, smallest * (wanted - smallest))


@dataclass(frozen=True)
class Filtered:
    """Numerical filtering: full damping only along the smallest singular vector, and only near a singular pose; elsewhere a little.

    Maciejewski & Klein 1988, with the ramp of Chiaverini, Siciliano & Egeland 1994.
    """

    damping: float = 0.1
    region: float = 0.1  # a smallest singular value above is not near a singular pose
    everywhere: float = 1e-3

    def squares(self, parts: Factors, along: Array, rows: int) -> Array:
        squares = np.full(parts.rank, self.everywhere**2)
        share = float(parts.values[-1]) / self.region
        squares[-1] += max(0.0, 1.0 - share * share) * self.damping**2
        return squares


@dataclass(frozen=True)
class ByError:
    """In step with the error, so that it vanishes where the goal is met: squares are `gain` e'e / 2 (Chan & Lawrence 1988).

    Whatever the pose, no singular direction then changes joints by more than 1 / sqrt(2 gain): the most of s e / (s^2 + damping).
    """

    gain: float = 8.0  # .25 rad: calm out of reach, and still within a thousandth of the reach in a dozen updates

    def squares(self, parts: Factors, along: Array, rows: int) -> float:
        return 0.5 * self.gain * float(along @ along)


@dataclass(frozen=True)
class Bounded:
    """The least with which the change is no longer than `largest_change`, by Newton's method (optimal damping, Deo & Walker 1992)."""

    largest_change: float = 0.5  # [rad], Euclidean

    def squares(self, parts: Factors, along: Array, rows: int) -> float:
        values, square = parts.values**2, 0.0
        for _ in range(NEWTON_STEPS):  # on 1 / |change|, which is concave and nearly straight (Hebden, More)
            below = values + square
            change = parts.values * along / below
            length = math.sqrt(float(change @ change))
            if length <= self.largest_change * (1.0 + CLOSE_ENOUGH):
                break
            slope = float(change @ (change / below))
            square += (length / self.largest_change - 1.0) * length * length / slope
        return square
