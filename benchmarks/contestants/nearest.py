"""The least change of the posture that meets the aim, at once: what differential solvers do, without looking
at other branches.
"""

import time
from collections.abc import Sequence

from limber.solvers.diagnosis import MET, Diagnosis
from limber.solvers.exact_aim import Corrected, correct_or_look
from limber.solvers.gaze import Solution
from limber.solvers.goals import GazeGoal, check_goal
from limber.solvers.kinematics.skeleton import Angles, Skeleton

ROOT_COST = 0.03  # of a rotation of everything as a whole, against 1: toward the target that changes no shape


class Nearest:
    """The least change on one skeleton, weighed by what it does to the shape; no limit of speed."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton, self.diagnosis = skeleton, Diagnosis(skeleton)
        n = len(skeleton)
        carried = [1] * n
        for k in reversed(range(n)):
            parent = skeleton.joints[k].parent
            if parent >= 0:
                carried[parent] += carried[k]
        # What a rotation changes of the shape grows with the links that it carries; a prismatic joint's whole
        # reach counts as a radian.
        shares = [(count / n) ** 2 if count < n else ROOT_COST for count in carried]
        reach = skeleton.reach
        self.costs = [
            share if joint.kind == "revolute" else share / reach**2
            for joint, share in zip(skeleton.joints, shares, strict=True)
        ]

    def solve(self, goal: GazeGoal, start: Angles | None = None) -> Solution:
        """The solution next to the posture; where the aim is not met there, the one next to `start` (n,),
        else the middle of ranges.
        """
        began = time.perf_counter()
        authored = check_goal(self.skeleton, goal, start=start)
        middle = [
            0.5 * (lower + upper)
            for lower, upper in zip(self.skeleton.lower, self.skeleton.upper, strict=True)
        ]
        found = self._finished(goal, (authored, middle if start is None else tuple(map(float, start))))
        return self.diagnosis.solution(
            goal, authored, found.angles, iterations=found.steps, began=began, pose=found.pose
        )

    def _finished(self, goal: GazeGoal, starts: Sequence[Sequence[float]]) -> Corrected:
        """From the first of the starts (n,) from which the aim is met; when none meets it, the one with the
        least error.
        """
        found = []
        for start in starts:
            found.append(correct_or_look(self.skeleton, goal, start, self.costs))
            if found[-1].aim_error <= MET:
                return found[-1]
        return min(found, key=lambda one: one.aim_error)
