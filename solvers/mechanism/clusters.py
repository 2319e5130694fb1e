"""Clusters: groups of loops that share no coordinate with others, solved as many small systems instead of a
large one.
"""

import numpy as np

from ..kinematics.se3 import Array
from ..kinematics.tree import Indices, Mask
from ..least_squares.damping import regularise

# Fraction of the largest singular value below which a value counts as zero. Effective constraints have 1e-3
# or more away from singular poses, those of a revolute joint misaligned by .01 degrees have 2e-5; redundant
# constraints have less than 1e-6 after rounding to single precision.
RANK = 1e-5

# indices (c,) of a cluster's coordinates, and the projector (c, c) onto the motions that open its loops
Across = tuple[Indices, Array]


class Clusters:
    """Clusters: groups of loops that share coordinates.

    Attributes:
        rows: For each cluster, indices (r,) of its constraints.
        columns: For each cluster, indices (c,) of its coordinates.
        cluster_of: (l,) index of each loop's cluster; -1 if the loop depends on no coordinate, or has no
            constraint.
    """

    def __init__(self, matters: Array, row_of: Array) -> None:
        """`matters` (l, v): whether a loop depends on a coordinate; `row_of` (r,): index of the loop of each
        constraint.
        """
        left = list(range(len(matters)))
        self.rows: list[Indices] = []
        self.columns: list[Indices] = []
        self.cluster_of = [-1] * len(matters)
        while left:
            together = [left.pop(0)]
            columns = matters[together[0]].copy()
            is_grown = True
            while is_grown:
                joined = [loop for loop in left if (matters[loop] & columns).any()]
                is_grown = bool(joined)
                for loop in joined:
                    columns |= matters[loop]
                    left.remove(loop)
                together += joined
            rows = np.flatnonzero(np.isin(row_of, together))
            if len(rows) and columns.any():
                for loop in together:
                    self.cluster_of[loop] = len(self.rows)
                self.rows.append(rows)
                self.columns.append(np.flatnonzero(columns))

    def __len__(self) -> int:
        return len(self.rows)

    def blocks(self, loops: Array) -> list[Array]:
        """For each cluster, its block (r, c) of the loops' Jacobian (r, v)."""
        return [loops[np.ix_(rows, columns)] for rows, columns in zip(self.rows, self.columns, strict=True)]

    def close(self, gap: Array, loops: Array) -> tuple[Array, list[Across]]:
        """The smallest step (v,) that closes the gaps `gap` (r,) with the Jacobian `loops` (r, v), and the
        projectors for `project`. Damping handles redundant constraints, as planar loops have them.
        """
        step, across = np.zeros(loops.shape[1]), []
        for rows, columns, block in zip(self.rows, self.columns, self.blocks(loops), strict=True):
            pulled = block.T @ np.linalg.inv(_damped_square(block))
            step[columns] = -pulled @ gap[rows]
            across.append((columns, pulled @ block))
        return step, across

    @staticmethod
    def project(rows: Array, across: list[Across]) -> Array:
        """A Jacobian (e, v), or a step (v,), projected onto the loops' null space."""
        rows = rows.copy()
        for columns, projector in across:
            rows[..., columns] -= rows[..., columns] @ projector
        return rows

    def along_free(self, slope: Array, loops: Array, free: Mask) -> Array:
        """A gradient (v,) without the loops' constraint forces, which are computed from the coordinates in
        the mask `free` (v,).
        """
        slope = slope.copy()
        for columns, block in zip(self.columns, self.blocks(loops), strict=True):
            freed = block * free[columns]
            forces = np.linalg.solve(_damped_square(freed), freed @ slope[columns])
            slope[columns] -= block.T @ forces
        return slope


def _damped_square(block: Array) -> Array:
    """Product (r, r) of a block (r, c) with its transpose, damped against redundant constraints."""
    square: Array = block @ block.T
    regularise(square)
    return square
