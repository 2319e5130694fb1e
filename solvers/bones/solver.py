"""The expressive solver on bones: exact aim, then the least rotation of bones against the authored pose.

The optimum depends only on the goal and the authored pose, so it follows an animated rig in the same frame.
Steps begin at the extrapolation of the last frames' rotations or, if the target has jumped, at the authored
pose; on the same branch the solutions from both differ invisibly. A motion stays on its branch; if the branch
ends, the bones move to another one in an eased transition.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..aims.blocks import PoseErrors
from ..crossing import CROSSING_SPEED
from ..diagnosis import Diagnosis
from ..expressive.aims import BatchedAim
from ..expressive.options import ExpressiveOptions
from ..gaze import FRAME, SPEED, GazeSolution
from ..goals import GazeGoal, check_goal
from ..kernel.bones import CompiledBones
from ..kernel.library import KernelError, kernel
from ..kinematics.se3 import angle_of
from ..kinematics.skeleton import Angles, Skeleton
from ..kinematics.tree import Frames
from ..tolerances import LEAST_GAIN, SAME_ANGLE
from . import branch_transition
from .branch_transition import BranchTransition
from .last_frames import LastFrames
from .model import BoneModel, BonePose
from .problem import AIM_COST, PoseProblem

# [rad] aim error after a step, below which a step that raises the cost is corrected to meet the aim before it
# is judged
NEARLY = 0.1
MOST_STEPS = 25  # largest number of Newton steps in a frame
# fraction of the Hessian's diagonal that is first added to it if a step raises the cost
FIRST_DAMPING = 0.3
# smallest price of an aim error [cost per radian] when steps are compared; the price is also at least twice
# the norm of the constraint forces
LEAST_PRICE = 2.0
# [rad, or in fractions of the reach] length of an undamped step after which the remaining error, about its
# square, is invisible: no further step follows
SMALL_STEP = 1.5e-3
# [rad, or in fractions of the reach] length of a damped step below which no further step follows; also the
# rotation up to which two optima count as equal
NO_STEP = 1e-5
ANY_ERROR = math.tau  # [rad] more than the aim error of any view


class _Optimum(NamedTuple):
    """The smallest rotation from an authored pose that meets a goal."""

    angles: Angles  # (n,) angles within limits
    cost: float  # cost of the bones' rotations away from the authored pose, of rolls and distances
    steps: int
    memory: LastFrames
    measured: PoseErrors | None  # errors of the ends; None if unknown

    def merit(self) -> float:
        """Cost of the optimum, including that of the remaining aim error, by which branches are compared."""
        return self.cost + AIM_COST * self.memory.missed**2


class BoneSolver:
    """Meets the aim exactly and, subject to that, rotates the bones as little as possible from the authored
    pose, by the costs of `BoneModel`.

    Source: docs/expressive.md, "Character rigs".
    """

    def __init__(self, skeleton: Skeleton, options: ExpressiveOptions | None = None) -> None:
        self.skeleton = skeleton
        self.options = options or ExpressiveOptions()
        self.model = BoneModel(skeleton, self.options)
        self.diagnosis = Diagnosis(skeleton)

    def solve(
        self,
        goal: GazeGoal,
        start: Angles | None = None,
        memory: object = None,
        ahead: Sequence[GazeGoal] = (),
        dt: float = FRAME,
        mutual: bool = False,
    ) -> GazeSolution:
        """The smallest rotation from the posture that meets the goal.

        Args:
            goal: Goals of the ends, and the posture (n,) [rad or m] to keep.
            start: Angles (n,) [rad or m] of the last frame. They matter only if `goal.keep` is below 1: the
                posture then pulls the pose toward itself over several frames, by the fraction `keep` per
                `FRAME`.
            dt: Duration [s] of the frame.
            memory: `memory` of the last solution: the new solution stays on its branch, unless the target has
                jumped or the branch ends.
            ahead, mutual: As for `Expressive`; the solution does not depend on them.

        Raises:
            GazeError: as `GazeSolver.solve`.
        """
        began = time.perf_counter()
        authored = np.array(check_goal(self.skeleton, goal, start=start, dt=dt))
        reference = authored
        if start is not None and goal.keep < 1.0:
            reference = start + (1.0 - (1.0 - goal.keep) ** (dt / FRAME)) * (authored - start)
        last = memory if isinstance(memory, LastFrames) and self.model.has(memory.deviation) else None
        optimum = self._descended(goal, reference, last, dt)
        if last is not None and reference is authored:
            if last.is_of(goal):
                optimum = self._at_rest(goal, authored, last, optimum)
            optimum = self._on_its_way(goal, authored, last, optimum, dt)
        solution = self.diagnosis.solution(
            goal,
            tuple(authored.tolist()),
            optimum.angles,
            iterations=optimum.steps,
            began=began,
            memory=optimum.memory,
            measured=optimum.measured,
            lowered=math.sqrt(2.0 * max(0.0, optimum.cost)),
        )
        if optimum.memory.transition is None:
            return solution
        return replace(solution, is_on_its_way=True, unfinished=branch_transition.UNFINISHED)

    @cached_property
    def compiled(self) -> CompiledBones | None:
        """This solver in the compiled kernel; None if this machine has no kernel, or the kernel does not
        support the skeleton.
        """
        library = kernel()
        try:
            return None if library is None else CompiledBones(library, self.model)
        except KernelError:
            return None

    def _at_rest(self, goal: GazeGoal, authored: Angles, last: LastFrames, optimum: _Optimum) -> _Optimum:
        """The optimum for an unchanged goal: the last frame's, unless this frame's is better, so that bones
        come to rest.
        """
        model = self.model
        if (
            branch_transition.most_rotation(last.deviation, optimum.memory.deviation, model.hinge_units)
            <= NO_STEP
        ):
            return optimum
        pose = model.pose(authored)
        stayed = PoseProblem.of(model, goal, pose).evaluated(model.deviated(pose, last.deviation))
        memory = last._replace(before=last.deviation, missed=float(stayed.errors.size[0]), transition=None)
        angles = model.angles(stayed.pose, authored)
        kept = _Optimum(angles, stayed.secondary, optimum.steps, memory._replace(costs=model.costs), None)
        return min(kept, optimum, key=_Optimum.merit)

    def _on_its_way(
        self, goal: GazeGoal, authored: Angles, last: LastFrames, optimum: _Optimum, dt: float
    ) -> _Optimum:
        """The optimum or, after the motion's branch has ended, the current step of a transition to the best
        optimum known.

        If the target has jumped, so that no step began at the last frames' deviations, the optimum is
        returned at once.
        """
        if optimum.memory.before is None:
            return optimum
        deviation, transition = optimum.memory.deviation, last.transition
        has_left = self._has_left_branch(goal, authored, last, deviation, dt)
        if has_left:
            starts = last._replace(before=None), None
            others = [self._descended(goal, authored, start, dt) for start in starts]
            optimum = min(optimum, *others, key=_Optimum.merit)
            deviation = optimum.memory.deviation
            has_left = self._has_left_branch(goal, authored, last, deviation, dt)
        if has_left:
            transition = branch_transition.begin(last.shown, deviation, self.model.hinge_units)
        elif transition is not None:
            transition = transition.after(dt, deviation)
        return optimum if transition is None else self._shown(authored, optimum, transition)

    def _has_left_branch(
        self, goal: GazeGoal, authored: Angles, last: LastFrames, deviation: BonePose, dt: float
    ) -> bool:
        """Whether a bone's rotation from the last optimum to this one (both applied to the current authored
        pose) exceeds the target's movement plus a quick turn of a head in `dt` [s].
        """
        model, quick = self.model, CROSSING_SPEED * dt
        if branch_transition.most_rotation(last.deviation, deviation, model.hinge_units) <= quick:
            return False
        # the motion has just begun and has not reached an optimum yet, so it is on no branch
        if last.before is None and not last.is_finished:
            return False
        if last.costs is None or not np.array_equal(last.costs, model.costs):
            # the solver's settings have changed, such as a keyed `look_from`
            return False
        pose = model.pose(authored)
        before, now = (model.frames(model.deviated(pose, each)) for each in (last.deviation, deviation))
        turned = angle_of(before.nodes[0, :, :3, :3].swapaxes(1, 2) @ now.nodes[0, :, :3, :3]).max()
        return bool(turned > self._moved(goal, last, before) + quick)

    def _moved(self, goal: GazeGoal, last: LastFrames, before: Frames) -> float:
        """Movement [rad] of the target since the last frame, as seen from an end, by its own motion and that
        of the authored pose. A slow target that passes close to an eye moves far.

        This is the smaller of two bounds, less the aim error of the last frame: the aim error of the last
        optimum if applied to the current authored pose, whose forward kinematics is `before`; and its aim
        error for the last goal plus the distance the goal has moved.
        """
        model = self.model
        seen = float(BatchedAim(model, goal).evaluate(before).size[0])
        if last.goal is not None:
            by_pose = float(BatchedAim(model, last.goal).evaluate(before).size[0])
            seen = min(seen, by_pose + last.goal_moved(goal))
        return seen - last.missed

    def _shown(self, authored: Angles, optimum: _Optimum, transition: BranchTransition) -> _Optimum:
        """The optimum with the angles of the current step of a transition to it."""
        model = self.model
        pose = model.deviated(model.pose(authored), transition.shown())
        angles = model.angles(pose, authored)
        memory = optimum.memory._replace(transition=transition)
        return optimum._replace(angles=angles, memory=memory, measured=None)

    def _descended(self, goal: GazeGoal, reference: Angles, last: LastFrames | None, dt: float) -> _Optimum:
        """The optimum for the authored pose with joint values `reference` (n,) [rad or m].

        A target that passes close to an eye is seen in quickly changing directions. The motion goes on from
        the last frame all the same, unless goal or posture have jumped.
        """
        jump = SPEED * dt
        optimum = self._stepped(goal, reference, last, jump)
        if last is None or optimum.memory.before is not None or last.has_jumped(goal, jump):
            return optimum
        return self._stepped(goal, reference, last._replace(before=None), ANY_ERROR)

    def _stepped(self, goal: GazeGoal, reference: Angles, last: LastFrames | None, jump: float) -> _Optimum:
        """The optimum to which steps lead; `jump` as for `PoseProblem.begun`."""
        if self.compiled is None:
            return self._descended_in_python(goal, reference, last, jump)
        try:
            solved = self.compiled.solve(goal, reference, last, jump)
        except KernelError:  # a number is too large for the kernel, or the kernel does not support an aim
            return self._descended_in_python(goal, reference, last, jump)
        before = last.deviation if last is not None and solved.goes_on else None
        return _Optimum(
            solved.angles,
            solved.cost,
            solved.steps,
            LastFrames(
                BonePose(solved.values, solved.balls),
                before,
                solved.forces,
                solved.missed,
                costs=self.model.costs,
                goal=goal,
                is_finished=solved.steps < MOST_STEPS,
            ),
            solved.measured,
        )

    def _descended_in_python(
        self, goal: GazeGoal, reference: Angles, last: LastFrames | None, jump: float
    ) -> _Optimum:
        """The kernel's reference: damped Newton steps from where the last frames lead, or from the authored
        pose.
        """
        model = self.model
        authored = model.pose(reference)
        problem = PoseProblem.of(model, goal, authored)
        current, forces, before = problem.begun(authored, last, jump)
        damping, price, steps = 0.0, LEAST_PRICE, 0
        pose, cost = current.pose, current.secondary
        while steps < MOST_STEPS:
            steps += 1
            step, forces = problem.step(current, forces, damping)
            price = max(price, 2.0 * float(np.linalg.norm(forces)))
            moved = model.moved(current.pose, step)
            if model.length(step) < (SMALL_STEP if damping == 0.0 else NO_STEP):
                pose, cost = moved, current.after(step)
                break
            following = problem.evaluated(moved)
            if following.cost(price) > current.cost(price) and following.errors.size[0] < NEARLY:
                # The step is exact for the aim only to first order: it is corrected before it is judged.
                following = problem.evaluated(
                    model.moved(
                        following.pose, problem.toward_aim(following, following.pose, following.errors)
                    )
                )
            gain = current.cost(price) - following.cost(price)
            if gain < -SAME_ANGLE:
                damping = max(FIRST_DAMPING, 10.0 * damping)
                continue
            current, damping = following, 0.1 * damping if damping > FIRST_DAMPING else 0.0
            pose, cost = current.pose, current.secondary
            if gain <= LEAST_GAIN * current.cost(price):
                break
        pose = problem.polished(current, pose)
        missed = float(problem.aim.evaluate(model.frames(pose)).size[0])
        memory = LastFrames(
            model.deviation(authored, pose),
            before,
            forces,
            missed,
            costs=model.costs,
            goal=goal,
            is_finished=steps < MOST_STEPS,
        )
        return _Optimum(model.angles(pose, reference), cost, steps, memory, None)
