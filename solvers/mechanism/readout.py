"""Joint values and tree coordinates from poses of bodies. Knows no Blender."""

from collections.abc import Mapping

import numpy as np

from ..kinematics.se3 import Array, Frame, frame_array, inverse, logarithm
from .kinds import KINDS
from .model import WORLD, Mechanism
from .tree import Coordinates, Tree


def moves_of(kind: str, relative: Array) -> list[float | Array]:
    """Displacement of each elementary move of a joint ([rad], [m] or a ball's rotation (3, 3)), from the child's frame (4, 4) in the
    parent's.

    If the frames violate the joint, the nearest values, separately for each degree of freedom.
    """
    turn, position = relative[:3, :3], relative[:3, 3]
    found: list[float | Array] = []
    for move in KINDS[kind].moves:
        if move == "ball":
            found.append(turn)
        elif move.startswith("translate"):
            found.append(float(position["xyz".index(move[-1])]))
        elif kind == "universal":  # rotation = about x, then about y
            found.append(float(np.arctan2(turn[2, 1], turn[1, 1]) if move == "rotate x" else np.arctan2(turn[0, 2], turn[0, 0])))
        else:
            found.append(float(np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])))
    return found


def coordinates_at(mechanism: Mechanism, tree: Tree, coordinates: Coordinates, poses: Mapping[str, Frame]) -> tuple[Array, Array]:
    """Values (v,) and balls' rotations (k, 3, 3) nearest to poses of bodies in the world; zero where a body's pose is not given."""
    values = np.zeros(coordinates.width)
    balls = np.tile(np.eye(3), (len(coordinates.balls), 1, 1))
    place_of_ball = {int(node): k for k, node in enumerate(coordinates.balls)}
    known = {name: frame_array(pose) for name, pose in poses.items()} | {WORLD: np.eye(4)}

    def put(nodes: tuple[int, ...], kind: str, relative: Array, is_backward: bool) -> None:
        for node, moved in zip(nodes, moves_of(kind, relative), strict=True):
            if isinstance(moved, float):
                values[coordinates.first[node]] = moved
            else:
                balls[place_of_ball[node]] = moved.T if is_backward else moved

    for name, (nodes, is_backward) in tree.traversed.items():
        joint = mechanism.joint.get(name)
        if nodes and joint is not None and joint.parent in known and joint.child in known:
            at_parent = known[joint.parent] @ frame_array(joint.in_parent)
            put(nodes, joint.kind, inverse(at_parent) @ known[joint.child] @ frame_array(joint.in_child), is_backward)
    for name in tree.floating:
        if name in known:
            last = tree.bodies[mechanism.body_index[name]].node
            first = last - len(KINDS["free"].moves) + 1
            before = inverse(tree.nodes[first].before)
            put(tuple(range(first, last + 1)), "free", before @ known[name], False)
    return values, balls


def values_of(tree: Tree, coordinates: Coordinates, name: str, values: Array, balls: Array) -> tuple[float, ...]:
    """A tree joint's values [rad, m] continuous over full rotations; a ball's is its rotation vector, shorter than pi."""
    nodes, is_backward = tree.traversed[name]
    found: list[float] = []
    for node in nodes:
        if tree.nodes[node].move == "ball":
            turn = balls[int(np.flatnonzero(coordinates.balls == node)[0])]
            found += (logarithm(turn.T if is_backward else turn)).tolist()
        else:
            found.append(float(values[coordinates.first[node]]))
    return tuple(found)
