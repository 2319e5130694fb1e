"""Random mechanisms, and random paths that leave their workspaces and return: cases to which nothing was
tuned.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
from limber.solvers.kinematics.rotations import X, Y, Z, about, between, from_matrix, multiply
from limber.solvers.kinematics.se3 import RigidTransform
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.goals import FrameGoal, Goals
from limber.solvers.mechanism.model import Joint, Mechanism, RigidBody
from limber.solvers.mechanism.solution import AssemblyState
from limber.solvers.mechanism.solver import MechanismSolver

FRAMES, RATE = 240, 60.0  # [Hz] frame rate, after the number of frames
FLAT = between(Z, (0.0, -1.0, 0.0))  # rotation for joints whose axes are along the world's -y
TRIES = 20  # largest number of random mechanisms until one can be assembled and moved
FASTEST = 0.05  # [sizes] largest motion per frame: a faster path would be a jump
Dice = np.random.Generator
Place = tuple[float, float, float]


def _hinge(
    name: str,
    parent: str,
    child: str,
    on_parent: Place,
    on_child: Place = (0.0, 0.0, 0.0),
    rotation=FLAT,
    **options,
) -> Joint:
    return Joint(
        name,
        "revolute",
        parent,
        child,
        RigidTransform(rotation, on_parent),
        RigidTransform(rotation, on_child),
        **options,
    )


def arm(dice: Dice) -> tuple[Mechanism, str, RigidTransform]:
    """(mechanism, body of the goal, goal's frame on it): a planar arm of two to four links, with a motor in
    each joint. The functions below return other mechanisms.
    """
    count = int(dice.integers(2, 5))
    lengths = dice.uniform(0.15, 0.4, count)
    names = ["ground", *(f"link {k}" for k in range(count))]
    bodies = (
        RigidBody("ground", start=RigidTransform(), grounded=True),
        *(RigidBody(name, 1.0) for name in names[1:]),
    )
    joints = [
        _hinge(
            f"motor {k}",
            names[k],
            names[k + 1],
            (float(lengths[k - 1]) if k else 0.0, 0.0, 0.0),
            actuated=True,
        )
        for k in range(count)
    ]
    return (
        Mechanism(bodies, tuple(joints)),
        names[-1],
        RigidTransform(position=(float(lengths[-1]), 0.0, 0.0)),
    )


def leg(dice: Dice) -> tuple[Mechanism, str, RigidTransform]:
    """A leg, as from `arm`: a hip with two axes, and a knee that a crank and a rod move."""
    thigh, shin, crank, lever = (
        dice.uniform(0.25, 0.4),
        dice.uniform(0.25, 0.4),
        dice.uniform(0.04, 0.07),
        dice.uniform(0.04, 0.07),
    )
    rod = float(thigh * dice.uniform(0.9, 1.0))
    bodies = (
        RigidBody("ground", start=RigidTransform(), grounded=True),
        *map(RigidBody, ("hip", "thigh", "shin", "crank", "rod")),
    )
    joints = (
        _hinge("roll", "ground", "hip", (0.0, 0.0, 0.0), rotation=between(Z, X), actuated=True),
        _hinge("pitch", "hip", "thigh", (0.0, 0.0, 0.0), actuated=True),
        _hinge("knee", "thigh", "shin", (float(thigh), 0.0, 0.0)),
        _hinge("crank motor", "thigh", "crank", (0.0, 0.0, 0.0), actuated=True),
        Joint(
            "rod's head",
            "universal",
            "crank",
            "rod",
            RigidTransform(FLAT, (0.0, 0.0, float(crank))),
            RigidTransform(FLAT),
        ),
        Joint(
            "rod's foot",
            "spherical",
            "rod",
            "shin",
            RigidTransform(position=(rod, 0.0, 0.0)),
            RigidTransform(position=(0.0, 0.0, float(lever))),
        ),
    )
    return Mechanism(bodies, joints), "shin", RigidTransform(position=(float(shin), 0.0, 0.0))


def five_bar(dice: Dice) -> tuple[Mechanism, str, RigidTransform]:
    """As from `arm`: two motors on the ground, whose planar arms meet."""
    base, a, b, c, d = (
        float(length) for length in dice.uniform((0.1, 0.15, 0.2, 0.2, 0.15), (0.25, 0.3, 0.4, 0.4, 0.3))
    )
    bodies = (
        RigidBody("ground", start=RigidTransform(), grounded=True),
        *map(RigidBody, ("left", "left fore", "right fore", "right")),
    )
    joints = (
        _hinge("left motor", "ground", "left", (0.0, 0.0, 0.0), actuated=True),
        _hinge("left knee", "left", "left fore", (a, 0.0, 0.0)),
        _hinge("right motor", "ground", "right", (base, 0.0, 0.0), actuated=True),
        _hinge("right knee", "right", "right fore", (d, 0.0, 0.0)),
        _hinge("tip", "left fore", "right fore", (b, 0.0, 0.0), (c, 0.0, 0.0)),
    )
    return Mechanism(bodies, joints), "left fore", RigidTransform(position=(b, 0.0, 0.0))


def four_bar(dice: Dice) -> tuple[Mechanism, str, RigidTransform]:
    """As from `arm`: a crank, a coupler and a rocker; the goal is for a point on the coupler."""
    base, crank, coupler, rocker = (
        float(length) for length in dice.uniform((0.3, 0.06, 0.25, 0.2), (0.5, 0.15, 0.45, 0.4))
    )
    bodies = (
        RigidBody("ground", start=RigidTransform(), grounded=True),
        *map(RigidBody, ("crank", "coupler", "rocker")),
    )
    joints = (
        _hinge("motor", "ground", "crank", (0.0, 0.0, 0.0), actuated=True),
        _hinge("knee", "crank", "coupler", (crank, 0.0, 0.0)),
        _hinge("pivot", "ground", "rocker", (base, 0.0, 0.0)),
        _hinge("elbow", "coupler", "rocker", (coupler, 0.0, 0.0), (rocker, 0.0, 0.0)),
    )
    return (
        Mechanism(bodies, joints),
        "coupler",
        RigidTransform(position=(0.5 * coupler, 0.0, float(dice.uniform(-0.1, 0.1)))),
    )


def platform(dice: Dice) -> tuple[Mechanism, str, RigidTransform]:
    """As from `arm`: a plate on six legs with prismatic motors, with random positions of feet and heads."""
    height = float(dice.uniform(0.3, 0.6))
    bodies = [
        RigidBody("base", start=RigidTransform(), grounded=True),
        RigidBody("plate", 1.0, start=RigidTransform(position=(0.0, 0.0, height))),
    ]
    joints = []
    for k in range(6):
        low, high = (
            math.radians(60 * k + float(dice.uniform(-15, 15))) + side * math.radians(-20 if k % 2 else 20)
            for side in (1, -1)
        )
        near, far = float(dice.uniform(0.3, 0.45)), float(dice.uniform(0.15, 0.25))
        foot = (near * math.cos(low), near * math.sin(low), 0.0)
        head = (far * math.cos(high), far * math.sin(high), 0.0)
        way = (head[0] - foot[0], head[1] - foot[1], height)
        length = math.hypot(*way)
        along = between(Z, (way[0] / length, way[1] / length, way[2] / length))
        lower, upper = f"lower {k}", f"upper {k}"
        bodies += [
            RigidBody(lower, start=RigidTransform(along, foot)),
            RigidBody(upper, start=RigidTransform(along, (*head[:2], height))),
        ]
        slides = {"lower": (-0.25 * length,), "upper": (0.25 * length,)}
        joints += [
            Joint(f"foot {k}", "universal", "base", lower, RigidTransform(along, foot)),
            Joint(
                f"motor {k}",
                "prismatic",
                lower,
                upper,
                RigidTransform(position=(0.0, 0.0, length)),
                actuated=True,
                **slides,
            ),
            Joint(f"head {k}", "spherical", upper, "plate", RigidTransform(), RigidTransform(position=head)),
        ]
    return Mechanism(tuple(bodies), tuple(joints)), "plate", RigidTransform()


def wrist(dice: Dice) -> tuple[Mechanism, str, RigidTransform]:
    """As from `arm`: five to seven joints in series, with random axes, each within a right angle of the one
    before.
    """
    count = int(dice.integers(5, 8))
    names = ["ground", *(f"link {k}" for k in range(count))]
    bodies = (
        RigidBody("ground", start=RigidTransform(), grounded=True),
        *(RigidBody(name, 1.0) for name in names[1:]),
    )
    joints, length = [], 0.0
    for k in range(count):
        rotation = multiply(
            about(Y, float(dice.uniform(0.3, 1.57))), about(Z, float(dice.uniform(0.0, math.tau)))
        )
        joints.append(
            Joint(
                f"motor {k}",
                "revolute",
                names[k],
                names[k + 1],
                RigidTransform(rotation, (length, 0.0, 0.0)),
                actuated=True,
            )
        )
        length = float(dice.uniform(0.08, 0.3))
    return Mechanism(bodies, tuple(joints)), names[-1], RigidTransform(position=(length, 0.0, 0.0))


MAKERS: dict[str, Callable[[Dice], tuple[Mechanism, str, RigidTransform]]] = {
    maker.__name__: maker for maker in (arm, leg, five_bar, four_bar, platform, wrist)
}


def cases(count: int, seed: int = 0) -> Iterator[tuple[str, MechanismSolver, AssemblyState, list[Goals]]]:
    """(name, solver, start, goals of all frames) of `count` random mechanisms, of each kind in turn. One for
    which `TRIES` draws give no case is left out.
    """
    for k in range(count):
        kind = list(MAKERS)[k % len(MAKERS)]
        dice = np.random.default_rng((seed, k))
        for _ in range(TRIES):
            case = _case(*MAKERS[kind](dice), dice)
            if case is not None:
                yield f"{kind} {k}", *case
                break


def _case(
    mechanism: Mechanism, body: str, on_body: RigidTransform, dice: Dice
) -> tuple[MechanismSolver, AssemblyState, list[Goals]] | None:
    """A case whose goals come from the body's motion with swinging motors, displaced once or twice. None if
    the mechanism cannot be assembled, or if its motors cannot swing so without a jump.
    """
    solver = MechanismSolver(mechanism)
    bent = AssemblyState(
        solver.rest().values + solver.tree.unit * dice.normal(scale=0.4, size=len(solver.tree)),
        solver.rest().balls,
    )
    first = assemble(solver, solver.rest() if "plate" in mechanism.body_index else bent)
    if not first.report.assembled:
        return None
    middle = np.array([solver.values(first.state, joint.name)[0] for joint in mechanism.actuators])
    unit = solver.tree.unit[solver.actuated]
    reach, pace, phase = (
        dice.uniform(0.05, 0.3, len(middle)) * unit,
        dice.uniform(0.5, 2.5, len(middle)),
        dice.uniform(0, 6, len(middle)),
    )
    index, offset = mechanism.body_index[body], np.array((*on_body.position, 1.0))
    is_turned = bool(dice.random() < 0.3)
    pull = np.zeros((FRAMES, 3))
    aside = dice.normal(size=3) * (
        (1.0, 1.0, 1.0)
        if body in ("plate", "shin") or mechanism.bodies[-1].name.startswith("link 4")
        else (1, 0, 1)
    )
    for _ in range(int(dice.integers(1, 3))):
        begin, length = int(dice.integers(30, 120)), int(dice.integers(20, 110))
        bump = np.sin(np.pi * np.clip((np.arange(FRAMES) - begin) / length, 0.0, 1.0)) ** int(
            dice.integers(1, 3)
        )
        pull += (
            bump[:, None] * aside / np.linalg.norm(aside) * solver.tree.size * float(dice.uniform(0.2, 1.5))
        )
    solution, goals, last = first, [], None
    start = None
    for k in range(FRAMES):
        motor_values = middle + reach * np.sin(pace * k / RATE + phase)
        solution = solver.solve(
            Goals(
                actuators={
                    j.name: (float(v),) for j, v in zip(mechanism.actuators, motor_values, strict=True)
                }
            ),
            solution.state,
        )
        position = (solution.poses[index] @ offset)[:3]
        if solution.report.goal_error > 1e-6 or (
            last is not None and np.linalg.norm(position - last) > FASTEST * solver.tree.size
        ):
            return None
        start, last = start or AssemblyState(solution.state.values, solution.state.balls), position
        rotation = from_matrix(solution.poses[index][:3, :3].tolist()) if is_turned else None
        target = position + pull[k]
        goals.append(
            Goals(
                (FrameGoal(body, on_body, (float(target[0]), float(target[1]), float(target[2])), rotation),)
            )
        )
    assert start is not None
    return solver, start, goals
