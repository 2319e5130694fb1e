"""The CCD solver: from scratch with annealing, and from frame to frame."""

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..diagnosis import Diagnosis
from ..gaze import FRAME, SEARCH_PAUSE, GazeSolution
from ..goals import GazeGoal, check_goal, with_free_roll
from ..kinematics.skeleton import Angles, Skeleton
from ..limits import JointState, bounds, usual_limits
from ..tolerances import MET, SEEN
from .descent import CoordinateDescent, DescentResult
from .options import CcdOptions

TO_SPEED = 0.1  # [s] time in which an escape accelerates from rest to the largest speed


@dataclass(frozen=True)
class CcdMemory:
    """State of the solver between frames: how long it has been stuck in a local minimum, and the
    configuration to which it escapes.
    """

    # [s] time for which the solution has had a visible error; negative after a search that found no escape,
    # so that the next search is later by that time
    stuck: float = 0.0
    # (n,) angles to which the joints escape from a local minimum; () if no escape is under way
    escape: tuple[float, ...] = ()
    # speed of the joint that is farthest from its goal, as a fraction of the largest speed
    speed: float = 0.0


class Ccd:
    """Cyclic coordinate descent: fast and simple. The posture only serves as the starting point; its shape is
    not preserved.

    Source: Zalo, "Inverse Kinematics": quaternion CCD with hinges, limits, direction and simulated annealing.
    """

    def __init__(self, skeleton: Skeleton, options: CcdOptions | None = None) -> None:
        self.skeleton = skeleton
        self.options = options or CcdOptions()
        self.diagnosis = Diagnosis(skeleton)
        self.descent = CoordinateDescent(skeleton, self.options)
        self._speeds = self.options.largest_speed * skeleton.units
        self._limits = usual_limits(self._speeds)
        self._range = np.array(skeleton.lower), np.array(skeleton.upper)

    def solve(
        self, goal: GazeGoal, start: Angles | None = None, memory: object = None, dt: float = FRAME
    ) -> GazeSolution:
        """Solution of a goal; arguments as for `GazeSolver.solve`. Its `iterations` is the number of sweeps
        over all joints.

        From scratch it starts from the posture, scaled by `keep`, and if that does not meet the goal, again
        from random offsets, which are always the same. With `start` it continues from there, with no joint
        faster than `largest_speed`; `memory` counts how long it has been stuck. After `patience` annealing
        searches for an escape, which the joints then follow.
        """
        began = time.perf_counter()
        posture = check_goal(self.skeleton, goal, start=start, dt=dt)
        kept: object = None
        if start is None:
            result = self._from_scratch(goal, posture)
        else:
            last = (
                memory
                if isinstance(memory, CcdMemory) and len(memory.escape) in (0, len(posture))
                else CcdMemory()
            )
            result, kept = self._from_here(goal, self.skeleton.clamp(start), last, dt)
        return self.diagnosis.solution(
            goal, posture, result.angles, iterations=result.sweeps, began=began, pose=result.pose, memory=kept
        )

    def _from_here(
        self, goal: GazeGoal, start: tuple[float, ...], last: CcdMemory, dt: float
    ) -> tuple[DescentResult, CcdMemory]:
        """One frame: a step of an escape from a local minimum, if one is under way; else a descent near the
        last angles and, once it has been stuck for `patience`, a search for an escape.
        """
        if last.escape:
            return self._on_the_escape(goal, start, last, dt)
        angles = np.array(start)
        least, largest = bounds(self._limits, JointState(angles, np.zeros_like(angles), *self._range), dt)
        result = self._descend(goal, start, least.tolist(), largest.tolist(), self.options.in_frame)
        if result.error.seen <= SEEN:
            return result, CcdMemory()
        patience = self.options.patience
        # limited, so that one long frame does not count as its whole duration
        stuck = last.stuck + min(dt, 0.5 * patience)
        if stuck < patience:
            return result, CcdMemory(stuck)
        annealed = self._annealed(goal, result)
        worthwhile = annealed.error.seen < result.error.seen - SEEN
        return result._replace(sweeps=annealed.sweeps), (
            CcdMemory(0.0, annealed.angles) if worthwhile else CcdMemory(-SEARCH_PAUSE)
        )

    def _on_the_escape(
        self, goal: GazeGoal, start: tuple[float, ...], last: CcdMemory, dt: float
    ) -> tuple[DescentResult, CcdMemory]:
        """A step straight toward `last.escape`, at which all joints arrive together, with limited speed and
        acceleration.
        """
        escape = self.skeleton.clamp(last.escape)  # limits can have changed since the escape's goal was found
        # [s] remaining time at the largest speed
        left = float(np.abs((np.array(escape) - start) / self._speeds).max())
        gain = dt / TO_SPEED
        speed = min(last.speed + gain, 1.0, max(gain, math.sqrt(2.0 * left / TO_SPEED)))
        arrives = left <= speed * dt
        share = 1.0 if arrives else speed * dt / left
        step = (
            escape
            if arrives
            else self.skeleton.clamp([a + share * (b - a) for a, b in zip(start, escape, strict=True)])
        )
        pose = self.skeleton.forward(step)
        return DescentResult(step, pose, self.descent.error(goal, pose), 0), (
            CcdMemory() if arrives else replace(last, speed=speed)
        )

    def _from_scratch(self, goal: GazeGoal, posture: tuple[float, ...]) -> DescentResult:
        """Descent from the posture, scaled by `goal.keep`, within the joints' limits, with annealing where it
        is stuck.
        """
        start = self.skeleton.clamp([goal.keep * angle for angle in posture])
        first = self._descend(goal, start, self.skeleton.lower, self.skeleton.upper, self.options.iterations)
        return self._annealed(goal, first)

    def _annealed(self, goal: GazeGoal, best: DescentResult) -> DescentResult:
        """The best of `best` and of up to `anneals` descents, until the goal is met. Each begins at a random
        offset from the best so far; the offsets' bounds get smaller each time.
        """
        lower, upper = self.skeleton.lower, self.skeleton.upper
        sweeps = best.sweeps
        draw = random.Random(self.options.seed)
        for tried in range(self.options.anneals):
            if not best.error.unmet:
                break
            # largest offset as a share of a joint's range: first half of it, then gradually less
            heat = 0.5 * (1.0 - tried / self.options.anneals)
            offset = [
                a + heat * draw.uniform(lo - hi, hi - lo)
                for a, lo, hi in zip(best.angles, lower, upper, strict=True)
            ]
            result = self._descend(goal, self.skeleton.clamp(offset), lower, upper, self.options.iterations)
            sweeps += result.sweeps
            if result.error < best.error:
                best = result
        return best._replace(sweeps=sweeps)

    def _descend(
        self,
        goal: GazeGoal,
        angles: Sequence[float],
        lower: Sequence[float],
        upper: Sequence[float],
        most: int,
    ) -> DescentResult:
        """The result of a descent. If that fails and an end has a position and an orientation, all its joints
        serve both in a second descent. If views are still not met, a third one leaves the rolls free.
        """
        result = self.descent.descend(goal, angles, lower, upper, True, most)
        if result.error.unmet and any(
            end_goal.aim.desired_orientation is not None and end_goal.aim.desired_position is not None
            for end_goal in goal.ends
        ):
            result = self._further(goal, goal, result, lower, upper, False, most)
        views = with_free_roll(goal)
        if result.error.seen > MET and views is not goal:
            result = self._further(goal, views, result, lower, upper, True, most)
        return result

    def _further(
        self,
        goal: GazeGoal,
        requested: GazeGoal,
        result: DescentResult,
        lower: Sequence[float],
        upper: Sequence[float],
        splits: bool,
        most: int,
    ) -> DescentResult:
        """The better of `result` and a further descent from it toward the goal `requested`, both measured by
        `goal`; with the sweeps of both.
        """
        further = self.descent.descend(
            requested, result.angles, lower, upper, splits, max(1, most - result.sweeps)
        )
        error = self.descent.error(goal, further.pose)
        sweeps = result.sweeps + further.sweeps
        return (
            further._replace(error=error, sweeps=sweeps)
            if error < result.error
            else result._replace(sweeps=sweeps)
        )
