"""Choices of damping from the survey of Buss (2009, section 5) that Limber's methods do not use, for
comparison.
"""

import math
from dataclasses import dataclass

import numpy as np
from limber.solvers.jacobian.linear import Array, Factors

# number of Newton steps of Bounded: fewer than ten suffice, from below and without overshoot
NEWTON_STEPS = 20
CLOSE_ENOUGH = 1e-6  # relative difference from the bound at which they end


@dataclass(frozen=True)
class ByManipulability:
    """Damping that decreases from `damping` at a singular pose to zero where Yoshikawa's manipulability is
    above a threshold (Nakamura & Hanafusa 1986).
    """

    damping: float = 0.1
    threshold: float = 0.05

    def squares(self, parts: Factors, along: Array) -> float:
        is_full = parts.rank == min(len(parts.left), parts.right.shape[1])
        manipulability = float(np.prod(parts.values)) if is_full else 0.0
        return (self.damping * max(0.0, 1.0 - manipulability / self.threshold)) ** 2


@dataclass(frozen=True)
class Filtered:
    """Numerical filtering: full damping only along the smallest singular vector, and only near a singular
    pose; elsewhere a small damping.

    Maciejewski & Klein 1988, with the ramp of Chiaverini, Siciliano & Egeland 1994.
    """

    damping: float = 0.1
    region: float = 0.1  # smallest singular value below which a pose is near a singular one
    everywhere: float = 1e-3

    def squares(self, parts: Factors, along: Array) -> Array:
        squares = np.full(parts.rank, self.everywhere**2)
        share = float(parts.values[-1]) / self.region
        squares[-1] += max(0.0, 1.0 - share * share) * self.damping**2
        return squares


@dataclass(frozen=True)
class Bounded:
    """The smallest damping with which the change is no longer than `largest_change`, by Newton's method
    (optimal damping, Deo & Walker 1992).
    """

    largest_change: float = 0.5  # [rad] Euclidean length

    def squares(self, parts: Factors, along: Array) -> float:
        values, square = parts.values**2, 0.0
        # Newton's method on 1 / |change|, which is concave and nearly linear (Hebden, More)
        for _ in range(NEWTON_STEPS):
            below = values + square
            change = parts.values * along / below
            length = math.sqrt(float(change @ change))
            if length <= self.largest_change * (1.0 + CLOSE_ENOUGH):
                break
            slope = float(change @ (change / below))
            square += (length / self.largest_change - 1.0) * length * length / slope
        return square
