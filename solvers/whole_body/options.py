"""Settings of the whole-body solver, which only programs set."""

from dataclasses import dataclass, field

import numpy as np

from ..limits import Limit, PositionLimit
from .law import Law
from .targets import BodyTargetError


@dataclass(frozen=True)
class WholeBodyOptions:
    """Settings of the whole-body solver.

    Raises:
        BodyTargetError: the damping is not above zero, or not finite.
    """

    law: Law = field(default_factory=Law)
    # if limits contradict each other, the earlier one takes precedence
    limits: tuple[Limit, ...] = (PositionLimit(),)
    # damping constant lambda, whose square weighs the squared moves (targets usually have the weight 1): with
    # 1e-3 the pose shakes if three revolute joints lock, with .1 it lags by half a degree
    damping: float = 1e-2
    # damping added per root mean square of the errors: with .1, joints wind up by full rotations for distant
    # targets
    damping_by_error: float = 0.7
    # [1/s] rate at which joints that no target determines return to the posture of the frame's values
    posture_gain: float = 1.0

    def __post_init__(self) -> None:
        if not self.damping > 0.0 or not np.isfinite(self.damping):
            raise BodyTargetError(
                f"the damping must be above zero and finite, got {self.damping}: without it joints that no"
                " target determines have no solution"
            )
