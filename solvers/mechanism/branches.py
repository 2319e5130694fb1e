"""Whether a mechanism went over to another assembly: its elbows to the other side. Knows no Blender.

The loops' derivative by what is not actuated has a determinant, whose sign differs between the assemblies that meet at a singular pose. It
is followed from frame to frame, for each cluster of loops by itself. A parallelogram that passes its flat pose changes the sign on its
way, as its motors' own motion foretells: only what the motors do not foretell is another assembly.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .clusters import Clusters
from .frames import Array

RANK = 1e-7  # of the largest singular value: rows that count have 1e-3 and more, the next are rounding
CLEAR = 1e-3  # of the largest singular value: a pose that has none smaller, but for rounding, is not near a singular one
STALE = 2.0  # times larger or smaller than where it was last looked at: then a determinant is looked at anew
LASTING = 30  # frames: then it is so in any case, since at a singular start ways are not seen
UNSURE = 0.05  # of a determinant at a clear pose: its sign says nothing
SMALL = 0.5  # [rad or sizes] of a motor's step: what a straight line foretells holds so far
STILL = 1e-9  # [rad or sizes] of a step
BENT = 0.5  # of a step: a change that is not the way on


@dataclass(frozen=True)
class View:
    """k blocks (r, c) of loops as they were at a pose: the m ways in which rows and coordinates can count."""

    left: Array  # (k, m, r) over their singular values; 0 where they do not count
    right: Array  # (k, c, m)
    rest: Array  # (k, m, m) 1 in the diagonal where they do not count
    rank: NDArray[np.int64]  # (k,)
    clear: NDArray[np.bool_]  # (k,)

    @classmethod
    def at(cls, blocks: Array) -> "View":
        left, sizes, right = np.linalg.svd(blocks, full_matrices=False)
        counts = sizes > RANK * sizes[:, :1]
        clear = (~counts | (sizes > CLEAR * sizes[:, :1])).all(1)
        scaled = np.where(counts, 1.0 / np.where(counts, sizes, 1.0), 0.0)
        rest = np.eye(sizes.shape[1]) * ~counts[:, None, :]
        left, right = scaled[:, :, None] * left.transpose(0, 2, 1), (counts[:, :, None] * right).transpose(0, 2, 1)
        return cls(left, right, rest, counts.sum(1), clear)

    def determinants(self, blocks: Array) -> Array:
        """(k,) of blocks (k, r, c); 1 where the view was taken, of another sign beyond a singular pose."""
        found: Array = np.linalg.det(self.left @ blocks @ self.right + self.rest)
        return found

    def renewed(self, other: "View", wanted: NDArray[np.bool_]) -> tuple["View", NDArray[np.bool_]]:
        """The other view for the blocks (k,) where that is wanted and it shows as much from a clear pose; and which these are."""
        taken = wanted & other.clear & (other.rank >= self.rank)
        deep = taken[:, None, None]
        return View(
            np.where(deep, other.left, self.left),
            np.where(deep, other.right, self.right),
            np.where(deep, other.rest, self.rest),
            np.where(taken, other.rank, self.rank),
            np.where(taken, other.clear, self.clear),
        ), taken


@dataclass(frozen=True)
class Branch:
    """What a frame remembers of its assembly: of k clusters of loops, as each was when its determinant was last sure."""

    views: tuple[View, ...]  # one for each shape of cluster
    values: Array  # (k,) determinants
    slopes: Array  # (k,) how they changed with the last step
    places: Array  # (k, v) coordinates [rad or sizes]
    steps: Array  # (k, v) their last step
    age: int = 0  # frames since the views were looked at


class Branches:
    """The assemblies of one mechanism."""

    def __init__(self, clusters: Clusters, actuated: NDArray[np.int64], unit: Array) -> None:
        passive = np.ones(len(unit))
        passive[actuated] = 0.0
        self.clusters, self.actuated, self.unit = clusters, actuated, unit
        self.passive = [passive[held][:, None, :] for held in clusters.columns]
        held = [row for stack in clusters.columns for row in stack]
        self.holds = np.array([np.isin(np.arange(len(unit)), row) for row in held]).reshape(len(held), len(unit))

    def _blocks(self, loops: Array) -> list[Array]:
        return [block * passive for block, passive in zip(self.clusters.blocks(loops), self.passive, strict=True)]

    def begin(self, loops: Array, values: Array) -> Branch:
        """The assembly of a closed pose: its loops' derivative (r, v) and coordinates (v,)."""
        views = tuple(map(View.at, self._blocks(loops)))
        places = np.tile(values / self.unit, (len(self.holds), 1))
        return Branch(views, np.ones(len(places)), np.zeros(len(places)), places, np.zeros_like(places))

    def follow(self, last: Branch, loops: Array, values: Array) -> tuple[Branch, bool]:
        """What the next frame needs, and whether a loop went over to another assembly since the last one."""
        if not len(self.holds):
            return last, False
        blocks = self._blocks(loops)
        now = np.concatenate([view.determinants(block) for view, block in zip(last.views, blocks, strict=True)])
        sure = np.abs(now) > UNSURE
        steps = values / self.unit - last.places
        moved = np.abs(steps).max(1, initial=0.0)
        other = sure & self._is_other(last, now, steps)
        went = sure & (moved > STILL)
        if went.all() and not other.any():
            found = Branch(last.views, now, now - last.values, last.places + steps, steps, last.age + 1)
        else:
            found = Branch(
                last.views,
                np.where(sure, now, last.values),
                np.where(went & ~other, now - last.values, np.where(other, 0.0, last.slopes)),
                np.where(went[:, None], last.places + steps, last.places),
                np.where(went[:, None], steps, last.steps),
                last.age + 1,
            )
        return self._renewed(found, blocks, sure), bool(other.any())

    def _is_other(self, last: Branch, now: Array, steps: Array) -> NDArray[np.bool_]:
        """(k,) whether clusters are not where the motors' own motion would have them, if they went on as before."""
        moves, before = steps[:, self.actuated], last.steps[:, self.actuated]
        square = (before * before).sum(1)
        ahead = np.where(np.abs(moves).max(1, initial=0.0) < SMALL, (moves * before).sum(1) / np.where(square > 0.0, square, 1.0), 0.0)
        foretold = last.values + ahead * last.slopes
        differs: NDArray[np.bool_] = (np.abs(foretold) > UNSURE) & (now * foretold < 0.0)
        if not differs.any():
            return differs
        kink = (np.abs(steps - ahead[:, None] * last.steps) * self.holds).max(1, initial=0.0)
        is_bent = kink > BENT * (np.abs(steps) * self.holds).max(1, initial=0.0)
        other: NDArray[np.bool_] = differs & ((now * last.values < 0.0) | is_bent)  # it may also touch a flat pose and stay as it is
        return other

    def _renewed(self, branch: Branch, blocks: list[Array], sure: NDArray[np.bool_]) -> Branch:
        away = np.abs(branch.values)
        stale = sure & ((away > STALE) | (away < 1.0 / STALE) | (branch.age >= LASTING))
        if not stale.any():
            return branch
        views, taken, begin = [], [], 0
        for view, block in zip(branch.views, blocks, strict=True):
            wanted = stale[begin : begin + len(block)]
            begin += len(block)
            newer, chosen = view.renewed(View.at(block), wanted) if wanted.any() else (view, wanted)
            views.append(newer)
            taken.append(chosen)
        fresh = np.concatenate(taken)
        slopes = np.where(fresh, branch.slopes / branch.values, branch.slopes)
        return replace(branch, views=tuple(views), values=np.where(fresh, 1.0, branch.values), slopes=slopes, age=0)
