"""The nearest pose to a wanted one in which no body's turning changes by more than it should from frame to frame. Knows no Blender.

A body's jolt is not that of a coordinate: several add up in it, and a loop turns one into many. So bodies are looked at themselves, all at
once with the loops, the limits and the goals: where a limit stops a leg dead, the platform turns on and gives way along the other legs.
"""

import math
from dataclasses import dataclass

import numpy as np

from .. import box
from .descent import CLOSED, Descent, Place
from .frames import Array, Indices, logarithm

STIFF = 300.0  # of a squared jolt beyond what is allowed, against the goals' squares: what is allowed comes first
KEPT = 0.3  # of the squared distance from the wanted pose, against the goals' squares
CLOSING = 1e6  # of the loops' squares against the goals'
ROUNDS = 12  # steps: most frames take two or three
OVER = 2  # times as many places as a frame may look at, where they are counted: calming has as many as the way there
ENOUGH = 1.03  # of what is allowed
SPARED = 2.0 / 3.0  # of the jolt that may be left where it cannot be as little as allowed: else the way off is not worth it
FARTHEST = 0.08  # [rad or sizes] of the goals beyond the exact answer: what lags behind farther has to catch up first
STOPPED = math.radians(40.0)  # in that way bodies must be able to stop: what is faster would go too far
LITTLE = 0.01  # of the least jolt so far: a round that spares less is in vain
VAIN = 2  # such rounds in a row, after which too little will be spared
SHARES = (1.0, 0.5, 0.25, 0.125)  # of a step, where the whole one leads too far


@dataclass(frozen=True)
class Jolts:
    """How bodies turned in the last frame, against which they jolt."""

    nodes: Indices  # (b,) of the bodies
    first: Array  # (b, 3, 3) their turns where the frame begins
    last: Array  # (b, 3) rotation vectors [rad] of the last frame, as long as this one

    @classmethod
    def since(cls, before: Array, start: Place, nodes: Indices, share: float) -> "Jolts":
        """From the frames (n + 1, 4, 4) where the last frame began; `share`: of its length that this frame has."""
        first = start.shape.frames[nodes, :3, :3]
        return cls(nodes, first, share * _turned(before[nodes, :3, :3], first))

    def at(self, place: Place) -> Array:
        """(b, 3) [rad] by how much more each body turns on the way to a place than in the last frame."""
        more: Array = _turned(self.first, place.shape.frames[self.nodes, :3, :3]) - self.last
        return more

    def largest(self, place: Place) -> float:
        """[rad] of `at`."""
        return math.sqrt(float((self.at(place) ** 2).sum(-1).max(initial=0.0)))


def _turned(first: Array, then: Array) -> Array:
    return logarithm(then @ np.swapaxes(first, -1, -2))


def calmed(descent: Descent, start: Place, wanted: Place, exact: Place, jolts: Jolts, most: float) -> Place:
    """The wanted place, or one near it in which no body jolts by more than `most` [rad], as far as that can be had.

    Args:
        start: Where the frame begins.
        exact: The goals' nearest pose, from which the answer's goals stay no more than `FARTHEST` away.

    The excess over `most` is weighed by steps of least squares whose target is what the last step left of each jolt, cut to `most`: each
    step makes the sum smaller.
    """
    here = best = wanted
    least = as_wanted = jolts.largest(wanted)
    farthest, open_most = math.sqrt(exact.square) + FARTHEST, max(CLOSED, exact.open)
    is_late, is_fast = math.sqrt(wanted.square) > farthest, (jolts.last**2).sum(-1).max(initial=0.0) > 2.0 * most * STOPPED
    if least <= ENOUGH * most or is_late or is_fast:
        return wanted
    aim, vain = descent.way(start, wanted), 0
    for _ in range(ROUNDS):
        if descent.looked >= OVER * descent.most:
            break
        step = _step(descent, here, exact, aim - descent.way(start, here), jolts, most)
        for share in SHARES:
            there = descent.close(descent.stepped(here, share * step), CLOSED)
            if there.open <= open_most and math.sqrt(there.square) <= farthest:
                break
        else:
            break
        here, jolt = there, jolts.largest(there)
        vain = 0 if jolt < (1.0 - LITTLE) * least else vain + 1
        if jolt < least:
            best, least = here, jolt
        if least <= ENOUGH * most or (vain == VAIN and least > SPARED * as_wanted):
            break
    return best if least <= max(ENOUGH * most, SPARED * as_wanted) else wanted


def _step(descent: Descent, here: Place, exact: Place, aim: Array, jolts: Jolts, most: float) -> Array:
    """The step (v,) in units, within limits, of which `aim` (v,) is left to the wanted place."""
    coordinates = descent.coordinates
    jolt = jolts.at(here)
    size = np.sqrt((jolt * jolt).sum(-1))
    fast = size > most
    beyond = (jolt[fast] * (1.0 - most / size[fast])[:, None]).ravel()
    rows = (here.shape.screws[0] * coordinates.carries[jolts.nodes[fast]][:, None, :]).reshape(-1, coordinates.width)
    gap, loops = here.shape.loops
    error, goal = here.goals
    matrix = CLOSING * (loops.T @ loops) + goal.T @ goal + STIFF * (rows.T @ rows)
    matrix.flat[:: len(matrix) + 1] += KEPT
    slope = KEPT * aim - CLOSING * (gap @ loops) - (error - exact.goals[0]) @ goal - STIFF * (beyond @ rows)
    lower, upper = (descent.lower - here.values) / descent.unit, (descent.upper - here.values) / descent.unit
    return box.solve(matrix, slope, np.minimum(lower, 0.0), np.maximum(upper, 0.0)).x
