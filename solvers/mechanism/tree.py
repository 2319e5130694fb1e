"""Spanning tree of a mechanism: which joints carry the bodies, and which close loops. Knows no Blender.

Bodies move by the tree's joints, so these hold exactly after any step. Each remaining joint is a closure. A closure whose values are needed
(an actuator, limits) is cut elsewhere: the joint carries a copy of its child, and copy and child must coincide, so that all values are
coordinates.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..kinematics.rotations import X, Y, Z
from ..kinematics.se3 import Array, exponential, frame_array, hat, inverse
from .clusters import Indices, run_of
from .kinds import KINDS, Freedom
from .model import WORLD, Joint, Mechanism, MechanismError

AXES = {"x": X, "y": Y, "z": Z}
ROOT = -1  # node index of the world
UNMOVED = np.eye(4)


@dataclass(frozen=True)
class Node:
    """A frame moved by one elementary move: a rotation about an axis, a translation along one, or a ball."""

    parent: int
    before: Array  # (4, 4) rest frame in its parent
    move: Freedom
    sign: float  # of the axis; -1: the joint is traversed from its child to its parent


@dataclass(frozen=True)
class Carried:
    """A frame fixed to a node."""

    node: int
    offset: Array  # (4, 4) frame in the node


@dataclass(frozen=True)
class Closure:
    """A joint that closes a loop: its two frames, each carried by a node."""

    name: str
    joint: Joint  # kind "fixed" for a copy that must coincide
    in_parent: Carried  # the joint's frame on the parent
    in_child: Carried
    driven: int = -1  # index of the driven body whose pose it fixes; -1: none


@dataclass(frozen=True)
class Tree:
    """Nodes, parents before children."""

    nodes: tuple[Node, ...]
    bodies: tuple[Carried, ...]  # in the mechanism's order
    closures: tuple[Closure, ...]
    traversed: dict[str, tuple[tuple[int, ...], bool]]  # joint of the tree -> its nodes, and whether it is traversed from child to parent
    floating: tuple[str, ...]  # bodies without a path of joints to the world, each the root of its part


def span(mechanism: Mechanism) -> Tree:
    """The spanning tree; fixed joints, actuated and limited ones are preferred, joints marked `closes` avoided."""
    return _Growth(mechanism).tree


class _Growth:
    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.nodes: list[Node] = []
        self.placed: dict[str, Carried] = {WORLD: Carried(ROOT, np.eye(4))}
        self.traversed: dict[str, tuple[tuple[int, ...], bool]] = {}
        self.floating: list[str] = []
        grounding = []
        for body in mechanism.bodies:
            if body.grounded:
                start = body.start
                if start is None:
                    raise MechanismError(f"body '{body.name}' is grounded, but has no start: say where")
                grounding.append(Joint(f"ground {body.name}", "fixed", WORLD, body.name, start))
        chosen, rest = _forest([*grounding, *mechanism.joints])
        self.ways: dict[str, list[Joint]] = {}
        for joint in chosen:
            self.ways.setdefault(joint.parent, []).append(joint)
            self.ways.setdefault(joint.child, []).append(joint)
        self._walk(WORLD)
        for body in mechanism.bodies:
            if body.name not in self.placed:
                self.floating.append(body.name)
                before = np.eye(4) if body.start is None else frame_array(body.start)
                self.placed[body.name] = self._carry(self.placed[WORLD], before, KINDS["free"].moves, False)[0]
                self._walk(body.name)
        closures = [self._closure(joint) for joint in rest]
        for k, body in enumerate(mechanism.bodies):
            if body.driven:
                held = Joint(f"drive {body.name}", "fixed", WORLD, body.name)
                closures.append(Closure(held.name, held, self.placed[WORLD], self.placed[body.name], k))
        bodies = tuple(self.placed[body.name] for body in mechanism.bodies)
        self.tree = Tree(tuple(self.nodes), bodies, tuple(closures), self.traversed, tuple(self.floating))

    def _walk(self, root: str) -> None:
        waiting = [root]
        while waiting:
            here = waiting.pop(0)
            for joint in self.ways.get(here, []):
                there = joint.child if joint.parent == here else joint.parent
                if there not in self.placed:
                    self.placed[there] = self._joined(joint, here, here == joint.child)
                    waiting.append(there)

    def _joined(self, joint: Joint, here: str, is_backward: bool) -> Carried:
        near, far = (joint.in_child, joint.in_parent) if is_backward else (joint.in_parent, joint.in_child)
        moves = KINDS[joint.kind].moves
        end, made = self._carry(self.placed[here], frame_array(near), moves[::-1] if is_backward else moves, is_backward)
        self.traversed[joint.name] = (made[::-1] if is_backward else made, is_backward)
        return Carried(end.node, end.offset @ inverse(frame_array(far)))

    def _carry(self, start: Carried, before: Array, moves: Sequence[Freedom], is_backward: bool) -> tuple[Carried, tuple[int, ...]]:
        node, offset, made = start.node, start.offset @ before, []
        for move in moves:
            self.nodes.append(Node(node, offset, move, -1.0 if is_backward else 1.0))
            node, offset = len(self.nodes) - 1, np.eye(4)
            made.append(node)
        return Carried(node, offset), tuple(made)

    def _closure(self, joint: Joint) -> Closure:
        child = self.placed[joint.child]
        if joint.is_valued:
            copy = self._joined(joint, joint.parent, False)
            same = Joint(joint.name, "fixed", joint.parent, joint.child)
            return Closure(joint.name, same, copy, child)
        parent = self.placed[joint.parent]
        at_parent = Carried(parent.node, parent.offset @ frame_array(joint.in_parent))
        return Closure(joint.name, joint, at_parent, Carried(child.node, child.offset @ frame_array(joint.in_child)))


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
    return [joint for joint in joints if joint.name in chosen], [joint for joint in joints if joint.name not in chosen]


class Coordinates:
    """The tree as arrays: frames from coordinates, and their Jacobians.

    n nodes, v coordinates. A coordinate is an angle [rad] or a translation [m]; a ball has three, increments of its stored rotation.
    """

    def __init__(self, tree: Tree) -> None:
        nodes = tree.nodes
        self.count = len(nodes)
        size = self.count + 1  # the last one is the world
        self.parents = np.array([node.parent for node in nodes], np.int64)
        self.first = np.zeros(self.count, np.int64)  # each node's first coordinate
        of_node: list[int] = []
        axes: list[Array] = []
        is_turn: list[bool] = []
        shaped = np.zeros((self.count, 4, 4, 4))  # factors of 1, sine, 1 - cosine and translation
        self.balls = np.array([k for k, node in enumerate(nodes) if node.move == "ball"], np.int64)
        for k, node in enumerate(nodes):
            self.first[k] = len(of_node)
            shaped[k, 0] = node.before
            if node.move == "ball":
                of_node += [k] * 3
                axes += list(np.eye(3))
                is_turn += [True] * 3
                continue
            word, letter = node.move.split()
            axis = node.sign * np.array(AXES[letter])
            of_node.append(k)
            axes.append(axis)
            is_turn.append(word == "rotate")
            bend = np.zeros((4, 4))
            if word == "rotate":
                bend[:3, :3] = hat(axis)
                shaped[k, 1], shaped[k, 2] = node.before @ bend, node.before @ bend @ bend
            else:
                bend[:3, 3] = axis
                shaped[k, 3] = node.before @ bend
        self.shaped = shaped.reshape(self.count, 4, 16)
        self.of_node = np.array(of_node, np.int64)
        self.axes = np.array(axes).reshape(-1, 3, 1)
        self.is_turn = np.array(is_turn, bool)
        self.width = len(of_node)
        single = np.array([nodes[k].move != "ball" for k in of_node], bool)
        self.single = np.flatnonzero(single)  # coordinates that are values; the others are balls'
        turning = self.single[self.is_turn[self.single]]
        sliding = self.single[~self.is_turn[self.single]]
        self.turning, self.sliding = (run_of(turning), run_of(self.of_node[turning])), (run_of(sliding), run_of(self.of_node[sliding]))
        self.has_turns, self.has_slides = len(turning) > 0, len(sliding) > 0
        self._still = np.zeros((self.count, 1, 4))  # the factors of nodes at rest
        self._still[:, 0, 0] = 1.0
        self._held = run_of(self.of_node)
        self.ball_coordinates = self.first[self.balls][:, None] + np.arange(3)
        self.rests = shaped[self.balls, 0]
        self.carries = np.zeros((size, self.width))  # 1 where a coordinate moves a node
        for k in range(self.count):
            if self.parents[k] >= 0:
                self.carries[k] = self.carries[self.parents[k]]
            self.carries[k, self.of_node == k] = 1.0
        self.rounds = _doublings(self.parents)
        distances = [float(np.linalg.norm(node.before[:3, 3])) for node in nodes]
        distances += [float(np.linalg.norm(c.offset[:3, 3])) for closure in tree.closures for c in (closure.in_parent, closure.in_child)]
        apart = [distance for distance in distances if distance > 0.0]
        self.size = float(np.mean(apart)) if apart else 1.0  # [m] the mechanism's size: mean distance between neighbouring joints
        self.unit = np.where(self.is_turn, 1.0, self.size)  # (v,) of a step in each coordinate: 1 rad or one size
        self._turn_unit = self.is_turn.astype(float)[:, None]
        self._slide_unit = np.where(self.is_turn, 0.0, self.size)[:, None]

    def frames(self, values: Array, balls: Array) -> Array:
        """Frames (n + 1, 4, 4) of the nodes in the world, which is the last; values (v,), balls' rotations (k, 3, 3)."""
        terms = self._still.copy()
        if self.has_turns:
            coordinates, nodes = self.turning
            angle = values[coordinates]
            terms[nodes, 0, 1] = np.sin(angle)
            terms[nodes, 0, 2] = 1.0 - np.cos(angle)
        if self.has_slides:
            coordinates, nodes = self.sliding
            terms[nodes, 0, 3] = values[coordinates]
        made = np.empty((self.count + 1, 4, 4))
        made[-1] = UNMOVED
        np.matmul(terms, self.shaped, out=made[:-1].reshape(self.count, 1, 16))
        if len(self.balls):
            made[self.balls, :3, :3] = self.rests[:, :3, :3] @ balls
        for active, above in self.rounds:
            made[active] = made[above] @ made[active]
        return made

    def moved(self, values: Array, balls: Array, step: Array) -> tuple[Array, Array]:
        """Coordinates after a step (v,) in them [rad, m]."""
        if len(self.balls):
            balls = balls @ exponential(step[self.ball_coordinates])
            step = step.copy()
            step[self.ball_coordinates] = 0.0
        return values + step, balls

    def screws(self, frames: Array) -> Array:
        """Screws (2, 3, v): angular velocity, and velocity at the world's origin, of what a unit step in each coordinate moves."""
        held = frames[self._held]
        axes = (held[:, :3, :3] @ self.axes)[..., 0]
        turn, position = axes * self._turn_unit, held[:, :3, 3]
        turns, positions = np.concatenate((turn, turn), 1), np.concatenate((position, position), 1)  # x y z x y z, for cross products
        made = np.empty((2, 3, self.width))
        made[0] = turn.T
        made[1] = (positions[:, 1:4] * turns[:, 2:5] - positions[:, 2:5] * turns[:, 1:4] + axes * self._slide_unit).T
        return made


def _doublings(parents: Indices) -> list[tuple[Indices | slice, Indices]]:
    """Index pairs of the rounds in which frames are multiplied: after round k each frame is known in its 2^k-th ancestor."""
    rounds: list[tuple[Indices | slice, Indices]] = []
    above = parents.copy()
    while (above >= 0).any():
        active = np.flatnonzero(above >= 0)
        rounds.append((run_of(active), above[active]))
        further = np.full_like(above, -1)
        further[active] = above[above[active]]
        above = further
    return rounds
