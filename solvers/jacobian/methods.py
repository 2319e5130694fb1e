"""Methods of the family: transpose, pseudoinverse, damped and selectively damped least squares.

Source: Buss 2009, sections 3 to 7; Buss & Kim 2005 for the last. Every change is clamped: no joint moves by
more than `largest_change` in one update. Secondary objectives are projected onto the null space (Buss 2009,
eq. 7).
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..least_squares.bounded_step import beneath, within
from ..tolerances import TINY
from .damping import DampingRule
from .linear import Array, Factors, Indices, Linear, Mask, clamp_largest, factors, size


class Method(Protocol):
    """Interface of a method that finds the change of the joints in one update from the linearised errors."""

    def change(self, linear: Linear, down: Array, up: Array) -> Array:
        """The joint change (n,) in the joints' units, between the bounds `down` (n,) <= 0 and `up`
        (n,) >= 0.
        """
        ...

    def error_size(self, linear: Linear) -> float:
        """Size of the error as weighted by the method; of two poses, the one with the smaller size is
        better.
        """
        ...


class SingleTask:
    """A method that treats all errors with equal priority, with secondary objectives in their null space."""

    largest_change: float

    def step(self, linear: Linear) -> Array:
        """The change (n,) for the errors alone, without limits."""
        raise NotImplementedError

    def error_size(self, linear: Linear) -> float:
        """Euclidean length of all weighted errors."""
        return size(linear.error)

    def change(self, linear: Linear, down: Array, up: Array) -> Array:
        """Joint change (n,) within the bounds `down` and `up` (n,), and `largest_change`: the method's step
        for the errors, plus secondary objectives in their null space.
        """

        def of_free(moves: Array, free: Mask) -> Array:
            change = np.zeros(len(moves))
            part = linear if free.all() else linear.without(moves, np.flatnonzero(free))
            change[free] = clamp_largest(self.step(part), self.largest_change)
            return change

        change, _ = within(of_free, down, up)
        return clamp_largest(with_secondary(linear, change, down, up), self.largest_change)


@dataclass(frozen=True)
class Transpose(SingleTask):
    """Joint change along J' e, with the length that reduces the linear error most (Buss 2009, section 3)."""

    largest_change: float = math.radians(30)

    def step(self, linear: Linear) -> Array:
        downhill: Array = linear.jacobian.T @ linear.error
        moved = linear.jacobian @ downhill
        square = float(moved @ moved)
        return downhill * (float(linear.error @ moved) / square if square > 0.0 else 0.0)


@dataclass(frozen=True)
class Pseudoinverse(SingleTask):
    """Smallest joint change that removes the whole error, or as much of it as possible (Buss 2009, section
    4).
    """

    largest_change: float = math.radians(30)

    def step(self, linear: Linear) -> Array:
        parts = linear.factors
        step: Array = parts.right.T @ ((parts.left.T @ linear.error) / parts.values)
        return step


@dataclass(frozen=True)
class Damped(SingleTask):
    """Joint change that minimises the sum of squares of the remaining error and the weighted change (Buss
    2009, section 5, eq. 14).
    """

    damping: DampingRule
    largest_change: float = math.radians(45)

    def step(self, linear: Linear) -> Array:
        return damped(linear.factors, linear.error, self.damping)


@dataclass(frozen=True)
class SelectivelyDamped(SingleTask):
    """Limits the joint change of each singular vector by how inefficiently it moves the ends (Buss & Kim
    2005; Ribeiro & Paiva 2019, eq. 11 and 12).

    If the joints of a singular vector move the ends much one by one (M) compared to together (N), the vector
    moves no joint by more than gamma = min(1, N / M) `largest_change`.
    """

    largest_change: float = math.radians(45)  # [rad] largest change of a joint: Buss's gamma_max

    def step(self, linear: Linear) -> Array:
        parts = linear.factors
        if not parts.rank:
            return np.zeros(linear.jacobian.shape[1])
        # one row for each singular vector
        steps = parts.right * ((parts.left.T @ linear.error) / parts.values)[:, None]
        largest = np.max(np.abs(steps), axis=1)
        bounds = selective_bounds(linear, self.largest_change)
        step: Array = np.minimum(1.0, bounds / np.maximum(largest, TINY)) @ steps
        return step


def selective_bounds(linear: Linear, largest_change: float) -> Array:
    """Largest change gamma (k,) of a joint that each singular vector may cause, as Buss & Kim define it."""
    parts = linear.factors
    together = linear.norms(parts.left).sum(axis=0)  # N: sum of the norms of all ends' movements
    # M: sum of the ends' movements by each joint alone
    one_by_one = (linear.norms(linear.jacobian) @ np.abs(parts.right).T).sum(axis=0) / parts.values
    bounds: Array = np.minimum(1.0, together / np.maximum(one_by_one, TINY)) * largest_change
    return bounds


def damped(parts: Factors, error: Array, damping: DampingRule) -> Array:
    """The damped least squares change (n,) for an error (r,)."""
    if not parts.rank:
        return np.zeros(parts.right.shape[1])
    along = parts.left.T @ error
    gains = parts.values / (parts.values**2 + damping.squares(parts, along))
    step: Array = parts.right.T @ (gains * along)
    return step


def with_secondary(linear: Linear, change: Array, down: Array, up: Array) -> Array:
    """The joint change (n,) plus that of the secondary objectives, projected onto the errors' null space,
    from `down` to `up` (n,).
    """
    if not linear.secondary.any():
        return change

    def further(free: Indices, so_far: Array) -> Array:
        right = linear.factors.right if len(free) == len(so_far) else factors(linear.jacobian[:, free]).right
        free_secondary = (linear.secondary - (so_far - change))[free]
        addition: Array = free_secondary - right.T @ (right @ free_secondary)
        return addition

    return beneath(further, change, down, up)
