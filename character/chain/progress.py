"""Whether solving the same goal again still improves the solution. Pure functions."""

import numpy as np

from ...solvers.gaze import Solution

# [rad or m] if no joint moves more between two ticks with the same goal, which the solution meets, the solver
# has converged
STILL = 1e-5
NEARER = 1e-6  # [rad, m] decrease of the ends' errors that counts as progress
SHARE = 1e-3  # relative decrease that counts as progress, for large errors of goals out of reach
BETTER = 1e-4  # [rad] decrease of shape deviation that counts as progress
# ticks without progress, after which the same goal is not solved again: enough for a branch transition
NO_MORE = 60


def progress(
    solution: Solution, last: Solution | None, before: tuple[tuple[float, float], int] | None, plans: bool
) -> tuple[tuple[float, float], int]:
    """Values of `ChainState.best` and `ChainState.stalled` after a new solution.

    Args:
        solution, last: Solution of this tick, and of the last one if there was one.
        before: These values after the last tick; None: the goal is new.
        plans: Whether the solver plans: one that misses its goal and does not move may be about to begin the
            way round to another branch.
    """
    shape = solution.shape_deviation if solution.lowered is None else solution.lowered
    current = sum(way.whole + way.distance for way in solution.end_errors), shape
    if last is None:
        return current, NO_MORE if solution.converged else 0
    is_still = np.abs(solution.angles - last.angles).max() <= STILL
    is_done = is_still and (solution.converged or not plans)
    if before is None:
        return current, NO_MORE if is_still and solution.converged else 0
    (missed, shape), stalled = before
    gains = current[0] < missed - max(NEARER, SHARE * missed) or (
        current[0] <= missed + NEARER and current[1] < shape - BETTER
    )
    return (
        (current, NO_MORE if is_done else 0)
        if gains
        else ((missed, shape), NO_MORE if is_done else stalled + 1)
    )
