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

from ..aims.block import Measured
from ..aims.blocks import ViewBlock
from ..crossing import CROSSING_SPEED
from ..diagnosis import Diagnosis
from ..expressive.aims import AimErrors, BatchedAim
from ..expressive.options import Options
from ..gaze import FRAME, SPEED, Solution
from ..goals import GazeGoal, check_goal
from ..kernel.bones import CompiledBones
from ..kernel.library import KernelError, kernel
from ..kinematics.se3 import angle_of
from ..kinematics.skeleton import Angles, Skeleton
from ..kinematics.tree import Frames
from ..least_squares.boxes import boxed
from ..tolerances import EXACT, SAME_ANGLE
from . import branch_transition
from .branch_transition import BranchTransition
from .last_frames import LastFrames
from .level import Levels
from .model import BoneModel, BonePose
from .nearness import Nearness

# weight of an end's squared roll relative to the last bone's squared rotation: both are equally conspicuous
ROLL_COST = 1.0
AIM_COST = 1e8  # cost of the squared aim error [rad]; the last steps remove the error that it leaves
LARGEST_TURN = 1.0  # [rad] largest aim error corrected by one step: up to it the linear model holds
LONGEST_STEP = 1.2  # [rad, or fractions of the reach] largest movement of a coordinate in one step
NEARLY = 0.1  # [rad] aim error below which a step that leaves the aim by its curvature is corrected
MOST_STEPS = 25
FIRST_DAMPING, MOST_DAMPING = (
    0.3,
    1e9,
)  # fractions of the Hessian's diagonal that are added to it if a step does not help
# smallest cost of an aim error of one radian when steps are compared; it must exceed the aim's forces
LEAST_PRICE = 2.0
# most iterations of the active set in one step: with the aim's curvature they might not end by themselves
PASSES = 8
POLISHING_STEPS = 6  # most steps at the end, each of which squares the remaining aim error
# [rad, or in fractions of the reach] aim error that one correction, which squares it, reduces to rounding
NEARLY_MET = 1e-5
# [rad, or in fractions of the reach] largest step without damping after which the error of the solution is
# invisible: the square of the step, and the errors of the model
SMALL_STEP = 1.5e-3
NO_STEP = 1e-5  # [rad, or in fractions of the reach] no step follows a damped step shorter than this
LEAST_GAIN = 1e-6  # smallest relative reduction of the cost per step; below it bones move invisibly


class _Evaluated(NamedTuple):
    """Configuration with its costs and their derivatives."""

    pose: BonePose
    frames: Frames
    errors: AimErrors
    secondary: float  # cost of rotations, rolls and distances
    matrix: Angles  # (n, n) Gauss-Newton Hessian of the secondary cost
    descent: Angles  # (n,)

    def cost(self, price: float) -> float:
        """Secondary cost plus the aim error times `price`; if the price exceeds all forces, its minimum meets
        the aim.
        """
        return self.secondary + price * float(self.errors.size[0])

    def after(self, step: Angles) -> float:
        """Secondary cost after a step (n,), by its quadratic model."""
        return self.secondary + float(step @ (0.5 * (self.matrix @ step) - self.descent))


class _Optimum(NamedTuple):
    """The smallest rotation from an authored pose that meets a goal."""

    angles: Angles  # (n,) within limits
    cost: float  # cost of the bones' rotations away from the authored pose, of rolls and distances
    steps: int
    memory: LastFrames
    measured: Measured | None  # errors of the ends; None if unknown

    def merit(self) -> float:
        """Its cost including that of the remaining aim error, to compare optima on different branches."""
        return self.cost + AIM_COST * self.memory.missed**2


class BoneSolver:
    """Meets the aim exactly and, subject to that, rotates the bones as little as possible from the authored
    pose, by the costs of `BoneModel`.

    Source: docs/expressive.md, "Character rigs".
    """

    def __init__(self, skeleton: Skeleton, options: Options | None = None) -> None:
        self.skeleton = skeleton
        self.options = options or Options()
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
    ) -> Solution:
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
            GazeError: As `GazeSolver.solve`.
        """
        began = time.perf_counter()
        authored = np.array(check_goal(self.skeleton, goal, start=start, dt=dt))
        reference = authored
        if start is not None and goal.keep < 1.0:
            reference = start + (1.0 - (1.0 - goal.keep) ** (dt / FRAME)) * (authored - start)
        last = memory if isinstance(memory, LastFrames) and self.model.has(memory.deviation) else None
        optimum = self._descended(goal, reference, last, dt)
        if last is not None and reference is authored:
            optimum = self._on_its_way(goal, reference, last, optimum, dt)
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
        return replace(solution, is_on_its_way=True) if optimum.memory.transition else solution

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

    def _on_its_way(
        self, goal: GazeGoal, authored: Angles, last: LastFrames, optimum: _Optimum, dt: float
    ) -> _Optimum:
        """The optimum, or, after its branch has ended, the current step of a transition to the best one
        known.

        The optimum is returned at once if the target has jumped, so that its steps did not begin at the
        extrapolation of the last frames.
        """
        if optimum.memory.before is None:
            return optimum
        if self._has_left_branch(goal, authored, last, optimum.memory.deviation, dt):
            optimum = min(optimum, self._descended(goal, authored, None, dt), key=_Optimum.merit)
            shown, deviation = last.shown, optimum.memory.deviation
            transition = branch_transition.begin(shown, deviation, self.model.hinge_units)
            return self._shown(authored, optimum, transition)
        going_on = last.transition and last.transition.after(dt, optimum.memory.deviation)
        return self._shown(authored, optimum, going_on) if going_on else optimum

    def _has_left_branch(
        self, goal: GazeGoal, authored: Angles, last: LastFrames, deviation: BonePose, dt: float
    ) -> bool:
        """Whether a bone rotates from the last optimum to this one, both applied to the current authored
        pose, by more than its target moves plus a quick turn of a head in `dt` [s].
        """
        model, quick = self.model, CROSSING_SPEED * dt
        if branch_transition.most_rotation(last.deviation, deviation, model.hinge_units) <= quick:
            return False
        if last.costs is None or not np.array_equal(
            last.costs, model.costs
        ):  # the solver's settings have changed, such as a keyed `look_from`
            return False
        pose = model.pose(authored)
        before, now = (model.frames(model.deviated(pose, each)) for each in (last.deviation, deviation))
        turned = angle_of(before.nodes[0, :, :3, :3].swapaxes(1, 2) @ now.nodes[0, :, :3, :3]).max()
        moved = float(BatchedAim(model, goal).evaluate(before).size[0]) - last.missed  # of the target
        return bool(turned > moved + quick)

    def _shown(self, authored: Angles, optimum: _Optimum, transition: BranchTransition) -> _Optimum:
        """The optimum with the angles of the current step of a transition to it."""
        model = self.model
        pose = model.deviated(model.pose(authored), transition.shown())
        angles = model.angles(pose, authored)
        memory = optimum.memory._replace(transition=transition)
        return optimum._replace(angles=angles, memory=memory, measured=None)

    def _descended(self, goal: GazeGoal, reference: Angles, last: LastFrames | None, dt: float) -> _Optimum:
        """The optimum for the authored pose with joint values `reference` (n,) [rad or m]."""
        jump = SPEED * dt
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
            ),
            solved.measured,
        )

    def _descended_in_python(
        self, goal: GazeGoal, reference: Angles, last: LastFrames | None, jump: float
    ) -> _Optimum:
        """Reference implementation of the kernel's solve: damped Newton steps from the extrapolation of the
        last frames, or from the authored pose; `jump` as for `_Problem.begun`.
        """
        model = self.model
        authored = model.pose(reference)
        frames = model.frames(authored)
        problem = _Problem(model, BatchedAim(model, goal), authored, frames, Levels(model.tree, frames, goal))
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
                # The step follows the aim only to first order: it is corrected to meet the aim before it is
                # judged.
                following = problem.evaluated(
                    model.moved(
                        following.pose, problem.toward_aim(following, following.pose, following.errors)
                    )
                )
            gain = current.cost(price) - following.cost(price)
            if gain < -SAME_ANGLE:
                damping = max(FIRST_DAMPING, 10.0 * damping)
                if damping > MOST_DAMPING:
                    break
                continue
            current, damping = following, 0.1 * damping if damping > FIRST_DAMPING else 0.0
            pose, cost = current.pose, current.secondary
            if gain <= LEAST_GAIN * current.cost(price):
                break
        pose = problem.polished(current, pose)
        missed = float(problem.aim.evaluate(model.frames(pose)).size[0])
        memory = LastFrames(model.deviation(authored, pose), before, forces, missed, costs=model.costs)
        return _Optimum(model.angles(pose, reference), cost, steps, memory, None)


class _Problem:
    """A goal for one authored pose."""

    def __init__(
        self, model: BoneModel, aim: BatchedAim, authored: BonePose, frames: Frames, levels: Levels
    ) -> None:
        """`frames`: forward kinematics of the authored pose."""
        self.model, self.aim, self.values, self.levels = model, aim, authored.values, levels
        self.nearness = Nearness(model.tree, aim.goal, model.sizes)
        self.authored = model.orientations(authored, frames).swapaxes(1, 2)
        self._has_view = isinstance(aim.parts[0].block, ViewBlock)

    def begun(
        self, authored: BonePose, last: LastFrames | None, jump: float
    ) -> tuple[_Evaluated, Angles, BonePose | None]:
        """Start of the steps, its forces (r,), and the last frame's deviation if it is used, else None. The
        start is the authored pose with the extrapolated or else the last deviation, whichever first has an
        aim error below `jump` [rad]; otherwise the authored pose.
        """
        if last is not None:
            for deviation in (last.extrapolated(), last.deviation):
                ahead = self.evaluated(self.model.deviated(authored, deviation))
                is_same_aim = ahead.errors.error[0].shape == last.forces.shape
                if is_same_aim and ahead.errors.size[0] < jump:
                    return ahead, last.forces, last.deviation
        start = self.evaluated(authored)
        return start, np.zeros_like(start.errors.error[0]), None

    def evaluated(self, pose: BonePose) -> _Evaluated:
        model = self.model
        frames = model.frames(pose)
        rotations = self.authored @ model.orientations(pose, frames)
        cost, matrix, descent = model.quadratic(rotations, frames, pose.values - self.values)
        cost += self.levels.add(frames, ROLL_COST, matrix, descent)
        cost += self.nearness.add(frames, matrix, descent)
        return _Evaluated(pose, frames, self.aim.evaluate(frames), cost, matrix, descent)

    def step(self, at: _Evaluated, forces: Angles, damping: float) -> tuple[Angles, Angles]:
        """Step (n,) [rad or m] toward the minimum of the quadratic model, within limits; and the forces (r,)
        that hold the aim.

        Args:
            at: Configuration before the step.
            forces: Forces (r,) of the last step, by which the curvature of the aim is weighted.
            damping: Fraction of the diagonal of the secondary cost's Hessian that is added to the Hessian; it
                also reduces the corrected part of the aim error.
        """
        errors, columns = at.errors.error[0], at.errors.columns[0]
        desired = (
            errors * min(1.0, LARGEST_TURN / max(float(at.errors.size[0]), LARGEST_TURN)) / (1.0 + damping)
        )
        matrix = at.matrix + self.curvature(at, forces) if self._has_view and forces.any() else at.matrix
        if damping > 0.0:
            matrix = matrix + np.diag(damping * at.matrix.diagonal())
        step = self._solved(matrix, at.descent, at.pose, columns, desired)
        return step, AIM_COST * (desired - columns.T @ step)

    def toward_aim(self, at: _Evaluated, pose: BonePose, errors: AimErrors) -> Angles:
        """The smallest step (n,) from a pose near `at` that meets the linear model of the aim, within
        limits.
        """
        return self._solved(at.matrix, np.zeros_like(at.descent), pose, errors.columns[0], errors.error[0])

    def polished(self, at: _Evaluated, pose: BonePose) -> BonePose:
        """The nearest pose to `pose`, which is near `at`, that meets the aim, or comes as near to it as the
        last steps allow.
        """
        errors = at.errors if pose is at.pose else self.aim.evaluate(self.model.frames(pose))
        for _ in range(POLISHING_STEPS):
            if errors.size[0] <= SAME_ANGLE:
                break
            nearer = self.model.moved(pose, self.toward_aim(at, pose, errors))
            if errors.size[0] < NEARLY_MET:
                return nearer
            left = self.aim.evaluate(self.model.frames(nearer))
            if left.size[0] >= errors.size[0]:
                break
            pose, errors = nearer, left
        return pose

    def _solved(
        self, matrix: Angles, descent: Angles, pose: BonePose, columns: Angles, desired: Angles
    ) -> Angles:
        """Step (n,) [rad or m] from a pose that minimises a quadratic cost and corrects the aim error
        `desired` (r,), within limits; `columns` (n, r): reduction of the error per unit of each joint.
        """
        model = self.model
        whole = AIM_COST * (columns @ columns.T)
        whole += matrix
        whole.reshape(-1)[:: len(whole) + 1] += EXACT * float(matrix.diagonal().max(initial=1.0))
        vector = descent + AIM_COST * (columns @ desired)
        if model.is_unlimited:
            step = np.linalg.solve(whole, vector)
        else:
            step = boxed(
                whole[None],
                vector[None],
                (model.lower - pose.values)[None],
                (model.upper - pose.values)[None],
                PASSES,
            )[0]
        longest = model.length(step)
        return step if longest <= LONGEST_STEP else step * (LONGEST_STEP / longest)

    def curvature(self, at: _Evaluated, forces: Angles) -> Angles:
        """Second derivative (n, n) of the first end's view, times the forces (r,) that hold it.

        A view y that joint j rotates about its axis b, and joint i nearer the base about a, has the second
        derivative a x (b x y). Along a pull p perpendicular to y that is -(a . y) (b . p).
        """
        part = self.aim.parts[0]
        end = at.frames.nodes[0, part.node] @ part.offset
        x, view, z = end[:3, 0], end[:3, 1], end[:3, 2]
        pull = part.weight * (z * forces[0] - x * forces[1])
        along, across = (at.frames.turning[0] @ np.array((view, pull)).T).T
        products = self.model.pair_weights(part.node) * (along[:, None] * across)
        second: Angles = -(products + products.T)
        return second
