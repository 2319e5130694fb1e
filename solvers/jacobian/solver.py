"""Solvers of the Jacobian family: they apply the updates of a method frame by frame, or until the goal is
met.
"""

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..diagnosis import Diagnosis
from ..gaze import FRAME, GazeSolution
from ..goals import GazeGoal, check_goal
from ..kinematics.skeleton import Angles, Pose, Skeleton
from .clamping import Allowances, Clamp, clamped
from .linear import Array, Linear, Linearizer
from .methods import Method
from .objectives import KeepPosture, Objective, ObjectiveInputs, twists


@dataclass(frozen=True)
class Updates:
    """How a solver uses its method's updates.

    Buss (2009, section 2) names three choices: one update per frame, as many as it takes to meet the goal, or
    a few. A solve from scratch always uses as many as it takes. If it gets stuck, it restarts elsewhere, as
    Beeson & Ames (2015) do at local minima, but nearby at first, and with the same random numbers every time.
    Restarts also escape from singular poses and cycles.
    """

    in_frame: int | None = 8  # number of updates in a frame; None: as many as needed
    at_most: int = 300
    # [rad, or fraction of the reach] error below which a goal counts as met. Uprightness has a low weight:
    # its own error is then still below `MET`.
    met: float = 1e-8
    settled: float = 1e-4  # [rad] joint change below which updates end once the goal is met
    patience: int = 14  # number of updates over which progress is measured
    # ratio of the errors after and before `patience` updates; above it the solve counts as stuck
    progress: float = 0.98
    # number of restarts: at 1/6 of the distance to a random pose within limits, then at 2/6, and so on
    shakes: int = 6
    at_targets: bool = False  # whether Buss's alternate Jacobian is used
    objectives: tuple[Objective, ...] = (KeepPosture(),)  # secondary objectives
    clamp: Clamp | None = None  # largest errors per update (Buss's D_max); None: errors are not clamped


class Iterate(NamedTuple):
    """Current iterate of the solver."""

    angles: Array  # (n,) [rad or m] angles within limits
    pose: Pose
    linear: Linear


class UpdateRun(NamedTuple):
    """Result of a run of updates: the final or best iterate, the number of updates, and the allowances with
    which the next frame continues.
    """

    iterate: Iterate
    updates: int
    allowances: Allowances | None  # largest corrections of the next frame


class JacobianSolver:
    """Solver of one method for one skeleton."""

    def __init__(self, skeleton: Skeleton, method: Method, updates: Updates | None = None) -> None:
        self.skeleton, self.method = skeleton, method
        self.updates = updates or Updates()
        self.diagnosis = Diagnosis(skeleton)
        self.linearizer = Linearizer(skeleton, self.updates.at_targets)
        # (n,) False for first and last joints that only twist, which do not affect the shape
        self._kept = ~twists(skeleton)
        self._lower, self._upper = np.array(skeleton.lower), np.array(skeleton.upper)

    def solve(
        self, goal: GazeGoal, start: Angles | None = None, memory: object = None, dt: float = FRAME
    ) -> GazeSolution:
        """Solution of a goal; arguments as for `GazeSolver.solve`. Without `start` it begins at the posture;
        `memory` allows it to distinguish a jump of the target from a movement.
        """
        began = time.perf_counter()
        authored = check_goal(self.skeleton, goal, start=start, dt=dt)
        posture = np.array(self.skeleton.clamp(authored))
        before = memory if isinstance(memory, Allowances) else None
        if start is None or self.updates.in_frame is None:
            result = self.until_met(
                goal, posture, posture if start is None else np.array(self.skeleton.clamp(start)), before
            )
        else:
            result = self.some(
                goal, posture, np.array(self.skeleton.clamp(start)), before, self.updates.in_frame
            )
        angles = tuple(result.iterate.angles.tolist())
        return self.diagnosis.solution(
            goal,
            authored,
            angles,
            iterations=result.updates,
            began=began,
            memory=result.allowances,
            pose=result.iterate.pose,
        )

    def some(
        self, goal: GazeGoal, posture: Array, angles: Array, before: Allowances | None, count: int
    ) -> UpdateRun:
        """Result of `count` updates from `angles` (n,) [rad or m], or of fewer if the goal is met earlier."""
        iterate = self.at(goal, posture, angles)
        allowances = self._allowances(iterate, before)
        for done in range(count):
            following = self.update(goal, posture, iterate, allowances)
            allowances = self._allowances_after(following, allowances)
            is_settled = _moved(iterate, following, self.linearizer.units) <= self.updates.settled
            iterate = following
            if is_settled and iterate.linear.error_size <= self.updates.met:
                return UpdateRun(iterate, done + 1, allowances)
        return UpdateRun(iterate, count, allowances)

    def until_met(
        self, goal: GazeGoal, posture: Array, angles: Array, before: Allowances | None
    ) -> UpdateRun:
        """Best iterate of updates from `angles` (n,) [rad or m], which end when the goal is met and the
        joints have settled, when no restart is left, or after `Updates.at_most` updates.
        """
        use = self.updates
        iterate = best = self.at(goal, posture, angles)
        allowances = self._allowances(iterate, before)
        least, restarts, moved = self.method.error_size(iterate.linear), 0, math.inf
        leasts = [least]  # smallest error so far after each update since the last restart
        draw = np.random.default_rng(0)
        for done in range(use.at_most):
            if iterate.linear.error_size <= use.met and moved <= use.settled:
                return UpdateRun(iterate, done, allowances)
            is_stuck = len(leasts) > use.patience and leasts[-1] > use.progress * leasts[-1 - use.patience]
            if is_stuck and best.linear.error_size > use.met:
                if restarts == use.shakes:
                    return UpdateRun(best, done, allowances)
                iterate = self.at(goal, posture, self._restarted(iterate.angles, restarts, draw))
                allowances = self._allowances(iterate, None)
                restarts, leasts = restarts + 1, []
            following = self.update(goal, posture, iterate, allowances)
            allowances = self._allowances_after(following, allowances)
            moved, iterate = _moved(iterate, following, self.linearizer.units), following
            error_size = self.method.error_size(iterate.linear)
            leasts.append(min(error_size, leasts[-1]) if leasts else error_size)
            if error_size <= least or iterate.linear.error_size <= use.met:
                best, least = iterate, min(error_size, least)
        return UpdateRun(best, use.at_most, allowances)

    def at(self, goal: GazeGoal, posture: Array, angles: Array) -> Iterate:
        """Iterate at `angles` (n,) [rad or m]: its pose and linearised problem."""
        state = self.state(goal, posture, angles)
        secondary = np.zeros(len(angles))
        for objective in self.updates.objectives:
            secondary += objective.downhill(state)
        return Iterate(angles, state.pose, self.linearizer.linear(goal, state.pose, secondary, state.kept))

    def state(self, goal: GazeGoal, posture: Array, angles: Array) -> ObjectiveInputs:
        """Goal, posture, angles and pose as the argument of secondary objectives."""
        with_posture = self._kept if goal.keep > 0.0 else np.zeros(len(angles), dtype=bool)
        return ObjectiveInputs(
            self.skeleton,
            self.linearizer.units,
            goal,
            posture,
            with_posture,
            angles,
            self.skeleton.forward(angles.tolist()),
        )

    def update(
        self, goal: GazeGoal, posture: Array, iterate: Iterate, allowances: Allowances | None
    ) -> Iterate:
        """The iterate after one update within limits."""
        units = self.linearizer.units
        linear = clamped(iterate.linear, allowances) if allowances else iterate.linear
        change = self.method.change(
            linear, (self._lower - iterate.angles) / units, (self._upper - iterate.angles) / units
        )
        return self.at(goal, posture, np.clip(iterate.angles + change * units, self._lower, self._upper))

    def _restarted(self, angles: Array, times: int, draw: np.random.Generator) -> Array:
        """Angles (n,) [rad or m] of a restart on the way from `angles` (n,) to a random pose, the farther the
        more restarts there have been (`times`).
        """
        away = math.pi * self.linearizer.units
        pose = draw.uniform(np.maximum(self._lower, angles - away), np.minimum(self._upper, angles + away))
        return angles + (times + 1) / self.updates.shakes * (pose - angles)

    def _allowances(self, iterate: Iterate, before: Allowances | None) -> Allowances | None:
        return self.updates.clamp.at_first(iterate.linear, before) if self.updates.clamp else None

    def _allowances_after(self, iterate: Iterate, before: Allowances | None) -> Allowances | None:
        return self.updates.clamp.after(iterate.linear, before) if self.updates.clamp and before else None


def _moved(iterate: Iterate, following: Iterate, units: Array) -> float:
    """Largest change of a joint between two iterates [rad, or fraction of the reach]."""
    return float(np.max(np.abs(following.angles - iterate.angles) / units))
