"""Random mechanisms and calls for `benchmarks.kernel_fuzz`: bars without length, loops that cannot close,
dead points, equal limits, and invalid numbers.
"""

import math

import numpy as np
from limber.solvers.kinematics.se3 import RigidTransform, exponential
from limber.solvers.mechanism.compiled import CompiledSolve
from limber.solvers.mechanism.goals import Goals, RegulariserWeights
from limber.solvers.mechanism.kinds import KINDS, Kind
from limber.solvers.mechanism.model import Joint, Mechanism, RigidBody
from limber.solvers.mechanism.solution import AssemblyState
from limber.solvers.mechanism.solver import MechanismSolver

from .kernel_fuzz_numbers import number, unit, vector

LENGTHS = (0.0, 1.0, 1e-9, 1e-300, 1e6)  # [m] lengths of bars, each multiplied by a random number
MOST_BODIES = 9  # exclusive bound of the number of bodies
TINY_STEPS = (1 / 60, 1e-12, 1e7)  # [s] durations of frames, some of them extreme
MOST_STEPS = 30  # exclusive bound of the number of steps of a solve
# number of kinds of tasks that the kernel knows, numbered from 0; a few random tasks have an invalid number
KINDS_OF_TASKS = 6


def mechanism_of(draw: np.random.Generator) -> Mechanism:
    """A random mechanism: a tree of bodies, and joints that close loops."""
    count = int(draw.integers(1, MOST_BODIES))
    names = ["", *(f"body {k}" for k in range(count))]
    bodies = tuple(
        RigidBody(
            name, float(draw.choice([0.0, 1.0, 1e-300])), vector_of(draw, 1.0), RigidTransform(unit(draw, 4))
        )
        for name in names[1:]
    )
    joints = []
    for k in range(1, count + 1):
        joints.append(_joint(draw, f"joint {k}", names[int(draw.integers(k))], names[k]))
    for k in range(int(draw.integers(4))):
        parent, child = draw.choice(len(names), 2, replace=False).tolist() if count else (0, 1)
        if child:
            joints.append(_joint(draw, f"closure {k}", names[parent], names[child]))
    return Mechanism(bodies, tuple(joints))


def vector_of(draw: np.random.Generator, size: float) -> tuple[float, float, float]:
    x, y, z = (size * draw.normal(size=3)).tolist()
    return (x, y, z)


def _joint(draw: np.random.Generator, name: str, parent: str, child: str) -> Joint:
    kind: Kind = draw.choice([kind for kind in KINDS if kind not in ("fixed", "free")])
    frames = [
        RigidTransform(
            unit(draw, 4), vector_of(draw, float(draw.choice(LENGTHS, p=(0.1, 0.7, 0.1, 0.05, 0.05))))
        )
        for _ in range(2)
    ]
    count = len(KINDS[kind].freedoms)
    limits: tuple[tuple[float, ...], ...] = ((), (), ())
    if draw.random() < 0.3:
        most = draw.choice([0.0, 0.3, math.inf], count)
        speed = draw.choice([0.0, 1.0, math.inf], count)
        limits = (tuple((-most).tolist()), tuple(most.tolist()), tuple(speed.tolist()))
    return Joint(name, kind, parent, child, *frames, *limits, actuated=bool(draw.random() < 0.4))


def solve(draw: np.random.Generator, solver: MechanismSolver) -> list[np.ndarray]:
    """Makes two random solves, one after the other; returns the results, which must be finite."""
    compiled = solver.compiled
    assert compiled is not None
    tasks = b"".join(np.array(_goal(draw, compiled), float).tobytes() for _ in range(int(draw.integers(5))))
    v, balls = compiled.mechanism.counts
    values = np.array(vector(draw, v)) if draw.random() < 0.5 else draw.normal(size=v)
    start = AssemblyState(values, exponential(draw.normal(size=(balls, 3))), abs(number(draw)))
    weights = RegulariserWeights(*draw.choice([0.0, 0.1, 1.0], 3).tolist())
    goals = Goals(regulariser_weights=weights, counts_full_rotations=bool(draw.integers(2)))
    dt = float(draw.choice(TINY_STEPS)) if draw.random() < 0.7 else None
    task = compiled.task
    task.iterations, task.continues = int(draw.integers(MOST_STEPS)), int(draw.integers(2))
    task.evaluations = int(draw.integers(-1, 20))
    results: list[np.ndarray] = []
    for _ in range(2):
        closes_only = bool(draw.random() < 0.1)
        start, poses = compiled.solve(tasks, goals, {}, dt, start, closes_only)
        results = [start.values, start.balls, poses, np.array((task.residual, task.goal_error))]
    return results


def _goal(draw: np.random.Generator, compiled: CompiledSolve) -> list[float]:
    """The numbers of a random, unchecked goal."""
    v, balls = compiled.mechanism.counts
    kind = float(draw.integers(KINDS_OF_TASKS)) if draw.random() < 0.98 else number(draw)
    most = {4.0: v, 5.0: balls}.get(kind, len(compiled.tree.parents))
    index = float(draw.integers(-1, max(most, 1) + (draw.random() < 0.02)))
    rotations = [exponential(draw.normal(size=3)).ravel().tolist() for _ in range(2)]
    target = list(rotations[0]) if kind not in (0.0, 3.0, 4.0) else [*vector(draw, 3), *(0.0,) * 6]
    roots = np.abs(np.array(vector(draw, 3))).tolist()
    return [kind, index, *rotations[1], *vector(draw, 3), *roots, *target]
