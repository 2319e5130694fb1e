"""CCD behind the solver protocol: from scratch with annealing, and from frame to frame. Knows no Blender."""

import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..diagnosis import MET, Diagnosis
from ..gaze import Solution
from ..goals import Frame, GazeGoal, check_goal, with_free_roll
from ..skeleton import Angles, Skeleton
from .descent import Descent, Way
from .options import CcdOptions

FOLLOWED = math.radians(1.0)  # [rad, or of the reach] missed by less, a frame is not stuck but late
WORTHWHILE = 0.5  # of what is missed: a way out that leaves more is not gone
FRAMES_TO_SPEED = 6  # on the way out: at 60 a second a tenth of a second from rest to full speed
PAUSE = 60  # frames without another search, after one in vain: what is out of reach stays so for a while, and searching takes milliseconds
LARGEST_OFFSET = 0.5  # of a joint's range, to either side, in the first annealing; it falls to nothing


@dataclass(frozen=True)
class Memory:
    """What one frame tells the next."""

    stuck: int = 0  # frames that missed the goal, one after another; below zero: frames to wait
    way_out: tuple[float, ...] = ()  # angles (n,) to go to, out of a concavity
    pace: float = 0.0  # of the farthest joint's last step on the way there, as a share of its largest move


class Ccd:
    """Each joint in turn points its end at the target: quick, simple, and blind to the posture once it has started from it.

    Source: Zalo, "Inverse Kinematics": quaternion CCD with hinges, limits, direction and simulated annealing.
    """

    def __init__(self, skeleton: Skeleton, options: CcdOptions | None = None) -> None:
        self.skeleton = skeleton
        self.options = options or CcdOptions()
        self.diagnosis = Diagnosis(skeleton)
        self.descent = Descent(skeleton, self.options)
        self._most = [self.options.largest_move * (self.descent.reach if joint.kind == "prismatic" else 1.0) for joint in skeleton.joints]

    def solve(self, goal: GazeGoal, start: Angles | None = None, memory: object = None) -> Solution:
        """See `GazeSolver.solve`. `iterations`: sweeps over all joints.

        From scratch it starts from the posture, mixed with the zero pose by what `keep` leaves, and where that does not meet the goal,
        again from random offsets, always the same. With `start` it goes on from there, no joint by more than `largest_move`; `memory`
        counts the frames that it has been stuck, after which annealing looks for a way out, and leads there.
        """
        began = time.perf_counter()
        posture = check_goal(self.skeleton, goal, start=start)
        kept: object = None
        if start is None:
            way = self._from_scratch(goal, posture)
        else:
            last = memory if isinstance(memory, Memory) and len(memory.way_out) in (0, len(posture)) else Memory()
            way, kept = self._from_here(goal, self.skeleton.clamp(start), last)
        return self.diagnosis.solution(goal, posture, way.angles, iterations=way.sweeps, began=began, pose=way.pose, memory=kept)

    def _from_here(self, goal: GazeGoal, here: tuple[float, ...], last: Memory) -> tuple[Way, Memory]:
        """A frame: a descent near the last one's angles, or a step on the way out of a concavity."""
        if last.way_out:
            return self._on_the_way_out(goal, here, last)
        lower = [max(lo, angle - most) for lo, angle, most in zip(self.skeleton.lower, here, self._most, strict=True)]
        upper = [min(hi, angle + most) for hi, angle, most in zip(self.skeleton.upper, here, self._most, strict=True)]
        way = self._descend(goal, here, lower, upper, self.options.in_frame)
        if way.missed.seen <= FOLLOWED:
            return way, Memory()
        if last.stuck + 1 < self.options.frames_stuck:
            return way, Memory(last.stuck + 1)
        found = self._annealed(goal, way)
        worthwhile = found.missed.seen < WORTHWHILE * way.missed.seen
        return way._replace(sweeps=found.sweeps), Memory(0, found.angles) if worthwhile else Memory(-PAUSE)

    def _on_the_way_out(self, goal: GazeGoal, here: tuple[float, ...], last: Memory) -> tuple[Way, Memory]:
        """A step straight there: all joints arrive together, the farthest no faster than `largest_move`, gently off and gently on."""
        left = max(abs(b - a) / most for a, b, most in zip(here, last.way_out, self._most, strict=True))
        gain = 1.0 / FRAMES_TO_SPEED
        pace = min(last.pace + gain, 1.0, max(gain, math.sqrt(2.0 * gain * left)))
        arrives = left <= pace
        share = 1.0 if arrives else pace / left
        step = last.way_out if arrives else self.skeleton.clamp([a + share * (b - a) for a, b in zip(here, last.way_out, strict=True)])
        pose = self.skeleton.forward(step)
        return Way(step, pose, self.descent.missed(goal, pose), 0), Memory() if arrives else replace(last, pace=pace)

    def _from_scratch(self, goal: GazeGoal, posture: tuple[float, ...]) -> Way:
        start = self.skeleton.clamp([goal.keep * angle for angle in posture])
        first = self._descend(goal, start, self.skeleton.lower, self.skeleton.upper, self.options.iterations)
        return self._annealed(goal, first)

    def _annealed(self, goal: GazeGoal, best: Way) -> Way:
        """The best of descents from random offsets, each from the best so far and smaller than the last, until one meets the goal."""
        lower, upper = self.skeleton.lower, self.skeleton.upper
        sweeps = best.sweeps
        draw = random.Random(self.options.seed)
        for tried in range(self.options.anneals):
            if not best.missed.unmet:
                break
            heat = LARGEST_OFFSET * (1.0 - tried / self.options.anneals)
            offset = [a + heat * draw.uniform(lo - hi, hi - lo) for a, lo, hi in zip(best.angles, lower, upper, strict=True)]
            way = self._descend(goal, self.skeleton.clamp(offset), lower, upper, self.options.iterations)
            sweeps += way.sweeps
            if way.missed < best.missed:
                best = way
        return best._replace(sweeps=sweeps)

    def _descend(self, goal: GazeGoal, angles: Sequence[float], lower: Sequence[float], upper: Sequence[float], most: int) -> Way:
        """A descent; where it falls short, one in which all joints go for place and orientation alike, then one for the views alone."""
        way = self.descent.descend(goal, angles, lower, upper, True, most)
        if way.missed.unmet and any(isinstance(wanted.aim, Frame) for wanted in goal.ends):
            way = self._further(goal, goal, way, lower, upper, False, most)
        views = with_free_roll(goal)
        if way.missed.seen > MET and views is not goal:
            way = self._further(goal, views, way, lower, upper, True, most)
        return way

    def _further(
        self, goal: GazeGoal, asked: GazeGoal, way: Way, lower: Sequence[float], upper: Sequence[float], splits: bool, most: int
    ) -> Way:
        further = self.descent.descend(asked, way.angles, lower, upper, splits, max(1, most - way.sweeps))
        missed = self.descent.missed(goal, further.pose)
        sweeps = way.sweeps + further.sweeps
        return further._replace(missed=missed, sweeps=sweeps) if missed < way.missed else way._replace(sweeps=sweeps)
