"""Residual block of an aim: its error as a function of the end's frame, and how movements of the end reduce
it.

The joints do not appear: the columns of a Jacobian follow from what each joint does to the end. The same code
handles many poses and a single one, which is a batch of 1.
"""

import math
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from ..kinematics.rotations import Quaternion, Vector, to_matrix
from ..kinematics.se3 import Array
from ..kinematics.skeleton import Angles

Kind = Literal["aim", "upright", "position"]


class EndError(NamedTuple):
    """Errors of one end: of its view, its whole orientation and its position."""

    angle: float = 0.0  # [rad] error of the whole orientation; for Direction and Point, of the view alone
    whole: float = 0.0  # [rad] the same error including the roll, if the goal prescribes one
    distance: float = 0.0  # [m] error of the position; 0 if the goal has none

    def and_also(self, other: "EndError") -> "EndError":
        """The errors of this block together with those of another block of the same end."""
        return EndError(*map(math.hypot, self, other))


class PoseErrors(tuple[float, ...]):
    """Errors of a pose as numbers (4 ends,): for each of the goal's ends the three fields of `EndError`, then
    1 if the end is at the very point that it should look at, otherwise 0.
    """

    @property
    def angle(self) -> float:
        """The first end's `EndError.angle` [rad]."""
        return self[0]

    @property
    def whole(self) -> float:
        """The largest `EndError.whole` [rad]."""
        return max(self[1::4])

    @property
    def distance(self) -> float:
        """The largest `EndError.distance` [m]."""
        return max(self[2::4])

    @property
    def errors(self) -> tuple[EndError, ...]:
        """The errors of each end."""
        return tuple(map(EndError, self[::4], self[1::4], self[2::4]))

    @property
    def at_targets(self) -> tuple[bool, ...]:
        """For each end, whether it is at the very point that it should look at."""
        return tuple(map(bool, self[3::4]))

    @property
    def is_blind(self) -> bool:
        """Whether an end is at the point that it should look at, so that no direction leads to its target."""
        return any(self[3::4])


class BlockErrors(NamedTuple):
    """Errors of one block in m poses, and their reduction by movements of the end in the base frame."""

    error: Array  # (m, r) [rad], or in fractions of the reach
    # (m, 3, r) or (3, r) reduction per radian about each axis; None if rotations reduce nothing
    by_rotation: Array | None
    by_movement: Array | None = None  # the same reduction per metre along each axis


class ResidualBlock:
    """Residual block of an end's aim.

    Attributes:
        kind: Whether its rows belong to an aim or to a position, which may have different priorities.
        upright_rows: Number of its last rows that only make the end upright.
        two_sided: Whether there are two solutions: the target, and the target rolled by pi about its own Y.
        target: Position [m] that the end should have; None if it prescribes none.
    """

    kind: ClassVar[Kind] = "aim"
    upright_rows: int = 0
    two_sided: bool = False
    target: Vector | None = None

    def errors(
        self, rotations: Array, positions: Array, reach: float, sides: Angles | None = None
    ) -> BlockErrors:
        """Errors at poses of the end in the base frame; they are zero if the block is met.

        Args:
            rotations: (m, 3, 3) of the end; it looks along its own +Y, and its up is +Z.
            positions: (m, 3) [m].
            reach: Reach of the skeleton [m]; distances are divided by it.
            sides: (m,) for a block with two solutions, which one: +1 the target itself, -1 the target rolled
                by pi, 0 the nearer; None: all 0.
        """
        raise NotImplementedError

    def missed(self, rotation: Quaternion, position: Vector) -> EndError:
        """The visible error at one orientation and position [m] of the end."""
        residual = self.errors(np.array([to_matrix(rotation)]), np.array([position]), 1.0)
        size = float(np.linalg.norm(residual.error[0]))
        return EndError(distance=size) if self.kind == "position" else EndError(size, size)

    def kinds(self, rows: int) -> list[tuple[Kind, int]]:
        """The kinds of its `rows` components in order, each with the number of its components."""
        if not self.upright_rows:
            return [(self.kind, rows)]
        return [(self.kind, rows - self.upright_rows), ("upright", self.upright_rows)]
