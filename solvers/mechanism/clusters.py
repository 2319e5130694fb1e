"""Loops that share no coordinate, solved separately: many small systems instead of a large one."""

import numpy as np

from ..kinematics.se3 import Array
from ..kinematics.tree import Indices, Mask, run_of
from ..least_squares.damping import regularise

# Of the largest singular value: below it one is zero. Constraints that count have 1e-3 and more away from
# singular poses, those of a hinge misaligned by .01 degrees have 2e-5; redundant constraints have less than
# 1e-6 after rounding to single precision.
RANK = 1e-5

Across = tuple[
    Indices | slice, Array
]  # (k, c) coordinates of clusters, and the projector (k, c, c) onto what opens their loops


class Clusters:
    """Clusters: groups of loops that share coordinates. Those of equal shape are stacked: k clusters of r
    constraints and c coordinates.
    """

    def __init__(self, matters: Array, row_of: Array) -> None:
        """matters (l, v): whether a loop depends on a coordinate; row_of (r,): the loop of each
        constraint.
        """
        left = list(range(len(matters)))
        self.count = 0
        self.cluster_of = [-1] * len(matters)  # (l,) cluster of each loop, in the order of their first loops
        shapes: dict[tuple[int, int], list[tuple[Indices, Indices]]] = {}
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
            rows, held = np.flatnonzero(np.isin(row_of, together)), np.flatnonzero(columns)
            if len(rows) and len(held):
                for loop in together:
                    self.cluster_of[loop] = self.count
                self.count += 1
                shapes.setdefault((len(rows), len(held)), []).append((rows, held))
        self._stacks = [
            (np.array([rows for rows, _ in same]), np.array([held for _, held in same]))
            for same in shapes.values()
        ]
        self._alone = [_slices(*stack) for stack in self._stacks]

    @property
    def columns(self) -> list[Indices]:
        """For each shape of cluster, the coordinates (k, c) of its clusters."""
        return [held for _, held in self._stacks]

    def blocks(self, loops: Array) -> list[Array]:
        """For each shape of cluster, the blocks (k, r, c) of the loops' Jacobian (r, v) that belong to its
        clusters.
        """
        return [
            loops[rows[:, :, None], held[:, None, :]] if alone is None else loops[alone][None]
            for (rows, held), alone in zip(self._stacks, self._alone, strict=True)
        ]

    def close(self, gap: Array, loops: Array) -> tuple[Array, list[Across]]:
        """The smallest step (v,) that closes gaps (r,) with the Jacobian `loops` (r, v), and the projectors
        for `project`.

        Redundant constraints, as planar loops have, are handled by damping.
        """
        step, across = np.zeros(loops.shape[1]), []
        for (rows, held), alone, block in zip(self._stacks, self._alone, self.blocks(loops), strict=True):
            pulled = block.transpose(0, 2, 1) @ np.linalg.inv(_damped_square(block))
            step[held] = -(pulled @ gap[rows][..., None])[..., 0]
            across.append((held if alone is None else alone[1], pulled @ block))
        return step, across

    @staticmethod
    def project(rows: Array, across: list[Across]) -> Array:
        """A Jacobian (e, v), or a step (v,), projected onto the loops' null space."""
        rows = rows.copy()
        for held, blocks in across:
            part = rows[..., held]
            if isinstance(held, slice):
                part -= part @ blocks[0]
            else:
                rows[..., held] = part - (part[..., None, :] @ blocks)[..., 0, :]
        return rows

    def along_free(self, slope: Array, loops: Array, free: Mask) -> Array:
        """A gradient (v,) without the loops' constraint forces, which are computed from its free coordinates
        (mask (v,)).
        """
        slope = slope.copy()
        for held, block in zip(self.columns, self.blocks(loops), strict=True):
            freed = block * free[held][:, None, :]
            forces = np.linalg.solve(_damped_square(freed), freed @ slope[held][..., None])
            slope[held] -= (block.transpose(0, 2, 1) @ forces)[..., 0]
        return slope


def _damped_square(blocks: Array) -> Array:
    """Products (k, r, r) of blocks (k, r, c) with their transposes, with the damping that redundant
    constraints need.
    """
    square: Array = blocks @ blocks.transpose(0, 2, 1)
    regularise(square)
    return square


def _slices(rows: Indices, held: Indices) -> tuple[slice, slice] | None:
    """Constraints and coordinates of one cluster (1, r), (1, c) as slices; None where they are not
    contiguous.
    """
    if len(rows) > 1:
        return None
    lines, columns = run_of(rows[0]), run_of(held[0])
    return (lines, columns) if isinstance(lines, slice) and isinstance(columns, slice) else None
