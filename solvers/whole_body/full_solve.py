"""Full solve of a body for the first frame, which has no previous frame to start from."""

from dataclasses import replace
from functools import partial

import numpy as np

from ..least_squares.bounded_step import LONGEST_STEP, MAX_ITERATIONS
from ..limits import usual_limits
from ..tolerances import EXACT
from .law import Law
from .solver import CORRECTED_ERROR, WholeBody
from .state import KinematicState, at_rest
from .targets import Values

# starts of new searches for a joint at a limit: positions in its range, as fractions measured from that
# limit; each is tried twice
ELSEWHERE = 2 * (0.5, 1.0)
# factor by which the largest step grows again after a step that does not reverse the previous one
REGROWTH = 1.2


def settled(solver: WholeBody, values: Values, state: KinematicState) -> KinematicState:
    """The state at rest that meets a frame's target values as well as the position limits allow; the search
    starts at `state`.

    A joint that the search has led to a limit can be on the wrong side of its range, from which no step leads
    back; then the search starts anew with the joint in the middle of its range and at the other end. If there
    are contacts, whose links are already in place, only the given state is tried.
    """
    body, missed = solver.body, partial(squared_error, solver, values)
    # `tried`: for each share in `ELSEWHERE`, the last state that it was applied to
    best, tried = converged(solver, values, state), dict[float, KinematicState]()
    spans = body.upper - body.lower
    for share in () if values.contacts else ELSEWHERE:
        held = ((best.joints == body.lower) | (best.joints == body.upper)) & (spans > 0.0) & (spans < np.inf)
        if not held.any() or missed(best) < CORRECTED_ERROR**2 or tried.get(share) is best:
            break
        tried[share] = best
        joints = best.joints.copy()
        joints[held] += share * (body.lower[held] + body.upper[held] - 2.0 * joints[held])
        other = converged(solver, values, at_rest(body, joints, best.base_rotation, best.base_position))
        best = min(best, other, key=missed)
    return best


def squared_error(solver: WholeBody, values: Values, state: KinematicState) -> float:
    """Weighted sum of the targets' squared errors [rad^2 and m^2] in a state."""
    errors = np.concatenate(solver.missed(values, state))
    weights = np.array([target.weight for target in (*solver.orientation_targets, *solver.position_targets)])
    return float(np.nansum(weights * errors * errors))


def converged(solver: WholeBody, values: Values, state: KinematicState) -> KinematicState:
    """The pose to which steps from a state converge, as a state at rest.

    A step that reverses the previous one indicates oscillation about a solution; the largest step is then
    halved until the oscillation ends.
    """
    free = WholeBody(
        solver.body, solver.targets, replace(solver.options, law=Law(), limits=usual_limits(LONGEST_STEP))
    )
    still = replace(values, angular_velocity=None, linear_velocity=None, posture=None)
    share, last = 1.0, np.zeros(solver.body.unknowns)
    for _ in range(MAX_ITERATIONS):
        _, state = free.step(still, state, share)
        move = share * state.velocity
        if np.abs(move).max() < EXACT:
            break
        share = share / 2.0 if move @ last < 0.0 else min(1.0, REGROWTH * share)
        last = move
    return at_rest(solver.body, state.joints, state.base_rotation, state.base_position)
