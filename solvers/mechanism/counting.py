"""What a mechanism can do at a pose: mobility, redundancy, what its actuators leave open, and whether it flipped. Knows no Blender."""

import numpy as np
from numpy.typing import NDArray

from .frames import Array
from .goals import Goals
from .report import Counts
from .solver import MechanismSolver, State

# Of the largest singular value. Rows that count have 1e-3 and more away from singular poses, those of a hinge that is off by .01 degrees
# have 2e-5; what single precision leaves of rows that say the same is below 1e-6.
RANK = 1e-5
STILL = 1e-6  # [rad or sizes] a body that a unit motion of the whole moves less stands still
FURTHER = 0.05  # [rad or sizes] past a dead centre


def count(solver: MechanismSolver, state: State) -> Counts:
    """Count at one assembled pose; at a singular one the mobility is larger than elsewhere."""
    loops, twists = linearised(solver, state)
    width = solver.coordinates.width
    rank = _rank(loops)
    ways = null_space(loops, width)
    actuated = np.zeros((len(solver.actuated), width))
    actuated[np.arange(len(solver.actuated)), solver.actuated] = 1.0
    left = null_space(np.vstack((loops, actuated)), width)
    moved = np.abs(twists @ left).max((1, 2), initial=0.0) > STILL
    names = tuple(body.name for body, moves in zip(solver.mechanism.bodies, moved, strict=True) if moves)
    independent = _rank(actuated @ ways) if ways.size else 0
    return Counts(width, len(loops), rank, width - rank, len(loops) - rank, len(solver.actuated), independent, left.shape[1], names)


def locked_actuators(solver: MechanismSolver, state: State) -> tuple[int, ...]:
    """Places, among all actuators' values, of those that the loops hold fast.

    At a dead centre a motor moves nothing at first, either; so where others can move, they take the mechanism a little further, and only
    what stands still there as well is locked.
    """
    ways = null_space(linearised(solver, state)[0], solver.coordinates.width)
    is_locked = _is_still(solver, ways)
    if is_locked.any() and ways.shape[1]:
        step = ways @ np.random.default_rng(0).normal(size=ways.shape[1])
        step *= FURTHER / np.abs(step).max()
        values, balls = solver.coordinates.moved(state.values, state.balls, step * solver.coordinates.unit)
        beside = solver.solve(Goals(), State(np.clip(values, solver.lower, solver.upper), balls))
        if beside.report.assembled:
            is_locked &= _is_still(solver, null_space(linearised(solver, beside.state)[0], solver.coordinates.width))
    return tuple(np.flatnonzero(is_locked).tolist())


def _is_still(solver: MechanismSolver, ways: Array) -> NDArray[np.bool_]:
    """Which actuators (m,) have no part in any way to move (v, k)."""
    still: NDArray[np.bool_] = np.abs(ways[solver.actuated]).max(1, initial=0.0) < STILL
    return still


def linearised(solver: MechanismSolver, state: State) -> tuple[Array, Array]:
    """The loops' derivative (r, v), and bodies' turns and velocities (b, 6, v) by unit steps."""
    frames = solver.coordinates.frames(state.values, state.balls)
    turn, moment = screws = solver.coordinates.screws(frames)
    loops = solver.loops.linear(frames, screws, solver.driven_poses(Goals()))[1]
    poses = solver.poses(state)
    carries = solver.coordinates.carries[[body.node for body in solver.tree.bodies]][:, None, :]
    across = np.cross(turn.T[None], poses[:, None, :3, 3]).transpose(0, 2, 1)
    twists = np.concatenate((np.broadcast_to(turn, across.shape), (moment + across) / solver.coordinates.size), 1) * carries
    return loops, twists


def _rank(rows: Array) -> int:
    if not rows.size:
        return 0
    sizes = np.linalg.svd(rows, compute_uv=False)
    return int((sizes > RANK * max(sizes[0], 1e-300)).sum())


def null_space(rows: Array, width: int) -> Array:
    """(v, k) orthonormal directions that leave all rows (r, v) alone."""
    if not rows.size:
        return np.eye(width)
    _, sizes, ways = np.linalg.svd(rows)
    return ways[int((sizes > RANK * max(sizes[0], 1e-300)).sum()) :].T
