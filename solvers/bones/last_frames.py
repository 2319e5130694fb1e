"""What the solver remembers of the last frames: where the next frame's steps begin."""

from typing import NamedTuple

from ..kinematics.skeleton import Angles
from .model import BonePose


class LastFrames(NamedTuple):
    """The last frame's solution, as a deviation from its authored pose."""

    deviation: BonePose
    before: BonePose | None  # the deviation of the frame before; None if unknown
    forces: Angles  # (r,) forces that held the aim in the last frame

    def extrapolated(self) -> BonePose:
        """The next frame's deviation, if it changes as it did in the last frame."""
        last, before = self.deviation, self.before
        if before is None:
            return last
        return BonePose(
            2.0 * last.values - before.values, last.balls @ before.balls.swapaxes(1, 2) @ last.balls
        )
