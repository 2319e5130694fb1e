"""A goal for one authored pose of bones: its costs, their derivatives, and steps to the optimum."""

from typing import NamedTuple

import numpy as np

from ..aims.blocks import ViewBlock
from ..expressive.aims import AimErrors, BatchedAim
from ..expressive.descent import PASSES
from ..goals import GazeGoal
from ..kinematics.skeleton import Angles
from ..kinematics.tree import Frames
from ..least_squares.boxes import boxed
from ..tolerances import EXACT, SAME_ANGLE
from .last_frames import LastFrames
from .level import Levels
from .model import BoneModel, BonePose
from .nearness import Nearness

# weight of an end's squared roll relative to the rotation of the last bone: a rolled head is as conspicuous
# as a turned one
ROLL_COST = 1.0
AIM_COST = 1e8  # weight of the squared aim error; polishing steps remove the remaining error
# [rad] largest part of the aim error that one step corrects: within it the linear model holds
LARGEST_TURN = 1.0
# [rad, or in fractions of the reach] largest change of a coordinate in a step; longer steps are shortened
LONGEST_STEP = 1.2
POLISHING_STEPS = 6  # largest number of steps at the end, each of which squares the remaining aim error
# [rad, or in fractions of the reach] after one correction of such an aim error, which squares it, only
# rounding errors remain
NEARLY_MET = 1e-5


class EvaluatedPose(NamedTuple):
    """Configuration with its costs and their derivatives."""

    pose: BonePose
    frames: Frames
    errors: AimErrors
    secondary: float  # cost of rotations, rolls and distances
    matrix: Angles  # (n, n) Gauss-Newton Hessian of that secondary cost
    descent: Angles  # (n,) negative gradient of the secondary cost

    def cost(self, price: float) -> float:
        """Exact penalty function: the secondary cost plus `price` times the size of the aim error. It is
        least where the aim is met, if `price` exceeds the size of the constraint forces.
        """
        return self.secondary + price * float(self.errors.size[0])

    def after(self, step: Angles) -> float:
        """Secondary cost after a step (n,), by its quadratic model."""
        return self.secondary + float(step @ (0.5 * (self.matrix @ step) - self.descent))


class PoseProblem:
    """A goal for one authored pose of the bones: evaluates poses by their cost and aim error, and steps to
    the best one.
    """

    def __init__(
        self, model: BoneModel, aim: BatchedAim, authored: BonePose, frames: Frames, levels: Levels
    ) -> None:
        """`frames`: forward kinematics of the authored pose."""
        self.model, self.aim, self.values, self.levels = model, aim, authored.values, levels
        self.nearness = Nearness(model.tree, aim.goal, model.sizes)
        self.authored_inverse = model.orientations(authored, frames).swapaxes(1, 2)
        self._has_view = isinstance(aim.parts[0].block, ViewBlock)

    @staticmethod
    def of(model: BoneModel, goal: GazeGoal, authored: BonePose) -> "PoseProblem":
        """The problem of a goal for an authored pose."""
        frames = model.frames(authored)
        return PoseProblem(model, BatchedAim(model, goal), authored, frames, Levels(model.tree, frames, goal))

    def begun(
        self, authored: BonePose, last: LastFrames | None, jump: float
    ) -> tuple[EvaluatedPose, Angles, BonePose | None]:
        """Start of the steps: the extrapolation of the last frames' deviations; if the aim error there is not
        below `jump` [rad], the last frame's deviation; if it is not below `jump` there either, the authored
        pose.

        Returns:
            The configuration; the forces (r,) to begin with; the last frame's deviation from its authored
            pose, None if the steps begin at the authored pose.
        """
        if last is not None:
            for deviation in (last.extrapolated(), last.deviation):
                ahead = self.evaluated(self.model.deviated(authored, deviation))
                is_same_aim = ahead.errors.error[0].shape == last.forces.shape
                if is_same_aim and ahead.errors.size[0] < jump:
                    return ahead, last.forces, last.deviation
        start = self.evaluated(authored)
        return start, np.zeros_like(start.errors.error[0]), None

    def evaluated(self, pose: BonePose) -> EvaluatedPose:
        """The pose with its aim errors, its secondary cost and the derivatives of both."""
        model = self.model
        frames = model.frames(pose)
        rotations = self.authored_inverse @ model.orientations(pose, frames)
        cost, matrix, descent = model.quadratic(rotations, frames, pose.values - self.values)
        cost += self.levels.add(frames, ROLL_COST, matrix, descent)
        cost += self.nearness.add(frames, matrix, descent)
        return EvaluatedPose(pose, frames, self.aim.evaluate(frames), cost, matrix, descent)

    def step(self, at: EvaluatedPose, forces: Angles, damping: float) -> tuple[Angles, Angles]:
        """Step (n,) toward the minimum of the quadratic model, within limits; and the forces (r,) that hold
        the aim.

        Args:
            at: Configuration before the step.
            forces: Forces (r,) of the last step, by which the curvature of the aim is weighted.
            damping: Fraction of the diagonal of the secondary cost's Hessian that is added to it; it also
                reduces the corrected part of the aim error.
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

    def toward_aim(self, at: EvaluatedPose, pose: BonePose, errors: AimErrors) -> Angles:
        """The smallest step (n,) from a pose near `at` that meets the linear model of the aim, within
        limits.
        """
        return self._solved(at.matrix, np.zeros_like(at.descent), pose, errors.columns[0], errors.error[0])

    def polished(self, at: EvaluatedPose, pose: BonePose) -> BonePose:
        """The pose nearest to `pose`, which is near `at`, that meets the aim, or comes as near to the aim as
        the last steps can.
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
        """Step (n,) from a pose, within limits and at most `LONGEST_STEP`, toward the minimum of a quadratic
        cost (Hessian `matrix`, negative gradient `descent`) that also corrects the aim error `desired` (r,);
        `columns` (n, r) is the reduction of that error per unit of each joint.
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

    def curvature(self, at: EvaluatedPose, forces: Angles) -> Angles:
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
