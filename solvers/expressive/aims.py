"""Aim errors of many poses at once, and their Jacobians.

The batched counterpart of `aim_residual`; each pose keeps its side of a symmetric end.
"""

from typing import NamedTuple, Protocol

import numpy as np

from ..aims.blocks import BlockErrors, ResidualBlock
from ..goals import GazeGoal
from ..kinematics.se3 import Array
from ..kinematics.skeleton import Angles
from ..kinematics.tree import BASE, Frames, Indices, Tree


class Reaching(Protocol):
    """Interface through which aims use a skeleton, or the model of one."""

    @property
    def tree(self) -> Tree: ...

    @property
    def reach(self) -> float: ...  # [m] length of the skeleton when stretched


class AimErrors(NamedTuple):
    """Aim errors of m poses with their Jacobians, stacked over all ends (r components in total)."""

    error: Angles  # (m, r) [rad], positions in fractions of the reach: target minus pose
    columns: Angles  # (m, n, r) reduction of the error per unit of each joint
    size: Angles  # (m,) Euclidean length of each error

    def pick(self, rows: Indices) -> "AimErrors":
        """The errors of the poses with the given indices."""
        return AimErrors(*(part[rows] for part in self))


class Weighted(NamedTuple):
    """A block with its end and its weights."""

    block: ResidualBlock
    node: int  # index in `Frames.nodes` of the node that carries the end
    offset: Array  # (4, 4) the end's frame in that node
    weight: float
    shares: Array | None  # (n, 1) the weight, or 0 for joints that do not move the end; None: all are 1


class BatchedAim:
    """Aim errors of all end goals of one gaze goal, for many poses."""

    def __init__(self, skeleton: Reaching, goal: GazeGoal) -> None:
        self.goal, self._reach, tree = goal, skeleton.reach, skeleton.tree
        self.parts: list[Weighted] = []
        for desired, weight in zip(goal.ends, goal.weights, strict=True):
            node, offset = int(tree.carriers[desired.end]), tree.ends[desired.end]
            moved = tree.moved_by[node, BASE:]
            shares = None if weight == 1.0 and moved.all() else weight * moved[:, None]
            self.parts += [Weighted(block, node, offset, weight, shares) for block in desired.blocks]
        # If several ends are two-sided, both sides are tried only for the first, and the nearer one for the
        # others.
        self._sided = next((index for index, each in enumerate(self.parts) if each.block.two_sided), -1)

    def evaluate(self, frames: Frames, sides: Angles | None = None) -> AimErrors:
        """Weighted errors of poses. `sides` (m,) selects the target: +1 the target itself, -1 the target
        rolled by half a revolution, 0 the nearer; None: all 0.
        """
        errors, columns = [], []
        for index, (block, node, offset, weight, shares) in enumerate(self.parts):
            ends = frames.nodes[:, node] @ offset
            rotations, positions = ends[:, :3, :3], ends[:, :3, 3]
            residual = block.errors(
                rotations, positions, self._reach, sides if index == self._sided else None
            )
            column = _columns(residual, frames, positions)
            errors.append(residual.error if weight == 1.0 else weight * residual.error)
            columns.append(column if shares is None else shares * column)
        error, column = (
            (errors[0], columns[0])
            if len(errors) == 1
            else (np.concatenate(errors, 1), np.concatenate(columns, 2))
        )
        return AimErrors(error, column, np.sqrt(np.einsum("mr,mr->m", error, error)))


def _columns(errors: BlockErrors, frames: Frames, positions: Array) -> Array:
    """Reduction (m, n, r) of a block's errors per unit of each joint, as if all joints moved the end at
    `positions` (m, 3) [m].
    """
    _, by_rotation, by_movement = errors
    if by_movement is None:
        assert by_rotation is not None
        return frames.turning @ by_rotation
    moving: Array = frames.velocity(positions) @ by_movement
    return moving if by_rotation is None else frames.turning @ by_rotation + moving


def two_sided(goal: GazeGoal) -> bool:
    """Whether a goal's symmetric end has two solutions to try."""
    return any(block.two_sided for end_goal in goal.ends for block in end_goal.blocks)
