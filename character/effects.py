"""Effects on top of a posture, such as idle motion: their interface and their sum.

An effect is added to the posture before solving, so the body moves while the aim stays exact.
"""

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from ..solvers.kinematics.rotations import Vector
from ..solvers.kinematics.skeleton import Angles, Skeleton


class PostureEffect(Protocol):
    """An effect on the posture in a frame, given by its settings: a value that can be compared, such as a
    frozen dataclass.
    """

    def offsets(self, skeleton: Skeleton, posture: Angles, up: Vector, seconds: float) -> Angles:
        """Offsets (n,) [rad; prismatic joints m] of the joints, small enough that no joint exceeds its
        limits further than in the posture. A pure function, so that bakes and renders repeat it.

        Args:
            skeleton: The chain.
            posture: (n,) [rad; prismatic joints m], including the effects before this one.
            up: World up in the base frame, unit vector.
            seconds: Scene time [s].
        """
        ...


def total(
    effects: Iterable[PostureEffect], skeleton: Skeleton, posture: Angles, up: Vector, seconds: float
) -> Angles:
    """Sum (n,) [rad; prismatic joints m] of the effects' offsets; arguments as for
    `PostureEffect.offsets`.
    """
    added: Angles | None = None
    for effect in effects:
        if added is None:
            added = effect.offsets(skeleton, posture, up, seconds)
        else:
            added = added + effect.offsets(skeleton, posture + added, up, seconds)
    return np.zeros(len(skeleton)) if added is None else added
