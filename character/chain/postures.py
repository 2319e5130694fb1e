"""What the warp keeps the shape of: the authored pose, a stored posture, or a blend of several. Knows no Blender."""

from collections.abc import Sequence

import numpy as np

from ...solvers.skeleton import Angles


def filled(posture: Angles, authored: Angles) -> Angles:
    """A stored posture (n,) [rad, prismatic joints m]; where it says nothing of a joint (NaN) the authored pose."""
    silent = np.isnan(posture)
    return np.where(silent, authored, posture) if silent.any() else posture


def blend(weighted: Sequence[tuple[float, Angles]], authored: Angles) -> Angles:
    """Each posture by its weight, of their sum where that is more than 1; where it is less, the rest is the authored pose.

    So a single weight fades its posture in, equal weights are a mean, and nothing jumps where the last of them becomes 0.
    """
    blended, total = np.zeros(len(authored)), 0.0
    for weight, posture in weighted:
        blended += weight * filled(posture, authored)
        total += weight
    made: Angles = (blended + max(0.0, 1.0 - total) * authored) / max(1.0, total)
    return made
