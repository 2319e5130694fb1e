"""Continues a path through a fold, where two solutions meet, as when a crank passes its dead centre.

One of the two solutions continues the path; the other mirrors the past of the path and soon ends. Steps from
the last pose can end at either solution or, close to the fold, at neither; the solution that deviates less
from the last step is the continuation.
"""

import numpy as np

from ..kinematics.se3 import Array
from ..least_squares.damping import Damping
from ..tolerances import EXACT, SAME_ANGLE
from .descent import ALIKE, CLOSE_ENOUGH, Configuration, Descent


def continued(
    descent: Descent, start: Configuration, solved: Configuration, last: Array, iterations: int
) -> Configuration | None:
    """The solution that continues the last step through a fold, if it meets the goals as well as `solved` and
    deviates less than half as much from that step; else None, also if `solved` deviates little.

    Args:
        descent: This frame's solve.
        start: The last frame's coordinates, under this frame's goals.
        solved: The solution found from `start`.
        last: (v,) the last step in units of the coordinates, scaled to this frame's duration.
        iterations: Maximum number of steps.
    """
    taken = descent.difference(start, solved)
    if not _deviates(taken, last):
        return None
    last = _determined(descent, start, last)
    if not _deviates(taken, last):
        return None
    ahead = descent.close(descent.stepped(start, last), EXACT)
    if ahead.open > EXACT:
        return None
    damping, at_bound = descent.damping.share, descent.held
    beyond, _, _ = descent.go(ahead, iterations)
    is_met = beyond.open <= EXACT and beyond.square <= max(solved.square, SAME_ANGLE * SAME_ANGLE)
    if is_met and np.abs(descent.difference(start, beyond) - last).max() < ALIKE * np.abs(taken - last).max():
        return beyond
    descent.damping, descent.held = Damping(damping), at_bound
    return None


def _deviates(taken: Array, last: Array) -> bool:
    """Whether a coordinate of a step (v,) differs from that of the last step (v,) by more than the larger of
    `CLOSE_ENOUGH` and `ALIKE` of the last step's largest magnitude.
    """
    return float(np.abs(taken - last).max(initial=0.0)) > max(
        ALIKE * float(np.abs(last).max(initial=0.0)), CLOSE_ENOUGH
    )


def _determined(descent: Descent, configuration: Configuration, step: Array) -> Array:
    """The part of a step (v,) that the tasks determine: continued free motion would never come to rest."""
    _, sizes, directions = np.linalg.svd(descent.along(configuration), full_matrices=False)
    # near a fold one direction has a singular value of almost zero
    determined = directions[sizes > EXACT * sizes.max(initial=0.0)]
    determined_step: Array = determined.T @ (determined @ step)
    return determined_step
