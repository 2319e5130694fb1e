"""Whole bodies for tests: a manikin with three hinges per joint, random trees, the targets that a pose meets,
and a wave to follow.
"""

import math
import random

import numpy as np
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z
from limber.solvers.kinematics.se3 import exponential
from limber.solvers.kinematics.skeleton import End, Joint
from limber.solvers.whole_body.body import Body
from limber.solvers.whole_body.solver import WholeBody
from limber.solvers.whole_body.state import KinematicState, at_rest
from limber.solvers.whole_body.targets import Target, Values

from tests.solvers.chains import any_direction, any_turn, posture_of
from tests.solvers.test_skeleton import any_tree

DT = 1.0 / 60.0  # [s] duration of a frame
DEGREE = math.radians(1.0)
# part -> (its parent, its position in the parent [m])
PARTS = {
    "spine": ("pelvis", (0.0, 0.0, 0.2)),
    "chest": ("spine", (0.0, 0.0, 0.2)),
    "head": ("chest", (0.0, 0.0, 0.3)),
    "left arm": ("chest", (0.0, 0.2, 0.2)),
    "left forearm": ("left arm", (0.0, 0.3, 0.0)),
    "right arm": ("chest", (0.0, -0.2, 0.2)),
    "right forearm": ("right arm", (0.0, -0.3, 0.0)),
    "left leg": ("pelvis", (0.0, 0.1, 0.0)),
    "left foot": ("left leg", (0.0, 0.0, -0.8)),
    "right leg": ("pelvis", (0.0, -0.1, 0.0)),
    "right foot": ("right leg", (0.0, 0.0, -0.8)),
}
LINKS = ("pelvis", *PARTS)
TRACKED = (*(Target(link) for link in LINKS), Target("pelvis", "position"))


def manikin(reach: float = 10.0, floating: bool = True, **more) -> Body:
    """A body with 33 joints, each with the range `reach` [rad] to both sides."""
    joints, carriers = [], {"pelvis": -1}
    for part, (above, position) in PARTS.items():
        for k, (letter, axis) in enumerate(zip("xyz", (X, Y, Z), strict=True)):
            parent = carriers[above] if k == 0 else len(joints) - 1
            joints.append(
                Joint(
                    f"{part} {letter}",
                    parent,
                    IDENTITY,
                    position if k == 0 else (0.0, 0.0, 0.0),
                    axis,
                    -reach,
                    reach,
                )
            )
        carriers[part] = len(joints) - 1
    return Body(joints, [End(carrier, name=link) for link, carrier in carriers.items()], floating, **more)


def random_body(draw: random.Random, count: int) -> tuple[Body, "object", np.ndarray]:
    """A random tree with a prismatic joint, as a body and as a skeleton, and a posture of it."""
    tree = any_tree(draw, count)
    links = [End(end.joint, end.rotation, end.offset, f"link {k}") for k, end in enumerate(tree.ends)]
    body = Body(tree.joints, [*links, End(-1, any_turn(draw), any_direction(draw), "base")])
    return body, tree, np.array(posture_of(draw, tree))


def asks(body: Body, state: KinematicState, targets=TRACKED) -> Values:
    """The values of targets that a state meets."""
    names = [
        [target.link for target in targets if target.kind == kind] for kind in ("orientation", "position")
    ]
    turning, placed = (body.placed(state.frames, body.link_indices(group)) for group in names)
    return Values(turning[:, :3, :3], placed[:, :3, 3] + state.base_position)


def wave(body: Body, time: float, size: float = 0.5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A smooth motion: joints (n,), base rotation (3, 3) and position (3,) at a time [s]."""
    phases = np.arange(len(body)) * 1.7
    joints = size * np.sin(2.0 * time + phases) * np.cos(phases)
    return (
        joints,
        exponential(np.array([0.1 * np.sin(time), 0.1, 0.9 * time])),
        np.array([0.4 * time, 0.1 * np.sin(time), 1.0]),
    )


def pose(solver: WholeBody, time: float, size: float = 0.5):
    return at_rest(solver.body, *wave(solver.body, time, size))


def follow(solver: WholeBody, steps: int, size: float = 0.5, state=None, change=None):
    """Follows the wave; yields each step's values, solution and state."""
    state = state or solver.start(
        base_rotation=wave(solver.body, 0.0)[1], base_position=wave(solver.body, 0.0)[2]
    )
    for k in range(steps):
        values = asks(solver.body, pose(solver, k * DT, size), solver.targets)
        if change:
            values = change(k, values)
        solution, state = solver.step(values, state, DT)
        yield values, solution, state


def worst(solver, values, state) -> float:
    """Largest orientation error [rad] of a target."""
    return float(np.nanmax(solver.missed(values, state)[0]))
