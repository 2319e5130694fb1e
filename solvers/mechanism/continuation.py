"""Continues a path through a fold, where two solutions meet, as when a crank passes its dead centre.

One of the two continues the path, the other is a mirror image of its past, which soon ends. Steps from the
last pose may end at either, or, close to the fold, at none; the solution that deviates less from the last
step is the continuation.
"""

import numpy as np

from ..kinematics.se3 import Array
from ..least_squares.damping import Damping
from ..tolerances import EXACT, SAME_ANGLE
from .descent import ALIKE, CLOSE_ENOUGH, Configuration, Descent


def continued(
    descent: Descent, start: Configuration, here: Configuration, last: Array, iterations: int
) -> Configuration | None:
    """The solution that continues the last step through a fold, if it meets the goals as well as `here` and
    deviates half as much; else None.

    Args:
        descent: The solve of this frame.
        start: The last frame's coordinates, under this frame's goals.
        here: The solution found from there.
        last: (v,) the last step in units, over this frame's time.
        iterations: Most steps.
    """
    taken = descent.difference(start, here)
    if not _deviates(taken, last):
        return None
    last = _determined(descent, start, last)
    if not _deviates(taken, last):
        return None
    ahead = descent.close(descent.stepped(start, last), EXACT)
    if ahead.open > EXACT:
        return None
    damping, held = descent.damping.share, descent.held
    there, _, _ = descent.go(ahead, iterations)
    is_met = there.open <= EXACT and there.square <= max(here.square, SAME_ANGLE * SAME_ANGLE)
    if is_met and np.abs(descent.difference(start, there) - last).max() < ALIKE * np.abs(taken - last).max():
        return there
    descent.damping, descent.held = Damping(damping), held
    return None


def _deviates(taken: Array, last: Array) -> bool:
    return float(np.abs(taken - last).max(initial=0.0)) > max(
        ALIKE * float(np.abs(last).max(initial=0.0)), CLOSE_ENOUGH
    )


def _determined(descent: Descent, here: Configuration, step: Array) -> Array:
    """The part of a step (v,) that the tasks determine. What they leave free is not continued: it would never
    come to rest.
    """
    _, sizes, directions = np.linalg.svd(descent.along(here), full_matrices=False)
    determined = directions[
        sizes > EXACT * sizes.max(initial=0.0)
    ]  # at a fold a direction hardly has a value
    found: Array = determined.T @ (determined @ step)
    return found
