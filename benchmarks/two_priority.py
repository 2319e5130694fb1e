"""The reference method of the ERIK paper (Ribeiro & Paiva 2019, section 4.0.4): damped least squares with two
priorities, orientation above posture.

J1 is the orientation's Jacobian, J2 the posture's: the identity without the root's and the end's twist. The
damping is Maciejewski's. Targets out of reach are mirrored into the hemisphere that the chain reaches, as the
paper does for its skeleton C. `dls100`, `dls200` and `dls400` stop after so many steps; `dls400_bold` takes
longer steps; `dls100_nopost` solves the orientation alone: the paper leaves out the pairs that it misses.
"""

import time
from dataclasses import replace

import numpy as np
from limber.solvers.diagnosis import Diagnosis
from limber.solvers.gaze import FRAME, GazeSolution, orientation_error
from limber.solvers.goals import HALF_ROLL, GazeGoal, Orientation, check_goal
from limber.solvers.jacobian.linear import Factors, factors
from limber.solvers.kinematics.rotations import (
    Quaternion,
    Vector,
    Y,
    Z,
    conjugate,
    logarithm,
    multiply,
    normalized,
    rotate,
)
from limber.solvers.kinematics.skeleton import Angles, Skeleton

from .paper import THRESHOLD

# [rad] b_max of eq. 15, which the paper does not give: with this value the method's errors are least
CAREFUL = 0.25
# [rad] larger b_max: Table 9's combined and orientation errors of skeleton C lie between those with it and
# those with CAREFUL
BOLD = 0.75
# singular value below which a direction counts as one in which nothing moves; for the second priority these
# include the directions that the first one uses
SMALLEST = 1e-9
# name -> (number of steps, whether the posture is used, b_max [rad])
VARIANTS = {
    "dls100": (100, True, CAREFUL),
    "dls200": (200, True, CAREFUL),
    "dls400": (400, True, CAREFUL),
    "dls400_bold": (400, True, BOLD),
    "dls100_nopost": (100, False, CAREFUL),
}


class TwoPriority:
    """Eq. 25 of the paper; angles are clamped to the limits after each step, since results
    within limits are compared.
    """

    def __init__(self, skeleton: Skeleton, max_steps: int, with_posture: bool, largest_change: float) -> None:
        self.skeleton = skeleton
        self.max_steps, self.with_posture, self.largest_change = max_steps, with_posture, largest_change
        self.diagnosis = Diagnosis(skeleton)
        counts = [
            abs(joint.axis[1]) < 1.0 or k not in (0, len(skeleton) - 1)
            for k, joint in enumerate(skeleton.joints)
        ]
        self.posture_jacobian = np.diag(np.array(counts, dtype=float))
        self.lower, self.upper = np.array(skeleton.lower), np.array(skeleton.upper)

    def solve(
        self, goal: GazeGoal, start: Angles | None = None, memory: object = None, *, dt: float = FRAME
    ) -> GazeSolution:
        """Solves from zero or `start` until the combined error (without the posture, the orientation error)
        is within the paper's threshold, or the steps are used up. `memory` and `dt` have no effect.
        """
        began = time.perf_counter()
        posture = check_goal(self.skeleton, goal)
        assert isinstance(goal.aim, Orientation)
        target = to_reachable_side(normalized(goal.aim.wxyz))
        single = replace(goal, aim=Orientation(target))
        angles = np.clip(np.zeros(len(self.skeleton)) if start is None else start, self.lower, self.upper)
        for step in range(1, self.max_steps + 1):  # noqa: B007
            angles = np.clip(angles + self._step(angles, target, np.array(posture)), self.lower, self.upper)
            if self._error(single, posture, angles) <= THRESHOLD:
                break
        solved = tuple(angles.tolist())
        return self.diagnosis.solution(goal, posture, solved, iterations=step, began=began)

    def _error(self, goal: GazeGoal, posture: tuple[float, ...], angles: Angles) -> float:
        """The combined error; without the posture, the orientation error alone."""
        solved = tuple(angles.tolist())
        error = orientation_error(goal, self.skeleton.forward(solved))
        return error + self.diagnosis.posture_error_of(posture, solved) if self.with_posture else error

    def _step(self, angles: Angles, target: Quaternion, posture: Angles) -> Angles:
        pose = self.skeleton.forward(angles.tolist())
        # rotation vector of the error [rad] in the base frame
        rotation_vector = np.array(logarithm(multiply(target, conjugate(pose.tool_rotation))))
        jacobian, _ = self.skeleton.jacobian(angles.tolist())
        parts = factors(jacobian, SMALLEST)
        first = damped(parts, rotation_vector, self.largest_change)
        if not self.with_posture:
            return first
        # part of the posture's error that remains after the first priority's step (eq. 25)
        missing = self.posture_jacobian @ (posture - angles - first)
        return first + damped(
            factors(self.posture_jacobian @ parts.projector(), SMALLEST), missing, self.largest_change
        )


def damped(parts: Factors, error: Angles, largest_change: float) -> Angles:
    """Damped least squares step for an error (r,), from the factors of a Jacobian, with Maciejewski's damping
    as printed in eq. 15.

    The damping depends on the length of the whole error; in `solvers.jacobian.damping.BySmallest` it depends
    on the part that the Jacobian can correct.
    """
    if not parts.rank:
        return np.zeros(parts.right.shape[1])
    secondary, smallest = float(np.linalg.norm(error)) / largest_change, float(parts.values[-1])
    square = (
        0.25 * secondary * secondary
        if smallest <= 0.5 * secondary
        else max(0.0, smallest * (secondary - smallest))
    )
    step: Angles = parts.right.T @ (parts.values / (parts.values**2 + square) * (parts.left.T @ error))
    return step


def to_reachable_side(target: Quaternion) -> Quaternion:
    """The target, or the target rolled by pi: when looking forward (base Z) its up must point down, when
    looking backward up (section 4.0.4; its Y is Limber's Z).
    """
    forward = rotate(target, Y)[2] >= 0.0
    up: Vector = rotate(target, Z)
    return multiply(target, HALF_ROLL) if (up[1] > 0.0) == forward else target
