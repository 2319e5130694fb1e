"""The nearest pose to a wanted one from which no body has to jolt, in this frame or the next ones. Knows no Blender.

A body's jolt is not that of a coordinate: several add up in it, and a loop turns one into many. So bodies are looked at themselves, all at
once with the loops, the limits and the goals: where a limit stops a leg dead, the platform turns on and gives way along the other legs. And
what is fast cannot be stopped in one frame: so this frame is found together with the next ones, as they would be if targets went on evenly.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from .. import box
from .descent import CLOSED, Descent, Place
from .frames import Array, Indices, logarithm

FRAMES = 3  # that are looked at, at most: this one and the next
WIDEST = 400  # coordinates of all of them: a step takes with their third power
STIFF = 300.0  # of a squared jolt beyond what is allowed, against the goals' squares: what is allowed comes first
KEPT = 0.3  # of the squared distance from the wanted pose, against the goals' squares
DAMPED = 0.3  # of squared steps, against the goals' squares
CLOSING = 1e6  # of the loops' squares against the goals'
ROUNDS = 8  # steps: most frames take two or three
LOOKS = 3  # at what a step would make of bodies that it did not heed
OVER = 2  # times as many places as a frame may look at, where they are counted: calming has as many as the way there
ENOUGH = 1.03  # of what is allowed
LITTLE = 0.003  # of what shall be small: a step that gains less is the last
FARTHEST = 0.08  # [rad or sizes] of the goals beyond the exact answer: what lags behind farther has to catch up first
STOPPED = math.radians(48.0)  # in that way bodies must be able to stop: what is faster would go too far
HEAVIER = 2.0  # times as much this frame's goals count where steps lead too far from them
SHARES = (1.0, 0.5, 0.25, 0.125)  # of a step, where the whole one leads too far

Places = Sequence[Place]  # of this frame and the next ones
Jolting = list[Array]  # (b, 3) [rad] of each of them


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

    def at(self, *places: Place) -> Jolting:
        """By how much more each body turns in each of these frames than in the one before."""
        turns = [self.first, *(place.shape.frames[self.nodes, :3, :3] for place in places)]
        steps = [self.last, *(_turned(first, then) for first, then in pairwise(turns))]
        return [then - first for first, then in pairwise(steps)]

    def largest(self, *places: Place) -> float:
        """[rad] of `at`."""
        return max(float(_sizes(jolt).max(initial=0.0)) for jolt in self.at(*places))


def _turned(first: Array, then: Array) -> Array:
    return logarithm(then @ np.swapaxes(first, -1, -2))


def _sizes(vectors: Array) -> Array:
    sizes: Array = np.sqrt((vectors * vectors).sum(-1))
    return sizes


@dataclass(frozen=True)
class Calm:
    """What is asked of a frame and those after it.

    The excess over `most` is weighed by steps of least squares whose target is what the last step left of each jolt, cut to `most`: each
    step makes the sum smaller.
    """

    descent: Descent
    start: Place  # where the frame begins
    exact: Place  # the goals' nearest pose, from which the answer's goals stay no more than `farthest` away
    jolts: Jolts
    most: float  # [rad] that a body may jolt
    move: Array  # (e,) by which the goals' rows change with every frame
    met: float = 1.0  # how much this frame's goals count, against those of the next ones
    farthest: float = FARTHEST  # [rad or sizes] of the goals beyond the exact answer

    @cached_property
    def later(self) -> Descent:
        """Of the next frames."""
        return self.descent.later()

    def _moved(self, here: Places, steps: Array) -> Places:
        """Where steps (f, v) lead, once it is closed."""
        descents = (self.descent, *(self.later,) * (len(here) - 1))
        return [descent.close(descent.stepped(at, step), CLOSED) for descent, at, step in zip(descents, here, steps, strict=True)]

    def near(self, wanted: Place) -> Place:
        """The wanted place, or one near it from which no body has to jolt by more than `most`, as far as that can be had."""
        farthest = math.sqrt(self.exact.square) + self.farthest
        is_far = math.sqrt(wanted.square) > farthest
        if is_far or (self.jolts.last**2).sum(-1).max(initial=0.0) > 2.0 * self.most * STOPPED:
            return wanted
        descent, open_most = self.descent, max(CLOSED, self.exact.open)
        aim, met = descent.way(self.start, wanted), self.met
        here = self._onward(wanted, aim)
        for _ in range(ROUNDS):
            looked = descent.looked + self.later.looked
            if self.jolts.largest(*here) <= ENOUGH * self.most or looked >= OVER * descent.most:
                break
            cost = self._cost(here, aim, met)
            steps, is_far = self._steps(here, aim, met), False
            for share in SHARES:
                there = self._moved(here, share * steps)
                is_far = math.sqrt(there[0].square) > farthest
                is_closed = max(at.open for at in there) <= open_most
                if is_closed and not is_far and (less := self._cost(there, aim, met)) < cost:
                    break
            else:
                if not is_far:
                    break
                met *= HEAVIER
                continue
            here = there
            if cost - less < LITTLE * cost:
                break
        return here[0]

    def _onward(self, wanted: Place, way: Array) -> Places:
        """A frame's place, and those to which its way leads on, as far as the loops go."""
        places, count = [wanted], min(FRAMES, WIDEST // len(way))
        while len(places) < count:
            there = self.later.close(self.later.stepped(places[-1], way), CLOSED)
            if there.open > CLOSED:
                there = places[-1]
            way = self.descent.way(places[-1], there)
            places.append(there)
        return places

    def errors(self, here: Places) -> list[Array]:
        """Goals' rows (e,) of each frame; this one's against those of the exact answer."""
        return [here[0].goals[0] - self.exact.goals[0], *(at.goals[0] + k * self.move for k, at in enumerate(here[1:], 1))]

    def _cost(self, here: Places, aim: Array, met: float) -> float:
        """What shall be small."""
        now, *later = self.errors(here)
        off = aim - self.descent.way(self.start, here[0])
        excess = sum(float((np.maximum(_sizes(jolt) - self.most, 0.0) ** 2).sum()) for jolt in self.jolts.at(*here))
        return STIFF * excess + met * float(now @ now) + sum(float(row @ row) for row in later) + KEPT * float(off @ off)

    def _steps(self, here: Places, aim: Array, met: float) -> Array:
        """A step (f, v) in units, within limits, for each frame."""
        width, count = self.descent.coordinates.width, len(here)
        matrix, slope = np.zeros((count, width, count, width)), np.zeros((count, width))
        for k, (at, error) in enumerate(zip(here, self.errors(here), strict=True)):
            gap, loops = at.shape.loops
            goal, weight = at.goals[1], 1.0 if k else met
            matrix[k, :, k] = CLOSING * (loops.T @ loops) + weight * (goal.T @ goal) + DAMPED * np.eye(width)
            slope[k] = -CLOSING * (gap @ loops) - weight * (error @ goal)
        slope[0] += KEPT * (aim - self.descent.way(self.start, here[0]))
        return self._heeding_jolts(here, matrix.reshape(count * width, -1), slope.ravel()).reshape(count, width)

    def _heeding_jolts(self, here: Places, matrix: Array, slope: Array) -> Array:
        """The step (f v,) that makes x' `matrix` x / 2 - `slope`' x small with what bodies jolt beyond what is allowed, also after it."""
        lower, upper = self._room(here)
        jolt, rows = np.concatenate(self.jolts.at(*here)), self._turns(here)
        step, after = np.zeros(len(slope)), jolt
        heeded = np.zeros(len(jolt), bool)
        for look in range(LOOKS):
            size = _sizes(after)
            if look and not (size[~heeded] > self.most).any():
                break
            heeded |= size > self.most
            kept = after[heeded] * (self.most / np.maximum(size[heeded], self.most))[:, None]
            heavy = rows[heeded].reshape(-1, len(slope))
            beyond = (jolt[heeded] - kept).ravel()
            step = box.solve(matrix + STIFF * (heavy.T @ heavy), slope - STIFF * (beyond @ heavy), lower, upper).x
            after = jolt + rows @ step
        return step

    def _room(self, here: Places) -> tuple[Array, Array]:
        """Least and most step (f v,) in units: this frame's by speeds, too."""
        unit = self.descent.unit
        bounds = [(self.descent.lower, self.descent.upper), *(self.descent.limits,) * (len(here) - 1)]
        lower = [np.minimum((low - at.values) / unit, 0.0) for at, (low, _) in zip(here, bounds, strict=True)]
        upper = [np.maximum((high - at.values) / unit, 0.0) for at, (_, high) in zip(here, bounds, strict=True)]
        return np.concatenate(lower), np.concatenate(upper)

    def _turns(self, here: Places) -> Array:
        """The derivative of all frames' jolts by all their steps (f b, 3, f v)."""
        coordinates, nodes, count = self.descent.coordinates, self.jolts.nodes, len(here)
        turns = [at.shape.screws[0] * coordinates.carries[nodes][:, None, :] for at in here]
        rows = np.zeros((count, len(nodes), 3, count, coordinates.width))
        for k in range(count):
            for back, share in enumerate((1.0, -2.0, 1.0)[: k + 1]):
                rows[k, :, :, k - back] = share * turns[k - back]
        return rows.reshape(count * len(nodes), 3, -1)
