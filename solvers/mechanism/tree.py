"""Spanning tree of a mechanism: which joints carry the bodies, and which close loops.

Bodies move by the tree's joints, so these hold exactly after any step. Each remaining joint is a closure. A
closure whose values are needed (for an actuator or limits) is not cut at the joint itself: the joint carries
a copy of its child, and copy and child must coincide; so all needed values are coordinates.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..kinematics import tree
from ..kinematics.rotations import Vector, X, Y, Z
from ..kinematics.se3 import Array, RigidTransform, frame_array, inverse
from ..kinematics.tree import BASE, Frames, Indices
from .kinds import KINDS, Freedom, Kind
from .model import WORLD, Joint, Mechanism, MechanismError

AXES = {"x": X, "y": Y, "z": Z}
MOTIONS: dict[str, tree.Kind] = {"rotate": "revolute", "translate": "prismatic", "ball": "spherical"}


class CarriedFrame(NamedTuple):
    """A frame fixed to one of the tree's elementary joints (a revolute, prismatic or spherical joint)."""

    carrier: int  # index of the joint; -1: the world
    offset: Array  # (4, 4) frame relative to that joint's

    def with_frame(self, frame: RigidTransform) -> "CarriedFrame":
        """A second frame on the same joint, given by its pose in this frame."""
        return CarriedFrame(self.carrier, self.offset @ frame_array(frame))


class Passage(NamedTuple):
    """The elementary joints of the tree that make up one joint of the mechanism, in the order of its
    values.
    """

    joints: tuple[int, ...] = ()
    is_backward: bool = False  # whether the tree traverses the joint from child to parent
    # indices of the coordinates of the passage's revolute and prismatic joints
    coordinates: Indices = np.zeros(0, np.intp)
    # index, among the tree's spherical joints, of the passage's own one; -1 without one
    ball: int = -1

    @property
    def freedoms(self) -> int:
        """Number of degrees of freedom; three for a ball joint."""
        return len(self.coordinates) + (3 if self.ball >= 0 else 0)


class LoopJoint(NamedTuple):
    """A joint that closes a loop: its two frames, as links of the tree."""

    name: str
    kind: Kind  # "fixed" between a copy and its child
    on_parent: int
    on_child: int
    driven: int = -1  # index of the driven body whose pose it fixes; -1 if none


class SpanningTree(tree.Tree):
    """Spanning tree of a mechanism. Its links are the bodies in the mechanism's order, then the frames of
    closures on both sides.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        """The spanning tree; it prefers fixed, actuated and limited joints, and avoids joints marked
        `closes`.

        Raises:
            MechanismError: a grounded body has no start.
        """
        grown = _Growth(mechanism)
        count = len(grown.parents)
        links = [*(grown.placed[body.name] for body in mechanism.bodies), *grown.ends]
        super().__init__(
            grown.parents,
            np.array(grown.rests).reshape(count, 4, 4),
            np.array(grown.axes).reshape(count, 3),
            grown.kinds,
            [link.carrier for link in links],
            np.array([link.offset for link in links]),
        )
        self.bodies = slice(0, len(mechanism.bodies))
        self.closures = tuple(grown.closures)
        # root body of each part of the tree that is not connected to the world -> elementary joints of its
        # free motion
        self.floating = {name: self._passage(joints, False) for name, joints in grown.floating.items()}
        self.carries = self.moved_by[:, BASE:].astype(float)  # (1 + n, v) 1 if a coordinate moves a node
        self.passages = {name: self._passage(*steps) for name, steps in grown.taken.items()}
        # [m] mean distance between neighbouring joints; the position of the world's origin does not matter
        ends = slice(self.bodies.stop, None)
        apart = np.concatenate(
            [self.rests[np.array(self.parents, int) >= 0], self.ends[ends][self.carrying[ends] >= 0]]
        )[:, :3, 3]
        distances = np.linalg.norm(apart, axis=1)
        self.size = float(distances[distances > 0.0].mean()) if distances.any() else 1.0
        # (v,) unit of a step in each coordinate: 1 rad, or for a displacement `size` [m]
        self.unit = np.where(self.slides, self.size, 1.0)

    def _passage(self, joints: tuple[int, ...], is_backward: bool) -> Passage:
        balls = [k for k in joints if k in self.balls]
        coordinates = np.array([self.first[k] for k in joints if k not in balls], np.intp)
        return Passage(
            joints, is_backward, coordinates, int(np.searchsorted(self.balls, balls[0])) if balls else -1
        )

    def passage(self, name: str) -> Passage:
        """The elementary joints that make up a joint of the mechanism; empty if the joint closes a loop or
        does not exist.
        """
        return self.passages.get(name, Passage())

    def all_coordinates(self, name: str) -> Indices:
        """Coordinates (f,) of a joint of the tree in the order of its values, including the three of a ball
        joint.
        """
        passage = self.passages[name]
        return (
            passage.coordinates
            if passage.ball < 0
            else np.append(passage.coordinates, self.ball_coordinates[passage.ball])
        )

    def screws(self, frames: Frames) -> Array:
        """Screws (2, 3, v) per unit step in each coordinate: angular velocity, and linear velocity at the
        world's origin.
        """
        screws = np.empty((2, 3, len(self)))
        screws[0], screws[1] = frames.turning.T, frames.moving.T
        if self.has_slides:
            screws[1] *= self.unit
        return screws


class _Growth:
    """Grows the tree from the world, body by body.

    Attributes:
        parents, rests, axes, kinds: The elementary joints, as arguments of `kinematics.tree.Tree`.
        placed: The frame of each body, by name.
        taken: Joint in the tree -> its elementary joints and `Passage.is_backward`.
        floating: As in `SpanningTree`, the elementary joints only.
        closures: The joints that close loops.
        ends: The frames of closures on both sides.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.parents: list[int] = []
        self.rests: list[Array] = []
        self.axes: list[Vector] = []
        self.kinds: list[tree.Kind] = []
        self.placed: dict[str, CarriedFrame] = {WORLD: CarriedFrame(-1, np.eye(4))}
        self.taken: dict[str, tuple[tuple[int, ...], bool]] = {}
        self.floating: dict[str, tuple[int, ...]] = {}
        self.closures: list[LoopJoint] = []
        self.ends: list[CarriedFrame] = []
        self._bodies = len(mechanism.bodies)
        grounding = []
        for body in mechanism.bodies:
            if body.grounded:
                if body.start is None:
                    raise MechanismError(f"body '{body.name}' is grounded, but has no start: say where")
                grounding.append(Joint(f"ground {body.name}", "fixed", WORLD, body.name, body.start))
        chosen, rest = _forest([*grounding, *mechanism.joints])
        self._near: dict[str, list[Joint]] = {}
        for joint in chosen:
            self._near.setdefault(joint.parent, []).append(joint)
            self._near.setdefault(joint.child, []).append(joint)
        self._walk(WORLD)
        for body in mechanism.bodies:
            if body.name not in self.placed:
                before = np.eye(4) if body.start is None else frame_array(body.start)
                self.placed[body.name], self.floating[body.name] = self._carry(
                    self.placed[WORLD], before, KINDS["free"].moves, False
                )
                self._walk(body.name)
        for joint in rest:
            self._close(joint)
        for k, body in enumerate(mechanism.bodies):
            if body.driven:
                self._add_closure(
                    f"drive {body.name}", "fixed", self.placed[WORLD], self.placed[body.name], k
                )

    def _walk(self, root: str) -> None:
        """Adds all bodies that the chosen joints connect to a body in the tree, nearest first."""
        waiting = [root]
        while waiting:
            body = waiting.pop(0)
            for joint in self._near.get(body, []):
                next_body = joint.child if joint.parent == body else joint.parent
                if next_body not in self.placed:
                    end, far = (
                        self._joined(joint, body, next_body == joint.parent),
                        joint.in_parent if next_body == joint.parent else joint.in_child,
                    )
                    self.placed[next_body] = CarriedFrame(end.carrier, end.offset @ inverse(frame_array(far)))
                    waiting.append(next_body)

    def _joined(self, joint: Joint, body: str, is_backward: bool = False) -> CarriedFrame:
        """Adds the elementary joints of a joint to the tree, beyond a body that is in the tree already;
        returns the joint's frame on the body that they carry. `is_backward`: the joint carries its parent
        instead of its child.
        """
        moves = KINDS[joint.kind].moves
        near = frame_array(joint.in_child if is_backward else joint.in_parent)
        end, carriers = self._carry(
            self.placed[body], near, moves[::-1] if is_backward else moves, is_backward
        )
        self.taken[joint.name] = (carriers[::-1] if is_backward else carriers, is_backward)
        return end

    def _carry(
        self, start: CarriedFrame, before: Array, moves: Sequence[Freedom], is_backward: bool
    ) -> tuple[CarriedFrame, tuple[int, ...]]:
        """Adds elementary joints with the given moves, the first at the pose `before` (4, 4) in the frame
        `start`; returns the last one's frame and the joints' indices.
        """
        carrier, offset, carriers = start.carrier, start.offset @ before, []
        for move in moves:
            motion, _, letter = move.partition(" ")
            x, y, z = AXES.get(letter, Z)
            self.parents.append(carrier)
            self.rests.append(offset)
            self.axes.append((-x, -y, -z) if is_backward else (x, y, z))
            self.kinds.append(MOTIONS[motion])
            carrier, offset = len(self.parents) - 1, np.eye(4)
            carriers.append(carrier)
        return CarriedFrame(carrier, offset), tuple(carriers)

    def _close(self, joint: Joint) -> None:
        """Adds the closure of a joint between two bodies that are already in the tree. A joint whose values
        are needed is itself added to the tree, with a copy of its child body at its end; the closure then
        fixes this copy to the child.
        """
        child = self.placed[joint.child]
        if joint.is_valued:
            self._add_closure(
                joint.name, "fixed", self._joined(joint, joint.parent), child.with_frame(joint.in_child)
            )
        else:
            parent = self.placed[joint.parent]
            self._add_closure(
                joint.name, joint.kind, parent.with_frame(joint.in_parent), child.with_frame(joint.in_child)
            )

    def _add_closure(
        self, name: str, kind: Kind, on_parent: CarriedFrame, on_child: CarriedFrame, driven: int = -1
    ) -> None:
        first = self._bodies + len(self.ends)
        self.ends += [on_parent, on_child]
        self.closures.append(LoopJoint(name, kind, first, first + 1, driven))


def _forest(joints: Sequence[Joint]) -> tuple[list[Joint], list[Joint]]:
    """Joints that form trees, and those that would close a loop; both in the order given."""
    group: dict[str, str] = {}

    def leader(name: str) -> str:
        while group.get(name, name) != name:
            group[name] = group.get(group[name], group[name])
            name = group[name]
        return name

    def rank(joint: Joint) -> int:
        return 3 if joint.closes else 0 if joint.kind == "fixed" else 1 if joint.is_valued else 2

    chosen = set()
    for joint in sorted(joints, key=rank):
        a, b = leader(joint.parent), leader(joint.child)
        if a != b:
            group[b] = a
            chosen.add(joint.name)
    return [joint for joint in joints if joint.name in chosen], [
        joint for joint in joints if joint.name not in chosen
    ]
