"""Detects changes of assembly mode (an elbow that flips to the other side).

The loops' Jacobian by passive coordinates has a determinant whose sign differs between the assemblies that
meet at a singular pose. It is followed from frame to frame, for each cluster of loops. A parallelogram that
passes its flat pose changes the sign as the motors' own movement predicts: only an unpredicted change is
another assembly.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..kinematics.se3 import Array
from ..least_squares.bounded_step import LONGEST_STEP
from ..tolerances import EXACT
from .clusters import RANK, Clusters
from .descent import ALIKE, NEAR_SINGULAR

REGULAR = 0.1  # determinant above which a pose is away from the singular pose at which its sign changes
# ratio of a determinant to that of its reference, or its inverse, from which the reference is renewed
STALE = 2.0


@dataclass(frozen=True)
class View:
    """Reference for determinants: k blocks (r, c) of the loops' Jacobian at a pose, given by their m singular
    vectors.
    """

    left: Array  # (k, m, r) over their singular values; 0 where these are rounding
    right: Array  # (k, c, m)
    rest: Array  # (k, m, m) 1 in the diagonal where the singular value is rounding
    rank: NDArray[np.int64]  # (k,)
    clear: NDArray[np.bool_]  # (k,)

    @classmethod
    def at(cls, blocks: Array) -> "View":
        left, sizes, right = np.linalg.svd(blocks, full_matrices=False)
        counts = sizes > RANK * sizes[:, :1]
        clear = (~counts | (sizes > NEAR_SINGULAR * sizes[:, :1])).all(1)
        scaled = np.where(counts, 1.0 / np.where(counts, sizes, 1.0), 0.0)
        rest = np.eye(sizes.shape[1]) * ~counts[:, None, :]
        left, right = (
            scaled[:, :, None] * left.transpose(0, 2, 1),
            (counts[:, :, None] * right).transpose(0, 2, 1),
        )
        return cls(left, right, rest, counts.sum(1), clear)

    def determinants(self, blocks: Array) -> Array:
        """Determinants (k,) of blocks (k, r, c), relative to the reference: 1 at the reference pose, negative
        beyond a singular pose.
        """
        found: Array = np.linalg.det(self.left @ blocks @ self.right + self.rest)
        return found

    def renewed(self, other: "View", requested: NDArray[np.bool_]) -> tuple["View", NDArray[np.bool_]]:
        """The view with new references from `other` where `requested` (k,) and where its pose is far enough
        from singular; and a mask (k,) of those replaced.
        """
        taken = requested & other.clear & (other.rank >= self.rank)
        deep = taken[:, None, None]
        return (
            View(
                np.where(deep, other.left, self.left),
                np.where(deep, other.right, self.right),
                np.where(deep, other.rest, self.rest),
                np.where(taken, other.rank, self.rank),
                np.where(taken, other.clear, self.clear),
            ),
            taken,
        )


@dataclass(frozen=True)
class Branch:
    """Assembly mode of a mechanism in a frame: for each of k clusters of loops the determinant by which a
    change of the mode is detected.
    """

    views: tuple[View, ...]  # one for each shape of cluster
    values: Array  # (k,) determinants
    slopes: Array  # (k,) change of the determinants with the last step
    positions: Array  # (k, v) coordinates [rad or sizes]
    steps: Array  # (k, v) the last step
    moved: float = 0.0  # [rad or sizes] since the references were taken
    is_regular: bool = True  # whether no cluster is near a singular pose


class Branches:
    """The assembly modes of one mechanism, in which the same motor values give different poses."""

    def __init__(self, clusters: Clusters, actuated: NDArray[np.int64], unit: Array) -> None:
        passive = np.ones(len(unit))
        passive[actuated] = 0.0
        self.clusters, self.actuated, self.unit = clusters, actuated, unit
        self.passive = [passive[held][:, None, :] for held in clusters.columns]
        held = [row for stack in clusters.columns for row in stack]
        self.holds = np.array([np.isin(np.arange(len(unit)), row) for row in held]).reshape(
            len(held), len(unit)
        )

    def _blocks(self, loops: Array) -> list[Array]:
        return [
            block * passive for block, passive in zip(self.clusters.blocks(loops), self.passive, strict=True)
        ]

    def begin(self, loops: Array, values: Array) -> Branch:
        """The assembly mode of a closed pose, given the Jacobian of its loops (r, v) and its coordinates
        (v,).
        """
        views = tuple(map(View.at, self._blocks(loops)))
        positions = np.tile(values / self.unit, (len(self.holds), 1))
        return Branch(
            views, np.ones(len(positions)), np.zeros(len(positions)), positions, np.zeros_like(positions)
        )

    def follow(self, last: Branch, loops: Array, values: Array) -> tuple[Branch, bool]:
        """The assembly mode in the next frame, and whether a loop has changed to another mode."""
        if not len(self.holds):
            return last, False
        blocks = self._blocks(loops)
        now = np.concatenate(
            [view.determinants(block) for view, block in zip(last.views, blocks, strict=True)]
        )
        is_regular, is_far = np.abs(now) > NEAR_SINGULAR, bool((np.abs(now) > REGULAR).all())
        steps = values / self.unit - last.positions
        moved = np.abs(steps).max(1, initial=0.0)
        other = is_regular & self._is_unpredicted(last, now, steps)
        has_moved = is_regular & (moved > EXACT)
        total = last.moved + float(moved.max())
        if has_moved.all() and not other.any():
            found = Branch(last.views, now, now - last.values, last.positions + steps, steps, total, is_far)
        else:
            found = Branch(
                last.views,
                np.where(is_regular, now, last.values),
                np.where(has_moved & ~other, now - last.values, np.where(other, 0.0, last.slopes)),
                np.where(has_moved[:, None], last.positions + steps, last.positions),
                np.where(has_moved[:, None], steps, last.steps),
                total,
                is_far,
            )
        return self._renewed(found, blocks, is_regular), bool(other.any())

    def _is_unpredicted(self, last: Branch, now: Array, steps: Array) -> NDArray[np.bool_]:
        """Which clusters (k,) have a determinant of another sign than the motors' own movement predicts."""
        moves, before = steps[:, self.actuated], last.steps[:, self.actuated]
        square = (before * before).sum(1)
        share = (moves * before).sum(1) / np.where(square > 0.0, square, 1.0)
        ahead = np.where(np.abs(moves).max(1, initial=0.0) < LONGEST_STEP, share, 0.0)
        predicted = last.values + ahead * last.slopes
        differs: NDArray[np.bool_] = (np.abs(predicted) > NEAR_SINGULAR) & (now * predicted < 0.0)
        if not differs.any():
            return differs
        kink = (np.abs(steps - ahead[:, None] * last.steps) * self.holds).max(1, initial=0.0)
        is_bent = kink > ALIKE * (np.abs(steps) * self.holds).max(1, initial=0.0)
        other: NDArray[np.bool_] = differs & (
            (now * last.values < 0.0) | is_bent
        )  # it may also touch a flat pose and stay in its assembly
        return other

    def _renewed(self, branch: Branch, blocks: list[Array], is_regular: NDArray[np.bool_]) -> Branch:
        away = np.abs(branch.values)
        # after so much motion anyway: at a singular pose the reference lacks directions
        stale = is_regular & ((away > STALE) | (away < 1.0 / STALE) | (branch.moved >= LONGEST_STEP))
        if not stale.any():
            return branch
        views, taken, begin = [], [], 0
        for view, block in zip(branch.views, blocks, strict=True):
            requested = stale[begin : begin + len(block)]
            begin += len(block)
            newer, chosen = view.renewed(View.at(block), requested) if requested.any() else (view, requested)
            views.append(newer)
            taken.append(chosen)
        fresh = np.concatenate(taken)
        slopes = np.where(fresh, branch.slopes / branch.values, branch.slopes)
        return replace(
            branch, views=tuple(views), values=np.where(fresh, 1.0, branch.values), slopes=slopes, moved=0.0
        )
