"""Memory of the bone solver between frames: the start of the next frame's steps, and a transition in
progress.
"""

import math
from typing import NamedTuple

import numpy as np

from ..goals import GazeGoal
from ..kinematics.se3 import Array
from ..kinematics.skeleton import Angles
from .branch_transition import BranchTransition
from .model import BonePose


class LastFrames(NamedTuple):
    """The last frame's solution as a deviation from its authored pose, and a transition in progress."""

    deviation: BonePose
    before: BonePose | None  # deviation of the frame before; None if unknown
    forces: Angles  # (r,) constraint forces (Lagrange multipliers) that held the aim
    missed: float = 0.0  # [rad, or in fractions of the reach] size of the aim error that remained
    transition: BranchTransition | None = None  # transition in progress, whose current step was shown
    costs: Array | None = None  # (k, 3, 3) costs of the bones' rotations: `BoneModel.costs`
    goal: GazeGoal | None = None  # the goal that the solution was for
    is_finished: bool = True  # whether the solve converged, in fewer than `MOST_STEPS` steps

    def is_of(self, goal: GazeGoal) -> bool:
        """Whether the last solution was for this goal, with the same posture."""
        last = self.goal
        return last is goal or (last is not None and last.ends == goal.ends and last.angles == goal.angles)

    def goal_moved(self, goal: GazeGoal) -> float:
        """Largest movement [rad] of a target, as seen from the base, since the last goal; infinite if the
        goals differ in the kind or number of their aims.
        """
        if self.goal is None or len(self.goal.ends) != len(goal.ends):
            return math.inf
        return max(now.aim.change_since(was.aim) for was, now in zip(self.goal.ends, goal.ends, strict=True))

    def has_jumped(self, goal: GazeGoal, jump: float) -> bool:
        """Whether a target, as seen from the base, or a joint of the posture has moved by more than `jump`
        [rad], the aim error of the last frame was not below `jump`, or the last goal is unknown.
        """
        if self.goal is None or self.missed >= jump or self.goal_moved(goal) > jump:
            return True
        return bool(np.abs(np.subtract(goal.angles, self.goal.angles)).max(initial=0.0) > jump)

    @property
    def shown(self) -> BonePose:
        """The deviation that was shown: the solution, or the current deviation of the transition to it."""
        return self.deviation if self.transition is None else self.transition.shown()

    def extrapolated(self) -> BonePose:
        """The next frame's deviation, extrapolated from the last two; the last one if there is only one."""
        last, before = self.deviation, self.before
        if before is None:
            return last
        return BonePose(
            2.0 * last.values - before.values, last.balls @ before.balls.swapaxes(1, 2) @ last.balls
        )
