"""What a mechanism can do at a pose: mobility, redundancy, what its actuators leave open, and whether it flipped. Knows no Blender."""

import numpy as np

from .branches import RANK, is_another
from .frames import Array
from .goals import Goals
from .report import Counts
from .solver import MechanismSolver, State

STILL = 1e-6  # [rad or sizes] a body that a unit motion of the whole moves less stands still


def count(solver: MechanismSolver, state: State) -> Counts:
    """Count at one assembled pose; at a singular one the mobility is larger than elsewhere."""
    loops, twists = _linear(solver, state)
    width = solver.coordinates.width
    rank = _rank(loops)
    ways = _null(loops, width)
    actuated = np.zeros((len(solver.actuated), width))
    actuated[np.arange(len(solver.actuated)), solver.actuated] = 1.0
    left = _null(np.vstack((loops, actuated)), width)
    moved = np.abs(twists @ left).max((1, 2), initial=0.0) > STILL
    names = tuple(body.name for body, moves in zip(solver.mechanism.bodies, moved, strict=True) if moves)
    independent = _rank(actuated @ ways) if ways.size else 0
    return Counts(width, len(loops), rank, width - rank, len(loops) - rank, len(solver.actuated), independent, left.shape[1], names)


def is_flipped(solver: MechanismSolver, before: State, after: State) -> bool:
    """Whether a mechanism went over to another assembly between two states a frame apart."""
    return is_another(_linear(solver, before)[0], _linear(solver, after)[0], solver.actuated)


def _linear(solver: MechanismSolver, state: State) -> tuple[Array, Array]:
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


def _null(rows: Array, width: int) -> Array:
    """(v, k) orthonormal ways that leave all rows alone."""
    if not rows.size:
        return np.eye(width)
    _, sizes, ways = np.linalg.svd(rows)
    return ways[int((sizes > RANK * max(sizes[0], 1e-300)).sum()) :].T
