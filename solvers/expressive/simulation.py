"""Simulates the coming frames for staying on a branch and for transitions to other branches, to choose the
cheapest.

The cost of a path is a mean over the simulated time T, in degrees of shape deviation:

    C = 1/T  integral over T of  [ keep s(t) + 30 e(t) + 90 min(1, e(t) / 1 degree) ] dt

with the goal's `keep`, and s the shape deviation and e the aim error in degrees. A straight transition over a
distance d loses the aim for d / v + v / a, with the largest speed v and acceleration a.

All paths advance together, while their branches follow the forecast goals. Equal inputs give equal results,
bit for bit.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from ..kinematics.skeleton import Angles
from ..tolerances import SEEN
from .descent import AIM_COST
from .model import Model
from .motion import (
    DIRECT,
    FOLLOW,
    KINDS,
    SPEED_SHARES,
    STAY,
    WITH_AIM,
    ActiveTransition,
    Transitions,
    arrived,
    duration,
    moved,
    within_speed,
)
from .prediction import HORIZON, LASTING_LOSS, FrameContext

LOST_COST = 90.0  # [deg of shape deviation] additional cost while the aim is lost
AIM_LOST = SEEN  # [rad] aim error from which the aim counts as lost
TAIL = 0.5  # [s] additional duration of the final state, so that a permanent loss of the aim costs enough
# [s] as `TAIL`, once the loss of the aim lasts: any path that ends with the aim met is then cheaper than to
# stay without it
LASTING_TAIL = 30.0
# [s] simulation step before and after the time NEAR_FUTURE, by which a fast transition has arrived
STEP, LONG_STEP, NEAR_FUTURE = 1 / 30, 0.1, 0.2
# [rad] aim error that costs nothing, since coarse steps leave it; not used if the loss of the aim lasts
AIM_TOLERANCE = math.radians(0.5)
# [s] duration of a lost aim after which only straight transitions are chosen, since the others can be blocked
# by holding the aim
PATIENCE = 1 / 6
# [s] time between two plans, since targets seldom reverse sooner; while the aim is lost every frame has one
PERIOD = 1 / 12
# fraction of the current path's cost by which another path must be cheaper: forecasts are not more exact
DOUBT = 0.1
HYSTERESIS = 1.0  # [deg of shape deviation] initial margin by which another choice must be cheaper


class Path(NamedTuple):
    """The start of all paths, and the transition in progress."""

    angles: Angles  # (n,) [rad; prismatic joints m]
    speed: float  # [rad/s] speed of the transition
    transition: ActiveTransition | None


def simulated(
    model: Model, branches: Angles, path: Path, context: FrameContext, steps: tuple[float, ...]
) -> Angles:
    """Mean cost (m,) [deg of shape deviation] of staying, and of each kind of transition to each of b
    branches (b, n), branch by branch, over times `steps` [s]. The branch of the transition in progress must
    be the first. A straight transition loses the aim for the same time, however late it begins. So if none is
    in progress, and staying until the next plan costs less than the transition's last state would over the
    same time, the transition can wait, and its cost is infinite.
    """
    count = len(branches)
    kinds = np.array((FOLLOW,) * count + (STAY,) + KINDS * count)
    goal_branches = np.concatenate([np.arange(count), [0], np.repeat(np.arange(count), len(KINDS))])
    angles = np.concatenate([branches, np.repeat(path.angles[None], len(kinds) - count, 0)])
    speeds, costs, time = np.full(len(kinds), path.speed), np.zeros(len(kinds)), 0.0
    straight, soon, early, rate = kinds == DIRECT, 0.0, 0.0, costs
    is_lasting = context.lost >= LASTING_LOSS
    tail, tolerance = (LASTING_TAIL, 0.0) if is_lasting else (TAIL, AIM_TOLERANCE)
    for number, step in enumerate(steps, 1):
        time += step
        descent = context.descent(model, time)
        candidates = descent.at(angles, None)
        transitions = Transitions(kinds, angles[goal_branches], speeds)
        bounds = within_speed(model, angles, step, SPEED_SHARES.take(kinds)[:, None])
        following, speeds = moved(descent, candidates, transitions, step, context.dt, bounds)
        has_arrived = arrived(model, following, following[goal_branches])
        kinds = np.where(has_arrived, np.minimum(kinds, STAY), kinds)
        # aim error after the step, by the linear model
        left = candidates.aim.error - ((following - angles)[:, None] @ candidates.aim.columns)[:, 0]
        aim_error = np.maximum(0.0, np.sqrt((left**2).sum(1)) - tolerance)
        rate = cost_rate(shape_of(candidates.cosine), aim_error, context.authored.keep)
        costs += (step + (tail if number == len(steps) else 0.0)) * rate
        if time <= PERIOD:
            soon, early = time, float(costs[count])
        angles = following
    if path.transition is None:
        costs[straight & (early < soon * rate)] = np.inf
    return costs[count:] / (sum(steps) + tail)


def cheapest(
    costs: Angles, branches: Angles, transition: ActiveTransition | None, lost: float, hysteresis: float
) -> ActiveTransition | None:
    """The cheapest transition; None: staying is cheapest.

    Args:
        costs: (1 + 2 b,) of `simulated`.
        branches: (b, n) configurations of the branches at the start.
        transition: Transition in progress; None: there is none.
        lost: Time [s] since the aim was last met.
        hysteresis: [deg of shape deviation] by which another path must be cheaper than the one in progress.
    """
    kinds = np.array((STAY,) + KINDS * len(branches))
    current = 0 if transition is None else 1 + KINDS.index(transition.kind)
    is_allowed = lost <= PATIENCE or transition is None or transition.kind != WITH_AIM
    margin = max(hysteresis, DOUBT * float(costs[current]) if is_allowed else 0.0)
    costs = costs + margin
    costs[current] -= margin
    if lost > PATIENCE:
        costs[kinds == WITH_AIM] = np.inf
    best = int(np.argmin(costs))
    if best == current:
        return transition
    kind = int(kinds[best])
    branch = branches[(best - 1) // len(KINDS)]
    return None if kind == STAY else ActiveTransition(kind, tuple(branch.tolist()))


@cache
def simulation_steps(horizon: float) -> tuple[float, ...]:
    """Durations [s] of a simulation's steps up to `horizon` [s] ahead: short ones up to `NEAR_FUTURE`, then
    long ones.
    """
    steps: tuple[float, ...] = ()
    for end, longest in ((NEAR_FUTURE, STEP), (horizon, LONG_STEP)):
        left = end - sum(steps)
        # rounded, since an exact division must not add a step
        count = max(0, math.ceil(round(left / longest, 6)))
        steps += (left / max(1, count),) * count
    return steps


def estimated_cost(model: Model, cosine: Angles, aim_error: Angles, distance: Angles, keep: float) -> Angles:
    """Estimated cost (m,) of straight transitions over `distance` (m,) [rad] to branches with these mean
    cosines (m,) and aim errors (m,) [rad], without simulation.
    """
    cost: Angles = cost_rate(shape_of(cosine), aim_error, keep) + LOST_COST * duration(model, distance) / (
        HORIZON + TAIL
    )
    return cost


def cost_rate(shape: Angles, aim_error: Angles, keep: float) -> Angles:
    """Cost per second [deg] for shape deviations and aim errors [rad]: the integrand of C in this module's
    formula.
    """
    rate: Angles = np.degrees(keep * shape + AIM_COST * aim_error) + LOST_COST * np.minimum(
        1.0, aim_error / AIM_LOST
    )
    return rate


def shape_of(cosine: Angles) -> Angles:
    """Shape deviation [rad] from mean cosines. Losses by preferred rolls can lower a mean cosine below -1; it
    is clamped.
    """
    shape: Angles = np.arccos(np.clip(cosine, -1.0, 1.0)) + np.maximum(0.0, -1.0 - cosine)
    return shape
