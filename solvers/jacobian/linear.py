"""The linear problem that every update solves: errors, their Jacobian, and what the joints themselves would like. Knows no Blender."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..aim_residual import SHORTEST_REACH, Part, parts
from ..goals import GazeGoal, orientation_of
from ..skeleton import Pose, Skeleton

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]
Kind = Literal["aim", "upright", "position"]
VIEW_ROWS = 2  # of an aim whose roll is free; a third row is uprightness
FARTHEST = 1e3  # of the reach: a place farther off is as good as this far, and its square still is a number
RANK = 1e-10  # of the largest singular value: a smaller one is rounding, and its direction none
NO_LEVER = 1e-150  # a largest singular value below is zero: its square still is a number


class Block(NamedTuple):
    """Rows that belong together: what one end misses, of one kind."""

    kind: Kind
    end: int  # index in `goal.ends`
    start: int  # its first row
    stop: int  # the row after its last
    weight: float  # of the heaviest's


class Factors(NamedTuple):
    """Singular values above rounding, largest first, and their vectors: J = left diag(values) right."""

    left: Array  # (r, k)
    values: Array  # (k,)
    right: Array  # (k, n)

    @property
    def rank(self) -> int:
        return len(self.values)

    def projector(self) -> Array:
        """(n, n) onto the null space of J: changes that the errors do not feel (Buss 2009, eq. 7)."""
        projector: Array = np.eye(self.right.shape[1]) - self.right.T @ self.right
        return projector


def factors(matrix: Array, nothing: float = NO_LEVER) -> Factors:
    """The singular value decomposition of a matrix (r, n), without singular values that are rounding or up to `nothing`."""
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    rank = int(np.count_nonzero(values > max(RANK * values[0], nothing)))
    return Factors(left[:, :rank], values[:rank], right[:rank])


class Linear:
    """error = jacobian @ change, to be solved for the change of the joints.

    Joints count in units in which a change of one is large: revolute ones in radians, prismatic ones in shares of the reach. Rows carry
    their weights.
    """

    def __init__(self, error: Array, jacobian: Array, blocks: Sequence[Block], wanted: Array, kept: Mask, missed: float = math.inf) -> None:
        self.error = error  # (r,)
        self.jacobian = jacobian  # (r, n)
        self.blocks = blocks
        self.wanted = wanted  # (n,) the change that the joints would like, where the errors leave them free
        self.kept = kept  # (n,) the joints whose posture counts
        self.missed = missed  # [rad, or of the reach] by the worst block, whatever its weight, as long as it has one

    @cached_property
    def factors(self) -> Factors:
        return factors(self.jacobian)

    @cached_property
    def starts(self) -> list[int]:
        return [block.start for block in self.blocks]

    def norms(self, rows: Array) -> Array:
        """Lengths (blocks, m) of each block's part of the columns of `rows` (r, m)."""
        lengths: Array = np.sqrt(np.add.reduceat(rows * rows, self.starts, axis=0))
        return lengths

    def with_error(self, error: Array) -> "Linear":
        """The same with other errors."""
        other = Linear(error, self.jacobian, self.blocks, self.wanted, self.kept)
        if "factors" in self.__dict__:
            other.__dict__["factors"] = self.factors
        return other

    def without(self, fixed: Array, free: Indices) -> "Linear":
        """What is left for the joints `free` (k,) once the whole change `fixed` (n,), zero at them, is made."""
        error = self.error - self.jacobian @ fixed
        return Linear(error, self.jacobian[:, free], self.blocks, self.wanted[free], self.kept[free])


class Linearizer:
    """Makes the linear problem of a goal at a pose."""

    def __init__(self, skeleton: Skeleton, at_targets: bool = False) -> None:
        self.skeleton = skeleton
        self.at_targets = at_targets
        slides = np.array([joint.kind == "prismatic" for joint in skeleton.joints])
        self.units: Array = np.where(slides, max(skeleton.reach, SHORTEST_REACH), 1.0)  # (n,) [rad or m] of a coordinate of one
        self._turns_only = not slides.any()

    def linear(self, goal: GazeGoal, pose: Pose, wanted: Array, kept: Mask) -> Linear:
        """The problem at a pose; `wanted` (n,) in the joints' units."""
        error: list[float] = []
        rows: list[float] = []  # the weight of each
        nearer: list[float] = []  # what brings each row of a far target's Jacobian nearer, where that is the target's own
        blocks: list[Block] = []
        columns = []
        weights = goal.weights
        missed = 0.0
        for part in parts(self.skeleton, goal, pose, self.at_targets):
            left, weight = part.residual.error, weights[part.end]
            distance = math.hypot(*left)
            if weight > 0.0:
                missed = max(missed, distance)
            share = FARTHEST / distance if distance > FARTHEST else 1.0
            if share != 1.0:
                left = tuple(share * e for e in left)
            kind: Kind
            for kind, count in _kinds(part, goal):
                blocks.append(Block(kind, part.end, len(rows), len(rows) + count, weight))
                rows += [weight] * count
            error += left
            nearer += [share] * len(left)
            columns.append(part.residual.columns)
        jacobian = np.array(columns[0] if len(columns) == 1 else [sum(joint, ()) for joint in zip(*columns, strict=True)]).T
        if not self._turns_only:
            jacobian = jacobian * self.units
        if self.at_targets:
            jacobian = jacobian * np.array(nearer)[:, None]
        if all(weight == 1.0 for weight in rows):
            return Linear(np.array(error), jacobian, blocks, wanted, kept, missed)
        by_row = np.array(rows)
        return Linear(by_row * error, by_row[:, None] * jacobian, blocks, wanted, kept, missed)


def _kinds(part: Part, goal: GazeGoal) -> list[tuple[Kind, int]]:
    """The kinds of a part's rows, and how many there are of each."""
    count = len(part.residual.error)
    if part.kind == "position" or orientation_of(goal.ends[part.end].aim) is not None or count <= VIEW_ROWS:
        return [(part.kind, count)]
    return [("aim", VIEW_ROWS), ("upright", count - VIEW_ROWS)]


def clamp_largest(change: Array, most: float) -> Array:
    """`change` (n,), shortened so that no joint moves by more than `most` (ClampMaxAbs)."""
    largest = float(np.max(np.abs(change))) if len(change) else 0.0
    return change * (most / largest) if largest > most else change


def size(error: Array) -> float:
    """Euclidean length."""
    return math.sqrt(float(error @ error))
