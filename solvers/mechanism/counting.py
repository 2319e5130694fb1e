"""Mobility, redundancy and locked actuators of a mechanism at a pose."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kinematics.se3 import Array
from ..tolerances import MET, TINY
from .clusters import RANK
from .descent import PROBE
from .goals import Goals
from .solution import AssemblyState
from .solver import MechanismSolver


@dataclass(frozen=True)
class Counts:
    """Mobility of a mechanism at one pose, from the rank of its loop constraints."""

    coordinates: int  # number of the tree's coordinates
    rows: int  # number of loop constraints
    rank: int  # rank of the loop constraints
    mobility: int  # degrees of freedom of the mechanism
    redundancy: int  # number of redundant constraints
    actuators: int
    independent_actuators: int  # number of actuator values that can be set independently
    free_dofs: int  # degrees of freedom that remain with every actuator fixed
    undetermined: tuple[str, ...]  # names of the bodies that the free DoF move; a solve keeps them still


def count(solver: MechanismSolver, state: AssemblyState) -> Counts:
    """Degrees of freedom and constraints of a mechanism at an assembled pose; at a singular pose the
    mobility is larger than elsewhere.
    """
    loops, twists = linearised(solver, state)
    width = len(solver.tree)
    rank = _rank(loops)
    directions = null_space(loops, width)
    actuated = np.zeros((len(solver.actuated), width))
    actuated[np.arange(len(solver.actuated)), solver.actuated] = 1.0
    left = null_space(np.vstack((loops, actuated)), width)
    moved = np.abs(twists @ left).max((1, 2), initial=0.0) > MET
    names = tuple(body.name for body, moves in zip(solver.mechanism.bodies, moved, strict=True) if moves)
    independent = _rank(actuated @ directions) if directions.size else 0
    return Counts(
        width,
        len(loops),
        rank,
        width - rank,
        len(loops) - rank,
        len(solver.actuated),
        independent,
        left.shape[1],
        names,
    )


def locked_actuators(solver: MechanismSolver, state: AssemblyState) -> tuple[int, ...]:
    """Indices, among all actuators' values, of those that the loops lock. At a dead centre a motor moves
    nothing to first order. Therefore the mechanism is moved a little, if it can move, and only an actuator
    that is immobile there, too, counts as locked.
    """
    directions = null_space(linearised(solver, state)[0], len(solver.tree))
    is_locked = _is_still(solver, directions)
    if is_locked.any() and directions.shape[1]:
        step = directions @ np.random.default_rng(0).normal(size=directions.shape[1])
        step *= PROBE / np.abs(step).max()
        values, balls = solver.tree.moved(state.values, state.balls, step * solver.tree.unit)
        beside = solver.solve(Goals(), AssemblyState(np.clip(values, solver.lower, solver.upper), balls))
        if beside.report.assembled:
            is_locked &= _is_still(solver, null_space(linearised(solver, beside.state)[0], len(solver.tree)))
    return tuple(np.flatnonzero(is_locked).tolist())


def _is_still(solver: MechanismSolver, directions: Array) -> NDArray[np.bool_]:
    """Which actuators (m,) take part in none of the motions `directions` (v, k)."""
    still: NDArray[np.bool_] = np.abs(directions[solver.actuated]).max(1, initial=0.0) < MET
    return still


def linearised(solver: MechanismSolver, state: AssemblyState) -> tuple[Array, Array]:
    """Jacobian (r, v) of the loops' residuals, and Jacobian (b, 6, v) of the bodies' angular and linear
    velocities.

    Both are derivatives per unit step of the coordinates: 1 rad, or the mechanism's size for prismatic
    joints. Linear velocities are in sizes.
    """
    tree = solver.tree
    frames = tree.forward(state.values, balls=state.balls)
    angular, linear = screws = tree.screws(frames)
    loops = solver.loops.linear(frames, screws, solver.driven_poses(Goals()))[1]
    carries = tree.carries[tree.carriers[tree.bodies]][:, None, :]
    across = np.cross(angular.T[None], tree.placed(frames, tree.bodies)[:, None, :3, 3]).transpose(0, 2, 1)
    twists = (
        np.concatenate((np.broadcast_to(angular, across.shape), (linear + across) / tree.size), 1) * carries
    )
    return loops, twists


def _rank(rows: Array) -> int:
    """Rank of a matrix (r, v): the number of its singular values above `RANK` times the largest."""
    if not rows.size:
        return 0
    sizes = np.linalg.svd(rows, compute_uv=False)
    return int((sizes > RANK * max(sizes[0], TINY)).sum())


def null_space(rows: Array, width: int) -> Array:
    """Orthonormal basis (v, k) of the null space of a matrix (r, v); `width` is v."""
    if not rows.size:
        return np.eye(width)
    _, sizes, directions = np.linalg.svd(rows)
    return directions[int((sizes > RANK * max(sizes[0], TINY)).sum()) :].T
