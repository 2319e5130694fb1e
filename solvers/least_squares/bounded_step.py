"""Steps of any method within bounds. Knows no Blender.

`box` finds the minimum of a quadratic within bounds; this serves steps that are none: in null spaces, or with damping of their own.
"""

from collections.abc import Callable

import numpy as np

from ..kinematics.se3 import Array
from ..kinematics.tree import Indices, Mask

LONGEST_STEP = 0.5  # [rad, or of a robot's size] of a coordinate in one step: beyond it the linear model says little
FAR_STEPS = 200  # most steps of a solve that may start anywhere: a hundred radians


def within(step: Callable[[Array, Mask], Array], lower: Array, upper: Array) -> tuple[Array, Mask]:
    """The step (n,) within bounds, and which unknowns (n,) they hold.

    Unknowns that would leave their bounds are held there, and the others are solved again, until none leaves. Source: the clamping loop of
    Baerlocher & Boulic 2004.

    Args:
        step: The step (n,), given the moves (n,) of held unknowns, zero elsewhere, and which are free (n,).
        lower: (n,), may be infinite.
        upper: (n,), not below `lower`.
    """
    held, moves = np.zeros(len(lower), bool), np.zeros(len(lower))
    while True:
        found = step(moves, ~held)
        out = ((found < lower) | (found > upper)) & ~held
        found = np.where(held, moves, found)
        if not out.any():
            return found, held
        held |= out
        moves = np.where(held, np.clip(found, lower, upper), 0.0)
        if held.all():
            return moves, held


def beneath(further: Callable[[Indices, Array], Array], change: Array, lower: Array, upper: Array) -> Array:
    """`change` (n,) plus what a lower priority level adds to it, within bounds.

    The addition is followed until an unknown reaches a bound; then the level is solved again for the others, and so on.

    Args:
        further: The addition (k,) for the free unknowns (k,), given those and the change so far; without effect on the levels above.
        change: The result of the levels above, within bounds.
        lower: (n,)
        upper: (n,)
    """
    change = change.copy()
    free = np.arange(len(change))
    while len(free):
        addition = further(free, change)
        room = np.where(addition > 0.0, upper[free] - change[free], change[free] - lower[free])
        speed = np.abs(addition)
        shares = np.divide(room, speed, out=np.full(len(free), np.inf), where=speed > 0.0)
        share = max(0.0, min(1.0, float(np.min(shares))))
        change[free] += share * addition
        if share == 1.0:
            break
        free = free[shares > share]
    return np.clip(change, lower, upper)
