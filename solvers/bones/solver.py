"""The expressive solver on bones: exact aim, then the least rotation of bones against the authored pose. Knows no Blender.

The optimum is one of goal and authored pose alone, so a rig that is animated is answered in the same frame. Steps begin at the last
frame's rotations where these nearly meet the aim, else in the authored pose; the answers of both differ by less than is seen.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..diagnosis import Diagnosis
from ..expressive.aims import AimErrors, BatchedAim
from ..expressive.options import Options
from ..gaze import FRAME, PlanSlot, Solution
from ..goals import Direction, GazeGoal, Point, Position, check_goal
from ..kinematics.se3 import cross
from ..kinematics.skeleton import Angles, Skeleton
from ..kinematics.tree import BASE, Frames
from ..least_squares.boxes import boxed
from ..tolerances import EXACT, SAME_ANGLE
from .level import Levels
from .model import BoneModel, BonePose

ROLL_COST = 1.0  # of the squared roll of an end, against the rotation of the last bone: a rolled head is seen as a turned one is
AIM_COST = 1e8  # of the squared aim error: what it leaves is removed by the last steps
LARGEST_TURN = 1.0  # [rad] of the aim error that one step corrects, at most: within it the linear model holds
LONGEST_STEP = 1.2  # [rad, or reaches] of a coordinate in one step
NEARLY = 0.1  # [rad] aim error from which one step along the linear model nearly meets the aim
MOST_STEPS = 25
FIRST_DAMPING, MOST_DAMPING = 0.3, 1e9  # shares of the Hessian's diagonal that are added to it when a step does not help
LEAST_PRICE = 2.0  # least cost of an aim error of a radian where steps are compared: it must exceed the forces that hold the aim
PASSES = 8  # iterations of the active set in one step, at most: with the aim's curvature they need not end by themselves
POLISHING_STEPS = 6  # at most, each of which squares the aim error that is left
SMALL_STEP = 1e-5  # [rad, m] a step after which the linear model is exact to double precision
LEAST_GAIN = 1e-6  # share of the cost that a step must gain: below it bones move by less than is seen


class _Evaluated(NamedTuple):
    """Configuration with its costs, and their derivatives."""

    pose: BonePose
    frames: Frames
    errors: AimErrors
    secondary: float  # cost of rotations and rolls
    matrix: Angles  # (n, n) of the secondary cost
    descent: Angles  # (n,)

    def cost(self, price: float) -> float:
        """Cost of rotations and rolls, plus the aim error times its price: least where the aim is met if that exceeds all forces."""
        return self.secondary + price * float(self.errors.size[0])


class _Last(NamedTuple):
    """The last frame's answer: where the next frame's steps begin."""

    authored: BonePose
    solved: BonePose
    forces: Angles  # (r,) that held the aim


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
            memory: `memory` of the last solution: steps begin at its rotations where they nearly meet the aim, which saves most of them.
            ahead, mutual, slot: As for `Expressive`; the answer does not depend on them.

        Raises:
            GazeError: As `GazeSolver.solve`.
        """
        began = time.perf_counter()
        authored = np.array(check_goal(self.skeleton, goal, start=start, dt=dt))
        reference = authored
        if start is not None and goal.keep < 1.0:
            reference = start + (1.0 - (1.0 - goal.keep) ** (dt / FRAME)) * (authored - start)
        found, steps, memory = self._descended(goal, reference, memory)
        angles = self.model.angles(found.pose, reference)
        return self.diagnosis.solution(
            goal,
            tuple(authored.tolist()),
            tuple(angles.tolist()),
            iterations=steps,
            began=began,
            memory=memory,
            lowered=float(np.sqrt(2.0 * max(0.0, found.secondary))),
        )

    def _descended(self, goal: GazeGoal, reference: Angles, memory: object) -> tuple[_Evaluated, int, _Last]:
        """The optimum, by damped Gauss-Newton steps from the configuration `reference` (n,); the number of steps; the next memory."""
        model = self.model
        authored = model.pose(reference)
        frames = model.frames(authored)
        problem = _Problem(model, BatchedAim(model, goal), authored, frames, Levels(model.tree, frames, goal))
        now, forces = problem.begun(authored, memory)
        damping, price, steps = 0.0, LEAST_PRICE, 0
        while steps < MOST_STEPS:
            steps += 1
            step, forces = problem.step(now, forces, damping)
            price = max(price, 2.0 * float(np.linalg.norm(forces)))
            moved = model.moved(now.pose, step)
            if float(np.abs(step / self.skeleton.units).max(initial=0.0)) < SMALL_STEP:
                return now._replace(pose=moved), steps, _Last(authored, moved, forces)
            following = problem.evaluated(moved)
            if following.cost(price) > now.cost(price) and following.errors.size[0] < NEARLY:
                # The step leads along the aim but leaves it by its curvature: back to it before it is judged.
                following = problem.evaluated(model.moved(following.pose, problem.toward_aim(following)))
            gain = now.cost(price) - following.cost(price)
            if gain < -SAME_ANGLE:
                damping = max(FIRST_DAMPING, 10.0 * damping)
                if damping > MOST_DAMPING:
                    break
                continue
            now, damping = following, 0.1 * damping if damping > FIRST_DAMPING else 0.0
            if gain <= LEAST_GAIN * now.cost(price):
                break
        for _ in range(POLISHING_STEPS):
            nearer = problem.evaluated(model.moved(now.pose, problem.toward_aim(now))) if now.errors.size[0] > SAME_ANGLE else now
            if nearer.errors.size[0] >= now.errors.size[0]:
                break
            now = nearer
        return now, steps, _Last(authored, now.pose, forces)


class _Problem:
    """One goal from one authored pose."""

    def __init__(self, model: BoneModel, aim: BatchedAim, authored: BonePose, frames: Frames, levels: Levels) -> None:
        """`frames`: forward kinematics of the authored pose."""
        self.model, self.aim, self.values, self.levels = model, aim, authored.values, levels
        self.authored = model.orientations(frames)

    def begun(self, authored: BonePose, memory: object) -> tuple[_Evaluated, Angles]:
        """Where steps begin: at the last frame's rotations against its authored pose if they nearly meet the aim, else in the authored
        pose; and the forces (r,) to begin with.
        """
        if isinstance(memory, _Last) and len(memory.authored.values) == len(authored.values):
            last = self.evaluated(self.model.carried(authored, memory.authored, memory.solved))
            if last.errors.size[0] < NEARLY and last.errors.error[0].shape == memory.forces.shape:
                return last, memory.forces
        now = self.evaluated(authored)
        return now, np.zeros_like(now.errors.error[0])

    def evaluated(self, pose: BonePose) -> _Evaluated:
        model = self.model
        frames = model.frames(pose)
        cost, matrix, descent = model.quadratic(model.turned(frames, self.authored), pose.values - self.values)
        tilts, rows = self.levels.residuals(frames)
        cost += 0.5 * ROLL_COST * float(tilts @ tilts)
        matrix += ROLL_COST * (rows.T @ rows)
        descent -= ROLL_COST * (tilts @ rows)
        return _Evaluated(pose, frames, self.aim.evaluate(frames), cost, matrix, descent)

    def step(self, at: _Evaluated, forces: Angles, damping: float) -> tuple[Angles, Angles]:
        """Step (n,) toward the minimum of the quadratic model, within limits; and the forces (r,) that hold the aim.

        Args:
            at: Where the step begins.
            forces: Forces at the last step: the curvature of the aim counts with them.
            damping: Share of the secondary cost's diagonal that is added to it.
        """
        errors, columns = at.errors.error[0], at.errors.columns[0]
        desired = errors * min(1.0, LARGEST_TURN / max(float(at.errors.size[0]), LARGEST_TURN))
        matrix = at.matrix + self.curvature(at, forces)
        stiffness = at.matrix.diagonal()
        matrix.flat[:: len(matrix) + 1] += damping * stiffness
        step = self._solved(at, matrix, at.descent, desired)
        return step, AIM_COST * (desired - columns.T @ step)

    def toward_aim(self, at: _Evaluated) -> Angles:
        """The least step (n,) that meets the linear model of the aim, within limits."""
        return self._solved(at, at.matrix, np.zeros_like(at.descent), at.errors.error[0])

    def _solved(self, at: _Evaluated, matrix: Angles, descent: Angles, desired: Angles) -> Angles:
        model, columns = self.model, at.errors.columns[0]
        matrix = matrix + AIM_COST * (columns @ columns.T)
        matrix.flat[:: len(matrix) + 1] += EXACT * float(at.matrix.diagonal().max(initial=1.0))
        vector = descent + AIM_COST * (columns @ desired)
        room = (model.lower - at.pose.values)[None], (model.upper - at.pose.values)[None]
        step = boxed(matrix[None], vector[None], *room, PASSES)[0]
        longest = float(np.abs(step / model.skeleton.units).max(initial=0.0))
        shortened: Angles = step * min(1.0, LONGEST_STEP / max(longest, LONGEST_STEP))
        return shortened

    def curvature(self, at: _Evaluated, forces: Angles) -> Angles:
        """Second derivative (n, n) of the first end's view, times the forces (r,) that hold it; 0 for other goals.

        A view y that joint j rotates about its axis b, and joint i nearer the base about a, has the second derivative a x (b x y).
        """
        tree, goal = self.model.tree, self.aim.goal.aim
        if not forces.any() or isinstance(goal, Position) or not isinstance(goal, Direction | Point):
            return np.zeros_like(at.matrix)
        part = self.aim.parts[0]
        end = at.frames.nodes[0, part.node] @ part.offset
        axes = tree.moved_by[part.node, BASE:, None] * at.frames.turning[0]
        view = end[:3, 1]
        pull = part.weight * cross(end[:3, 0] * forces[0] + end[:3, 2] * forces[1], view)
        products = -cross(pull, axes) @ cross(axes, view).T
        above = tree.joint_of[:, None] < tree.joint_of
        upper = np.where(above, products, 0.0)
        within = np.where(above | above.T, 0.0, 0.5 * (products + products.T))  # a ball's own coordinates have no order
        second: Angles = upper + upper.T + within
        return second
