"""Clamping of target distances: how much of an error one update corrects (Buss 2009, section 2)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..kinematics.rotations import length
from ..kinematics.skeleton import Skeleton
from .linear import Array, Linear, size

HALF_A_LINK = 0.5  # Buss's D_max of a position, as a fraction of the median link length
# [rad] D_max of an aim: the angle at which that distance is seen from a link's length away
LARGEST_TURN = HALF_A_LINK

Key = tuple[str, int]  # kind of a block, and index of its end


@dataclass(frozen=True)
class Allowances:
    """Largest correction of each block of errors in the next update, and the last errors, from which jumps of
    the target are detected; both in radians or fractions of the reach.
    """

    most: Mapping[Key, float]  # largest correction
    last_errors: Mapping[Key, Array]  # error vectors (r,), as from `errors_by_block`


@dataclass(frozen=True)
class Clamp:
    """Clamping distances D_max of positions and of angles."""

    distance: float  # D_max of a position, in fractions of the reach
    angle: float = LARGEST_TURN  # [rad]

    @staticmethod
    def for_skeleton(skeleton: Skeleton, links: float = HALF_A_LINK, angle: float = LARGEST_TURN) -> "Clamp":
        """Clamping distance of `links` times the median link length [fraction of the reach], with `angle`
        [rad] for orientations; the whole reach if no link has a length.
        """
        lengths = [length(joint.rest_offset) for joint in skeleton.joints[1:]] + [
            length(end.offset) for end in skeleton.ends
        ]
        real = [each for each in lengths if each > 0.0]
        return Clamp(links * float(np.median(real)) / skeleton.reach if real else 1.0, angle)

    def at_first(self, linear: Linear, before: Allowances | None) -> Allowances:
        """The allowances for a frame's first update: as `before`, but unbounded for ends whose targets have
        jumped since then; without `before`, unbounded for all.
        """
        errors = errors_by_block(linear)
        if before is None:
            return Allowances(dict.fromkeys(errors, math.inf), errors)
        most = {}
        for key, rows in errors.items():
            last = before.last_errors.get(key)
            jumped = last is None or len(last) != len(rows) or size(rows - last) > self._base(key)
            most[key] = math.inf if jumped else before.most[key]
        return Allowances(most, errors)

    def after(self, linear: Linear, before: Allowances) -> Allowances:
        """The allowances for the next update: D_max plus the reduction of each error by the update that led
        to `linear`; unbounded for a block of errors that `before` lacks.
        """
        errors = errors_by_block(linear)
        most = {
            key: (
                self._base(key) + max(0.0, size(before.last_errors[key]) - size(rows))
                if key in before.last_errors
                else math.inf
            )
            for key, rows in errors.items()
        }
        return Allowances(most, errors)

    def _base(self, key: Key) -> float:
        """D_max of a block [rad, or fraction of the reach]."""
        return self.distance if key[0] == "position" else self.angle


def clamped(linear: Linear, allowances: Allowances) -> Linear:
    """The problem with each block's error shortened to its allowance (ClampMag)."""
    shares = [
        (block, min(1.0, allowances.most[key] / error_size))
        for block in linear.blocks
        if (error_size := size(allowances.last_errors[key := (block.kind, block.end)])) > 0.0
    ]
    if all(share == 1.0 for _, share in shares):
        return linear
    error = linear.error.copy()
    for block, share in shares:
        error[block.start : block.stop] *= share
    return linear.with_error(error)


def errors_by_block(linear: Linear) -> dict[Key, Array]:
    """Unweighted error vector of each block."""
    return {
        (block.kind, block.end): linear.error[block.start : block.stop] / (block.weight or 1.0)
        for block in linear.blocks
    }
