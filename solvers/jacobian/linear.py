"""The linear problem of an update: errors, their Jacobian, and secondary objectives."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..aim_residual import parts
from ..aims.blocks import Kind
from ..goals import GazeGoal
from ..kinematics.skeleton import Pose, Skeleton
from ..tolerances import EXACT, TINY

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]
# largest distance of a position, as a multiple of the reach; farther ones are treated as this far, so that
# squares stay finite
FARTHEST = 1e3


class ErrorComponents(NamedTuple):
    """Error components of one end and one kind (position, aim or uprightness)."""

    kind: Kind
    end: int  # index in `goal.ends`
    start: int  # index of the block's first component
    stop: int  # index after the block's last component
    weight: float  # weight of the block, relative to the largest


class Factors(NamedTuple):
    """Singular value decomposition J = left diag(values) right, singular values in descending order, without
    those that are mere rounding errors.
    """

    left: Array  # (r, k)
    values: Array  # (k,)
    right: Array  # (k, n)

    @property
    def rank(self) -> int:
        return len(self.values)

    def projector(self) -> Array:
        """Projector (n, n) onto the null space of J (Buss 2009, eq. 7)."""
        projector: Array = np.eye(self.right.shape[1]) - self.right.T @ self.right
        return projector


def factors(matrix: Array, nothing: float = TINY) -> Factors:
    """The singular value decomposition of a matrix (r, n), without singular values that are at most `nothing`
    or within rounding errors.
    """
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    rank = int(np.count_nonzero(values > max(EXACT * values[0], nothing)))
    return Factors(left[:, :rank], values[:rank], right[:rank])


class Linear:
    """Linearised problem of one update: error = jacobian @ change, to be solved for the joint change (n,).

    Joint units are radians, or fractions of the reach for prismatic joints, so that a change of 1 is large
    for any joint. Errors include their weights.
    """

    def __init__(
        self,
        error: Array,
        jacobian: Array,
        blocks: Sequence[ErrorComponents],
        secondary: Array,
        kept: Mask,
        error_size: float = math.inf,
    ) -> None:
        self.error = error  # (r,)
        self.jacobian = jacobian  # (r, n)
        self.blocks = blocks
        # (n,) desired change in the null space, by secondary objectives, in the joints' units
        self.secondary = secondary
        self.kept = kept  # (n,) mask of joints whose posture counts
        # [rad, or fraction of the reach] largest norm of an aim block's error, before weighting, among ends
        # with a weight above 0; inf: not computed, as in problems derived from another
        self.error_size = error_size

    @cached_property
    def factors(self) -> Factors:
        """The Jacobian's singular value decomposition."""
        return factors(self.jacobian)

    @cached_property
    def starts(self) -> list[int]:
        """Index of each block's first component."""
        return [block.start for block in self.blocks]

    def norms(self, rows: Array) -> Array:
        """Norms (blocks, m) of the parts of columns (r, m) that belong to each block."""
        lengths: Array = np.sqrt(np.add.reduceat(rows * rows, self.starts, axis=0))
        return lengths

    def with_error(self, error: Array) -> "Linear":
        """The same problem with another error (r,); its `error_size` is not computed."""
        other = Linear(error, self.jacobian, self.blocks, self.secondary, self.kept)
        if "factors" in self.__dict__:
            other.__dict__["factors"] = self.factors
        return other

    def without(self, fixed: Array, free: Indices) -> "Linear":
        """The remaining problem for the joints `free` (k,), after the other joints have made the change
        `fixed` (n,), which is 0 for free joints.
        """
        error = self.error - self.jacobian @ fixed
        return Linear(error, self.jacobian[:, free], self.blocks, self.secondary[free], self.kept[free])


class Linearizer:
    """Computes the linearised problem of a goal at a pose."""

    def __init__(self, skeleton: Skeleton, at_targets: bool = False) -> None:
        self.skeleton = skeleton
        self.at_targets = at_targets
        self.units = skeleton.units

    def linear(self, goal: GazeGoal, pose: Pose, secondary: Array, kept: Mask) -> Linear:
        """The linearised problem of a goal at a pose. `secondary` (n,): desired change for secondary
        objectives, in the joints' units; `kept` (n,): mask of the joints whose posture counts.
        """
        error: list[Array] = []
        rows: list[float] = []  # weight of each component, by which its row of the Jacobian is multiplied
        blocks: list[ErrorComponents] = []
        columns = []
        weights = goal.weights
        error_size = 0.0
        for part in parts(self.skeleton, goal, pose, self.at_targets):
            left, weight = part.error, weights[part.end]
            distance = math.hypot(*left)
            if weight > 0.0:
                error_size = max(error_size, distance)
            nearer = weight * (FARTHEST / distance if distance > FARTHEST else 1.0)
            for kind, count in part.block.kinds(len(left)):
                blocks.append(ErrorComponents(kind, part.end, len(rows), len(rows) + count, weight))
                # beyond `FARTHEST` the Jacobian at the target is scaled like the error, and grows as much
                rows += [nearer if self.at_targets else weight] * count
            error.append(nearer * left)
            columns.append(part.columns)
        jacobian = np.concatenate(columns, 1).T
        return Linear(
            np.concatenate(error),
            np.array(rows)[:, None] * jacobian * self.units,
            blocks,
            secondary,
            kept,
            error_size,
        )


def clamp_largest(change: Array, most: float) -> Array:
    """`change` (n,), shortened as a whole so that no joint moves by more than `most` (ClampMaxAbs)."""
    largest = float(np.max(np.abs(change))) if len(change) else 0.0
    return change * (most / largest) if largest > most else change


def size(error: Array) -> float:
    """Euclidean length of an error vector."""
    return math.sqrt(float(error @ error))
