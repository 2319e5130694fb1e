"""CCD behind the solver protocol: from scratch with annealing, and from frame to frame. Knows no Blender."""

import random
import time
from collections.abc import Sequence

from ..diagnosis import MET, Diagnosis
from ..gaze import Solution
from ..goals import Frame, GazeGoal, check_goal, with_free_roll
from ..skeleton import Angles, Skeleton
from .descent import Descent, Way
from .options import CcdOptions

LARGEST_OFFSET = 0.5  # of a joint's range, to either side, in the first annealing; it falls to nothing


class Ccd:
    """Each joint in turn points its end at the target: quick, simple, and blind to the posture once it has started from it.

    Source: Zalo, "Inverse Kinematics": quaternion CCD with hinges, limits, direction and simulated annealing.
    """

    def __init__(self, skeleton: Skeleton, options: CcdOptions | None = None) -> None:
        self.skeleton = skeleton
        self.options = options or CcdOptions()
        self.diagnosis = Diagnosis(skeleton)
        self.descent = Descent(skeleton, self.options)

    def solve(self, goal: GazeGoal, start: Angles | None = None, memory: object = None) -> Solution:
        """See `GazeSolver.solve`. `iterations`: sweeps over all joints.

        From scratch it starts from the posture, mixed with the zero pose by what `keep` leaves, and where that does not meet the goal,
        again from random offsets, always the same. With `start` it goes on from there, no joint by more than `largest_move`.
        """
        began = time.perf_counter()
        posture = check_goal(self.skeleton, goal, start=start)
        way = self._from_scratch(goal, posture) if start is None else self._from_here(goal, self.skeleton.clamp(start))
        return self.diagnosis.solution(goal, posture, way.angles, iterations=way.sweeps, began=began, pose=way.pose)

    def _from_here(self, goal: GazeGoal, here: tuple[float, ...]) -> Way:
        most = self.options.largest_move
        lower = [max(lo, angle - most) for lo, angle in zip(self.skeleton.lower, here, strict=True)]
        upper = [min(hi, angle + most) for hi, angle in zip(self.skeleton.upper, here, strict=True)]
        return self._descend(goal, here, lower, upper)

    def _from_scratch(self, goal: GazeGoal, posture: tuple[float, ...]) -> Way:
        lower, upper = self.skeleton.lower, self.skeleton.upper
        best = self._descend(goal, self.skeleton.clamp([goal.keep * angle for angle in posture]), lower, upper)
        sweeps = best.sweeps
        draw = random.Random(self.options.seed)
        for tried in range(self.options.anneals):
            if best.missed[1] <= MET:
                break
            heat = LARGEST_OFFSET * (1.0 - tried / self.options.anneals)
            offset = [a + heat * draw.uniform(lo - hi, hi - lo) for a, lo, hi in zip(best.angles, lower, upper, strict=True)]
            way = self._descend(goal, self.skeleton.clamp(offset), lower, upper)
            sweeps += way.sweeps
            if way.missed < best.missed:
                best = way
        return best._replace(sweeps=sweeps)

    def _descend(self, goal: GazeGoal, angles: Sequence[float], lower: Sequence[float], upper: Sequence[float]) -> Way:
        """A descent; where it falls short, one in which all joints go for place and orientation alike, then one for the views alone."""
        way = self.descent.descend(goal, angles, lower, upper, True, self.options.iterations)
        if way.missed[1] > MET and any(isinstance(wanted.aim, Frame) for wanted in goal.ends):
            way = self._further(goal, goal, way, lower, upper, False)
        views = with_free_roll(goal)
        if way.missed[0] > MET and views is not goal:
            way = self._further(goal, views, way, lower, upper, True)
        return way

    def _further(self, goal: GazeGoal, asked: GazeGoal, way: Way, lower: Sequence[float], upper: Sequence[float], splits: bool) -> Way:
        further = self.descent.descend(asked, way.angles, lower, upper, splits, max(1, self.options.iterations - way.sweeps))
        missed = self.descent.missed(goal, further.pose)
        sweeps = way.sweeps + further.sweeps
        return further._replace(missed=missed, sweeps=sweeps) if missed < way.missed else way._replace(sweeps=sweeps)
