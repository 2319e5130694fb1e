"""Gauss-Newton steps on shape and aim for many candidate configurations at once, within limits. Knows no Blender."""

import math
from typing import NamedTuple

import numpy as np

from ..kinematics.skeleton import Angles
from ..least_squares.boxes import boxed
from .aims import AimErrors, BatchedAim
from .model import Indices, Model, Poses, System
from .rolls import Rolls
from .shape import Authored

LARGEST_TURN = 0.6  # [rad] of the aim error that one step corrects, at most: within it the linear model holds
# [1/rad] weight of the aim against the directions of links: leaves little for the exact correction, and its square costs no digits
AIM_WEIGHT = 30.0
LEAST_PROXIMAL = 1e-3  # weight of the movement where the aim alone counts: a millionth of the aim error is left
HOLD_STEPS = 5
HELD = 1e-7  # [rad] aim error: a tenth of what counts as met
HOLD_PASSES = 8  # iterations of the active set where the aim is held: nothing corrects them
COARSE_PASSES = 2  # the same for many candidates, most of which are rejected: their bounds need not be exact
PASSES = 4  # iterations of the active set in one step; what is left is corrected in the next step


class StepSettings(NamedTuple):
    """How large a step may be."""

    proximal: float  # weight of the squared joint movement against the squared differences of directions
    largest_step: float  # [rad] of any joint
    passes: int = PASSES


class Candidates(NamedTuple):
    """Candidate configurations (m of them) with all that a step needs."""

    poses: Poses
    desired: Angles  # (m, l, 3) authored directions after the best-fit rotation
    cosine: Angles  # (m,) mean cosine of shape deviation, less the loss of rolls
    aim: AimErrors
    sides: Angles | None  # (m,) side of a symmetric end, +1 or -1; None: the nearer one

    @property
    def angles(self) -> Angles:
        return self.poses.angles

    @property
    def aim_error(self) -> Angles:
        """(m,) [rad] size of the aim error."""
        return self.aim.size

    @property
    def merit(self) -> Angles:
        """Cost (m,), lower is better: mean squared difference of directions plus the weighted aim error."""
        share = len(self.desired[0])
        return 2.0 * (1.0 - self.cosine) + AIM_WEIGHT * self.aim_error / share

    def pick(self, candidates: Indices) -> "Candidates":
        sides = None if self.sides is None else self.sides[candidates]
        aim = AimErrors(*(part[candidates] for part in self.aim))
        return Candidates(self.poses.pick(candidates), self.desired[candidates], self.cosine[candidates], aim, sides)


class StepGoal(NamedTuple):
    """Objectives of one step of guided candidates."""

    toward: Angles  # (m, n) desired movement of the joints
    shape: Angles  # (m,) weight of the shape, 0 to 1
    aim: Angles  # (m,) weight of the aim, 0 to 1
    proximal: Angles  # (m,) weight of the squared difference from the desired movement
    lower: Angles  # (m, n) bounds on the angles
    upper: Angles


class Descent:
    """Minimises shape deviation while it holds the aim, by Gauss-Newton steps."""

    def __init__(self, model: Model, authored: Authored, aim: BatchedAim) -> None:
        self.model, self.authored, self.aim = model, authored, aim
        self.rolls = Rolls(model, authored, aim.goal)

    def at(self, angles: Angles, sides: Angles | None) -> Candidates:
        """Candidates at angles (m, n)."""
        poses = self.model.poses(angles)
        cosine, desired = self.authored.fit(poses)
        if self.rolls:
            cosine = cosine - self.rolls.loss(poses)
        return Candidates(poses, desired, cosine, self.aim.evaluate(poses, sides), sides)

    def step(self, candidates: Candidates, settings: StepSettings, lower: Angles | None = None, upper: Angles | None = None) -> Candidates:
        """The candidates after one step within `lower` and `upper`; None: the joint limits."""
        return self.at(self.stepped(candidates, settings, lower, upper), candidates.sides)

    def stepped(self, candidates: Candidates, settings: StepSettings, lower: Angles | None = None, upper: Angles | None = None) -> Angles:
        """Angles (m, n) after one step; arguments as for `step`."""
        model = self.model
        least: Angles = model.lower if lower is None else lower
        most: Angles = model.upper if upper is None else upper
        system = self._shape(candidates)
        ridge: Angles = np.diag(settings.proximal / model.scale**2)
        matrix: Angles = system.matrix + AIM_WEIGHT**2 * (candidates.aim.columns @ candidates.aim.columns.transpose(0, 2, 1)) + ridge
        descent: Angles = system.descent + pull(candidates.aim)
        move = boxed(matrix, descent, least - candidates.angles, most - candidates.angles, settings.passes)
        size = np.abs(move / model.scale).max(1)
        move = move * np.minimum(1.0, settings.largest_step / np.maximum(size, settings.largest_step))[:, None]
        angles: Angles = np.clip(candidates.angles + move, least, most)
        return angles

    def toward_aim(self, candidates: Candidates, proximal: float = LEAST_PROXIMAL, largest_step: float = math.inf) -> Candidates:
        """The candidates after the least change that meets their aim, as far as its linear model holds, whatever their shape.

        No joint moves by more than `largest_step` [rad]; `proximal` weighs the movement against the aim.
        """
        angles, room = candidates.angles, largest_step * self.model.scale
        lower, upper = np.maximum(self.model.lower, angles - room), np.minimum(self.model.upper, angles + room)
        zero = np.zeros(len(angles))
        step_goal = StepGoal(np.zeros_like(angles), zero, zero + 1.0, zero + proximal, lower, upper)
        return self.at(self.guided(candidates, step_goal), candidates.sides)

    def held(self, desired: Angles, lower: Angles, upper: Angles) -> tuple[Angles, float, int]:
        """The nearest angles (n,) to `desired` (n,) within bounds whose aim error is below `HELD`, or the least error found.

        With them their aim error, and the number of steps.
        """
        angles, ridge = np.clip(desired, self.model.lower, self.model.upper)[None], LEAST_PROXIMAL / self.model.scale**2
        best, least, taken = angles, math.inf, 0
        for steps in range(HOLD_STEPS + 1):
            errors = self.aim.evaluate(self.model.poses(angles))
            if errors.size[0] < least:
                best, least, taken = angles, float(errors.size[0]), steps
            if least < HELD or steps == HOLD_STEPS:
                break
            matrix = AIM_WEIGHT**2 * (errors.columns @ errors.columns.transpose(0, 2, 1))
            np.einsum("mii->mi", matrix)[:] += ridge
            move = boxed(matrix, pull(errors), lower - angles, upper - angles, HOLD_PASSES)
            angles = np.minimum(np.maximum(angles + move, lower), upper)
        return best[0], least, taken

    def _shape(self, candidates: Candidates) -> System:
        """Gauss-Newton system of the shape, with preferred rolls."""
        system = self.authored.system(candidates.poses, candidates.desired)
        return self.rolls.added(candidates.poses, system) if self.rolls else system

    def guided(self, candidates: Candidates, step_goal: StepGoal, passes: int = PASSES) -> Angles:
        """Angles (m, n) after one step toward `step_goal`."""
        toward, shape, aim, proximal, lower, upper = step_goal
        angles: Angles = np.minimum(np.maximum(candidates.angles + toward, lower), upper)
        # candidates without shape and aim make exactly the desired movement
        bound = np.flatnonzero(shape + aim)
        if not len(bound):
            return angles
        if len(bound) < len(angles):
            candidates = candidates.pick(bound)
            toward, shape, aim, proximal, lower, upper = (part[bound] for part in step_goal)
        start, columns = candidates.angles, candidates.aim.columns
        ridge: Angles = proximal[:, None] / self.model.scale**2
        matrix: Angles = (AIM_WEIGHT**2 * aim)[:, None, None] * (columns @ columns.transpose(0, 2, 1))
        descent: Angles = pull(candidates.aim) * aim[:, None] + ridge * toward
        np.einsum("mii->mi", matrix)[:] += ridge
        shaped = np.flatnonzero(shape)
        if len(shaped) == len(shape):
            system = self._shape(candidates)
            matrix += system.matrix * shape[:, None, None]
            descent += system.descent * shape[:, None]
        elif len(shaped):
            system = self._shape(candidates.pick(shaped))
            matrix[shaped] += system.matrix * shape[shaped, None, None]
            descent[shaped] += system.descent * shape[shaped, None]
        moved = start + boxed(matrix, descent, lower - start, upper - start, passes)
        angles[bound] = np.minimum(np.maximum(moved, lower), upper)
        return angles


def pull(errors: AimErrors) -> Angles:
    """Negative gradient (m, n) of the weighted aim error, with errors clipped to what one step can correct."""
    clip = np.minimum(1.0, LARGEST_TURN / np.maximum(errors.size, LARGEST_TURN))
    pulled: Angles = (errors.columns @ (errors.error * (AIM_WEIGHT**2 * clip)[:, None])[:, :, None])[:, :, 0]
    return pulled
