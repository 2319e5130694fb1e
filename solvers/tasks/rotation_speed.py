"""Objective: no body rotates faster than a threshold. Knows no Blender. Paper: Schumacher et al. 2021, section IV.D, equations 4 and 5.

Its threshold is given here as a rotation angle: with a rotation by h a frame, 3 - tr(R) is 2 - 2 cos h, so its 1.11e-5 at 1200 frames a
second is 4.0 rad/s. The squared error is its g_reg.
"""

import numpy as np

from ..kinematics.se3 import Array, half_angle
from .task import Ends, Kinematics


class RotationSpeed:
    """k ends that rotate no faster than a threshold (R_vel, equations 4 and 5)."""

    def __init__(self, ends: Ends, last: Array, threshold: float) -> None:
        """Ends with weights (k, 1), their last frames (k, 4, 4), and the rotation [rad] since then from which the objective applies."""
        self.ends, self.back = ends, np.swapaxes(last[:, :3, :3], -1, -2)
        self.threshold = 2.0 - 2.0 * np.cos(min(threshold, np.pi))

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        """As `Task.linear`."""
        twists, slopes = half_angle(self.back @ self.ends.frames(at.frames)[:, :3, :3])
        square = (twists * twists).sum(-1)
        over = np.log(np.maximum(square / self.threshold, 1.0))
        factor = 3.0 * np.sqrt(over) / np.maximum(square, self.threshold)
        jacobian = (factor[:, None] * twists)[:, None, :] @ slopes @ self.back @ at.screws[0]
        return self.ends.weighted(over[:, None] ** 1.5, jacobian)
