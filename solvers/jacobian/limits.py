"""Joint limits: joints that a change would carry over theirs stop there, and the others take over. Knows no Blender.

Source: the clamping loop of Baerlocher & Boulic 2004, for any method.
"""

import numpy as np

from .linear import Array, Linear
from .methods import Method


def change_within(method: Method, linear: Linear, down: Array, up: Array) -> Array:
    """The method's change (n,), with no joint moved further than `down` (n,) <= 0 and `up` (n,) >= 0 allow.

    Joints that would go too far are moved to their limits, what that does to the errors is taken off, and the rest is solved again without
    them, until none goes too far.
    """
    change = method.change(linear)
    over = (change < down) | (change > up)
    if not over.any():
        return change
    whole = np.zeros(len(change))
    free = np.arange(len(change))
    while True:
        stopped = free[over]
        whole[stopped] = np.clip(change[over], down[stopped], up[stopped])
        free = free[~over]
        if not len(free):
            return whole
        change = method.change(linear.without(whole, free))
        over = (change < down[free]) | (change > up[free])
        if not over.any():
            whole[free] = change
            return whole
