"""Shape deviation from an authored posture as a least-squares problem, and the roll of ends as a secondary
objective.

Shape deviation compares the unit link directions d_k of the solved pose and t_k of the authored posture,
after the best-fitting rotation about the base's axis (`gaze.PostureShape`). With joint axes a_j in the base
frame, the Jacobian's column of joint j is a_j x d_k, and inner products need no columns: (a_i x d) . (a_j x
d) = a_i . a_j - (a_i . d)(a_j . d). The best-fit rotation is one more joint, about the base's axis, which
carries all directions and is eliminated (variable projection).
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..goals import GazeGoal
from ..kinematics.rotations import unit
from ..kinematics.se3 import cross
from ..kinematics.skeleton import Angles
from ..tolerances import NO_DIRECTION
from .model import Model, Poses, System

# weight of the roll relative to the mean of all directions: a rolled head is noticed before anything else;
# chosen by eye
ROLL_SHARE = 4.0


class Authored:
    """The shape of one authored posture, from which deviations are measured.

    The compiled kernel needs only the posture; what the Python reference derives from it is computed on first
    use.
    """

    def __init__(self, model: Model, posture: Angles, keep: float = 1.0) -> None:
        self.model, self.keep = model, keep
        self.posture = tuple(posture.tolist())  # (n,) [rad or m]

    @cached_property
    def poses(self) -> Poses:
        """The posture's pose, as a batch of one."""
        return self.model.poses(np.array([self.posture]))

    @property
    def directions(self) -> Angles:
        """Unit directions (l, 3) of the posture."""
        directions: Angles = self.poses.directions[0]
        return directions

    @cached_property
    def _parts(self) -> Angles:
        """(3, l, 3) Three parts of the authored directions; the rotated directions are their sum with the
        factors 1, cosine and sine of the best-fit rotation.
        """
        directions, axis = self.directions, self.poses.axes[0, 0]
        level = directions - (directions @ axis)[:, None] * axis
        return np.stack([directions - level, level, cross(np.broadcast_to(axis, level.shape), level)])

    @cached_property
    def _fitting(self) -> Angles:
        """(3 l, 3) Matrix that maps a pose's directions to the constant, cosine and sine terms of its mean
        cosine.
        """
        weights = self.model.weights
        fitting: Angles = (weights[:, None] * self._parts / len(weights)).reshape(3, -1).T
        return fitting

    def fit(self, poses: Poses) -> tuple[Angles, Angles]:
        """Mean cosine (m,) after the best-fit rotation, and that rotation (m, 3) as 1, its cosine and its
        sine.
        """
        parts = poses.directions.reshape(len(poses.angles), -1) @ self._fitting
        rotation = np.empty_like(parts)
        rotation[:, 0] = 1.0
        if self.model.options.hold_body:
            rotation[:, 1:] = 1.0, 0.0
        else:
            size = np.maximum(np.hypot(parts[:, 1], parts[:, 2]), NO_DIRECTION)
            rotation[:, 1:] = parts[:, 1:] / size[:, None]
            if size.min() <= NO_DIRECTION:
                rotation[size <= NO_DIRECTION, 1:] = 1.0, 0.0
        return np.einsum("mk,mk->m", parts, rotation), rotation

    def system(self, poses: Poses, rotation: Angles) -> System:
        """Gauss-Newton system of half the summed squared differences of directions, best-fit rotation
        eliminated; times `keep`.

        `rotation` is the best-fit rotation from `fit`.
        """
        model, whole = self.model, poses.whole
        desired = (rotation @ self._parts.reshape(3, -1)).reshape(poses.directions.shape)
        if poses.slides is not None:
            matrix, descent = self._with_slides(poses, poses.slides, desired)
        else:
            across = whole.transpose(0, 2, 1)
            on_links = (poses.directions @ across) * model.rooted
            matrix = model.shared * (whole @ across) - on_links.transpose(0, 2, 1) @ on_links
            descent = np.einsum("mnc,mnc->mn", poses.axes, model.weighted @ cross(poses.directions, desired))
        if not model.options.hold_body:
            together, lever = matrix[:, :1, 1:], np.maximum(matrix[:, :1, :1], NO_DIRECTION)
            matrix = matrix[:, 1:, 1:] - (together / lever) * together.transpose(0, 2, 1)
        return (
            System(matrix, descent) if self.keep == 1.0 else System(self.keep * matrix, self.keep * descent)
        )

    def _with_slides(self, poses: Poses, slides: Angles, desired: Angles) -> tuple[Angles, Angles]:
        """Hessian and descent as in `system`, from explicit Jacobian columns."""
        model, directions, whole = self.model, poses.directions, poses.whole
        m, n = poses.angles.shape
        columns = cross(whole[:, None], directions[:, :, None]) * model.rooted[:, :, None]
        columns[:, :, whole.shape[1] - n :] += slides * np.sqrt(model.weights)[:, None, None]
        flat = columns.transpose(0, 2, 1, 3).reshape(m, whole.shape[1], -1)
        weighted_desired = (desired * np.sqrt(model.weights)[:, None]).reshape(m, -1, 1)
        return flat @ flat.transpose(0, 2, 1), (flat[:, whole.shape[1] - n :] @ weighted_desired)[..., 0]


class _DesiredRoll(NamedTuple):
    """The roll of one end in the posture, which solutions should keep."""

    end: int
    node: int  # index in `Frames.nodes` of the node that carries the end
    # (16, 2) factors of the node's frame, as a row of 16, that give cosine and sine of the difference between
    # both rolls, each times the sines of the angles from up to the view in both poses
    differences: Angles
    view: Angles  # (3, 1) the end's view in the node's frame
    symmetric: bool


class Rolls:
    """Preferred rolls of a goal's ends: a secondary objective keeps the posture's roll if an end's aim leaves
    the roll free.

    The roll of an end is its angle about its view, measured from upright. With view y, tool axes x and z, and
    up vector u, its sine and cosine are -x . u and z . u, both over s, the sine of the angle from u to y. A
    pose's mean cosine is reduced by s s' (1 - cos(roll - posture's roll)) times `ROLL_SHARE`; s' is the sine
    in the posture, whose roll is undefined if it looks along u. While the view is held, a joint changes the
    roll by its rotation about the view.
    """

    def __init__(self, model: Model, authored: Authored, goal: GazeGoal) -> None:
        self.model, self.keep = model, authored.keep
        self._desired = []
        tree = model.skeleton.tree
        for end_goal in goal.ends:
            if end_goal.aim.level is not None and end_goal.aim.up is None:
                up, end = np.array(unit(end_goal.aim.level)), end_goal.end
                node, axes = tree.carriers[end], tree.ends[end, :3, :3]
                # x . u and z . u in the posture: minus the sine, and the cosine, of its roll, each times s'
                sine, _, cosine = (up @ authored.poses.frames.nodes[0, node, :3, :3] @ axes).tolist()
                differences = np.zeros((4, 4, 2))
                differences[:3, :3] = up[:, None, None] * (axes[:, ::-2] @ ((cosine, -sine), (sine, cosine)))
                self._desired.append(
                    _DesiredRoll(end, node, differences.reshape(16, 2), axes[:, 1:2], end_goal.symmetric)
                )

    def __bool__(self) -> bool:
        return bool(self._desired)

    def loss(self, poses: Poses) -> Angles:
        """Loss (m,) of each pose: what its rolls subtract from the mean cosine of the shape directions."""
        loss = np.zeros(len(poses.angles))
        for desired in self._desired:
            cosine, _, most = _difference(desired, poses)
            loss += ROLL_SHARE * (most - cosine)
        return loss

    def added(self, poses: Poses, system: System) -> System:
        """The quadratic model of the shape plus that of the rolls."""
        matrix, descent = system
        weight = self.keep * ROLL_SHARE * len(self.model.weights)  # the system sums over all directions
        for desired in self._desired:
            _, sine, most = _difference(desired, poses)
            view = poses.frames.nodes[:, desired.node, :3, :3] @ desired.view
            columns = (poses.axes @ view)[..., 0] * self.model.turning_end(desired.end)
            matrix = matrix + ((weight * most)[:, None] * columns)[:, :, None] * columns[:, None]
            descent = descent + (weight * sine)[:, None] * columns
        return System(matrix, descent)


def _difference(desired: _DesiredRoll, poses: Poses) -> tuple[Angles, Angles, Angles]:
    """Difference of the posture's roll and each pose's.

    Returns:
        Its cosine (m,) and its sine (m,), each multiplied by the product of the sines s and s' of `Rolls`;
        that product (m,).
    """
    cosine, sine = (poses.frames.nodes[:, desired.node].reshape(-1, 16) @ desired.differences).T
    most = np.hypot(cosine, sine)
    if desired.symmetric:  # the nearer of the roll and the opposite one
        cosine, sine = np.abs(cosine), sine * np.copysign(1.0, cosine)
    return cosine, sine, most
