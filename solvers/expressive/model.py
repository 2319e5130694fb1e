"""Shape of many poses of one chain at once, with its Gauss-Newton system. Knows no Blender.

Shape deviation is a least squares: unit link directions d_k solved, t_k authored and turned as a whole about the base's axis by the angle
that fits best (see `gaze.Shape`). With a_j the joints' axes in the base frame, a joint's column is a_j x d_k, and products of columns need
no columns: (a_i x d) . (a_j x d) = a_i . a_j - (a_i . d)(a_j . d). The whole turn is eliminated (variable projection).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..rotations import NO_DIRECTION, Quaternion, normalized, rotate, to_matrix, unit
from ..shape import links_of
from ..skeleton import Angles, Skeleton

Indices = NDArray[np.intp]
SHORTEST_REACH = 1e-6  # [m] a chain or link shorter than this is a point


class Poses(NamedTuple):
    """Many poses in the base frame."""

    angles: Angles  # (m, n) [rad], prismatic [m]
    axes: Angles  # (m, n, 3) of the joints
    directions: Angles  # (m, l, 3) of the links that count, the way the tool looks last
    slides: Angles | None  # (m, l, n, 3) what prismatic joints do to the directions [1/m]
    places: Angles  # (m, n, 3) [m]
    tool_rotation: Angles  # (m, 3, 3)
    tool_place: Angles  # (m, 3) [m]

    def pick(self, rows: Indices) -> "Poses":
        """Only these rows."""
        slides = None if self.slides is None else self.slides[rows]
        angles, axes, directions, places = self.angles[rows], self.axes[rows], self.directions[rows], self.places[rows]
        return Poses(angles, axes, directions, slides, places, self.tool_rotation[rows], self.tool_place[rows])


class System(NamedTuple):
    """A quadratic model of a cost in the joints' movements."""

    matrix: Angles  # (m, n, n)
    descent: Angles  # (m, n) the negative gradient


class Model:
    """Kinematics of one chain, laid out for numpy."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        n = len(skeleton)
        joints = skeleton.joints
        self.lower, self.upper = np.array(skeleton.lower), np.array(skeleton.upper)
        self.turns = np.array([1.0 if joint.kind == "revolute" else 0.0 for joint in joints])
        self.sliding = [k for k in range(n) if not self.turns[k]]
        # What a unit of a joint's movement amounts to in radians: a slide counts by the chain's reach.
        self.scale = np.where(self.turns > 0.0, 1.0, max(skeleton.reach, SHORTEST_REACH))
        self.local_axes = np.array([unit(joint.axis) for joint in joints])
        rests = np.array([_matrix(joint.rest_rotation) for joint in joints])
        offsets = np.array([joint.rest_offset for joint in joints], dtype=float)
        along = self.local_axes[:, :, None] * self.local_axes[:, None, :]
        spin = np.array([_skew(axis) for axis in self.local_axes])
        turning = self.turns[:, None, None]
        self._still = rests @ np.where(turning > 0.0, along, np.eye(3))
        self._sine = rests @ spin * turning
        self._cosine = rests @ (np.eye(3) - along) * turning
        self._tool = np.array(_matrix(skeleton.tool_rotation))
        # Row k: from joint k's place to the next place, in joint k's frame.
        self._steps = np.vstack([offsets[1:], np.array(skeleton.tool_offset, dtype=float)])
        self._slide_axes = np.vstack(
            [(rests @ self.local_axes[:, :, None])[1:, :, 0], np.zeros(3)]
        )  # of the next joint, in joint k's frame
        self._first = offsets[0]
        self._first_axis = rests[0] @ self.local_axes[0]
        self.links = [link.carrier for link in links_of(skeleton)]
        self.base_axis = self._first_axis
        self.carriers = np.array([*self.links, n - 1])
        units = [unit(tuple(self._steps[k])) for k in self.links] + [rotate(skeleton.unit_tool_rotation, (0.0, 1.0, 0.0))]
        self._units = np.array(units)[:, :, None]
        self.carried = (np.arange(n) <= self.carriers[:, None]).astype(float) * self.turns  # (l, n)
        self._shared = self.carried.T @ self.carried  # (n, n) links that two joints both turn

    def poses(self, angles: Angles) -> Poses:
        """Poses for angles (m, n)."""
        m, n = angles.shape
        local = self._still + np.sin(angles)[:, :, None, None] * self._sine + np.cos(angles)[:, :, None, None] * self._cosine
        turned = np.empty((m, n, 3, 3))
        turned[:, 0] = local[:, 0]
        for k in range(1, n):
            np.matmul(turned[:, k - 1], local[:, k], out=turned[:, k])
        axes = (turned @ self.local_axes[:, :, None])[..., 0]
        steps = self._steps
        first = np.broadcast_to(self._first, (m, 3))
        units, slides = self._units, None
        if self.sliding:
            ahead = np.append(angles[:, 1:] * (1.0 - self.turns[1:]), np.zeros((m, 1)), axis=1)
            steps = self._steps + ahead[:, :, None] * self._slide_axes
            if 0 in self.sliding:
                first = first + angles[:, :1] * self._first_axis
            units = np.concatenate([_units(steps[:, self.links]), np.broadcast_to(self._units[None, -1:, :, 0], (m, 1, 3))], 1)[..., None]
        walked = (turned @ steps[..., None])[..., 0]
        directions = (turned[:, self.carriers] @ units)[..., 0]
        places = np.cumsum(np.concatenate([first[:, None], walked], 1), 1)
        if self.sliding:
            slides = np.zeros((m, len(self.carriers), n, 3))
            for row, k in enumerate(self.links):
                if k + 1 in self.sliding:
                    size = np.maximum(np.linalg.norm(steps[:, k], axis=-1), SHORTEST_REACH)[:, None]
                    across = axes[:, k + 1] - directions[:, row] * (axes[:, k + 1] * directions[:, row]).sum(-1, keepdims=True)
                    slides[:, row, k + 1] = across / size
        return Poses(angles, axes, directions, slides, places[:, :-1], turned[:, -1] @ self._tool, places[:, -1])


class Authored:
    """The shape of one posture, against which poses are measured."""

    def __init__(self, model: Model, posture: Angles) -> None:
        self.model = model
        self.directions = model.poses(posture[None]).directions[0]  # (l, 3)
        axis = model.base_axis
        self._up = self.directions @ axis
        self._level = self.directions - self._up[:, None] * axis
        self._side = crosses(np.broadcast_to(axis, self.directions.shape), self.directions)
        self._lever = max(float((self._level**2).sum()), NO_DIRECTION)  # what the whole turn moves
        # rows: level, side: products with directions give the sums that the best turn is made of
        self._sums = np.stack([self._level.ravel(), self._side.ravel()], 1)

    def fit(self, poses: Poses) -> tuple[Angles, Angles]:
        """Mean cosine (m,) after the best turn, and the authored directions (m, l, 3) so turned."""
        m = len(poses.angles)
        flat = poses.directions.reshape(m, -1)
        sums = flat @ self._sums
        size = np.sqrt((sums**2).sum(1))
        upright = (poses.directions @ self.model.base_axis) @ self._up
        with np.errstate(invalid="ignore", divide="ignore"):
            turn = np.where(size[:, None] > NO_DIRECTION, sums / size[:, None], np.array([1.0, 0.0]))
        wanted = self._up[:, None] * self.model.base_axis + turn[:, 0, None, None] * self._level + turn[:, 1, None, None] * self._side
        return (upright + size) / len(self._up), wanted

    def system(self, poses: Poses, wanted: Angles) -> System:
        """Gauss-Newton's model of half the summed squared differences of directions, the whole turn eliminated."""
        model = self.model
        axes, directions = poses.axes, poses.directions
        across = axes.transpose(0, 2, 1)
        on_links = (directions @ across) * model.carried  # (m, l, n) a_j . d_k
        matrix = model._shared * (axes @ across) - on_links.transpose(0, 2, 1) @ on_links
        pull = model.carried.T @ crosses(directions, wanted)  # (m, n, 3)
        descent = (axes * pull).sum(-1)
        cosines = (directions * wanted).sum(-1)
        rise = directions @ model.base_axis
        # how the whole turn and each joint go together: (a x d) . (y x t) = (a . y)(d . t) - (a . t)(d . y)
        together = (axes @ model.base_axis) * (cosines @ model.carried) - ((wanted @ across) * model.carried * rise[:, :, None]).sum(1)
        if poses.slides is not None:
            columns = crosses(axes[:, None] * model.carried[None, :, :, None], np.broadcast_to(directions[:, :, None], poses.slides.shape))
            columns = columns + poses.slides
            flat = columns.transpose(0, 2, 1, 3).reshape(len(axes), len(model.turns), -1)
            matrix = flat @ flat.transpose(0, 2, 1)
            descent = (flat @ wanted.reshape(len(axes), -1, 1))[..., 0]
            turning = crosses(np.broadcast_to(model.base_axis, wanted.shape), wanted)
            together = (flat @ turning.reshape(len(axes), -1, 1))[..., 0]
        return System(matrix - together[:, :, None] * together[:, None, :] / self._lever, descent)


def crosses(a: Angles, b: Angles) -> Angles:
    """Cross products (..., 3), faster than numpy's own."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = ay * bz - az * by
    out[..., 1] = az * bx - ax * bz
    out[..., 2] = ax * by - ay * bx
    return out


def _units(vectors: Angles) -> Angles:
    lengths: Angles = np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), SHORTEST_REACH)
    return vectors / lengths


def _skew(axis: Angles) -> Angles:
    x, y, z = axis
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _matrix(q: Quaternion) -> Angles:
    return np.array(to_matrix(normalized(q)))
