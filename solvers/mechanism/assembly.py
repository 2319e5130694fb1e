"""Assembles a mechanism from an open pose: from rest poses, joints at zero, or random starts."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..kinematics.se3 import Array
from ..least_squares.bounded_step import MAX_ITERATIONS
from ..tasks import Kinematics
from ..tolerances import MET
from .descent import Descent
from .goals import Goals
from .loops import Loops
from .solution import AssemblyState, MechanismSolution
from .solver import MechanismSolver

TRIES = 60  # number of starts, including the given one
# [rad or sizes] smallest and largest standard deviation of the coordinates of random starts from the given
# one
NEAREST, FARTHEST = 0.1, 1.6
NO_GOALS = Goals()


def assemble(
    solver: MechanismSolver,
    start: AssemblyState | None = None,
    goals: Goals = NO_GOALS,
    tries: int = TRIES,
    seed: int = 0,
) -> MechanismSolution:
    """Searches a pose of the mechanism with closed loops, from `start` and then from random poses around it,
    first near and then far.

    Args:
        solver: Solver of the mechanism.
        start: First pose to search from; None: the bodies' rest poses.
        goals: Goals that decide between several assemblies: the one with the least task error is chosen;
            without goals, the first one found, which is near the start.
        tries: Maximum number of starts, including the given one, which is always tried.
        seed: Seed of the random starts: the same seed finds the same assembly.

    Returns:
        The best solution found. If `report.assembled` is False, the loops could be closed from no start, and
        `report.worst` names the worst joint.

    Raises:
        MechanismError: as `MechanismSolver.solve`.
    """
    start = _by_full_rotations(solver, solver.rest() if start is None else start, goals)
    dice = np.random.default_rng(seed)
    best: MechanismSolution | None = None
    for k in range(max(tries, 1)):
        tried = (
            start if k == 0 else _elsewhere(solver, start, dice, NEAREST + (FARTHEST - NEAREST) * k / tries)
        )
        solution = solver.solve(goals, _closed(solver, tried, goals), iterations=MAX_ITERATIONS)
        if best is None or _rank(solution) < _rank(best):
            best = solution
        if solution.report.assembled and solution.report.goal_error < MET:
            break
    assert best is not None
    return best


def _rank(solution: MechanismSolution) -> tuple[float, float]:
    """Numbers by which solutions are compared, lower is better: residual of the loops, then task error."""
    return max(solution.report.residual, MET), solution.report.goal_error


def _elsewhere(
    solver: MechanismSolver, start: AssemblyState, dice: np.random.Generator, spread: float
) -> AssemblyState:
    """A random state around a start, within limits; `spread` [rad or sizes] is the standard deviation of each
    coordinate that a loop depends on.
    """
    tree = solver.tree
    step = spread * dice.normal(size=len(tree)) * tree.unit * solver.loops.matters
    values, balls = tree.moved(start.values, start.balls, step)
    return AssemblyState(np.clip(values, solver.lower, solver.upper), balls)


class _Gaps:
    """The loops' gaps as task errors for assembly (Schumacher et al. 2021, eq. 1)."""

    def __init__(self, loops: Loops, driven: Mapping[int, Array]) -> None:
        self.loops, self.driven = loops, driven

    def linear(self, at: Kinematics) -> tuple[Array, Array]:
        return self.loops.linear(at.frames, at.screws, self.driven)


def _closed(solver: MechanismSolver, start: AssemblyState, goals: Goals) -> AssemblyState:
    """The state after Levenberg-Marquardt steps that close the loops within limits, without regard
    to goals.
    """
    if solver.compiled is not None:
        return solver.closed_by_kernel(solver.compiled, start, goals, MAX_ITERATIONS)
    gaps = _Gaps(solver.loops, solver.driven_poses(goals))
    descent = Descent(
        solver.tree, Loops(solver.tree, ()), (gaps,), {}, (solver.lower, solver.upper), start.damping
    )
    configuration, _, _ = descent.go(descent.evaluate(start.values, start.balls), MAX_ITERATIONS)
    return AssemblyState(configuration.values, configuration.balls)


def _by_full_rotations(solver: MechanismSolver, start: AssemblyState, goals: Goals) -> AssemblyState:
    """The start with its actuators moved by full rotations to the commanded number of rotations, if limits
    allow.
    """
    values = start.values.copy()
    for name, desired in goals.actuators.items():
        for k, value in zip(solver.tree.passage(name).coordinates.tolist(), desired, strict=False):
            if not solver.tree.slides[k]:
                turned = values[k] + math.tau * round((value - values[k]) / math.tau)
                if solver.lower[k] <= turned <= solver.upper[k]:
                    values[k] = turned
    return replace(start, values=values)
