"""Limbs of a body, runs of joints without a branch, and the targets on them."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..kinematics.se3 import Array
from ..kinematics.tree import BASE, Indices
from .body import Body

LONGEST = 16  # most joints of a limb: longer ones are split, since each limb is solved as a dense system


def limbs_of(parents: Sequence[int], longest: int = LONGEST) -> tuple[list[list[int]], list[int]]:
    """Joints of each limb, root first, and the parent limb of each, which comes before it in the list; -1:
    the base.
    """
    children = [0] * len(parents)
    for parent in parents:
        if parent >= 0:
            children[parent] += 1
    limbs: list[list[int]] = []
    above: list[int] = []
    limb_of: list[int] = []
    for joint, parent in enumerate(parents):
        own = limb_of[parent] if parent >= 0 else -1
        if own < 0 or children[parent] > 1 or len(limbs[own]) == longest:
            above.append(own)
            own = len(limbs)
            limbs.append([])
        limb_of.append(own)
        limbs[own].append(joint)
    return limbs, above


class Level(NamedTuple):
    """All limbs of a body at the same depth."""

    rows: slice  # indices of the level's limbs among all limbs
    above: (
        Indices  # (k,) the parent of each, among the limbs of the level before; the base for the first level
    )
    gathered: Array  # (j, k) the same as ones, so that a product sums over the children of each parent


class Layout:
    """The limbs of a body, level by level."""

    def __init__(self, body: Body) -> None:
        limbs, above = limbs_of(body.parents)
        depths: list[int] = []
        for up in above:
            depths.append(0 if up < 0 else depths[up] + 1)
        order = sorted(range(len(limbs)), key=lambda limb: depths[limb])
        row_of = {limb: row for row, limb in enumerate(order)} | {-1: 0}
        width = max((len(limb) for limb in limbs), default=1)
        self.index = np.full(
            (len(limbs), width), body.unknowns, np.intp
        )  # unknown at each index of a limb; one too many: none
        self.position: dict[int, tuple[int, int]] = {}  # limb and index of each joint
        for row, limb in enumerate(order):
            for column, joint in enumerate(limbs[limb]):
                self.index[row, column] = BASE + joint
                self.position[joint] = row, column
        self.levels: list[Level] = []
        start, before, first_before = 0, 1, 0
        for depth in range(max(depths, default=-1) + 1):
            own = [limb for limb in order if depths[limb] == depth]
            ups = np.array([row_of[above[limb]] - first_before for limb in own], np.intp)
            self.levels.append(
                Level(slice(start, start + len(own)), ups, (np.arange(before)[:, None] == ups).astype(float))
            )
            first_before, before = start, len(own)
            start += len(own)


class Carried:
    """Targets on links, indexed by the limb that carries them and their position in the limb."""

    def __init__(self, layout: Layout, carriers: Indices) -> None:
        """`carriers` (k,): the joint that carries each; -1: the base."""
        own: list[list[int]] = [[] for _ in layout.index]
        for k, carrier in enumerate(carriers.tolist()):
            if carrier >= 0:
                own[layout.position[carrier][0]].append(k)
        most = max(map(len, own), default=0)
        self.which = np.full(
            (len(own), most), len(carriers), np.intp
        )  # targets of each limb; one too many: none
        self.beyond = np.zeros(
            (*layout.index.shape, most)
        )  # 1 where an index of a limb has a target at or beyond it
        for row, targets in enumerate(own):
            self.which[row, : len(targets)] = targets
            for column, k in enumerate(targets):
                self.beyond[row, : layout.position[int(carriers[k])][1] + 1, column] = 1.0
        self.at_base = (carriers < 0).astype(float)

    def summed(self, values: Array) -> Array:
        """Sum (m, b, ...) over the targets at or beyond each index of each limb, of values (k, ...) per
        target.
        """
        flat = padded(values.reshape(len(values), math.prod(values.shape[1:])))
        total: Array = self.beyond @ flat.take(self.which, axis=0)
        return total.reshape(*total.shape[:2], *values.shape[1:])


def padded(rows: Array) -> Array:
    """The array with a row of zeros appended; indices of missing entries refer to that row."""
    return np.concatenate([rows, np.zeros((1, rows.shape[1]))])
