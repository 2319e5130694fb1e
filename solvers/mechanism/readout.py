"""Joint values and tree coordinates for given poses of bodies."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..kinematics.se3 import Array, RigidTransform, frame_array, inverse, logarithm
from .kinds import KINDS
from .model import WORLD, Mechanism
from .tree import Passage, SpanningTree


def moves_of(kind: str, relative: Array) -> list[Any]:
    """Displacement of each elementary joint ([rad], [m] or a ball's rotation (3, 3)) that a joint consists
    of, from the child's frame (4, 4) in the parent's.

    If the frames violate the joint, the values are the nearest ones, separately for each degree of freedom.
    """
    rotation, position = relative[:3, :3], relative[:3, 3]
    displacements: list[Any] = []
    for move in KINDS[kind].moves:
        if move == "ball":
            displacements.append(rotation)
        elif move.startswith("translate"):
            displacements.append(float(position["xyz".index(move[-1])]))
        elif kind == "universal":  # rotation about x, then about y
            displacements.append(
                float(
                    np.arctan2(rotation[2, 1], rotation[1, 1])
                    if move == "rotate x"
                    else np.arctan2(rotation[0, 2], rotation[0, 0])
                )
            )
        else:
            displacements.append(
                float(np.arctan2(rotation[1, 0] - rotation[0, 1], rotation[0, 0] + rotation[1, 1]))
            )
    return displacements


def coordinates_at(
    mechanism: Mechanism, tree: SpanningTree, poses: Mapping[str, RigidTransform]
) -> tuple[Array, Array]:
    """Values (v,) and balls' rotations (b, 3, 3) that come nearest to the given poses of bodies in the world;
    zero for joints of bodies without a given pose, and identity for their balls.
    """
    values, balls = np.zeros(len(tree)), np.tile(np.eye(3), (len(tree.balls), 1, 1))
    known = {name: frame_array(pose) for name, pose in poses.items()} | {WORLD: np.eye(4)}

    def put(passage: Passage, kind: str, relative: Array) -> None:
        moves = moves_of(kind, relative)
        values[passage.coordinates] = moves[: len(passage.coordinates)]
        if passage.ball >= 0:
            balls[passage.ball] = moves[-1].T if passage.is_backward else moves[-1]

    for name, passage in tree.passages.items():
        joint = mechanism.joint.get(name)
        if passage.joints and joint is not None and joint.parent in known and joint.child in known:
            at_parent = known[joint.parent] @ frame_array(joint.in_parent)
            put(passage, joint.kind, inverse(at_parent) @ known[joint.child] @ frame_array(joint.in_child))
    for name, passage in tree.floating.items():
        if name in known:
            start = mechanism.bodies[mechanism.body_index[name]].start
            put(passage, "free", known[name] if start is None else inverse(frame_array(start)) @ known[name])
    return values, balls


def values_of(tree: SpanningTree, name: str, values: Array, balls: Array) -> tuple[float, ...]:
    """Values [rad, m] of a joint of the tree, continuous over full rotations; for a ball joint the rotation
    vector, shorter than pi.
    """
    passage = tree.passages[name]
    coordinates: list[float] = values[passage.coordinates].tolist()
    if passage.ball >= 0:
        rotation = balls[passage.ball]
        coordinates += logarithm(rotation.T if passage.is_backward else rotation).tolist()
    return tuple(coordinates)
