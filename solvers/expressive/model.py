"""Batched kinematics of one skeleton, and its shape deviation as a least-squares problem. Knows no Blender.

Shape deviation compares unit link directions: d_k of the solved pose and t_k of the authored posture, after the rotation about the base's
axis that fits best (see `gaze.Shape`). With a_j the joint axes in the base frame, the Jacobian's column of joint j is a_j x d_k, and inner
products need no columns: (a_i x d) . (a_j x d) = a_i . a_j - (a_i . d)(a_j . d). The best-fit rotation is eliminated (variable projection).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..aim_residual import SHORTEST_REACH
from ..gaze import links_of
from ..goals import GazeError
from ..kinematics.rotations import NO_DIRECTION, Quaternion, Vector, Y, normalized, perpendicular, rotate, to_matrix, unit
from ..kinematics.se3 import cross, hat
from ..kinematics.skeleton import Angles, Skeleton
from .options import Options

Indices = NDArray[np.intp]
LEAST_WEIGHT = 1e-3  # smallest weight of a direction: with weight 0 the system would be singular


class Poses(NamedTuple):
    """Forward kinematics of m configurations, in the base frame; l shape directions, e ends."""

    angles: Angles  # (m, n) [rad], prismatic joints [m]
    axes: Angles  # (m, n, 3) joint axes
    directions: Angles  # (m, l, 3) unit shape directions
    slides: Angles | None  # (m, l, n, 3) [1/m] derivative of the directions by prismatic joints; None: there are none
    positions: Angles  # (m, n, 3) [m] joint positions
    end_rotations: Angles  # (m, e, 3, 3)
    end_positions: Angles  # (m, e, 3) [m]

    def pick(self, candidates: Indices) -> "Poses":
        """The configurations with these indices."""
        slides = None if self.slides is None else self.slides[candidates]
        angles, axes, directions, positions = (
            self.angles[candidates],
            self.axes[candidates],
            self.directions[candidates],
            self.positions[candidates],
        )
        return Poses(angles, axes, directions, slides, positions, self.end_rotations[candidates], self.end_positions[candidates])


class System(NamedTuple):
    """Quadratic model of a cost in the joint angles."""

    matrix: Angles  # (m, n, n) Gauss-Newton Hessian
    descent: Angles  # (m, n) negative gradient


class ShapeDirection(NamedTuple):
    """A unit direction of the skeleton (a link's or an end's view) that is compared with the authored one in shape deviation."""

    carrier: int  # index of the joint whose frame holds the direction
    vector: Vector  # [m] in the carrier's frame, any length; where it ends at a prismatic joint, with that joint at 0
    slide: int  # index of the prismatic joint at which it ends; -1: none
    weight: float


class Model:
    """Kinematics of one skeleton, laid out for numpy.

    Attributes:
        carried: (l, n) 1 where a joint rotates a shape direction.
        weights: (l,) of the shape directions, mean 1.
    """

    def __init__(self, skeleton: Skeleton, options: Options | None = None) -> None:
        self.skeleton, self.options = skeleton, options or Options()
        n = len(skeleton)
        weights = self.options.link_weights
        if len(weights) not in (0, n):
            raise GazeError(f"there are {len(weights)} link weights for {n} joints: give one for each, or none")
        joints, ends = skeleton.joints, skeleton.ends
        self.lower, self.upper = np.array(skeleton.lower), np.array(skeleton.upper)
        self.turns = np.array([1.0 if joint.kind == "revolute" else 0.0 for joint in joints])
        self.sliding = [k for k in range(n) if not self.turns[k]]
        # (n,) joint units: radians per unit of movement, where a prismatic joint's full reach counts as one radian.
        self.scale = np.where(self.turns > 0.0, 1.0, max(skeleton.reach, SHORTEST_REACH))
        self.local_axes = np.array([unit(joint.axis) for joint in joints])
        rests = np.array([_matrix(joint.rest_rotation) for joint in joints])
        along = self.local_axes[:, :, None] * self.local_axes[:, None, :]
        spin = hat(self.local_axes)
        turning = self.turns[:, None, None]
        self._still = rests @ np.where(turning > 0.0, along, np.eye(3))
        self._sine = rests @ spin * turning
        self._cosine = rests @ (np.eye(3) - along) * turning
        # Frames are numbered from 1, the base is 0. In a chain a joint's parent is the frame before it: a slice, which is a view.
        self._parents = [joint.parent + 1 for joint in joints]
        self._parent_frames: slice | list[int] = slice(0, n) if self._parents == list(range(n)) else self._parents
        self._offsets = np.array([joint.rest_offset for joint in joints], dtype=float)
        self._slide_axes = (rests @ self.local_axes[:, :, None])[:, :, 0]  # (n, 3) in the parent's frame
        ancestors = np.eye(n)
        for k, joint in enumerate(joints):
            if joint.parent >= 0:
                ancestors[k] += ancestors[joint.parent]
        self._ancestors = ancestors  # (n, n) 1 where a joint is another's ancestor, or itself
        self.end_joints = [end.joint for end in ends]
        self.on_path = ancestors[self.end_joints]  # (e, n)
        self._tools = np.array([_matrix(end.rotation) for end in ends])
        self._tool_offsets = np.array([end.offset for end in ends], dtype=float)[:, :, None]
        self.base_axis = self._slide_axes[0]
        self._count(shape_directions(skeleton, self.options))

    def _count(self, shape_directions: list[ShapeDirection]) -> None:
        carriers = [direction.carrier for direction in shape_directions]
        self._carriers = [carrier + 1 for carrier in carriers]
        weights = np.array([direction.weight for direction in shape_directions])
        self.weights = weights / weights.mean()
        self._vectors = np.array([direction.vector for direction in shape_directions], dtype=float)
        self._units = _units(self._vectors)[:, :, None]
        self._slid = [(row, direction.slide) for row, direction in enumerate(shape_directions) if direction.slide >= 0]
        self.carried = self._ancestors[carriers] * self.turns
        self.weighted = self.carried * self.weights[:, None]
        self.shared = self.carried.T @ self.weighted  # (n, n) summed weights of the directions that both joints rotate

    def poses(self, angles: Angles) -> Poses:
        """Forward kinematics for angles (m, n)."""
        m, n = angles.shape
        local = self._still + np.sin(angles)[:, :, None, None] * self._sine + np.cos(angles)[:, :, None, None] * self._cosine
        frames = np.empty((m, n + 1, 3, 3))
        frames[:, 0] = np.eye(3)
        for k, parent in enumerate(self._parents):
            if parent:
                np.matmul(frames[:, parent], local[:, k], out=frames[:, k + 1])
            else:
                frames[:, k + 1] = local[:, k]
        axes = (frames[:, 1:] @ self.local_axes[:, :, None])[..., 0]
        offsets = self._offsets
        if self.sliding:
            offsets = offsets + (angles * (1.0 - self.turns))[:, :, None] * self._slide_axes
        walked = (frames[:, self._parent_frames] @ offsets[..., None])[..., 0]
        positions = self._ancestors @ walked
        units, slides = self._units, None
        if self._slid:
            units, slides = self._with_slides(angles, axes, frames)
        directions = (frames[:, self._carriers] @ units)[..., 0]
        carriers = frames[:, [joint + 1 for joint in self.end_joints]]
        end_positions = positions[:, self.end_joints] + (carriers @ self._tool_offsets)[..., 0]
        return Poses(angles, axes, directions, slides, positions, carriers @ self._tools, end_positions)

    def _with_slides(self, angles: Angles, axes: Angles, frames: Angles) -> tuple[Angles, Angles]:
        """Unit shape directions (m, l, 3, 1) in their links' frames, and their derivatives by prismatic joints (m, l, n, 3)."""
        vectors = np.repeat(self._vectors[None], len(angles), 0)
        for row, k in self._slid:
            vectors[:, row] += angles[:, k, None] * self._slide_axes[k]
        units = _units(vectors)
        slides = np.zeros((len(angles), len(self._carriers), angles.shape[1], 3))
        for row, k in self._slid:
            direction = (frames[:, self._carriers[row]] @ units[:, row, :, None])[..., 0]
            size = np.maximum(np.linalg.norm(vectors[:, row], axis=-1), SHORTEST_REACH)[:, None]
            slides[:, row, k] = (axes[:, k] - direction * (axes[:, k] * direction).sum(-1, keepdims=True)) / size
        return units[..., None], slides


def shape_directions(skeleton: Skeleton, options: Options) -> list[ShapeDirection]:
    """The directions of shape deviation: links, each end's view and, with `options.roll`, a perpendicular of each of them."""
    directions = []
    for carrier, joint, end in links_of(skeleton, with_root=options.hold_body):
        slide = joint if joint >= 0 and skeleton.joints[joint].kind == "prismatic" else -1
        vector = skeleton.joints[joint].rest_offset if joint >= 0 else skeleton.ends[end].offset
        directions.append(ShapeDirection(carrier, vector, slide, options.weight(carrier)))
    for tool in skeleton.ends:
        directions.append(ShapeDirection(tool.joint, rotate(normalized(tool.rotation), Y), -1, options.weight(tool.joint)))
    if options.roll > 0.0:
        directions += [
            ShapeDirection(direction.carrier, perpendicular(unit(direction.vector)), -1, options.roll * direction.weight)
            for direction in directions
        ]
    # the heading of the body, as heavy as all else: rotation of an upright body about its axis would not show otherwise
    if options.hold_body:
        directions.append(
            ShapeDirection(0, perpendicular(unit(skeleton.joints[0].axis)), -1, sum(direction.weight for direction in directions))
        )
    return [direction._replace(weight=max(LEAST_WEIGHT, direction.weight)) for direction in directions]


class Authored:
    """The shape of one authored posture, from which deviations are measured."""

    def __init__(self, model: Model, posture: Angles, keep: float = 1.0) -> None:
        self.model, self.keep = model, keep
        poses = model.poses(posture[None])
        self.directions = poses.directions[0]  # (l, 3)
        self.end_rotations = poses.end_rotations[0]  # (e, 3, 3)
        axis = model.base_axis
        self._up = self.directions @ axis
        self._level = self.directions - self._up[:, None] * axis
        self._side = cross(np.broadcast_to(axis, self.directions.shape), self.directions)
        weights = model.weights[:, None]
        self._lever = max(float((weights * self._level**2).sum()), NO_DIRECTION)  # curvature of the best-fit rotation
        # (3 l, 2) columns: horizontal part, and its perpendicular; their products with directions give the best-fit rotation
        self._sums = np.stack([(weights * self._level).ravel(), (weights * self._side).ravel()], 1)
        self._weighted_up = model.weights * self._up

    def fit(self, poses: Poses) -> tuple[Angles, Angles]:
        """Mean cosine (m,) after the best-fit rotation, and the authored directions (m, l, 3) so rotated."""
        m = len(poses.angles)
        flat = poses.directions.reshape(m, -1)
        sums = flat @ self._sums
        upright = (poses.directions @ self.model.base_axis) @ self._weighted_up
        if self.model.options.hold_body:
            return (upright + sums[:, 0]) / len(self._up), np.broadcast_to(self.directions, poses.directions.shape)
        size = np.sqrt((sums**2).sum(1))
        turn = sums / np.maximum(size, NO_DIRECTION)[:, None]
        lost = size <= NO_DIRECTION
        if lost.any():
            turn[lost] = (1.0, 0.0)
        desired = self._up[:, None] * self.model.base_axis + turn[:, 0, None, None] * self._level + turn[:, 1, None, None] * self._side
        return (upright + size) / len(self._up), desired

    def system(self, poses: Poses, desired: Angles) -> System:
        """Gauss-Newton system of half the summed squared differences of directions, best-fit rotation eliminated; times `keep`."""
        model = self.model
        axes, directions = poses.axes, poses.directions
        if poses.slides is not None:
            matrix, descent, together = self._with_slides(poses, desired)
        else:
            across = axes.transpose(0, 2, 1)
            on_links = directions @ across  # (m, l, n) a_j . d_k
            matrix = model.shared * (axes @ across) - (on_links * model.carried).transpose(0, 2, 1) @ (on_links * model.weighted)
            pull = model.weighted.T @ cross(directions, desired)  # (m, n, 3)
            descent = (axes * pull).sum(-1)
            cosines = (directions * desired).sum(-1)
            rise = directions @ model.base_axis
            # coupling of each joint with the best-fit rotation: (a x d) . (y x t) = (a . y)(d . t) - (a . t)(d . y)
            on_base = ((desired @ across) * model.weighted * rise[:, :, None]).sum(1)
            together = (axes @ model.base_axis) * (cosines @ model.weighted) - on_base
        if not model.options.hold_body:
            matrix = matrix - together[:, :, None] * together[:, None, :] / self._lever
        return System(matrix, descent) if self.keep == 1.0 else System(self.keep * matrix, self.keep * descent)

    def _with_slides(self, poses: Poses, desired: Angles) -> tuple[Angles, Angles, Angles]:
        """Hessian (m, n, n), descent (m, n) and coupling with the best-fit rotation (m, n), from explicit Jacobian columns."""
        model, axes, directions = self.model, poses.axes, poses.directions
        assert poses.slides is not None
        columns = cross(axes[:, None] * model.carried[None, :, :, None], np.broadcast_to(directions[:, :, None], poses.slides.shape))
        columns = columns + poses.slides
        flat = columns.transpose(0, 2, 1, 3).reshape(len(axes), len(model.turns), -1)
        weighted = flat * np.repeat(model.weights, 3)
        turning = cross(np.broadcast_to(model.base_axis, desired.shape), desired)
        return (
            weighted @ flat.transpose(0, 2, 1),
            (weighted @ desired.reshape(len(axes), -1, 1))[..., 0],
            (weighted @ turning.reshape(len(axes), -1, 1))[..., 0],
        )


def _units(vectors: Angles) -> Angles:
    lengths: Angles = np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), SHORTEST_REACH)
    return vectors / lengths


def _matrix(q: Quaternion) -> Angles:
    return np.array(to_matrix(normalized(q)))


LARGEST_MOVE = math.radians(8)  # [rad per frame] of a joint: more is seen as a jump (15 degrees is a pop)
LARGEST_ACCELERATION = math.radians(2.1)  # [rad per frame^2] change of a joint's speed; 7600 deg/s2 at 60 frames per second
REFERENCE_RATE = 60.0  # [Hz] frame rate for which it holds
DIRECT_ACCELERATION = LARGEST_MOVE  # the same for direct transitions, which lose the aim: the fewer frames the better
EMERGENCY_ACCELERATION = LARGEST_MOVE  # the same where the aim would be lost otherwise: rare, for a frame or two
ARRIVAL_DISTANCE = math.radians(5)  # [rad] distance of the farthest joint at which a transition ends and local steps go on


def allowed_acceleration(dt: float) -> float:
    """Largest change of a joint's speed [rad per frame^2] that may be used to keep the aim, for frames of `dt` seconds.

    Frames longer than those of `REFERENCE_RATE` allow more: the acceleration per second is the same.
    """
    return min(LARGEST_MOVE, LARGEST_ACCELERATION * max(1.0, REFERENCE_RATE * dt) ** 2)
