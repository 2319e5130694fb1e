"""Starting angles spread evenly over the joints' ranges, always the same."""

import math

import numpy as np

from .kinematics.skeleton import Angles, Skeleton

SEEDS = 8  # usual number of starts that are tried if no nearer one meets the goal


def spread(skeleton: Skeleton, count: int = SEEDS) -> Angles:
    """Starting angles (count, n) [rad or m] within limits, by the additive recurrence on powers of the
    generalised golden ratio (Roberts 2018).
    """
    n, before, ratio = len(skeleton), math.inf, 2.0
    while ratio < before:  # decreases to the root of x^(n + 1) = x + 1
        before, ratio = ratio, (1.0 + ratio) ** (1.0 / (n + 1))
    fractions = (0.5 + np.arange(1, count + 1)[:, None] * ratio ** -np.arange(1.0, n + 1)) % 1.0
    lower, upper = np.array(skeleton.lower), np.array(skeleton.upper)
    angles: Angles = lower + (upper - lower) * fractions
    return angles
