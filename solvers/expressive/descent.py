"""Gauss-Newton steps on shape and aim for many candidate configurations at once, within limits."""

import math
from typing import NamedTuple

import numpy as np

from ..kinematics.skeleton import Angles
from ..least_squares.boxes import boxed
from .aims import AimErrors, BatchedAim
from .model import Indices, Model, Poses, System
from .shape import Authored, Rolls

# [rad] largest part of the aim error that one step corrects: up to this the linear model holds
LARGEST_TURN = 0.6
# [1/rad] weight of the aim relative to the directions of links: a local step leaves so small an error that
# one correction makes the aim exact, and its square costs no digits
AIM_WEIGHT = 300.0
# weight of the aim error when candidates are compared: in degrees of shape deviation per degree
# (`simulation`); in `Candidates.merit`, in squared differences summed over all directions, per radian
AIM_COST = 30.0
# weight of the squared movement relative to the squared aim error when only the aim matters
LEAST_PROXIMAL = 1e-6
# weight of the squared movement in a search, where shape matters as well; largest step [rad] of a joint
BOLD_PROXIMAL, BOLD_STEP = 0.01, 0.5
HOLD_STEPS = 5  # largest number of corrections of a pose in `ShapeDescent.held`
HELD = 1e-7  # [rad] aim error below which the aim is held: a tenth of what counts as met
PASSES = 8  # largest number of iterations of the active-set method in one step
# the same number for many candidates: most of them are rejected, so their bounds need not be exact
COARSE_PASSES = 2


class Candidates(NamedTuple):
    """Candidate configurations (m of them), with the quantities that a step needs."""

    poses: Poses
    fitted_rotation: Angles  # (m, 3) the best-fit rotation, as returned by `Authored.fit`
    cosine: Angles  # (m,) mean cosine of the shape deviation, minus the loss by rolls
    aim: AimErrors
    sides: Angles | None  # (m,) side of a symmetric end, +1 or -1; None: the nearer one

    @property
    def angles(self) -> Angles:
        return self.poses.angles

    @property
    def aim_error(self) -> Angles:
        """Length (m,) of each candidate's aim error [rad]."""
        return self.aim.size

    @property
    def merit(self) -> Angles:
        """Cost (m,), lower is better: mean squared difference of directions plus the weighted aim error."""
        return 2.0 * (1.0 - self.cosine) + AIM_COST * self.aim_error / self.poses.directions.shape[1]

    def pick(self, candidates: Indices) -> "Candidates":
        sides = None if self.sides is None else self.sides[candidates]
        return Candidates(
            self.poses.pick(candidates),
            self.fitted_rotation[candidates],
            self.cosine[candidates],
            self.aim.pick(candidates),
            sides,
        )


class StepGoal(NamedTuple):
    """Objectives of one step of candidates that are guided by a desired movement of the joints."""

    toward: Angles  # (m, n) desired movement of the joints [rad or m]
    shape: Angles  # (m,) weight of the shape, 0 to 1
    aim: Angles  # (m,) weight of the aim, 0 to 1
    # (m,) weight of the squared difference from the desired movement, relative to that of the directions
    proximal: Angles
    lower: Angles  # (m, n), or (n,) for all candidates: bounds on the angles
    upper: Angles


class ShapeDescent:
    """Gauss-Newton minimisation of the shape deviation that keeps the aim met."""

    def __init__(self, model: Model, authored: Authored, aim: BatchedAim) -> None:
        self.model, self.authored, self.aim = model, authored, aim
        self.rolls = Rolls(model, authored, aim.goal)

    def at(self, angles: Angles, sides: Angles | None) -> Candidates:
        """Candidates at `angles` (m, n) [rad or m], with their forward kinematics and errors."""
        poses = self.model.poses(angles)
        return self.candidates(poses, self.aim.evaluate(poses.frames, sides), sides)

    def candidates(self, poses: Poses, aim: AimErrors, sides: Angles | None) -> Candidates:
        """Candidates from poses and aim errors that are known already."""
        cosine, fitted = self.authored.fit(poses)
        if self.rolls:
            cosine = cosine - self.rolls.loss(poses)
        return Candidates(poses, fitted, cosine, aim, sides)

    def bold(self, candidates: Candidates, passes: int = PASSES, shape: Angles | None = None) -> Angles:
        """Angles (m, n) [rad or m] after one large step toward aim and shape; `shape` (m,) is 1, or 0 for
        candidates whose step ignores the shape; None: all 1.
        """
        model, angles = self.model, candidates.angles
        ones = np.ones(len(angles))
        shape = ones if shape is None else shape
        goal = StepGoal(
            np.zeros_like(angles), shape, ones, np.where(shape, BOLD_PROXIMAL, ones), model.lower, model.upper
        )
        move = self.guided(candidates, goal, passes) - angles
        size = (np.abs(move) / model.scale).max(1, keepdims=True)
        moved: Angles = angles + move * (BOLD_STEP / np.maximum(size, BOLD_STEP))
        return np.minimum(np.maximum(moved, model.lower), model.upper)

    def toward_aim(self, candidates: Candidates) -> Candidates:
        """The candidates after the smallest joint change that removes their linearised aim error, without
        regard to shape.
        """
        angles = self._corrected(candidates.angles, candidates.aim, self.model.lower, self.model.upper)
        return self.at(angles, candidates.sides)

    def held(self, desired: Angles, lower: Angles, upper: Angles) -> tuple[Candidates, int]:
        """The pose nearest to `desired` (n,) within the bounds whose aim error is below `HELD`, or the pose
        with the least error found; and the number of corrections. `desired` must be within the joint limits.
        """
        angles, least = desired[None], math.inf
        for step in range(HOLD_STEPS + 1):
            poses = self.model.poses(angles)
            errors = self.aim.evaluate(poses.frames)
            if errors.size[0] < least:
                best, least = (poses, errors, step), errors.size[0]
            if least < HELD or step == HOLD_STEPS:
                break
            angles = self._corrected(angles, errors, lower, upper)
        poses, errors, step = best
        return self.candidates(poses, errors, None), step

    def _corrected(self, angles: Angles, errors: AimErrors, lower: Angles, upper: Angles) -> Angles:
        """Angles (m, n) [rad or m] after the least change that meets the linear model of the aim within
        bounds.
        """
        matrix, descent = _normal_equations(errors, 1.0)
        np.einsum("mii->mi", matrix)[:] += LEAST_PROXIMAL / self.model.scale**2
        return _moved(angles, matrix, descent, lower, upper, PASSES)

    def guided(self, candidates: Candidates, step_goal: StepGoal, passes: int = PASSES) -> Angles:
        """Angles (m, n) [rad or m] after one step toward `step_goal`."""
        toward, shape, aim, proximal, lower, upper = step_goal
        system = self.authored.system(candidates.poses, candidates.fitted_rotation)
        if self.rolls:
            system = self.rolls.added(candidates.poses, system)
        matrix, descent = _normal_equations(candidates.aim, (AIM_WEIGHT**2 * aim)[:, None, None])
        ridge: Angles = proximal[:, None] / self.model.scale**2
        matrix += shape[:, None, None] * system.matrix
        np.einsum("mii->mi", matrix)[:] += ridge
        return _moved(
            candidates.angles,
            matrix,
            descent + shape[:, None] * system.descent + ridge * toward,
            lower,
            upper,
            passes,
        )


def _normal_equations(errors: AimErrors, weight: Angles | float) -> System:
    """Gauss-Newton system of half the squared aim error, times `weight`, with errors clipped to what one step
    can correct.
    """
    rows = weight * errors.columns
    clip = LARGEST_TURN / np.maximum(errors.size, LARGEST_TURN)
    return System(
        rows @ errors.columns.transpose(0, 2, 1), (rows @ (errors.error * clip[:, None])[:, :, None])[:, :, 0]
    )


def _moved(
    angles: Angles, matrix: Angles, descent: Angles, lower: Angles, upper: Angles, passes: int
) -> Angles:
    """Angles (m, n) [rad or m] at the minimum of a quadratic model within bounds."""
    moved: Angles = angles + boxed(matrix, descent, lower - angles, upper - angles, passes)
    return np.minimum(np.maximum(moved, lower), upper)
