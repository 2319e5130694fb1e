"""Batched kinematics of a tree of joints on a fixed or floating base. Knows no Blender.

Every joint gets a frame whose z is its axis. Frames are multiplied by doubling: after k rounds a joint's frame is known in that of its
2^k-th ancestor, so that a tree of depth d takes log2 d products of stacked matrices, whatever its width.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kinematics.rotations import Quaternion, Vector, Z, between, normalized, unit
from ..kinematics.se3 import Array, Frame, cross, frame_array
from ..kinematics.skeleton import End, Joint, SkeletonError
from ..least_squares.constrained import Constraints

Indices = NDArray[np.intp]

BASE = 6  # unknowns of the base: linear, then angular velocity, in the world


def affine(rotation: Quaternion, offset: Vector) -> Array:
    """Matrix (4, 4) of a frame with this rotation, of any length, and position [m]."""
    return frame_array(Frame(normalized(rotation), offset))


def toward(axis: Vector) -> Array:
    """Rotation (4, 4) that takes z to a unit axis."""
    return frame_array(Frame(between(Z, unit(axis))))


@dataclass(frozen=True)
class Coupling:
    """Linear constraint of joints: lower <= sum of factor * value <= upper; equal bounds for mimic joints."""

    name: str
    factors: Mapping[str, float]  # by joint name
    lower: float = -np.inf
    upper: float = np.inf


@dataclass(frozen=True)
class Frames:
    """Forward kinematics of a body, with the base's position as the origin and the world's axes."""

    nodes: Array  # (1 + n, 4, 4) the base, then each joint after its own rotation, with its axis as z
    angular: Array  # (6 + n, 3) angular velocity of the links that an unknown moves, per unit
    linear: Array  # (6 + n, 3) [m] their linear velocity at the origin


class Body:
    """Joints and links. Unknowns are the base's linear and angular velocity and the joints' speeds, 6 + n, in this order."""

    def __init__(
        self,
        joints: Sequence[Joint],
        links: Sequence[End],
        floating: bool = True,
        lower: Sequence[float] | None = None,
        upper: Sequence[float] | None = None,
        couplings: Sequence[Coupling] = (),
    ) -> None:
        """A tree of joints with links.

        Args:
            joints: Parents before their children.
            links: Links that may get targets; `End.joint` is -1 for a link on the base itself.
            floating: Whether the base is free to move.
            lower: Limits (n,) [rad or m] where they differ from the joints' own; they may be infinite.
            upper: The same.
            couplings: Linear constraints of joints.

        Raises:
            SkeletonError: a parent does not come before its child, two links have one name, or a coupling names no joint.
        """
        for k, joint in enumerate(joints):
            if not -1 <= joint.parent < k:
                raise SkeletonError(f"joint '{joint.name}': its parent must come before it, and {joint.parent} is not before {k}")
        for link in links:
            if not -1 <= link.joint < len(joints):
                raise SkeletonError(f"link '{link.name}' is carried by joint {link.joint}: there are {len(joints)}, counted from 0")
        self.names = tuple(joint.name for joint in joints)
        self.parents = tuple(joint.parent for joint in joints)  # joints' indices; -1: the base
        self.links = {link.name: k for k, link in enumerate(links)}
        if len(self.links) < len(links):
            twice = sorted(name for name in self.links if sum(link.name == name for link in links) > 1)
            raise SkeletonError(f"two links are called '{twice[0]}': give each a name of its own")
        self.floating = floating
        self.lower = np.array([joint.lower for joint in joints] if lower is None else lower, float)
        self.upper = np.array([joint.upper for joint in joints] if upper is None else upper, float)
        self.couplings = self._coupled(couplings)
        self.coupling_names = tuple(coupling.name for coupling in couplings)
        self.slides = np.array([joint.kind == "prismatic" for joint in joints], bool)
        self._any_slides = bool(self.slides.any())
        self.carriers = np.array([link.joint + 1 for link in links], np.intp)  # node of each link
        self._chain(joints)
        aligned = [np.eye(4), *(toward(joint.axis) for joint in joints)]
        self.ends = np.array([aligned[link.joint + 1].T @ affine(link.rotation, link.offset) for link in links]).reshape(-1, 4, 4)
        rests = [
            aligned[joint.parent + 1].T @ affine(joint.rest_rotation, joint.rest_offset) @ aligned[k + 1] for k, joint in enumerate(joints)
        ]
        self._rests(np.array(rests).reshape(-1, 4, 4))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def unknowns(self) -> int:
        return BASE + len(self)

    def _coupled(self, couplings: Sequence[Coupling]) -> Constraints:
        """Couplings as constraints (m, n) on the joints."""
        matrix = np.zeros((len(couplings), len(self)))
        index = {name: k for k, name in enumerate(self.names)}
        for row, coupling in enumerate(couplings):
            for name, factor in coupling.factors.items():
                if name not in index:
                    raise SkeletonError(f"coupling '{coupling.name}': there is no joint '{name}': the joints are {', '.join(self.names)}")
                matrix[row, index[name]] = factor
            if not coupling.lower <= coupling.upper:
                raise SkeletonError(f"coupling '{coupling.name}': {coupling.lower:.6g} is above {coupling.upper:.6g}: exchange them")
        bounds = np.array([(coupling.lower, coupling.upper) for coupling in couplings]).reshape(-1, 2)
        return Constraints(matrix, bounds[:, 0], bounds[:, 1])

    def _chain(self, joints: Sequence[Joint]) -> None:
        """Orders nodes by depth and stores, for each round of doubling, which frames are multiplied."""
        count = len(joints)
        parents = [0, *(joint.parent + 1 for joint in joints)]
        depth = [0] * (count + 1)
        self.moved_by = np.zeros((count + 1, BASE + count), bool)  # which unknowns move a node
        self.moved_by[:, :BASE] = True
        for k in range(1, count + 1):
            depth[k] = depth[parents[k]] + 1
            self.moved_by[k] = self.moved_by[parents[k]]
            self.moved_by[k, BASE + k - 1] = True
        order = sorted(range(count + 1), key=lambda k: depth[k])
        position = {node: row for row, node in enumerate(order)}
        self._order = np.array(order[1:], np.intp) - 1  # joint at each index after the base's
        self._back = np.array([position[k] for k in range(count + 1)], np.intp)
        above = [-1 if node == 0 else position[parents[node]] for node in order]
        self._rounds: list[tuple[int, Indices]] = []
        start = 1
        while start <= count:
            self._rounds.append((start, np.array(above[start:], np.intp)))
            above = [-1 if up < 0 else above[up] for up in above]
            start = next((row for row, up in enumerate(above) if up >= 0), count + 1)

    def _rests(self, rests: Array) -> None:
        """Matrices from which each joint's transform is summed, in the nodes' order: factors of 1, of sine or displacement, and of 1 -
        cosine.
        """
        rests = rests[self._order]
        self._slides = self.slides[self._order]
        moves, bends = np.zeros_like(rests), np.zeros_like(rests)
        turns = ~self._slides
        moves[turns, :, 0] = rests[turns, :, 1]
        moves[turns, :, 1] = -rests[turns, :, 0]
        bends[turns, :, :2] = -rests[turns, :, :2]
        moves[self._slides, :, 3] = rests[self._slides, :, 2]
        self._rest, self._moves, self._bends = rests, moves, bends

    def forward(self, base_rotation: Array, joints: Array) -> Frames:
        """Forward kinematics for a base rotation (3, 3) and joints (n,) [rad, prismatic joints m]."""
        ordered = joints[self._order]
        shift, bend = np.sin(ordered), 1.0 - np.cos(ordered)
        if self._any_slides:
            shift[self._slides] = ordered[self._slides]
        nodes = np.empty((len(joints) + 1, 4, 4))
        base = nodes[0]
        base[:3, :3], base[:3, 3], base[3] = base_rotation, 0.0, (0.0, 0.0, 0.0, 1.0)
        np.multiply(self._moves, shift[:, None, None], out=nodes[1:])
        nodes[1:] += self._bends * bend[:, None, None]
        nodes[1:] += self._rest
        for start, above in self._rounds:
            nodes[start:] = nodes.take(above, axis=0) @ nodes[start:]
        nodes = nodes.take(self._back, axis=0)
        angular, linear = np.zeros((2, self.unknowns, 3))
        linear[(0, 1, 2), (0, 1, 2)] = 1.0
        angular[(3, 4, 5), (0, 1, 2)] = 1.0
        axes = nodes[1:, :3, 2]
        angular[BASE:] = axes
        linear[BASE:] = cross(nodes[1:, :3, 3], axes)
        if self._any_slides:
            angular[BASE:][self.slides] = 0.0
            linear[BASE:][self.slides] = axes[self.slides]
        return Frames(nodes, angular, linear)

    def link_indices(self, names: Sequence[str]) -> Indices:
        """Indices of links by name.

        Raises:
            SkeletonError: there is no such link.
        """
        for name in names:
            if name not in self.links:
                raise SkeletonError(f"there is no link '{name}': the links are {', '.join(self.links)}")
        return np.array([self.links[name] for name in names], np.intp)

    def placed(self, frames: Frames, links: Indices) -> Array:
        """Frames (k, 4, 4) of links."""
        placed: Array = frames.nodes.take(self.carriers[links], axis=0) @ self.ends[links]
        return placed

    def jacobian(self, frames: Frames, link: int) -> tuple[Array, Array]:
        """Angular and linear Jacobian (3, 6 + n) of a link in the world."""
        moved = self.moved_by[self.carriers[link]]
        position = self.placed(frames, np.array([link]))[0, :3, 3]
        angular = np.where(moved[:, None], frames.angular, 0.0)
        linear = np.where(moved[:, None], frames.linear, 0.0) + cross(angular, np.broadcast_to(position, angular.shape))
        return angular.T, linear.T
