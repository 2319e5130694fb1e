"""The Jacobian family behind the solver protocol: how updates are used, for any method. Knows no Blender."""

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..diagnosis import Diagnosis
from ..gaze import Solution
from ..goals import GazeGoal, check_goal
from ..skeleton import Angles, Pose, Skeleton
from .clamping import Allowances, Clamp, clamped
from .linear import Array, Linear, Linearizer
from .methods import Method
from .objectives import KeepPosture, Objective, State, twists


@dataclass(frozen=True)
class Updates:
    """How a solver uses its method's updates.

    Buss (2009, section 2) has three ways: one update for a frame, as many as it takes to meet the goal, or a few. Without a start it is
    always as many as it takes. Where those are stuck, they go on from elsewhere, as Beeson & Ames (2015) do at local minima, but first from
    nearby, and by the same random numbers every time: so they leave singular poses and cycles as well.
    """

    in_frame: int | None = 8  # None: as many as it takes
    at_most: int = 300
    met: float = 1e-8  # [rad, or of the reach] an error below is none: uprightness, weighed lightly, is then still within `diagnosis.MET`
    settled: float = 1e-4  # [rad] once the goal is met: a change of all joints by less than this is the last
    patience: int = 14  # updates
    progress: float = 0.98  # the error must fall by this factor within so many updates, or they are stuck
    shakes: int = 6  # times to go on: from a sixth of the way to a random pose within limits, then from two sixths, and so on
    at_targets: bool = False  # Buss's alternate Jacobian
    free_twists: bool = True  # first and last joints that only twist, which no one sees in the shape, are not held by the posture
    objectives: tuple[Objective, ...] = (KeepPosture(),)  # what joints would like beneath the goals
    clamp: Clamp | None = None  # D_max; None: errors count whole


class Here(NamedTuple):
    """Where updates have come to."""

    angles: Array  # (n,) [rad or m] within limits
    pose: Pose
    linear: Linear


class Way(NamedTuple):
    """Where updates ended."""

    here: Here
    updates: int
    allowances: Allowances | None  # for the next frame


class JacobianSolver:
    """One method, for one skeleton."""

    def __init__(self, skeleton: Skeleton, method: Method, updates: Updates | None = None) -> None:
        self.skeleton, self.method = skeleton, method
        self.updates = updates or Updates()
        self.diagnosis = Diagnosis(skeleton)
        self.linearizer = Linearizer(skeleton, self.updates.at_targets)
        self._kept = ~twists(skeleton) if self.updates.free_twists else np.ones(len(skeleton), dtype=bool)
        self._lower, self._upper = np.array(skeleton.lower), np.array(skeleton.upper)

    def solve(self, goal: GazeGoal, start: Angles | None = None, memory: object = None) -> Solution:
        """See `GazeSolver.solve`. From scratch it starts at the posture; with `memory` it tells a target's jump from its movement."""
        began = time.perf_counter()
        authored = check_goal(self.skeleton, goal, start=start)
        posture = np.array(self.skeleton.clamp(authored))
        before = memory if isinstance(memory, Allowances) else None
        if start is None or self.updates.in_frame is None:
            way = self.until_met(goal, posture, posture if start is None else np.array(self.skeleton.clamp(start)), before)
        else:
            way = self.some(goal, posture, np.array(self.skeleton.clamp(start)), before, self.updates.in_frame)
        angles = tuple(way.here.angles.tolist())
        return self.diagnosis.solution(
            goal, authored, angles, iterations=way.updates, began=began, memory=way.allowances, pose=way.here.pose
        )

    def some(self, goal: GazeGoal, posture: Array, angles: Array, before: Allowances | None, count: int) -> Way:
        """`count` updates from `angles` (n,), fewer where the goal is met before."""
        here = self.at(goal, posture, angles)
        allowances = self._allowances(here, before)
        for done in range(count):
            following = self.update(goal, posture, here, allowances)
            allowances = self._allowances_after(following, allowances)
            is_settled = _moved(here, following, self.linearizer.units) <= self.updates.settled
            here = following
            if is_settled and here.linear.missed <= self.updates.met:
                return Way(here, done + 1, allowances)
        return Way(here, count, allowances)

    def until_met(self, goal: GazeGoal, posture: Array, angles: Array, before: Allowances | None) -> Way:
        """Updates from `angles` (n,) until the goal is met and the posture settled, or nothing helps: the nearest that they come."""
        use = self.updates
        here = best = self.at(goal, posture, angles)
        allowances = self._allowances(here, before)
        least, shaken, moved = self.method.missed(here.linear), 0, math.inf
        leasts = [least]  # after each update since the last shake
        draw = np.random.default_rng(0)
        for done in range(use.at_most):
            if here.linear.missed <= use.met and moved <= use.settled:
                return Way(here, done, allowances)
            is_stuck = len(leasts) > use.patience and leasts[-1] > use.progress * leasts[-1 - use.patience]
            if is_stuck and best.linear.missed > use.met:
                if shaken == use.shakes:
                    return Way(best, done, allowances)
                here = self.at(goal, posture, self._shaken(here.angles, shaken, draw))
                allowances = self._allowances(here, None)
                shaken, leasts = shaken + 1, []
            following = self.update(goal, posture, here, allowances)
            allowances = self._allowances_after(following, allowances)
            moved, here = _moved(here, following, self.linearizer.units), following
            missed = self.method.missed(here.linear)
            leasts.append(min(missed, leasts[-1]) if leasts else missed)
            if missed <= least or here.linear.missed <= use.met:
                best, least = here, min(missed, least)
        return Way(best, use.at_most, allowances)

    def at(self, goal: GazeGoal, posture: Array, angles: Array) -> Here:
        """The linear problem at `angles` (n,)."""
        state = self.state(goal, posture, angles)
        wanted = np.zeros(len(angles))
        for objective in self.updates.objectives:
            wanted += objective.downhill(state)
        return Here(angles, state.pose, self.linearizer.linear(goal, state.pose, wanted, state.kept))

    def state(self, goal: GazeGoal, posture: Array, angles: Array) -> State:
        """What objectives judge."""
        kept = self._kept if goal.keep > 0.0 else np.zeros(len(angles), dtype=bool)
        return State(self.skeleton, self.linearizer.units, goal, posture, kept, angles, self.skeleton.forward(angles.tolist()))

    def update(self, goal: GazeGoal, posture: Array, here: Here, allowances: Allowances | None) -> Here:
        """One update, within limits."""
        units = self.linearizer.units
        linear = clamped(here.linear, allowances) if allowances else here.linear
        change = self.method.change(linear, (self._lower - here.angles) / units, (self._upper - here.angles) / units)
        return self.at(goal, posture, np.clip(here.angles + change * units, self._lower, self._upper))

    def _shaken(self, angles: Array, times: int, draw: np.random.Generator) -> Array:
        away = math.pi * self.linearizer.units
        pose = draw.uniform(np.maximum(self._lower, angles - away), np.minimum(self._upper, angles + away))
        return angles + (times + 1) / self.updates.shakes * (pose - angles)

    def _allowances(self, here: Here, before: Allowances | None) -> Allowances | None:
        return self.updates.clamp.at_first(here.linear, before) if self.updates.clamp else None

    def _allowances_after(self, here: Here, before: Allowances | None) -> Allowances | None:
        return self.updates.clamp.after(here.linear, before) if self.updates.clamp and before else None


def _moved(here: Here, following: Here, units: Array) -> float:
    return float(np.max(np.abs(following.angles - here.angles) / units))
