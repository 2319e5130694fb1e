"""Bounded least squares with linear constraints by the dual active-set method of Goldfarb & Idnani (1983). Knows no Blender.

It starts at the minimum over the box, adds violated constraints one at a time, the worst first, and releases those that are no longer
active. It ends for every positive definite H, degenerate constraints or not, and detects contradicting constraints.
"""

import numpy as np

from ..box import Boxed
from ..kinematics.se3 import Array
from .constraints import Constraints

FLAT = 1e-11  # of a constraint's own curvature: less beside the active constraints means that it depends on them
NOTHING = 1e-300  # of a curvature: a constraint with zero normal has none
CLOSE = 1e-9  # [of a unit normal's bound] a smaller violation is rounding, amplified by the inverse of an ill-conditioned H
MOST_ROUNDS = 20  # for each constraint: reached by rounding alone


class _Constraints:
    """Bounds and linear constraints as normals @ x >= bounds, with unit normals."""

    def __init__(self, lower: Array, upper: Array, constraints: Constraints) -> None:
        count = len(lower)
        sizes = np.sqrt((constraints.matrix**2).sum(1))
        sizes[sizes == 0.0] = 1.0
        unit = constraints.matrix / sizes[:, None]
        one = np.eye(count)
        self.normals = np.concatenate([one, -one, unit, -unit])
        self.bounds = np.concatenate([lower, -upper, constraints.lower / sizes, -constraints.upper / sizes])
        self.equal = np.zeros(len(self.bounds), bool)
        self.equal[2 * count : 2 * count + len(constraints)] = constraints.equal
        self.usable = np.isfinite(self.bounds)
        self.usable[2 * count + len(constraints) :] &= ~constraints.equal  # an equality is one constraint
        self.tolerance = CLOSE * (1.0 + np.where(self.usable, np.abs(self.bounds), 0.0))

    def worst(self, x: Array, active: list[int]) -> tuple[int, float]:
        """The most violated constraint, equalities first, and its sign: -1 for an equality that is exceeded. -1 where all hold."""
        slack = np.where(self.usable, self.normals @ x - np.where(self.usable, self.bounds, 0.0), np.inf)
        slack[active] = np.inf
        missed = np.where(self.equal, np.abs(slack), -slack) - self.tolerance
        missed[~np.isfinite(slack)] = -np.inf
        equal = np.flatnonzero(self.equal & (missed > 0.0))
        chosen = int(equal[0]) if len(equal) else int(np.argmax(missed))
        if missed[chosen] <= 0.0:
            return -1, 1.0
        return chosen, -1.0 if self.equal[chosen] and slack[chosen] > 0.0 else 1.0


def solve(matrix: Array, vector: Array, lower: Array, upper: Array, constraints: Constraints, boxed: Boxed) -> Array | None:
    """The minimum (n,) within box and constraints; None where they contradict each other.

    Args:
        matrix: H (n, n), symmetric and positive definite.
        vector: g (n,).
        lower: (n,), may be infinite.
        upper: (n,).
        constraints: Linear constraints.
        boxed: The minimum within the box alone.
    """
    limits = _Constraints(lower, upper, constraints)
    inverse = np.linalg.inv(matrix)
    x, count = boxed.x.copy(), len(vector)
    slope = matrix @ x - vector
    held = np.flatnonzero(boxed.sides)
    active = [int(k) if slope[k] >= 0.0 else count + int(k) for k in held]
    signs = [1.0] * len(active)
    forces = np.abs(slope[held])  # multipliers of the active constraints, not negative except for equalities
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
                direction = pushed - inverse @ (own.T @ share)
            else:
                share, direction = np.zeros(0), pushed
            gain = float(normal @ direction)
            # A zero normal cannot be met by moving; a constraint that depends on active ones can only replace one of them.
            full = (bound - float(normal @ x)) / gain if gain > FLAT * max(curvature, NOTHING) else np.inf
            yielding = [k for k, index in enumerate(active) if share[k] > FLAT and not limits.equal[index]]
            first = min(yielding, key=lambda k: forces[k] / share[k], default=-1)
            partial = max(0.0, float(forces[first] / share[first])) if first >= 0 else np.inf
            length = min(full, partial)
            if not np.isfinite(length):
                return None
            if np.isfinite(full):
                x = x + length * direction
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
