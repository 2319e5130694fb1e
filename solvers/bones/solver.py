"""The expressive solver on bones: exact aim, then the least rotation of bones against the authored pose. Knows no Blender.

The answer is a function of goal and authored pose alone: it starts from the authored pose in every frame, so that a rig that is animated is
answered in the same frame, and no frame depends on those before it.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..diagnosis import Diagnosis
from ..expressive.aims import AimErrors, BatchedAim
from ..expressive.options import Options
from ..gaze import FRAME, PlanSlot, Solution
from ..goals import GazeGoal, check_goal
from ..kinematics.skeleton import Angles, Skeleton
from ..least_squares import box
from ..rolls import Rolls
from ..tolerances import EXACT, SAME_ANGLE
from .model import BoneModel, BonePose

ROLL_COST = 1.0  # of the squared roll of an end, against the rotation of the last bone: a rolled head is seen as a turned one is
AIM_COST = 1e8  # of the squared aim error: what it leaves is removed by multipliers
LARGEST_TURN = 0.6  # [rad] of the aim error that one step corrects, at most: within it the linear model holds
LONGEST_STEP = 1.0  # [rad, or reaches] of a coordinate in one step
NEARLY = 0.01  # [rad] aim error below which multipliers are updated
MOST_STEPS = 40
FIRST_DAMPING, MOST_DAMPING = 1e-6, 1e3  # shares of the Hessian's diagonal that are added to it when a step does not help
LEAST_GAIN = 1e-6  # share of the cost that a step must gain: below it bones move by less than is seen


class _Evaluated(NamedTuple):
    """Configuration with its costs, and their derivatives."""

    pose: BonePose
    errors: AimErrors
    secondary: float  # cost of rotations and rolls
    matrix: Angles  # (n, n) of the secondary cost
    descent: Angles  # (n,)


class BoneSolver:
    """Meets the aim exactly; subject to that rotates the bones as little as possible from the authored pose, as `BoneModel` weighs them.

    Source: docs/expressive.md, "Character rigs".
    """

    def __init__(self, skeleton: Skeleton, options: Options | None = None) -> None:
        self.skeleton = skeleton
        self.model = BoneModel(skeleton, options or Options())
        self.diagnosis = Diagnosis(skeleton)

    def solve(
        self,
        goal: GazeGoal,
        start: Angles | None = None,
        memory: object = None,
        ahead: Sequence[GazeGoal] = (),
        dt: float = FRAME,
        mutual: bool = False,
        slot: PlanSlot | None = None,
    ) -> Solution:
        """The least rotation from the posture that meets the goal.

        Args:
            goal: Goals of the ends, and the posture (n,) to keep.
            start: Angles (n,) of the last frame. They count only where `goal.keep` is below 1: there the posture pulls the pose toward
                itself in the course of frames, by `keep` in one of `FRAME`.
            dt: Duration [s] of the frame.
            memory, ahead, mutual, slot: As for `Expressive`; the answer does not depend on them.

        Raises:
            GazeError: As `GazeSolver.solve`.
        """
        began = time.perf_counter()
        authored = np.array(check_goal(self.skeleton, goal, start=start))
        reference = authored
        if start is not None and goal.keep < 1.0:
            reference = start + (1.0 - (1.0 - goal.keep) ** (dt / FRAME)) * (authored - start)
        found, steps = self._descended(goal, reference)
        angles = self.model.angles(found.pose, reference)
        return self.diagnosis.solution(
            goal,
            tuple(authored.tolist()),
            tuple(angles.tolist()),
            iterations=steps,
            began=began,
            lowered=float(np.sqrt(2.0 * max(0.0, found.secondary))),
        )

    def _descended(self, goal: GazeGoal, reference: Angles) -> tuple[_Evaluated, int]:
        """The optimum, by damped Gauss-Newton steps from the configuration `reference` (n,), and the number of steps."""
        model = self.model
        aim = BatchedAim(model, goal)
        pose = model.pose(reference)
        frames = model.frames(pose)
        problem = _Problem(model, aim, model.orientations(frames), pose.values, Rolls(model.tree, frames, goal))
        now = problem.evaluated(pose)
        shift = np.zeros_like(now.errors.error[0])
        damping, steps = 0.0, 0
        while steps < MOST_STEPS:
            steps += 1
            step = problem.step(now, shift, damping)
            following = problem.evaluated(model.moved(now.pose, step))
            before, after = problem.cost(now, shift), problem.cost(following, shift)
            if after > before + EXACT:
                damping = max(FIRST_DAMPING, 10.0 * damping)
                if damping > MOST_DAMPING:
                    break
                continue
            now, damping = following, 0.1 * damping if damping > FIRST_DAMPING else 0.0
            size = float(now.errors.size[0])
            if before - after <= LEAST_GAIN * after + EXACT and (size < SAME_ANGLE or size > NEARLY):
                break
            if size < NEARLY:  # the multiplier of what is left
                shift = shift + now.errors.error[0]
        return now, steps


class _Problem:
    """One goal from one authored pose."""

    def __init__(self, model: BoneModel, aim: BatchedAim, authored: Angles, values: Angles, rolls: Rolls) -> None:
        self.model, self.aim, self.authored, self.values, self.rolls = model, aim, authored, values, rolls

    def evaluated(self, pose: BonePose) -> _Evaluated:
        model = self.model
        frames = model.frames(pose)
        cost, matrix, descent = model.quadratic(model.turned(frames, self.authored), pose.values - self.values)
        if self.rolls:
            stacked, pulled = self.rolls.added(frames, matrix[None], descent[None], ROLL_COST)
            matrix, descent = stacked[0], pulled[0]
            cost += ROLL_COST * float(sum(self.rolls.losses(frames.nodes))[0])
        return _Evaluated(pose, self.aim.evaluate(frames), cost, matrix, descent)

    @staticmethod
    def cost(at: _Evaluated, shift: Angles) -> float:
        error = at.errors.error[0] + shift
        return 0.5 * AIM_COST * float(error @ error) + at.secondary

    def step(self, at: _Evaluated, shift: Angles, damping: float) -> Angles:
        """Step (n,) toward the minimum of the quadratic model, within limits."""
        model, errors, columns = self.model, at.errors.error[0], at.errors.columns[0]
        size = float(at.errors.size[0])
        desired = errors * min(1.0, LARGEST_TURN / max(size, LARGEST_TURN)) + shift
        matrix = at.matrix + AIM_COST * (columns @ columns.T)
        diagonal = matrix.diagonal()
        matrix[np.diag_indices(len(matrix))] += damping * diagonal + EXACT * float(diagonal.max(initial=1.0))
        vector = at.descent + AIM_COST * (columns @ desired)
        step = box.solve(matrix, vector, model.lower - at.pose.values, model.upper - at.pose.values).x
        return step * min(1.0, LONGEST_STEP / max(float(np.abs(step / self.model.skeleton.units).max(initial=0.0)), LONGEST_STEP))
