"""From errors to a change of the joints: transpose, pseudoinverse, damped and selectively damped least squares. Knows no Blender.

Source: Buss 2009, sections 3 to 7; Buss & Kim 2005 for the last. Every change is clamped: no joint moves by more than `largest_change` at
once. What the joints would like comes beneath, projected so that the errors do not feel it (Buss 2009, eq. 7).
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .damping import Damping
from .limits import beneath, step_within
from .linear import Array, Factors, Indices, Linear, clamp_largest, factors, size


class Method(Protocol):
    """One update."""

    def change(self, linear: Linear, down: Array, up: Array) -> Array:
        """The change (n,) of the joints, in their units, within limits: from `down` (n,) <= 0 to `up` (n,) >= 0."""
        ...

    def missed(self, linear: Linear) -> float:
        """How much is missed, as the method weighs it: of two poses the one with less is better."""
        ...


class SingleTask:
    """All errors at one level, the joints' wishes beneath."""

    largest_change: float

    def step(self, linear: Linear) -> Array:
        """The change (n,) for the errors alone, without limits."""
        raise NotImplementedError

    def missed(self, linear: Linear) -> float:
        """See `Method.missed`."""
        return size(linear.error)

    def change(self, linear: Linear, down: Array, up: Array) -> Array:
        """See `Method.change`."""

        def clamped(part: Linear) -> Array:
            return clamp_largest(self.step(part), self.largest_change)

        change = step_within(clamped, linear, down, up)
        return clamp_largest(with_wishes(linear, change, down, up), self.largest_change)


@dataclass(frozen=True)
class Transpose(SingleTask):
    """J' e, as long as takes off most of the error if the problem were linear (Buss 2009, section 3)."""

    largest_change: float = math.radians(30)

    def step(self, linear: Linear) -> Array:
        downhill: Array = linear.jacobian.T @ linear.error
        moved = linear.jacobian @ downhill
        square = float(moved @ moved)
        return downhill * (float(linear.error @ moved) / square if square > 0.0 else 0.0)


@dataclass(frozen=True)
class Pseudoinverse(SingleTask):
    """The least change that takes off the whole error, or as much as can be (Buss 2009, section 4)."""

    largest_change: float = math.radians(30)

    def step(self, linear: Linear) -> Array:
        parts = linear.factors
        step: Array = parts.right.T @ ((parts.left.T @ linear.error) / parts.values)
        return step


@dataclass(frozen=True)
class Damped(SingleTask):
    """Weighs what is left of the error against the length of the change (Buss 2009, section 5, eq. 14)."""

    damping: Damping
    largest_change: float = math.radians(45)

    def step(self, linear: Linear) -> Array:
        return damped(linear.factors, linear.error, self.damping)


@dataclass(frozen=True)
class SelectivelyDamped(SingleTask):
    """Each singular vector bounded by how far it moves the ends for nothing (Buss & Kim 2005; Ribeiro & Paiva 2019, eq. 11 and 12).

    A vector whose joints, one by one, move the ends a lot (M) for what they do together (N) may move no joint by more than
    gamma = min(1, N / M) `largest_change`.
    """

    largest_change: float = math.radians(45)  # gamma_max

    def step(self, linear: Linear) -> Array:
        parts = linear.factors
        if not parts.rank:
            return np.zeros(linear.jacobian.shape[1])
        turns = parts.right * ((parts.left.T @ linear.error) / parts.values)[:, None]  # one row for each singular vector
        largest = np.max(np.abs(turns), axis=1)
        bounds = selective_bounds(linear, self.largest_change)
        step: Array = np.minimum(1.0, bounds / np.maximum(largest, np.finfo(float).tiny)) @ turns
        return step


def selective_bounds(linear: Linear, largest_change: float) -> Array:
    """gamma (k,) for each singular vector: what Buss & Kim allow it to move any joint by."""
    parts = linear.factors
    together = linear.norms(parts.left).sum(axis=0)  # N: what it does to all ends, a norm for each
    one_by_one = (linear.norms(linear.jacobian) @ np.abs(parts.right).T).sum(axis=0) / parts.values  # M: what its joints do, one by one
    bounds: Array = np.minimum(1.0, together / np.maximum(one_by_one, np.finfo(float).tiny)) * largest_change
    return bounds


def damped(parts: Factors, error: Array, damping: Damping) -> Array:
    """The damped least squares change (n,) for an error (r,)."""
    if not parts.rank:
        return np.zeros(parts.right.shape[1])
    along = parts.left.T @ error
    gains = parts.values / (parts.values**2 + damping.squares(parts, along))
    step: Array = parts.right.T @ (gains * along)
    return step


def with_wishes(linear: Linear, change: Array, down: Array, up: Array) -> Array:
    """The change (n,) and, beneath it, what the joints would like, less what the errors would feel of it."""
    if not linear.wanted.any():
        return change

    def further(free: Indices, so_far: Array) -> Array:
        right = linear.factors.right if len(free) == len(so_far) else factors(linear.jacobian[:, free]).right
        wishes = (linear.wanted - (so_far - change))[free]
        addition: Array = wishes - right.T @ (right @ wishes)
        return addition

    return beneath(further, change, down, up)
