"""Detects changes of assembly mode (an elbow that flips to the other side).

The loops' Jacobian with respect to passive coordinates (those without a motor) has a determinant whose sign
differs between the assemblies that meet at a singular pose. It is followed from frame to frame, for each
cluster of loops. When a parallelogram passes its flat pose, the sign changes as the motors' movement
predicts; only an unpredicted change means another assembly.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..kinematics.se3 import Array
from ..kinematics.tree import Indices
from ..least_squares.bounded_step import LONGEST_STEP
from ..tolerances import EXACT
from .clusters import RANK, Clusters
from .descent import ALIKE, NEAR_SINGULAR

# absolute determinant above which a pose counts as far from the singular pose at which its sign changes
REGULAR = 0.1
# ratio of a determinant to its reference's, or the inverse ratio, from which the reference is renewed
STALE = 2.0


@dataclass(frozen=True)
class DeterminantReference:
    """Reference for determinants: a block (r, p) of the loops' Jacobian at a pose, represented by its m
    singular vectors.
    """

    left: Array  # (m, r) left singular vectors / singular values; 0 if the value is a rounding error
    right: Array  # (p, m) right singular vectors
    rest: Array  # (m, m) 1 on the diagonal where the singular value is a rounding error
    rank: int
    is_clear: bool  # whether each singular value is either large or a rounding error

    @classmethod
    def at(cls, block: Array) -> "DeterminantReference":
        """The reference that a block (r, p) gives: relative to it the block's determinant is 1."""
        left, sizes, right = np.linalg.svd(block, full_matrices=False)
        counts = sizes > RANK * sizes.max(initial=0.0)
        is_clear = bool((~counts | (sizes > NEAR_SINGULAR * sizes.max(initial=0.0))).all())
        scaled = np.where(counts, 1.0 / np.where(counts, sizes, 1.0), 0.0)
        right = (counts[:, None] * right).T
        return cls(
            scaled[:, None] * left.T, right, np.diag(~counts).astype(float), int(counts.sum()), is_clear
        )

    def determinant(self, block: Array) -> float:
        """Determinant of a block (r, p), relative to the reference: 1 at the reference pose, negative beyond
        a singular pose.
        """
        return float(np.linalg.det(self.left @ block @ self.right + self.rest))


@dataclass(frozen=True)
class Mode:
    """Assembly mode of one cluster of loops in a frame."""

    reference: DeterminantReference
    value: float  # determinant, from which a change of the mode is detected
    slope: float  # change of the determinant in the last step
    position: Array  # (v,) coordinates [rad, or sizes of the mechanism]
    step: Array  # (v,) last step [rad, or sizes of the mechanism]

    def renewed(self, block: Array) -> "Mode":
        """The mode with `block` (r, p) as its new reference; the mode itself if the block's pose is too near
        to a singular one, or its rank below that of the present reference.
        """
        reference = DeterminantReference.at(block)
        if not reference.is_clear or reference.rank < self.reference.rank:
            return self
        return replace(self, reference=reference, value=1.0, slope=self.slope / self.value)


@dataclass(frozen=True)
class Branch:
    """Assembly mode of a mechanism in a frame."""

    modes: tuple[Mode, ...]  # assembly mode of each cluster of loops
    moved: float = 0.0  # [rad, or sizes of the mechanism] movement since the references were taken
    is_regular: bool = True  # whether no cluster is near a singular pose


class Branches:
    """Tracks the assembly modes of one mechanism: its different poses at the same motor values."""

    def __init__(self, clusters: Clusters, actuated: NDArray[np.int64], unit: Array) -> None:
        """`actuated` (m,): indices of the coordinates that actuators drive; `unit` (v,): unit of each
        coordinate [rad or m].
        """
        self.clusters, self.actuated, self.unit = clusters, actuated, unit
        self.passive = [~np.isin(columns, actuated) for columns in clusters.columns]

    def _blocks(self, loops: Array) -> list[Array]:
        """The clusters' blocks (r, p) of the loops' Jacobian, with the columns of passive coordinates."""
        return [
            block[:, passive]
            for block, passive in zip(self.clusters.blocks(loops), self.passive, strict=True)
        ]

    def begin(self, loops: Array, values: Array) -> Branch:
        """The assembly mode of a closed pose, given the Jacobian `loops` (r, v) of its loops and its
        coordinates `values` (v,).
        """
        position = values / self.unit
        still = np.zeros_like(position)
        return Branch(
            tuple(
                Mode(DeterminantReference.at(block), 1.0, 0.0, position, still)
                for block in self._blocks(loops)
            )
        )

    def follow(self, last: Branch, loops: Array, values: Array) -> tuple[Branch, bool]:
        """The assembly mode in the next frame, given the loops' Jacobian and the coordinates' values (v,) in
        it, and whether a loop has changed to another mode.
        """
        if not last.modes:
            return last, False
        blocks, position = self._blocks(loops), values / self.unit
        determinants = [
            mode.reference.determinant(block) for mode, block in zip(last.modes, blocks, strict=True)
        ]
        moved = last.moved + max(float(np.abs(position - mode.position).max()) for mode in last.modes)
        modes, is_other, is_renewed = [], False, False
        for mode, columns, determinant, block in zip(
            last.modes, self.clusters.columns, determinants, blocks, strict=True
        ):
            if abs(determinant) <= NEAR_SINGULAR:
                modes.append(mode)
                continue
            following, has_changed = self._followed(mode, determinant, position, columns)
            is_other |= has_changed
            # The reference is also renewed after a motion this long: one taken at a singular pose lacks
            # directions.
            if not 1.0 / STALE <= abs(determinant) <= STALE or moved >= LONGEST_STEP:
                following, is_renewed = following.renewed(block), True
            modes.append(following)
        is_far = all(abs(determinant) > REGULAR for determinant in determinants)
        return Branch(tuple(modes), 0.0 if is_renewed else moved, is_far), is_other

    def _followed(
        self, last: Mode, determinant: float, position: Array, columns: Indices
    ) -> tuple[Mode, bool]:
        """The mode of a cluster in the next frame, away from singular poses, and whether it has changed.

        Args:
            last: The cluster's mode in the last frame.
            determinant: Determinant in this frame, relative to the last mode's reference.
            position: All coordinates (v,) in this frame [rad, or sizes of the mechanism].
            columns: Indices (c,) of the cluster's coordinates.
        """
        step = position - last.position
        is_other = self._is_unpredicted(last, determinant, step, columns)
        if float(np.abs(step).max(initial=0.0)) <= EXACT:
            return replace(last, value=determinant, slope=0.0 if is_other else last.slope), is_other
        slope = 0.0 if is_other else determinant - last.value
        return Mode(last.reference, determinant, slope, position, step), is_other

    def _is_unpredicted(self, last: Mode, determinant: float, step: Array, columns: Indices) -> bool:
        """Whether a determinant tells of another assembly mode, after the coordinates have moved by `step`
        (v,) since the last frame: its sign differs from the one that the motors' movement predicts and,
        unless the path has a kink, also from the last frame's.
        """
        moves, before = step[self.actuated], last.step[self.actuated]
        square = float(before @ before)
        is_near = float(np.abs(moves).max(initial=0.0)) < LONGEST_STEP
        ahead = float(moves @ before) / square if square > 0.0 and is_near else 0.0
        predicted = last.value + ahead * last.slope
        if abs(predicted) <= NEAR_SINGULAR or determinant * predicted >= 0.0:
            return False
        kink = np.abs(step - ahead * last.step)[columns].max()
        is_bent = bool(kink > ALIKE * np.abs(step)[columns].max())
        # Without a change of sign or a kink, the mechanism has touched a flat pose and kept its assembly.
        return determinant * last.value < 0.0 or is_bent
