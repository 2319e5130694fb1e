"""Shape deviation from an authored posture as a least-squares problem. Knows no Blender.

Shape deviation compares unit link directions: d_k of the solved pose and t_k of the authored posture, after the rotation about the base's
axis that fits best (see `gaze.Shape`). With a_j the joint axes in the base frame, the Jacobian's column of joint j is a_j x d_k, and inner
products need no columns: (a_i x d) . (a_j x d) = a_i . a_j - (a_i . d)(a_j . d). The best-fit rotation is one more joint, about the base's
axis, which carries all directions and is eliminated (variable projection).
"""

import numpy as np

from ..kinematics.se3 import cross
from ..kinematics.skeleton import Angles
from ..tolerances import NO_DIRECTION
from .model import Model, Poses, System


class Authored:
    """The shape of one authored posture, from which deviations are measured."""

    def __init__(self, model: Model, posture: Angles, keep: float = 1.0) -> None:
        self.model, self.keep = model, keep
        poses = model.poses(posture[None])
        self.directions = poses.directions[0]  # (l, 3)
        self.end_axes = poses.end_axes[0]  # (e, 3, 3)
        axis, weights = model.base_axis, model.weights[:, None]
        self._up = (self.directions @ axis)[:, None] * axis
        self._level = self.directions - self._up
        self._side = cross(np.broadcast_to(axis, self.directions.shape), self.directions)
        # (3 l, 3) columns whose products with directions are the mean cosine's parts: upright, along and across the best-fit rotation
        parts = [(weights * part).ravel() / len(weights) for part in (self._up, self._level, self._side)]
        self._parts = np.stack(parts, 1)

    def fit(self, poses: Poses) -> tuple[Angles, Angles]:
        """Mean cosine (m,) after the best-fit rotation, and the authored directions (m, l, 3) so rotated."""
        directions = poses.directions
        parts = directions.reshape(len(directions), -1) @ self._parts
        if self.model.options.hold_body:
            return parts[:, 0] + parts[:, 1], np.broadcast_to(self.directions, directions.shape)
        size = np.sqrt((parts[:, 1:] ** 2).sum(1))
        lost = size <= NO_DIRECTION
        turn = parts[:, 1:, None, None] / np.where(lost, 1.0, size)[:, None, None, None]
        if lost.any():
            turn[lost, :, 0, 0] = (1.0, 0.0)
        return parts[:, 0] + size, self._up + turn[:, 0] * self._level + turn[:, 1] * self._side

    def system(self, poses: Poses, desired: Angles) -> System:
        """Gauss-Newton system of half the summed squared differences of directions, best-fit rotation eliminated; times `keep`."""
        model, axes, directions = self.model, poses.axes, poses.directions
        m = len(poses.angles)
        whole = axes if model.options.hold_body else np.concatenate([np.broadcast_to(model.base_axis, (m, 1, 3)), axes], 1)
        if poses.slides is not None:
            matrix, descent = self._with_slides(poses, desired, whole)
        else:
            products = np.concatenate([whole, directions], 1) @ whole.transpose(0, 2, 1)
            count = whole.shape[1]
            on_links = products[:, count:] * model.rooted
            matrix = model.shared * products[:, :count] - on_links.transpose(0, 2, 1) @ on_links
            descent = np.einsum("mnc,mnc->mn", axes, model.weighted @ cross(directions, desired))
        if not model.options.hold_body:
            together, lever = matrix[:, :1, 1:], np.maximum(matrix[:, :1, :1], NO_DIRECTION)
            matrix = matrix[:, 1:, 1:] - (together / lever) * together.transpose(0, 2, 1)
        return System(matrix, descent) if self.keep == 1.0 else System(self.keep * matrix, self.keep * descent)

    def _with_slides(self, poses: Poses, desired: Angles, whole: Angles) -> tuple[Angles, Angles]:
        """Hessian and descent as in `system`, from explicit Jacobian columns."""
        model, directions = self.model, poses.directions
        assert poses.slides is not None
        m, n = poses.angles.shape
        columns = cross(whole[:, None], directions[:, :, None]) * model.rooted[:, :, None]
        columns[:, :, whole.shape[1] - n :] += poses.slides * np.sqrt(model.weights)[:, None, None]
        flat = columns.transpose(0, 2, 1, 3).reshape(m, whole.shape[1], -1)
        wanted = (desired * np.sqrt(model.weights)[:, None]).reshape(m, -1, 1)
        return flat @ flat.transpose(0, 2, 1), (flat[:, whole.shape[1] - n :] @ wanted)[..., 0]
