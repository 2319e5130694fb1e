"""From errors to a change of the joints: transpose, pseudoinverse, damped and selectively damped least squares. Knows no Blender.

Source: Buss 2009, sections 3 to 7; Buss & Kim 2005 for the last. Every change is clamped: no joint moves by more than `largest_change` at
once. What the joints would like comes on top, projected so that the errors do not feel it (Buss 2009, eq. 7).
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .damping import Damping
from .linear import Array, Factors, Linear, clamp_largest


class Method(Protocol):
    """One update."""

    def change(self, linear: Linear) -> Array:
        """The change (n,) of the joints, in their units."""
        ...


@dataclass(frozen=True)
class Transpose:
    """J' e, as long as takes off most of the error if the problem were linear (Buss 2009, section 3)."""

    largest_change: float = math.radians(30)

    def change(self, linear: Linear) -> Array:
        downhill: Array = linear.jacobian.T @ linear.error
        moved = linear.jacobian @ downhill
        square = float(moved @ moved)
        step = downhill * (float(linear.error @ moved) / square) if square > 0.0 else 0.0 * downhill
        return clamp_largest(with_wishes(linear, step), self.largest_change)


@dataclass(frozen=True)
class Pseudoinverse:
    """The least change that takes off the whole error, or as much as can be (Buss 2009, section 4)."""

    largest_change: float = math.radians(30)

    def change(self, linear: Linear) -> Array:
        parts = linear.factors
        step = parts.right.T @ ((parts.left.T @ linear.error) / parts.values)
        return clamp_largest(with_wishes(linear, step), self.largest_change)


@dataclass(frozen=True)
class Damped:
    """Weighs what is left of the error against the length of the change (Buss 2009, section 5, eq. 14)."""

    damping: Damping
    largest_change: float = math.radians(45)

    def change(self, linear: Linear) -> Array:
        step = damped(linear.factors, linear.error, self.damping)
        return clamp_largest(with_wishes(linear, step), self.largest_change)


@dataclass(frozen=True)
class SelectivelyDamped:
    """Each singular vector bounded by how far it moves the ends for nothing (Buss & Kim 2005; Ribeiro & Paiva 2019, eq. 11 and 12).

    A vector whose joints, one by one, move the ends a lot (M) for what they do together (N) may move no joint by more than
    gamma = min(1, N / M) `largest_change`.
    """

    largest_change: float = math.radians(45)  # gamma_max

    def change(self, linear: Linear) -> Array:
        parts = linear.factors
        if not parts.rank:
            return clamp_largest(linear.wanted, self.largest_change)
        turns = parts.right * ((parts.left.T @ linear.error) / parts.values)[:, None]  # one row for each singular vector
        bounds = selective_bounds(linear, self.largest_change)
        largest = np.max(np.abs(turns), axis=1)
        shares = np.minimum(1.0, bounds / np.maximum(largest, np.finfo(float).tiny))
        return clamp_largest(with_wishes(linear, shares @ turns), self.largest_change)


def selective_bounds(linear: Linear, largest_change: float) -> Array:
    """gamma (k,) for each singular vector: what Buss & Kim allow it to move any joint by."""
    parts = linear.factors
    ends_moved = linear.norms(parts.left).sum(axis=0)  # N: what it should do to all ends, a norm for each
    joints_move = (linear.norms(linear.jacobian) @ np.abs(parts.right).T).sum(axis=0) / parts.values  # M: what its joints do, one by one
    bounds: Array = np.minimum(1.0, ends_moved / np.maximum(joints_move, np.finfo(float).tiny)) * largest_change
    return bounds


def damped(parts: Factors, error: Array, damping: Damping) -> Array:
    """The damped least squares change (n,) for an error (r,)."""
    if not parts.rank:
        return np.zeros(parts.right.shape[1])
    along = parts.left.T @ error
    gains = parts.values / (parts.values**2 + damping.squares(parts, along, len(error)))
    step: Array = parts.right.T @ (gains * along)
    return step


def with_wishes(linear: Linear, step: Array) -> Array:
    """The step and, beneath it, what the joints would like, less what the errors would feel of it."""
    if not linear.wanted.any():
        return step
    right = linear.factors.right
    wishes: Array = linear.wanted - right.T @ (right @ linear.wanted)
    return step + wishes
