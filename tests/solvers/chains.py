"""Chains and goals for the solvers' tests: the paper's skeletons, a lamp, and chains with random axes,
positions and limits.
"""

import math
import random

import numpy as np
from limber.solvers.goals import Aim, Direction, Frame, Orientation, Point, Position, PositionAndDirection
from limber.solvers.kinematics.rotations import (
    IDENTITY,
    Quaternion,
    Vector,
    X,
    Y,
    Z,
    about,
    add,
    normalized,
    rotate,
    scale,
    unit,
)
from limber.solvers.kinematics.skeleton import End, Joint, Skeleton

from benchmarks.paper import pairs_of, skeleton_of

__all__ = [
    "aim_that_can_be_met", "any_chain", "any_direction", "any_turn", "lamp", "pairs_of", "posture_of", "shared_places", "skeleton_of",
    "unit_chain",
]  # fmt: skip


def any_direction(draw: random.Random) -> Vector:
    return unit((draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1)))


def any_turn(draw: random.Random) -> Quaternion:
    return normalized((draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1)))


def any_chain(draw: random.Random, count: int) -> Skeleton:
    """A chain with random unit axes and rest transforms, zero-length links, limits that may exclude zero, and
    sometimes a joint that cannot move.
    """
    joints = []
    for k in range(count):
        lower = draw.uniform(-math.pi, 1.0)
        upper = lower if draw.random() < 0.1 else draw.uniform(lower, math.pi)
        offset = (0.0, 0.0, 0.0) if draw.random() < 0.3 else scale(any_direction(draw), 0.2)
        joints.append(Joint(f"bone {k}", k - 1, any_turn(draw), offset, any_direction(draw), lower, upper))
    return Skeleton(tuple(joints), any_turn(draw), scale(any_direction(draw), draw.choice([0.0, 0.1])))


def unit_chain(axes: str, reach: float, length: float = 1.0) -> Skeleton:
    """A chain of links along +Y, whose joint k rotates about axis k of its own frame, by `reach` [rad] to
    each side.
    """
    names = {"X": X, "Y": Y, "Z": Z}
    return Skeleton(
        tuple(
            Joint(f"{axis}{k}", k - 1, IDENTITY, (0.0, length if k else 0.0, 0.0), names[axis], -reach, reach)
            for k, axis in enumerate(axes)
        )
    )


def lamp() -> Skeleton:
    """A desk lamp that stands along Z: base yaw, two bends, head pitch and head roll; the head looks along
    its own Y.
    """
    reach = math.radians(100)
    return Skeleton(
        (
            Joint("base", -1, IDENTITY, (0.0, 0.0, 0.05), Z, -math.pi, math.pi),
            Joint("lower arm", 0, IDENTITY, (0.0, 0.0, 0.06), X, -reach, reach),
            Joint("upper arm", 1, IDENTITY, (0.0, 0.0, 0.22), X, -reach, reach),
            Joint("head pitch", 2, IDENTITY, (0.0, 0.0, 0.2), X, -reach, reach),
            Joint("head roll", 3, IDENTITY, (0.0, 0.02, 0.0), Y, -reach, reach),
        ),
        IDENTITY,
        (0.0, 0.06, 0.0),
    )


def shared_places(groups: int, reach: float = 0.6) -> Skeleton:
    """A spine: three joints (X, Y, Z) at each position, as bones with three unlocked axes give; the head
    looks sideways.
    """
    joints = []
    for k in range(3 * groups):
        joints.append(
            Joint(
                f"bone {k // 3} {'XYZ'[k % 3]}",
                k - 1,
                IDENTITY,
                (0.0, 0.0, 0.0 if k % 3 else 0.1),
                (X, Y, Z)[k % 3],
                -reach,
                reach,
            )
        )
    return Skeleton(tuple(joints), about(Z, -math.pi / 2), (0.05, 0.0, 0.0))


def aim_that_can_be_met(draw: random.Random, chain: Skeleton, kind: str, up: Vector | None = None) -> Aim:
    """The aim of some pose within limits, of kind "orientation", "direction" or "point" (farther than two
    chain lengths).
    """
    pose = chain.forward(
        [draw.uniform(lower, upper) for lower, upper in zip(chain.lower, chain.upper, strict=True)]
    )
    view = rotate(pose.tool_rotation, Y)
    if kind == "orientation":
        return Orientation(pose.tool_rotation)
    if kind == "direction":
        return Direction(view, up)
    return Point(add(pose.tool_position, scale(view, 2.5 * chain.reach + 0.5)), up)


def posture_of(draw: random.Random, chain: Skeleton) -> np.ndarray:
    return np.array(
        [draw.uniform(lower, upper) for lower, upper in zip(chain.lower, chain.upper, strict=True)]
    )


def tree(draw: random.Random) -> Skeleton:
    """A trunk of two joints, with two arms of three joints."""
    joints = [
        Joint("trunk 0", -1, IDENTITY, (0.0, 0.0, 0.0), Z, -2.0, 2.0),
        Joint("trunk 1", 0, IDENTITY, (0.0, 0.0, 0.3), X, -1.0, 1.0),
    ]
    ends = []
    for side in (-1.0, 1.0):
        for k in range(3):
            parent = 1 if k == 0 else len(joints) - 1
            joints.append(
                Joint(
                    f"arm {side:+.0f} {k}",
                    parent,
                    any_turn(draw),
                    (0.1 * side, 0.0, 0.25),
                    any_direction(draw),
                    -2.0,
                    2.0,
                )
            )
        ends.append(End(len(joints) - 1, IDENTITY, (0.0, 0.1, 0.0), f"hand {side:+.0f}"))
    return Skeleton(tuple(joints), ends[0].rotation, ends[0].offset, ends[0].joint, (ends[1],))


def aims_of(chain: Skeleton, angles) -> dict[str, object]:
    """An aim of each kind that these angles meet."""
    pose = chain.forward(angles)
    turned, position = pose.tool_rotation, pose.tool_position
    view, up = rotate(turned, Y), rotate(turned, Z)
    near, far = (add(position, scale(view, share * chain.reach)) for share in (0.3, 3.0))
    return {
        "orientation": Orientation(turned),
        "direction": Direction(view),
        "direction up": Direction(view, up),
        "point": Point(far),
        "near point": Point(near),
        "point up": Point(far, up),
        "position": Position(position),
        "frame": Frame(position, turned),
        "position and direction": PositionAndDirection(position, view),
        "position and direction up": PositionAndDirection(position, view, up),
    }
