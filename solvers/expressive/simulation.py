"""Simulates the coming frames of staying and of transitions to other branches, to choose the cheapest.

The cost of a path is the mean over the time T that counts, in degrees of shape deviation:

    C = 1/T  integral over T of  [ keep s(t) + 30 e(t) + 90 min(1, e(t) / 1 degree) ] dt

with s the shape deviation and e the aim error in degrees. How long the aim is lost follows from the distance
and the limits of motion: a straight transition over a distance d lasts d / v + v / a with the largest speed v
and acceleration a.

All paths advance together, while their branches follow the forecast goals. The simulation is a value: equal
inputs give equal results, bit for bit.
"""

import math
from typing import NamedTuple

import numpy as np

from ..kinematics.skeleton import Angles
from .descent import AIM_COST
from .model import Model, Rows
from .motion import (
    FOLLOW,
    KINDS,
    SPEED_SHARES,
    STAY,
    WITH_AIM,
    Transition,
    Transitions,
    arrived,
    duration,
    moved,
    within_speed,
)
from .prediction import HORIZON, FrameContext

LOST_COST = 90.0  # [deg of shape deviation] additional cost of a lost aim
AIM_LOST = math.radians(1)  # [rad] aim error from which the aim counts as lost
TAIL = 0.5  # [s] additional duration for which the final state counts, so that permanent loss costs enough
# [s] without aim, after each of which all branches are searched; from then on plans look as far ahead as the
# way round may take, and the final state counts for so long that any way to a pose that meets the aim is
# cheaper than staying without it.
LASTING_LOSS, LASTING_TAIL = 0.5, 30.0
# [s] of a simulation step, at first and from NEAR_FUTURE on; a fast transition has arrived by then
STEP, LONG_STEP, NEAR_FUTURE = 1 / 30, 0.1, 0.2
AIM_TOLERANCE = math.radians(
    0.5
)  # [rad] aim error without cost, as coarse steps leave it; none where a loss lasts
PATIENCE = (
    1 / 6
    # [s] without aim, after which only straight transitions may be chosen: holding the aim may block the
    # others
)
HYSTERESIS = 1.0  # [deg of shape deviation] by which another choice must be cheaper, at first


class Simulation(NamedTuple):
    """State of a simulation that compares the costs of staying on a branch and of transitions to other
    branches.

    Its candidates are the branches themselves, which follow the forecast goals, then a path that stays, then
    a path for each branch and kind of transition.
    """

    branches: Rows  # (b, n) configurations of the branches at the start
    steps: tuple[float, ...]  # [s] durations of all steps
    candidates: Rows  # (m, n) branches and paths
    planned_kinds: Rows  # (m,) kind of transition of each candidate at the start
    kinds: Rows  # (m,) current kinds: STAY after arrival
    goal_branches: Rows  # (m,) index of each candidate's branch
    speeds: Rows  # (m,) [rad/s]
    costs: Rows  # (m,) [deg of shape deviation x s]
    delay: float  # [s] from now to the first step
    is_lasting: bool = (
        False  # whether the aim has been lost for so long that what is left of it at the end decides
    )
    done: int = 0  # number of completed steps
    age: float = 0.0  # [s] since the frame in which it began
    under_way: bool = False  # whether the first branch is that of the transition in progress

    @property
    def tail(self) -> float:
        """Time [s] for which the final state counts."""
        return LASTING_TAIL if self.is_lasting else TAIL

    @property
    def is_done(self) -> bool:
        return self.done == len(self.steps)

    def cheapest(self, transition: Transition | None, lost: float, hysteresis: float) -> Transition | None:
        """The cheapest transition; None: staying is cheapest.

        Args:
            transition: The one in progress.
            lost: Time [s] since the aim was last met.
            hysteresis: [deg of shape deviation] by which another path must be cheaper than the one in
                progress.
        """
        current, kinds = self._current(transition), self.planned_kinds.array
        costs = self.costs.array / (self.delay + sum(self.steps) + self.tail) + hysteresis
        costs[current] -= hysteresis
        costs[kinds == FOLLOW] = np.inf
        if lost > PATIENCE:
            costs[kinds == WITH_AIM] = np.inf
        best = int(np.argmin(costs))
        if best == current:
            return transition
        kind = int(kinds[best])
        return (
            None
            if kind == STAY
            else Transition(kind, tuple(self.branches.array[self.goal_branches.array[best]].tolist()))
        )

    def _current(self, transition: Transition | None) -> int:
        """Index of the path of the transition in progress; without one, index of the path that stays."""
        staying = len(self.branches)
        if transition is None or not self.under_way:
            return staying
        pairs = zip(self.planned_kinds.array.tolist(), self.goal_branches.array.tolist(), strict=True)
        return next(
            path for path, pair in enumerate(pairs) if path > staying and pair == (transition.kind, 0)
        )


class Simulator:
    """Simulates staying on a branch and transitions to others, for one skeleton; the caller keeps
    the state.
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    def begin(
        self, branches: Angles, transition: Transition | None, context: FrameContext, delay: float
    ) -> Simulation:
        """A new simulation of staying and of each kind of transition to each branch. The branch of
        `transition`, if any, must be the first.

        It begins at the state that the current transition will have reached after `delay` [s], when the
        simulation has been computed.
        """
        start, speed = self._start_of(transition, context, delay)
        count = len(branches)
        kinds = Rows(np.array((FOLLOW,) * count + (STAY,) + KINDS * count))
        return Simulation(
            branches=Rows(branches),
            steps=simulation_steps(delay, context.forecast.horizon),
            candidates=Rows(np.concatenate([branches, np.repeat(start, 1 + len(KINDS) * count, 0)])),
            planned_kinds=kinds,
            kinds=kinds,
            goal_branches=Rows(
                np.concatenate([np.arange(count), [0], np.repeat(np.arange(count), len(KINDS))])
            ),
            speeds=Rows(np.full(len(kinds), speed)),
            costs=Rows(np.zeros(len(kinds))),
            delay=delay,
            is_lasting=context.lost >= LASTING_LOSS,
            under_way=transition is not None,
        )

    def advance(self, old: Simulation, context: FrameContext) -> Simulation:
        """The simulation after one more of its steps."""
        step, is_last = old.steps[old.done], old.done + 1 == len(old.steps)
        descent = context.descent(self.model, old.delay + sum(old.steps[: old.done + 1]) - old.age)
        candidates, branches = descent.at(old.candidates.array, None), old.goal_branches.array
        transitions = Transitions(old.kinds.array, candidates.angles[branches], old.speeds.array)
        bounds = within_speed(
            self.model, candidates.angles, step, SPEED_SHARES.take(transitions.kinds)[:, None]
        )
        angles, speeds = moved(descent, candidates, transitions, step, context.dt, bounds)
        kinds = np.where(
            arrived(self.model, angles, angles[branches]),
            np.minimum(transitions.kinds, STAY),
            transitions.kinds,
        )
        # The aim error left by a step, from its own linear model.
        left = candidates.aim.error - ((angles - candidates.angles)[:, None] @ candidates.aim.columns)[:, 0]
        aim_error = np.maximum(0.0, np.sqrt((left**2).sum(1)) - (0.0 if old.is_lasting else AIM_TOLERANCE))
        rate = cost_rate(shape_of(candidates.cosine), aim_error, context.authored.keep)
        costs = old.costs.array + (step + (old.tail if is_last else 0.0)) * rate
        return old._replace(
            candidates=Rows(angles),
            kinds=Rows(kinds),
            speeds=Rows(speeds),
            costs=Rows(costs),
            done=old.done + 1,
        )

    def _start_of(
        self, transition: Transition | None, context: FrameContext, delay: float
    ) -> tuple[Angles, float]:
        """Configuration (1, n) and speed [rad/s] after the planning delay, if `transition` goes on
        meanwhile.
        """
        kind, branch = (STAY, context.angles) if transition is None else (transition.kind, transition.branch)
        angles, kinds, speeds = (
            np.array([branch, context.angles]),
            np.array([FOLLOW, kind]),
            np.array([0.0, context.speed]),
        )
        steps = max(
            1, round(min(delay, HORIZON) / STEP)
        )  # bounded, since a scene's frame may last for minutes
        step = delay / steps
        for number in range(1, steps + 1):
            descent = context.descent(self.model, number * step - context.dt)
            transitions = Transitions(kinds, angles[[0, 0]], speeds)
            bounds = within_speed(self.model, angles, step, SPEED_SHARES.take(kinds)[:, None])
            angles, speeds = moved(descent, descent.at(angles, None), transitions, step, context.dt, bounds)
            kinds = np.where(arrived(self.model, angles, angles[[0, 0]]), np.minimum(kinds, STAY), kinds)
        return angles[1:], float(speeds[1])


def simulation_steps(delay: float, horizon: float) -> tuple[float, ...]:
    """Durations [s] of a simulation's steps from `delay` to `horizon` [s] ahead: short ones up to
    `NEAR_FUTURE`, then long ones.
    """
    steps: tuple[float, ...] = ()
    for end, longest in ((NEAR_FUTURE, STEP), (horizon, LONG_STEP)):
        left = end - delay - sum(steps)
        count = max(
            0, math.ceil(round(left / longest, 6))
        )  # rounded, so that an exact division makes no step more
        steps += (left / max(1, count),) * count
    return steps or (LONG_STEP,)


def estimated_cost(model: Model, cosine: Angles, aim_error: Angles, distance: Angles, keep: float) -> Angles:
    """Cost (m,) of straight transitions over distances [rad] to branches with these mean cosines and aim
    errors, without simulation.
    """
    cost: Angles = cost_rate(shape_of(cosine), aim_error, keep) + LOST_COST * duration(model, distance) / (
        HORIZON + TAIL
    )
    return cost


def cost_rate(shape: Angles, aim_error: Angles, keep: float) -> Angles:
    """Cost per second [deg] for shape deviations and aim errors [rad]: the integrand of C."""
    rate: Angles = np.degrees(keep * shape + AIM_COST * aim_error) + LOST_COST * np.minimum(
        1.0, aim_error / AIM_LOST
    )
    return rate


def shape_of(cosine: Angles) -> Angles:
    """Shape deviation [rad] from mean cosines. Losses of preferred rolls can lower a mean cosine below -1,
    which is clamped.
    """
    shape: Angles = np.arccos(np.clip(cosine, -1.0, 1.0)) + np.maximum(0.0, -1.0 - cosine)
    return shape
