"""Simulates the coming frames of staying and of transitions to other branches, to choose the cheapest. Knows no Blender.

All paths advance together, while their branches follow the forecast goals. The simulation is a value: equal inputs give equal results, bit
for bit.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from ..gaze import SPEED
from ..kinematics.skeleton import Angles
from .descent import StepGoal
from .model import Model, Rows
from .prediction import HORIZON, FrameContext
from .transition import KINDS, LOST_COST, STAY, WITH_AIM, Transition, Transitions, arrived, cost_rate, duration, shape_of, step_goals

TAIL = 0.5  # [s] for which the final state counts on, so that permanent loss costs enough
# [s] of a simulation step, at first and from NEAR_FUTURE on; a fast transition has arrived by then
STEP, LONG_STEP, NEAR_FUTURE = 1 / 30, 0.1, 0.2
BRANCH_PROXIMAL = 0.1  # proximal weight of branches in a simulation: they converge freely
AIM_TOLERANCE = math.radians(0.5)  # [rad] aim error that costs nothing: that of coarse steps
PATIENCE = 1 / 6  # [s] without aim, after which only straight transitions may be chosen: holding the aim may block the others
HYSTERESIS = 1.0  # [deg of shape deviation] by which another choice must be cheaper


@dataclass(frozen=True)
class Simulation:
    """Paths simulated for `time`, up to `horizon` in all: `candidates` holds the branches, then one configuration for each path."""

    branches: Rows  # (b, n) where they were at the start
    candidates: Rows  # (b + p, n)
    planned_kinds: tuple[int, ...]  # (p,) kind of transition of each path at the start
    kinds: tuple[int, ...]  # the same now: STAY after arrival
    goal_branches: tuple[int, ...]  # (p,) index of each path's branch
    speeds: tuple[float, ...]  # (p,) [rad/s]
    costs: tuple[float, ...]  # (p,) [deg of shape deviation x s]
    horizon: float  # [s]
    time: float = 0.0  # [s] simulated
    age: float = 0.0  # [s] since the frame in which it began
    under_way: bool = False  # whether the first branch is that of the transition in progress

    @property
    def is_done(self) -> bool:
        return self.time >= self.horizon

    def cheapest(self, transition: Transition | None, lost: float) -> Transition | None:
        """The cheapest transition, with a bonus for `transition`, the one in progress; None: stay.

        `lost` [s] is the time since the aim was last met.
        """
        current = self._current(transition)
        costs = np.array(self.costs) / (self.horizon + TAIL) + HYSTERESIS
        costs[current] -= HYSTERESIS
        if lost > PATIENCE:
            costs[np.array(self.planned_kinds) == WITH_AIM] = np.inf
        best = int(np.argmin(costs))
        if best == current:
            return transition
        kind = self.planned_kinds[best]
        return None if kind == STAY else Transition(kind, tuple(self.branches.array[self.goal_branches[best]].tolist()))

    def _current(self, transition: Transition | None) -> int:
        """Index of the path of the transition in progress; 0, staying, where there is none."""
        if transition is None or not self.under_way:
            return 0
        pairs = zip(self.planned_kinds, self.goal_branches, strict=True)
        return next(path for path, pair in enumerate(pairs) if pair == (transition.kind, 0))


class Simulator:
    """Simulates staying and transitions on one skeleton; the caller keeps the state."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def begin(self, branches: Angles, transition: Transition | None, context: FrameContext, delay: float) -> Simulation:
        """A new simulation: staying, and each kind of transition to each branch. The branch of `transition`, if any, must come first.

        It begins where the present transition will be after `delay` [s], when the simulation is done.
        """
        start, speed = self._start_of(transition, context, delay)
        kinds = (STAY, *(kind for _ in branches for kind in KINDS))
        return Simulation(
            branches=Rows(branches),
            candidates=Rows(np.concatenate([branches, np.repeat(start, len(kinds), 0)])),
            planned_kinds=kinds,
            kinds=kinds,
            goal_branches=(0, *(index for index in range(len(branches)) for _ in KINDS)),
            speeds=(speed,) * len(kinds),
            costs=(0.0,) * len(kinds),
            horizon=context.forecast.horizon,
            time=delay,
            under_way=transition is not None,
        )

    def advance(self, old: Simulation, context: FrameContext) -> Simulation:
        """The simulation after one step."""
        count, angles = len(old.branches.array), old.candidates.array
        kinds, goal_branches = np.array(old.kinds), np.array(old.goal_branches)
        step = STEP if old.time < NEAR_FUTURE else LONG_STEP
        time = old.time + step
        descent = context.descent(self.model, time - old.age)
        candidates = descent.at(angles, None)
        transitions = Transitions(kinds, angles[goal_branches], np.array(old.speeds))
        step_goal, speeds = self._step_goal(angles, count, transitions, step, context.dt)
        moved = descent.guided(candidates, step_goal)
        # The aim error left by a step, from its own linear model.
        left = candidates.aim.error[count:] - ((moved - angles)[count:, None] @ candidates.aim.columns[count:])[:, 0]
        aim_error = np.maximum(0.0, np.sqrt((left**2).sum(1)) - AIM_TOLERANCE)
        rate = cost_rate(shape_of(candidates.cosine[count:]), aim_error, context.authored.keep)
        costs = np.array(old.costs) + (step + (TAIL if time >= old.horizon else 0.0)) * rate
        kinds = np.where(arrived(self.model, moved[count:], moved[goal_branches]), STAY, kinds)
        return replace(
            old,
            candidates=Rows(moved),
            kinds=tuple(kinds.tolist()),
            speeds=tuple(speeds.tolist()),
            costs=tuple(costs.tolist()),
            time=time,
        )

    def _start_of(self, transition: Transition | None, context: FrameContext, delay: float) -> tuple[Angles, float]:
        """Configuration (1, n) and speed [rad/s] after the planning delay, if `transition` goes on meanwhile."""
        angles = np.array([context.angles if transition is None else transition.branch, context.angles])
        kinds, speeds = np.array([STAY if transition is None else transition.kind]), np.array([context.speed])
        steps = max(1, round(delay / STEP))
        for number in range(1, steps + 1):
            descent = context.descent(self.model, number * delay / steps - context.dt)
            candidates = descent.at(angles, None)
            step_goal, speeds = self._step_goal(angles, 1, Transitions(kinds, angles[:1], speeds), delay / steps, context.dt)
            angles = descent.guided(candidates, step_goal)
            kinds = np.where(arrived(self.model, angles[1:], angles[:1]), STAY, kinds)
        return angles[1:], float(speeds[0])

    def _step_goal(self, angles: Angles, count: int, transitions: Transitions, step: float, dt: float) -> tuple[StepGoal, Angles]:
        """Step objectives and new speeds: branches, which come first, follow shape and aim, paths their transitions."""
        model, room = self.model, step * SPEED * self.model.scale
        lower, upper = np.maximum(model.lower, angles - room), np.minimum(model.upper, angles + room)
        lower[:count], upper[:count] = model.lower, model.upper
        of_paths, speeds = step_goals(model, angles[count:], transitions, step, dt, (lower[count:], upper[count:]))
        free = np.zeros(count)
        toward = np.concatenate([np.zeros_like(angles[:count]), of_paths.toward])
        shape, aim = np.concatenate([free + 1.0, of_paths.shape]), np.concatenate([free + 1.0, of_paths.aim])
        return StepGoal(toward, shape, aim, np.concatenate([free + BRANCH_PROXIMAL, of_paths.proximal]), lower, upper), speeds


def simulation_steps(delay: float) -> int:
    """Number of steps of a simulation that begins after `delay` [s]."""
    near = max(0, math.ceil((NEAR_FUTURE - delay) / STEP))
    return near + max(0, math.ceil((HORIZON - delay - near * STEP) / LONG_STEP))


def estimated_cost(model: Model, cosine: Angles, aim_error: Angles, distance: Angles, keep: float) -> Angles:
    """Cost (m,) of straight transitions over distances [rad] to branches with these mean cosines and aim errors, without simulation."""
    cost: Angles = cost_rate(shape_of(cosine), aim_error, keep) + LOST_COST * duration(model, distance) / (HORIZON + TAIL)
    return cost
