"""A tree of joints on flat arrays: forward kinematics and Jacobians of one configuration or of many at once.

Frames are matrices (4, 4) with the base's position as the origin and the world's axes. A motion consists of
the base's linear and angular velocity and the rates of the v coordinates, 6 + v unknowns: one coordinate for
each revolute or prismatic joint, three for a spherical joint, as increments of its rotation. Frames of one
configuration are multiplied by doubling: after k rounds a joint's frame is known in that of its 2^k-th
ancestor, so that a tree of depth d takes log2 d products of stacked matrices, whatever its width. For many
configurations (more than `FEW`) the number of products matters instead: frames are multiplied level by level.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .rotations import ORIGIN
from .se3 import Array, cross, exponential, hat

Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]
Kind = Literal["revolute", "prismatic", "spherical"]

BASE = 6  # number of unknowns of the base: linear, then angular velocity, in world axes
BASE_POSITION = np.array(ORIGIN)
# number of the base's linear unknowns, which come first; steps along these are exact at any length
LINEAR = 3
FEW = 8  # number of configurations up to which the overhead of numpy's calls exceeds their computation
# (6, 3) each: linear and angular velocity that a unit speed of each unknown of the base causes
LINEAR_BASE, ANGULAR_BASE = np.eye(BASE)[:, :LINEAR], np.eye(BASE)[:, LINEAR:]


class Frames:
    """Forward kinematics of a tree, for one configuration or many (...)."""

    def __init__(self, tree: "Tree", nodes: Array) -> None:
        """`nodes` (..., 1 + n, 4, 4): frames of the base, then of the joints after their own motion, parents
        before their children.
        """
        self.nodes, self._tree = nodes, tree

    @cached_property
    def _joint_frames(self) -> Array:
        """Frames (..., v, 4, 4) of the coordinates' joints."""
        return _picked(self.nodes, self._tree.held_nodes)

    @cached_property
    def axes(self) -> Array:
        """Axes (..., v, 3) of the coordinates in the world."""
        axes: Array = (self._joint_frames[..., :3, :3] @ self._tree.axes)[..., 0]
        return axes

    @cached_property
    def turning(self) -> Array:
        """Angular velocity (..., v, 3) that a unit speed of each coordinate gives to the links that it
        moves.
        """
        return self.axes * self._tree.is_revolute if self._tree.has_slides else self.axes

    def pick(self, rows: Indices) -> "Frames":
        """The configurations with the given indices, out of many (m,)."""
        return Frames(self._tree, self.nodes[rows])

    def velocity(self, point: Array) -> Array:
        """Linear velocity (..., v, 3) that a unit speed of each coordinate gives to a point (..., 3) on the
        links that it moves.
        """
        velocity = cross(self.turning, point[..., None, :] - self._joint_frames[..., :3, 3])
        if self._tree.has_slides:
            velocity += self.axes * (1.0 - self._tree.is_revolute)
        return velocity

    @cached_property
    def moving(self) -> Array:
        """Linear velocity (..., v, 3) that a unit speed of each coordinate gives to the links that it moves,
        at the point of these links that is at the base's position.
        """
        return self.velocity(BASE_POSITION)

    @cached_property
    def angular(self) -> Array:
        """Angular velocity (..., 6 + v, 3) that a unit speed of each unknown (base, then coordinates) gives
        to the links that it moves.
        """
        return self._with_base(ANGULAR_BASE, self.turning)

    @cached_property
    def linear(self) -> Array:
        """Linear velocity (..., 6 + v, 3) that a unit speed of each unknown (base, then coordinates) gives to
        the links that it moves, at the point of these links that is at the origin.
        """
        return self._with_base(LINEAR_BASE, self.moving)

    @staticmethod
    def _with_base(base: Array, joints: Array) -> Array:
        rows = np.empty((*joints.shape[:-2], BASE + joints.shape[-2], 3))
        rows[..., :BASE, :], rows[..., BASE:, :] = base, joints
        return rows


class Tree:
    """Tree of revolute, prismatic and spherical joints on a base; its links are frames that are fixed to
    joints.
    """

    def __init__(
        self,
        parents: Sequence[int],
        rests: Array,
        axes: Array,
        kinds: Sequence[Kind],
        carriers: Sequence[int],
        carried: Array,
    ) -> None:
        """A tree.

        Args:
            parents: Index of each joint's parent, which comes before it; -1: the base.
            rests: (n, 4, 4) the joints' frames in their parents', at zero.
            axes: (n, 3) unit vectors in the joints' frames; ignored for spherical joints.
            kinds: Kinds of the joints.
            carriers: Index of the joint that carries each link; -1: the base.
            carried: (k, 4, 4) the links' frames in their carriers'.
        """
        count = len(parents)
        self.parents, self.kinds = tuple(parents), tuple(kinds)
        self.rests, axes = (
            np.asarray(rests, float).reshape(count, 4, 4),
            np.asarray(axes, float).reshape(count, 3),
        )
        widths = [3 if kind == "spherical" else 1 for kind in kinds]
        self.first: Indices = np.cumsum([0, *widths])[:-1]  # each joint's first coordinate
        self.joint_of: Indices = np.repeat(np.arange(count), widths)  # joint of each coordinate
        # indices of spherical joints
        self.balls = np.array([k for k, kind in enumerate(kinds) if kind == "spherical"], np.intp)
        self.ball_coordinates = self.first[self.balls][:, None] + np.arange(3)
        # (v, 3, 1) axes of the coordinates, in the frames of their joints
        self.axes = axes[self.joint_of][:, :, None]
        self.axes[self.ball_coordinates, :, 0] = np.eye(3)
        # (v,) whether each coordinate is prismatic
        self.slides = np.array([kinds[k] == "prismatic" for k in self.joint_of], bool)
        self.has_slides, self.is_revolute = bool(self.slides.any()), (~self.slides).astype(float)[:, None]
        self.carrying = np.array(carriers, np.intp)  # joint that carries each link; -1: the base
        self.ends = np.asarray(carried, float).reshape(-1, 4, 4)
        depth, moved_by = [0] * (count + 1), np.zeros((count + 1, self.unknowns), bool)
        moved_by[:, :BASE] = True
        for k, parent in enumerate(self.parents):
            depth[k + 1] = depth[parent + 1] + 1
            moved_by[k + 1] = moved_by[parent + 1]
            moved_by[k + 1, BASE:][self.joint_of == k] = True
        # Nodes are in the order of their depth, so that the nodes of one depth form a slice.
        order = np.argsort(depth, kind="stable")
        # (n,) joint of each node but the base's; (1 + n,) node of the base, then of each joint
        joints, node = order[1:] - 1, np.argsort(order)
        self.node_joints: Indices = order - 1  # (1 + n,) joint of each node; -1: the base
        self.held: Indices = node[self.joint_of + 1]  # (v,) node of each coordinate
        self.held_nodes = run_of(self.held)
        self.carriers: Indices = node[self.carrying + 1]  # (k,) node that carries each link
        self.moved_by = moved_by[order]  # (1 + n, 6 + v) whether an unknown moves a node
        # (1 + n,) each node's parent node; 0: the base
        above = np.append(0, node[np.array(self.parents, np.intp) + 1][joints]).astype(np.intp)
        starts = np.searchsorted(np.array(depth)[order], np.arange(2, max(1, *depth) + 2)).tolist()
        self._roots = slice(0, starts[0])  # the base, and the joints directly on it
        self._levels = [(slice(start, stop), run_of(above[start:stop])) for start, stop in pairwise(starts)]
        self._rounds = []
        while (above > 0).any():
            start = int(np.argmax(above > 0))
            self._rounds.append((slice(start, None), run_of(above[start:])))
            above = np.where(above > 0, above[above], 0)
        self._factor_of = self.first[joints]
        self._is_in_order = np.array_equal(self._factor_of, np.arange(len(self)))
        slides = self.slides[self._factor_of]
        self._terms = _transform_terms(self.rests[joints], axes[joints], slides)
        self._slid = np.flatnonzero(slides)
        # (1 + n, 4, 4) each node in its parent's frame, at zero
        self._at_rest = np.concatenate((np.eye(4)[None], self.rests[joints]))
        self._is_of_balls = len(self.balls) == count
        self._ball_nodes: Indices = node[self.balls + 1]
        self._ball_rests = self.rests[self.balls, :3, :3]

    def __len__(self) -> int:
        """Number v of coordinates."""
        return len(self.joint_of)

    @property
    def unknowns(self) -> int:
        """Number of unknowns: 6 of the base plus v coordinates."""
        return BASE + len(self)

    def forward(
        self, values: Array, base_rotation: Array | None = None, balls: Array | None = None
    ) -> Frames:
        """Forward kinematics of one configuration or of many (...).

        Args:
            values: (..., v) [rad; prismatic joints m]; values of spherical joints are ignored.
            base_rotation: (..., 3, 3); None: identity.
            balls: (..., b, 3, 3) rotations of the spherical joints; None if there are none.
        """
        shape = values.shape[:-1]
        nodes = np.empty((*shape, *self._at_rest.shape))
        if self._is_of_balls:
            nodes[...] = self._at_rest
        else:
            self._turn(values, nodes)
        if balls is not None and len(self.balls):
            nodes[..., self._ball_nodes, :3, :3] = self._ball_rests @ balls
        if base_rotation is not None:
            nodes[..., self._roots, :3, :] = base_rotation[..., None, :, :] @ nodes[..., self._roots, :3, :]
        for rows, above in self._levels if math.prod(shape) > FEW else self._rounds:
            nodes[..., rows, :, :] = _picked(nodes, above) @ nodes[..., rows, :, :]
        return Frames(self, nodes)

    def _turn(self, values: Array, nodes: Array) -> None:
        """Writes each node's frame in its parent's to `nodes` (..., 1 + n, 4, 4): revolute and prismatic
        joints at `values` (..., v).
        """
        shape, count = values.shape[:-1], len(self.parents)
        ordered = values if self._is_in_order else values.take(self._factor_of, axis=-1)
        factors = np.empty((*shape, count, 1, 3))
        columns = factors[..., 0, :]
        columns[..., 0] = 1.0
        columns[..., 1] = np.sin(ordered)
        columns[..., 2] = 1.0 - np.cos(ordered)
        if self.has_slides:
            columns[..., self._slid, 1] = ordered[..., self._slid]
        nodes[..., 0, :, :] = self._at_rest[0]
        np.matmul(factors, self._terms, out=nodes.reshape(*shape, count + 1, 1, 16)[..., 1:, :, :])

    def moved(self, values: Array, balls: Array, step: Array) -> tuple[Array, Array]:
        """Values (v,) and rotations of spherical joints (b, 3, 3) after a step (v,) [rad, m]."""
        if len(self.balls):
            balls = balls @ exponential(step[self.ball_coordinates])
            step = step.copy()
            step[self.ball_coordinates] = 0.0
        return values + step, balls

    def placed(self, frames: Frames, links: Indices | slice) -> Array:
        """Frames (..., k, 4, 4) of links, with the base's position as the origin and the world's axes."""
        placed: Array = frames.nodes.take(self.carriers[links], axis=-3) @ self.ends[links]
        return placed

    def velocity(self, frames: Frames, link: int) -> Array:
        """Linear velocity (..., v, 3) of a link's origin that a unit speed of each coordinate causes [m/rad;
        prismatic m/m]; zero for coordinates that do not move the link.
        """
        moved = self.moved_by[self.carriers[link], BASE:][:, None]
        position = self.placed(frames, np.array([link]))[..., 0, :3, 3]
        return np.where(moved, frames.velocity(position), 0.0)

    def jacobian(self, frames: Frames, link: int) -> tuple[Array, Array]:
        """Angular and linear Jacobian, (..., 3, 6 + v) each, of a link in the world's axes; the linear one at
        the link's origin.
        """
        moved = self.moved_by[self.carriers[link]][:, None]
        position = self.placed(frames, np.array([link]))[..., :3, 3]
        angular = np.where(moved, frames.angular, 0.0)
        linear = np.where(moved, frames.linear, 0.0) + cross(
            angular, np.broadcast_to(position, angular.shape)
        )
        return angular.swapaxes(-1, -2), linear.swapaxes(-1, -2)


def _transform_terms(rests: Array, axes: Array, slides: Mask) -> Array:
    """Terms (n, 3, 16) of the joints' transforms, row by row: a transform is the sum of its three terms times
    1, the sine of the angle or the displacement, and 1 - the cosine.

    Args:
        rests: (n, 4, 4) the joints' frames in their parents', at zero.
        axes: (n, 3) unit vectors in the joints' frames.
        slides: (n,) which joints are prismatic.
    """
    spin = hat(axes)
    terms = np.zeros((len(rests), 3, 4, 4))
    terms[:, 0] = rests
    terms[:, 1, :3, :3] = np.where(slides[:, None, None], 0.0, rests[:, :3, :3] @ spin)
    terms[:, 2, :3, :3] = np.where(slides[:, None, None], 0.0, rests[:, :3, :3] @ spin @ spin)
    terms[slides, 1, :3, 3] = (rests[:, :3, :3] @ axes[:, :, None])[slides, :, 0]
    return terms.reshape(-1, 3, 16)


def run_of(indices: Indices) -> Indices | slice:
    """Indices as a slice, which numpy reads much faster, if they are contiguous; otherwise the indices
    unchanged.
    """
    is_run = (
        len(indices) > 0
        and indices[-1] - indices[0] == len(indices) - 1
        and bool((indices[1:] > indices[:-1]).all())
    )
    return slice(int(indices[0]), int(indices[-1]) + 1) if is_run else indices


def _picked(nodes: Array, rows: Indices | slice) -> Array:
    """The nodes of a tree (..., 1 + n, 4, 4) with the given indices (k,)."""
    picked: Array = nodes[..., rows, :, :] if isinstance(rows, slice) else nodes.take(rows, axis=-3)
    return picked
