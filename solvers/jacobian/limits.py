"""Joint limits of an update: joints that reach a limit stop there, and the others compensate. Knows no Blender.

Source: the clamping loop of Baerlocher & Boulic 2004. Theirs goes around all levels, so that a joint which a lower level carries to its
limit is lost to the higher ones; here each level has a loop of its own.
"""

from collections.abc import Callable

import numpy as np

from ..least_squares.bounded_step import within
from .linear import Array, Indices, Linear, Mask


def step_within(step: Callable[[Linear], Array], linear: Linear, down: Array, up: Array) -> Array:
    """The step (n,) of a method, with every joint between `down` (n,) <= 0 and `up` (n,) >= 0."""

    def of_free(moves: Array, free: Mask) -> Array:
        if free.all():
            return step(linear)
        change = np.zeros(len(moves))
        change[free] = step(linear.without(moves, np.flatnonzero(free)))
        return change

    return within(of_free, down, up)[0]


def beneath(further: Callable[[Indices, Array], Array], change: Array, down: Array, up: Array) -> Array:
    """`change` (n,) plus what a lower level adds to it, within limits.

    Args:
        further: The addition (k,) for the free joints (k,), given those and the change so far; without effect on the levels above.
        change: The result of the levels above, within limits.
        down: Lower bounds (n,) of the change.
        up: Upper bounds (n,).

    The addition is followed until a joint reaches a limit; then the level is solved again for the others, and so on.
    """
    change = change.copy()
    free = np.arange(len(change))
    while len(free):
        addition = further(free, change)
        room = np.where(addition > 0.0, up[free] - change[free], change[free] - down[free])
        speed = np.abs(addition)
        shares = np.divide(room, speed, out=np.full(len(free), np.inf), where=speed > 0.0)
        share = max(0.0, min(1.0, float(np.min(shares))))
        change[free] += share * addition
        if share == 1.0:
            break
        free = free[shares > share]
    return np.clip(change, down, up)
