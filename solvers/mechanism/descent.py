"""One solve of a mechanism: steps that close its loops and serve its goals, within limits. Knows no Blender.

Each step closes the loops as far as they are open and moves along the ways that keep them closed, so the goals pull the mechanism but
never take it apart (paper: section IV.C, eq. 3). Rows that say the same twice, as planar loops have, are borne by damping far below the
least of the rows that count.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from .clusters import REDUNDANT, SMALLEST
from .frames import Array, logarithm
from .loops import Loops
from .steadiness import Steadiness
from .tree import Coordinates

CLOSED = 1e-10  # of the loops' rows (sizes and radians): far below what a robot can show, and above rounding
CLOSE_ENOUGH = 1e-4  # of the loops' rows: goals can be compared while the loops are that far from closed
MET = 1e-9  # a goal error that is nothing
LONGEST_STEP = 0.5  # [rad or sizes] of one coordinate: beyond it the first order says little
NO_STEP = 1e-12  # [rad or sizes]
LEAST_DAMPING, MOST_DAMPING = 1e-9, 1e4
EASIER, HARDER = 0.25, 8.0  # what a step's success or failure makes of the damping
TRUSTED, DOUBTED = 0.75, 0.25  # of the gain that the first order promises: where it holds, and where it does not
GAINED = 1e-7  # of the squared error: a step that gains less has settled
SLOW = 0.1  # of the squared error: where less is gained in a step, what past steps tell is used
REMEMBERED = 3  # past steps
CLOSING_STEPS = 12
NO_END = 1 << 30  # places: as many as it takes
FLAT = 0.01  # of the way that moves goals most: what moves them less is next to a saddle or an edge
PROBE = 0.05  # [rad or sizes] of the coordinate that moves most: far enough to see past a saddle, where steps by first order vanish
BOUND_TOLERANCE = 1e-12  # [rad or sizes]


class Wishes(Protocol):
    """What shall become small: rows (e,) and their derivative (e, v) by unit steps in the coordinates."""

    def error(self, frames: Array, values: Array, balls: Array) -> Array: ...

    def linear(self, frames: Array, screws: Array, values: Array, balls: Array) -> tuple[Array, Array]: ...


class Shape(NamedTuple):
    """What follows from coordinates alone, whatever the goals."""

    of: Loops  # the mechanism for which it holds
    frames: Array  # (n + 1, 4, 4) of the tree's nodes
    screws: Array  # (2, 3, v)
    loops: tuple[Array, Array]  # rows (r,) and derivative (r, v)


@dataclass
class Place:
    """Coordinates with what follows from them."""

    values: Array  # (v,) [rad, m]
    balls: Array  # (k, 3, 3)
    shape: Shape
    open: float  # largest of the loops' rows
    square: float  # of all rows that shall be small
    goals: tuple[Array, Array]  # rows (e,) and derivative (e, v)


class Descent:
    """Goals, bounds and damping of one solve."""

    def __init__(
        self,
        coordinates: Coordinates,
        loops: Loops,
        pursuit: Wishes,
        steadiness: Steadiness | None,
        driven: Mapping[int, Array],
        bounds: tuple[Array, Array],
        damping: float,
        limits: tuple[Array, Array] | None = None,
    ) -> None:
        """`bounds` (v,), (v,) of this frame, from speeds and limits; `limits` of any frame, the same where they are None."""
        self.coordinates, self.loops, self.pursuit, self.steadiness, self.driven = coordinates, loops, pursuit, steadiness, driven
        self.unit = coordinates.unit
        self.lower, self.upper = bounds
        self.limits = limits or bounds
        self.is_bounded = bool(np.isfinite(bounds).any())
        self.damping = damping
        self.looked, self.most = 0, NO_END  # places, and after how many to stop
        self.held = np.zeros(len(self.unit), bool)  # coordinates that the last step would take out of bounds
        self._past: list[tuple[Array, Array]] = []  # steps taken, and the steps first wanted after them less those wanted before
        self._wanted: Array | None = None
        self._taken: Array | None = None

    def later(self, pursuit: Wishes | None = None) -> "Descent":
        """A solve of a later frame, which this one's speeds do not bound: for other wishes, or the same. It may look at as many places."""
        other = Descent(self.coordinates, self.loops, pursuit or self.pursuit, None, self.driven, self.limits, self.damping)
        other.most = self.most
        return other

    def place(self, values: Array, balls: Array, shape: Shape | None = None) -> Place:
        """Everything at these coordinates; `shape` where it is known already."""
        self.looked += 1
        if shape is None:
            frames = self.coordinates.frames(values, balls)
            screws = self.coordinates.screws(frames)
            shape = Shape(self.loops, frames, screws, self.loops.linear(frames, screws, self.driven))
        _, frames, screws, (gap, _) = shape
        error, goal = self.pursuit.linear(frames, screws, values, balls)
        if self.steadiness is not None:
            rows, derivative = self.steadiness.linear(frames, screws)
            error, goal = np.concatenate((error, rows)), np.concatenate((goal, derivative))
        return Place(values, balls, shape, float(np.abs(gap).max(initial=0.0)), float(error @ error), (error, goal))

    def stepped(self, here: Place, step: Array) -> Place:
        """Where a step (v,) in units leads, shortened where it is too long."""
        longest = float(np.abs(step).max(initial=0.0))
        if longest > LONGEST_STEP:
            step = step * (LONGEST_STEP / longest)
        values, balls = self.coordinates.moved(here.values, here.balls, step * self.unit)
        if self.is_bounded:
            values = np.clip(values, self.lower, self.upper)
        return self.place(values, balls)

    def way(self, start: Place, end: Place) -> Array:
        """The step (v,) in units from one place to another."""
        step: Array = (end.values - start.values) / self.unit
        if self.coordinates.balls.size:
            step[self.coordinates.ball_coordinates] = logarithm(np.swapaxes(start.balls, -1, -2) @ end.balls)
        return step

    def along(self, here: Place) -> Array:
        """The goals' derivative (e, v) by what leaves the loops closed."""
        _, across = self.loops.clusters.close(*here.shape.loops)
        return self.loops.clusters.project(here.goals[1], across)

    def go(self, here: Place, iterations: int) -> tuple[Place, bool, int]:
        """The best place found, whether nothing more was to be gained, and the steps made."""
        settled, count = False, 0
        is_probed = False
        self._wanted = None  # what was asked before may have been something else
        self._past.clear()
        while not settled and count < iterations and self.looked < self.most:
            if here.open <= CLOSED and here.square <= MET * MET:
                settled = True
                break
            count += 1
            there, settled = self._improve(here)
            here = here if there is None else there
            if settled and not is_probed and here.square > MET * MET:
                is_probed, beyond = True, self._beyond_saddle(here)
                here, settled = (here, True) if beyond is None else (beyond, False)
            elif there is None:
                break
        return self.close(here, CLOSED), settled, count

    def _beyond_saddle(self, here: Place) -> Place | None:
        """A better place along the little slope that is left: a stretched arm whose target has come back along it has nearly none."""
        error, goal = here.goals
        if not goal.size:
            return None
        along = self.along(here)
        is_wide = len(error) > along.shape[1]
        square, ways = np.linalg.eigh(along.T @ along if is_wide else along @ along.T)
        strong = ways[:, square > FLAT * FLAT * square[-1]].T
        if not is_wide:
            strong = strong @ along
        slope = error @ along
        slope = slope - strong.T @ ((strong @ slope) / (strong * strong).sum(1))
        steepest = float(np.abs(slope).max(initial=0.0))
        if steepest == 0.0:
            return None
        there = self._closed(here, slope * (-PROBE / steepest))
        return there if there is not None and here.square - there.square > GAINED * here.square else None

    def _improve(self, here: Place) -> tuple[Place | None, bool]:
        """A better place, None where none is found; and whether no more is to be gained."""
        step = self.step(here)
        for tried in self._candidates(here, step):
            there = self._closed(here, tried)
            longest = float(np.abs(tried).max(initial=0.0))
            if there is not None:
                gain = here.square - there.square
                left = here.goals[0] + here.goals[1] @ tried
                promised = here.square - float(left @ left)
                if gain > TRUSTED * promised:
                    self.damping = max(self.damping * EASIER, LEAST_DAMPING)
                elif gain < DOUBTED * promised:
                    self.damping = min(self.damping * HARDER, MOST_DAMPING)
                if gain > SLOW * here.square:
                    self._wanted = None
                    self._past.clear()
                else:
                    self._taken = (there.values - here.values) / self.unit
                    if self.coordinates.balls.size:
                        self._taken[self.coordinates.ball_coordinates] = tried[self.coordinates.ball_coordinates]
                is_small = here.open <= CLOSE_ENOUGH and gain <= GAINED * here.square
                return there, there.open <= CLOSED and (is_small or longest < NO_STEP)
            if longest < NO_STEP:
                return None, True
            if self.looked >= self.most:
                return None, False
        self.damping = MOST_DAMPING
        return None, True

    def _candidates(self, here: Place, step: Array) -> Iterator[Array]:
        """Steps to try: with what past steps tell, plain, then ever more damped."""
        if self._wanted is not None and self._taken is not None and here.open <= CLOSE_ENOUGH:
            self._past = [*self._past[1 - REMEMBERED :], (self._taken, step - self._wanted)]
            yield self._extrapolated(here, step)
        self._wanted = step
        yield step
        while self.damping <= MOST_DAMPING:
            self.damping *= HARDER
            yield self.step(here)

    def _extrapolated(self, here: Place, step: Array) -> Array:
        """The step that would be wanted no more where it ends, if wishes change as over the past steps (Anderson)."""
        taken, changed = (np.array(part).T for part in zip(*self._past, strict=True))
        square = changed.T @ changed
        square.flat[:: len(square) + 1] += REDUNDANT * float(square.trace()) + SMALLEST
        better: Array = step - (taken + changed) @ np.linalg.solve(square, changed.T @ step)
        if self.is_bounded:
            better = np.clip(better, (self.lower - here.values) / self.unit, (self.upper - here.values) / self.unit)
        return better

    def _closed(self, here: Place, step: Array) -> Place | None:
        """Where a step leads once the loops are near enough to closed to compare; None where that is no better."""
        there = self.stepped(here, step)
        if there.open > CLOSE_ENOUGH:
            there = self.close(there, CLOSE_ENOUGH)
        if here.open > CLOSE_ENOUGH:  # its goals do not count before it is closed
            return there if there.open < here.open else None
        if there.open > CLOSE_ENOUGH:
            return None
        gain = here.square - there.square
        cost = here.open * (here.open + float(np.sqrt(here.square)))  # what closing may take from the goals
        is_owed = here.open > max(CLOSED, 2.0 * there.open) and gain > -cost
        return there if gain > 0.0 or is_owed else None

    def step(self, here: Place, is_closing_only: bool = False) -> Array:
        """The step (v,) in units, within limits: closes the loops, then serves the goals along what keeps them closed."""
        gap, loops = here.shape.loops
        error, goal = (here.goals[0][:0], here.goals[1][:0]) if is_closing_only else here.goals
        step = self._free_step(gap, loops, error, goal)
        if not self.is_bounded:
            return step
        most, least = (self.upper - here.values) / self.unit, (self.lower - here.values) / self.unit
        held = np.zeros(len(step), bool)
        out = (step > most + BOUND_TOLERANCE) | (step < least - BOUND_TOLERANCE)
        while out.any():
            held |= out
            fixed, free = np.where(held, np.clip(step, least, most), 0.0), (~held).astype(float)
            step = fixed + self._free_step(gap + loops @ fixed, loops * free, error + goal @ fixed, goal * free)
            out = ~held & ((step > most + BOUND_TOLERANCE) | (step < least - BOUND_TOLERANCE))
        if not is_closing_only:
            self.held = held
        return step

    def _free_step(self, gap: Array, loops: Array, error: Array, goal: Array) -> Array:
        """The step of coordinates that no bound holds: least to close, then damped least squares in what leaves the loops closed."""
        closing, across = self.loops.clusters.close(gap, loops)
        if not len(error):
            return closing
        project = self.loops.clusters.project
        serving = self._serving(error + goal @ closing, project(goal, across))
        # A goal out of reach pulls hard where nothing gives: what rounding lets through of that is taken out once more.
        return closing + project(serving, across)

    def _serving(self, error: Array, along: Array) -> Array:
        damping = self.damping * max(float(error @ error), LEAST_DAMPING)
        is_wide = len(error) > along.shape[1]
        square = along.T @ along if is_wide else along @ along.T
        square.flat[:: len(square) + 1] += damping + REDUNDANT * float(square.trace()) + SMALLEST
        step: Array = -np.linalg.solve(square, along.T @ error) if is_wide else -along.T @ np.linalg.solve(square, error)
        return step

    def close(self, here: Place, enough: float) -> Place:
        """The loops closed by least steps, as far as that goes."""
        for _ in range(CLOSING_STEPS):
            if here.open <= enough:
                break
            there = self.stepped(here, self.step(here, is_closing_only=True))
            if there.open >= here.open:
                break
            here = there
        return here
