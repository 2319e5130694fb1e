"""Loops that share no coordinate, solved one by one: a hundred small systems instead of a large one. Knows no Blender."""

import numpy as np
from numpy.typing import NDArray

from .frames import Array

REDUNDANT = 1e-12  # of the sum of squares: below the least row that counts (1e-6, its root .001), above rounding
SMALLEST = 1e-30  # of squares: lets nothing be inverted


class Clusters:
    """Groups of loops that hang together by coordinates, those of one shape stacked: k clusters of r rows and c coordinates."""

    def __init__(self, matters: Array, row_of: Array) -> None:
        """matters (l, v): whether a loop depends on a coordinate; row_of (r,): each row's loop."""
        left = list(range(len(matters)))
        shapes: dict[tuple[int, int], list[tuple[NDArray[np.int64], NDArray[np.int64]]]] = {}
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
                shapes.setdefault((len(rows), len(held)), []).append((rows, held))
        self._stacks = [(np.array([rows for rows, _ in same]), np.array([held for _, held in same])) for same in shapes.values()]

    @property
    def columns(self) -> list[NDArray[np.int64]]:
        """(k, c) the coordinates of each cluster, for each shape of cluster."""
        return [held for _, held in self._stacks]

    def blocks(self, loops: Array) -> list[Array]:
        """(k, r, c) what of the loops' derivative (r, v) is each cluster's, for each shape of cluster."""
        return [loops[rows[:, :, None], held[:, None, :]] for rows, held in self._stacks]

    def close(self, gap: Array, loops: Array) -> tuple[Array, list[tuple[Array, Array]]]:
        """The least step (v,) that closes gaps (r,) whose derivative is loops (r, v), and what `project` needs.

        Rows that say the same twice, as planar loops have, are borne by damping.
        """
        step, across = np.zeros(loops.shape[1]), []
        for (rows, held), block in zip(self._stacks, self.blocks(loops), strict=True):
            turned = block.transpose(0, 2, 1)
            square = block @ turned
            diagonal = square.reshape(len(square), -1)[:, :: square.shape[1] + 1]
            diagonal += REDUNDANT * diagonal.sum(1, keepdims=True) + SMALLEST
            pulled = turned @ np.linalg.inv(square)
            step[held] = -(pulled @ gap[rows][..., None])[..., 0]
            across.append((held, pulled @ block))
        return step, across

    @staticmethod
    def project(rows: Array, across: list[tuple[Array, Array]]) -> Array:
        """Rows (e, v), or a step (v,), without what would open the loops."""
        rows = rows.copy()
        for held, blocks in across:
            part = rows[..., held]
            rows[..., held] = part - (part[..., None, :] @ blocks)[..., 0, :]
        return rows
