"""The CCD solver: from scratch with annealing, and from frame to frame."""

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..diagnosis import Diagnosis
from ..gaze import FRAME, SEARCH_PAUSE, Solution
from ..goals import GazeGoal, check_goal, with_free_roll
from ..kinematics.skeleton import Angles, Skeleton
from ..limits import JointState, bounds, usual_limits
from ..tolerances import MET, SEEN
from .descent import Descent, Result
from .options import CcdOptions

TO_SPEED = 0.1  # [s] time in which an escape accelerates from rest to the largest speed


@dataclass(frozen=True)
class Memory:
    """State of the solver from frame to frame: how long it has been stuck in a local minimum, and the
    configuration to which it escapes.
    """

    stuck: float = 0.0  # [s] with an error; below zero: time to wait
    escape: tuple[float, ...] = ()  # angles (n,) of the escape from a local minimum; () none
    speed: float = 0.0  # speed of the joint farthest from the escape's end, as a share of the largest speed


class Ccd:
    """Cyclic coordinate descent: fast and simple. The posture only serves as the starting point; its shape is
    not preserved.

    Source: Zalo, "Inverse Kinematics": quaternion CCD with hinges, limits, direction and simulated annealing.
    """

    def __init__(self, skeleton: Skeleton, options: CcdOptions | None = None) -> None:
        self.skeleton = skeleton
        self.options = options or CcdOptions()
        self.diagnosis = Diagnosis(skeleton)
        self.descent = Descent(skeleton, self.options)
        self._speeds = self.options.largest_speed * skeleton.units
        self._limits = usual_limits(self._speeds)
        self._range = np.array(skeleton.lower), np.array(skeleton.upper)

    def solve(
        self, goal: GazeGoal, start: Angles | None = None, memory: object = None, dt: float = FRAME
    ) -> Solution:
        """Solution of a goal; arguments as for `GazeSolver.solve`. `iterations` counts sweeps over all
        joints.

        From scratch it starts from the posture, scaled by `keep`, and where that does not meet the goal,
        again from random offsets, always the same. With `start` it goes on from there, no joint faster than
        `largest_speed`; `memory` counts the time for which it was stuck, after which annealing searches for
        an escape, which is then followed.
        """
        began = time.perf_counter()
        posture = check_goal(self.skeleton, goal, start=start, dt=dt)
        kept: object = None
        if start is None:
            result = self._from_scratch(goal, posture)
        else:
            last = (
                memory if isinstance(memory, Memory) and len(memory.escape) in (0, len(posture)) else Memory()
            )
            result, kept = self._from_here(goal, self.skeleton.clamp(start), last, dt)
        return self.diagnosis.solution(
            goal, posture, result.angles, iterations=result.sweeps, began=began, pose=result.pose, memory=kept
        )

    def _from_here(
        self, goal: GazeGoal, start: tuple[float, ...], last: Memory, dt: float
    ) -> tuple[Result, Memory]:
        """One frame: a descent near the last angles, or a step of an escape from a local minimum."""
        if last.escape:
            return self._on_the_escape(goal, start, last, dt)
        angles = np.array(start)
        least, largest = bounds(self._limits, JointState(angles, np.zeros_like(angles), *self._range), dt)
        result = self._descend(goal, start, least.tolist(), largest.tolist(), self.options.in_frame)
        if result.error.seen <= SEEN:
            return result, Memory()
        patience = self.options.patience
        stuck = last.stuck + min(dt, 0.5 * patience)  # so that one late frame is not taken for the whole time
        if stuck < patience:
            return result, Memory(stuck)
        annealed = self._annealed(goal, result)
        worthwhile = annealed.error.seen < result.error.seen - SEEN
        return result._replace(sweeps=annealed.sweeps), (
            Memory(0.0, annealed.angles) if worthwhile else Memory(-SEARCH_PAUSE)
        )

    def _on_the_escape(
        self, goal: GazeGoal, start: tuple[float, ...], last: Memory, dt: float
    ) -> tuple[Result, Memory]:
        """A step straight toward `last.escape`, at which all joints arrive together, with limited speed and
        acceleration.
        """
        escape = self.skeleton.clamp(last.escape)  # limits may have changed since it was found
        left = float(np.abs((np.array(escape) - start) / self._speeds).max())  # [s] at the largest speed
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
        return Result(step, pose, self.descent.error(goal, pose), 0), (
            Memory() if arrives else replace(last, speed=speed)
        )

    def _from_scratch(self, goal: GazeGoal, posture: tuple[float, ...]) -> Result:
        start = self.skeleton.clamp([goal.keep * angle for angle in posture])
        first = self._descend(goal, start, self.skeleton.lower, self.skeleton.upper, self.options.iterations)
        return self._annealed(goal, first)

    def _annealed(self, goal: GazeGoal, best: Result) -> Result:
        """The best of descents from random offsets, each from the best so far and smaller than the last,
        until one meets the goal.
        """
        lower, upper = self.skeleton.lower, self.skeleton.upper
        sweeps = best.sweeps
        draw = random.Random(self.options.seed)
        for tried in range(self.options.anneals):
            if not best.error.unmet:
                break
            heat = 0.5 * (
                1.0 - tried / self.options.anneals
            )  # at first any angle of a range that has the joint in its middle
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
    ) -> Result:
        """A descent; where it fails, one in which all joints serve position and orientation, then one for the
        views alone.
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
        result: Result,
        lower: Sequence[float],
        upper: Sequence[float],
        splits: bool,
        most: int,
    ) -> Result:
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
