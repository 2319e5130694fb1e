"""Starting angles spread evenly over the joints' ranges, always the same. Knows no Blender."""

import numpy as np

from .kinematics.skeleton import Angles, Skeleton

ROOT_STEPS = 64  # of the fixed-point iteration, which converges by a factor of at least two a step


def spread(skeleton: Skeleton, count: int) -> Angles:
    """Angles (count, n): the additive recurrence on powers of the generalised golden ratio (Roberts 2018)."""
    n, ratio = len(skeleton), 2.0
    for _ in range(ROOT_STEPS):  # the root of x^(n + 1) = x + 1
        ratio = (1.0 + ratio) ** (1.0 / (n + 1))
    fractions = (0.5 + np.arange(1, count + 1)[:, None] * ratio ** -np.arange(1.0, n + 1)) % 1.0
    lower, upper = np.array(skeleton.lower), np.array(skeleton.upper)
    angles: Angles = lower + (upper - lower) * fractions
    return angles
