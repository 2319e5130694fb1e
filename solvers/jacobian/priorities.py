"""Task priorities: each level is solved in the null space of those above.

Source: Maciejewski & Klein 1985 for two levels; Baerlocher & Boulic 1998, 2004 for any number, with the null
space projected from level to level; Ribeiro & Paiva 2019, eq. 13 to 15 and 25. Joint limits are kept by a
loop at each level (`least_squares.bounded_step`). Baerlocher & Boulic instead repeat all levels in one loop,
where a joint that a lower level has taken to its limit is no longer available to higher levels.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..least_squares.bounded_step import beneath
from ..tolerances import MET
from .damping import BySmallest, Constant, DampingRule
from .linear import Array, Indices, Linear, clamp_largest, factors, size
from .methods import damped

NEXT_LEVEL = 0.01  # weight of an error relative to one at the level above, when poses are compared


@dataclass(frozen=True)
class Level:
    """A priority level: one kind of goal, for given ends or for all; the kind "posture" means the secondary
    objectives.
    """

    kind: Literal["aim", "upright", "position", "posture"]
    ends: tuple[int, ...] | None = None  # indices in `goal.ends` of the level's ends; None: all


DAMPING = BySmallest()
# constant damping: a posture out of reach leaves a permanent error, at which undamped joints with a small
# effect would oscillate
SECONDARY_DAMPING = Constant(0.5)
POSITION, AIM, UPRIGHT, POSTURE = Level("position"), Level("aim"), Level("upright"), Level("posture")


@dataclass(frozen=True)
class Priorities:
    """Method with any number of priority levels, highest first. Goals without a level are ignored."""

    levels: Sequence[Level] = (POSITION, AIM, UPRIGHT, POSTURE)
    damping: DampingRule = DAMPING
    largest_change: float = math.radians(45)
    posture_damping: DampingRule = SECONDARY_DAMPING  # damping of the level "posture"

    def change(self, linear: Linear, down: Array, up: Array) -> Array:
        """Joint change (n,) within the bounds `down` and `up` (n,), and `largest_change`: each level is
        solved in the null space of the levels above it.
        """
        count = linear.jacobian.shape[1]
        change = np.zeros(count)
        above = np.zeros((0, count))  # Jacobian of all levels so far
        for level in self.levels:
            error, jacobian = task(linear, level)
            if not len(error):
                continue
            damping = self.posture_damping if level.kind == "posture" else self.damping
            change = beneath(self._further(error, jacobian, above, damping), change, down, up)
            above = np.vstack([above, jacobian])
        return clamp_largest(change, self.largest_change)

    def error_size(self, linear: Linear) -> float:
        """Size of the errors, weighted so that those of lower levels count far less; of two poses, the one
        with the smaller size is better.
        """
        return math.hypot(
            *(NEXT_LEVEL**depth * size(task(linear, level)[0]) for depth, level in enumerate(self.levels))
        )

    def _further(
        self, error: Array, jacobian: Array, above: Array, damping: DampingRule
    ) -> Callable[[Indices, Array], Array]:
        """Function that returns a level's addition (k,) to a change (n,) so far, by the k free joints alone
        and in the null space of all levels above.

        Args:
            error: Error (r,) of the level.
            jacobian: Jacobian (r, n) of the level.
            above: Jacobians (q, n) of all levels above.
            damping: Damping of the level.
        """

        def further(free: Indices, so_far: Array) -> Array:
            null = factors(above[:, free], MET).projector() if len(above) else np.eye(len(free))
            return damped(factors(jacobian[:, free] @ null, MET), error - jacobian @ so_far, damping)

        return further


def task(linear: Linear, level: Level) -> tuple[Array, Array]:
    """A level's errors (r,) and Jacobian (r, n); r is 0 if the goal has no error of the level's kind."""
    if level.kind == "posture":
        return linear.secondary[linear.kept], np.eye(len(linear.secondary))[linear.kept]
    rows = [
        row
        for block in linear.blocks
        if block.kind == level.kind and (level.ends is None or block.end in level.ends)
        for row in range(block.start, block.stop)
    ]
    return linear.error[rows], linear.jacobian[rows]
