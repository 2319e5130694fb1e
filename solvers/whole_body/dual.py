"""A bounded least squares with general rows, one constraint at a time: the dual method of Goldfarb & Idnani (1983). Knows no Blender.

It starts at the minimum over the box, which is the minimum for the bounds that hold it, and takes in violated constraints, the worst first,
letting go of those that no longer hold it. It ends for every positive definite H, degenerate constraints or not, and finds out when the
constraints contradict each other.
"""

import numpy as np

from ..box import Boxed
from .rows import Rows
from .so3 import Array

FLAT = 1e-11  # of a constraint's own curvature: what is left of it beside the active ones, when it is made of them
NOTHING = 1e-300  # of a curvature: a row of zeros has none
CLOSE = 1e-9  # [of a unit normal's bound] a violation below is rounding, which the inverse of a badly conditioned H makes more of
MOST_ROUNDS = 20  # for each constraint: never reached but by rounding


class _Constraints:
    """Bounds and rows as normals @ x >= bounds, of unit normals."""

    def __init__(self, lower: Array, upper: Array, rows: Rows) -> None:
        count = len(lower)
        sizes = np.sqrt((rows.matrix**2).sum(1))
        sizes[sizes == 0.0] = 1.0
        unit = rows.matrix / sizes[:, None]
        one = np.eye(count)
        self.normals = np.concatenate([one, -one, unit, -unit])
        self.bounds = np.concatenate([lower, -upper, rows.lower / sizes, -rows.upper / sizes])
        self.equal = np.zeros(len(self.bounds), bool)
        self.equal[2 * count : 2 * count + len(rows)] = rows.equal
        self.usable = np.isfinite(self.bounds)
        self.usable[2 * count + len(rows) :] &= ~rows.equal  # an equality is one constraint
        self.tolerance = CLOSE * (1.0 + np.where(self.usable, np.abs(self.bounds), 0.0))

    def worst(self, x: Array, active: list[int]) -> tuple[int, float]:
        """The constraint that is violated most, equalities first, and its sign: -1 for an equality that is exceeded. -1 where all hold."""
        slack = np.where(self.usable, self.normals @ x - np.where(self.usable, self.bounds, 0.0), np.inf)
        slack[active] = np.inf
        missed = np.where(self.equal, np.abs(slack), -slack) - self.tolerance
        missed[~np.isfinite(slack)] = -np.inf
        equal = np.flatnonzero(self.equal & (missed > 0.0))
        chosen = int(equal[0]) if len(equal) else int(np.argmax(missed))
        if missed[chosen] <= 0.0:
            return -1, 1.0
        return chosen, -1.0 if self.equal[chosen] and slack[chosen] > 0.0 else 1.0


def solve(matrix: Array, vector: Array, lower: Array, upper: Array, rows: Rows, boxed: Boxed) -> Array | None:
    """The minimum (n,) within box and rows; None where they contradict each other.

    Args:
        matrix: H (n, n), symmetric and positive definite.
        vector: g (n,).
        lower: (n,), may be infinite.
        upper: (n,).
        rows: The general rows.
        boxed: The minimum within the box alone.
    """
    limits = _Constraints(lower, upper, rows)
    inverse = np.linalg.inv(matrix)
    x, count = boxed.x.copy(), len(vector)
    slope = matrix @ x - vector
    held = np.flatnonzero(boxed.sides)
    active = [int(k) if slope[k] >= 0.0 else count + int(k) for k in held]
    signs = [1.0] * len(active)
    forces = np.abs(slope[held])  # of the active constraints, never below zero but for equalities
    for _ in range(MOST_ROUNDS * len(limits.bounds)):
        chosen, sign = limits.worst(x, active)
        if chosen < 0:
            return x
        normal, bound, force = sign * limits.normals[chosen], sign * limits.bounds[chosen], 0.0
        while True:
            own = limits.normals[active] * np.array(signs)[:, None] if active else np.zeros((0, count))
            pushed = inverse @ normal
            curvature = float(normal @ pushed)
            if active:
                gram = own @ inverse @ own.T
                share = np.linalg.lstsq(gram, own @ pushed, rcond=None)[0]
                way = pushed - inverse @ (own.T @ share)
            else:
                share, way = np.zeros(0), pushed
            gain = float(normal @ way)
            # A row of zeros cannot be moved; what the active ones are made of can only be exchanged for one of them.
            full = (bound - float(normal @ x)) / gain if gain > FLAT * max(curvature, NOTHING) else np.inf
            yielding = [k for k, index in enumerate(active) if share[k] > FLAT and not limits.equal[index]]
            first = min(yielding, key=lambda k: forces[k] / share[k], default=-1)
            partial = max(0.0, float(forces[first] / share[first])) if first >= 0 else np.inf
            length = min(full, partial)
            if not np.isfinite(length):
                return None
            if np.isfinite(full):
                x = x + length * way
            forces = forces - length * share
            force += length
            if full <= partial:
                active.append(chosen)
                signs.append(sign)
                forces = np.append(forces, force)
                break
            del active[first], signs[first]
            forces = np.delete(forces, first)
    return None
