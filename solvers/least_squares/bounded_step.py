"""Joint steps within bounds, for methods whose step is not the minimum of a quadratic.

The module `box` finds the minimum of a quadratic within bounds; this one is for steps in null spaces and
steps with other kinds of damping.
"""

from collections.abc import Callable

import numpy as np

from ..kinematics.se3 import Array
from ..kinematics.tree import Indices, Mask
from ..tolerances import EXACT

# [rad, or in fractions of a skeleton's reach or sizes of a mechanism] largest step of a coordinate: beyond it
# the linear model is inaccurate
LONGEST_STEP = 0.5
# limit for loops that end by themselves: rounding errors cannot prolong them, and no observed loop takes as
# many
MAX_ITERATIONS = 200


Step = Callable[[Array, Mask], Array]
Slope = Callable[[Array, Mask], Array]


def within(step: Step, lower: Array, upper: Array, slope: Slope | None = None) -> tuple[Array, Mask]:
    """The step (n,) within bounds, and a mask (n,) of the unknowns that are at a bound.

    Unknowns that would leave their bounds are held there, and the others are solved for again, until none
    leaves (the clamping loop of Baerlocher & Boulic 2004). If several leave at once, some need not be held
    while the others are: with `slope` these are released.

    Args:
        step: Returns the step (n,) for the moves (n,) of held unknowns, zero elsewhere, and the mask (n,) of
            free ones.
        lower: Lower bounds (n,), possibly infinite.
        upper: Upper bounds (n,), not below `lower`.
        slope: Returns the objective's gradient (n,), projected onto the constraints' null space, for a step
            (n,) and the mask (n,).
    """
    at_bound, moves = np.zeros(len(lower), bool), np.zeros(len(lower))
    while not at_bound.all():
        unbounded = step(moves, ~at_bound)
        out = ((unbounded < lower) | (unbounded > upper)) & ~at_bound
        moves = np.where(at_bound, moves, np.clip(unbounded, lower, upper))
        if not out.any():
            break
        at_bound |= out
        moves[~at_bound] = 0.0
    # if only one unknown leaves while all others are free, it must be held
    if slope is None or np.count_nonzero(at_bound) < 2:
        return moves, at_bound
    return _released(step, slope, moves, at_bound, lower, upper)


def _released(
    step: Step, slope: Slope, moves: Array, at_bound: Mask, lower: Array, upper: Array
) -> tuple[Array, Mask]:
    """Result as from `within`, starting from the best moves (n,) within bounds for the held unknowns (n,):
    the primal active set method (Nocedal & Wright 2006, algorithm 16.3).
    """
    is_best = True
    for _ in range(MAX_ITERATIONS):
        if is_best:
            slopes = slope(moves, ~at_bound)
            inward = np.where(at_bound & (lower < upper), np.where(moves <= lower, -slopes, slopes), 0.0)
            first = int(np.argmax(inward))
            if inward[first] <= EXACT * np.abs(slopes).max():
                break
            at_bound[first] = False
        direction = np.where(at_bound, 0.0, step(np.where(at_bound, moves, 0.0), ~at_bound) - moves)
        bound = np.where(direction > 0.0, upper, lower)
        shares = np.divide(
            bound - moves, direction, out=np.full(len(direction), np.inf), where=direction != 0.0
        )
        share = min(1.0, float(shares.min()))
        is_best = share == 1.0
        reached = (shares <= share) & (share < 1.0)
        at_bound |= reached
        moves = np.where(reached, bound, np.clip(moves + share * direction, lower, upper))
    return moves, at_bound


def beneath(further: Callable[[Indices, Array], Array], change: Array, lower: Array, upper: Array) -> Array:
    """`change` (n,) plus the contribution of a lower priority level, within bounds.

    The contribution is applied until an unknown reaches a bound; then the level is solved again for the
    others, and so on.

    Args:
        further: Returns the addition (k,) for indices (k,) of free unknowns and the change (n,) so far; it
            does not affect higher levels.
        change: The result of the levels above, within bounds.
        lower: Lower bounds (n,).
        upper: Upper bounds (n,).
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
