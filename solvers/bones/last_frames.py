"""Memory of the bone solver between frames: the start of the next frame's steps, and a transition in
progress.
"""

from typing import NamedTuple

from ..kinematics.se3 import Array
from ..kinematics.skeleton import Angles
from .branch_transition import BranchTransition
from .model import BonePose


class LastFrames(NamedTuple):
    """The last frame's solution as a deviation from its authored pose, and a transition in progress."""

    deviation: BonePose
    before: BonePose | None  # the deviation of the frame before it; None if unknown
    forces: Angles  # (r,) forces (multipliers of the residuals) that held the aim
    missed: float = 0.0  # size of the remaining aim error
    # transition in progress, which was shown; None if there was none
    transition: BranchTransition | None = None
    costs: Array | None = None  # (k, 3, 3) costs of the bones' rotations, as in `BoneModel`

    @property
    def shown(self) -> BonePose:
        """The deviation that was shown: the solution, or the current deviation of the transition to it."""
        return self.deviation if self.transition is None else self.transition.shown()

    def extrapolated(self) -> BonePose:
        """The next frame's deviation, if it changes as it did in the last frame."""
        last, before = self.deviation, self.before
        if before is None:
            return last
        return BonePose(
            2.0 * last.values - before.values, last.balls @ before.balls.swapaxes(1, 2) @ last.balls
        )
