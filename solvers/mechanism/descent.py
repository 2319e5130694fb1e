"""One solve of a mechanism: Gauss-Newton steps that close its loops and reduce its task errors, within
limits.

Each step corrects the loops' residual and moves in the null space of their Jacobian, so that tasks move the
mechanism without opening it (Schumacher et al. 2021, section IV.C, eq. 3). Redundant constraints, as planar
loops have them, are handled by damping far below the smallest significant singular value. Lengths are in
"sizes", multiples of the mean distance between neighbouring joints (`SpanningTree.size`), which makes them
comparable with radians.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..kinematics.se3 import Array, logarithm
from ..kinematics.tree import Frames, Mask
from ..least_squares.bounded_step import LONGEST_STEP, within
from ..least_squares.damping import Damping, regularise
from ..tasks import Kinematics, Task
from ..tolerances import EXACT, LEAST_GAIN, SAME_ANGLE
from .loops import Loops
from .objectives import stacked
from .tree import SpanningTree

CLOSE_ENOUGH = 1e-4  # [rad or sizes] loop residual up to which the task errors of two poses are compared
# fraction of the largest singular value: smaller values above rounding indicate a singular pose or saddle
# nearby. In `branches`, absolute determinant up to which a pose counts as singular
NEAR_SINGULAR = 0.01
# [rad or sizes] largest move of a coordinate in a trial step past a saddle or singular pose, where slopes
# vanish
PROBE = 0.05
# largest difference between two successive motions that count as alike, relative to the motion
ALIKE = 0.5


class LoopKinematics(NamedTuple):
    """Quantities that depend on the coordinates alone, not on the tasks."""

    frames: Frames
    screws: Array  # (2, 3, v) angular and linear velocity per unit of each coordinate
    loops: tuple[Array, Array]  # residual (r,) and Jacobian (r, v) of the loops


class CurvedStep(NamedTuple):
    """Motion in a frame: the step along the tangent of the path, and the correction for the path's
    curvature.
    """

    first: Array  # (v,) step along the tangent, in units of the coordinates
    rest: Array  # (v,) correction, in units of the coordinates
    dt: float  # [s] duration of the frame

    def over(self, dt: float) -> "CurvedStep":
        """The same motion scaled to another duration [s]."""
        share = dt / self.dt
        return CurvedStep(share * self.first, share * share * self.rest, dt)

    def curved(self, step: Array) -> Array | None:
        """A step (v,) along the tangent plus the last frame's correction for the path's curvature; None if
        the motion has changed too much.
        """
        square = float(self.first @ self.first)
        share = float(step @ self.first) / square if square > EXACT else 0.0
        is_alike = share > 0.0 and np.abs(step - share * self.first).max() <= ALIKE * np.abs(step).max()
        return step + share * share * self.rest if is_alike else None


@dataclass
class Configuration:
    """Coordinates of a mechanism with the quantities computed from them."""

    values: Array  # (v,) [rad, m]
    balls: Array  # (k, 3, 3) rotations of ball joints
    shape: LoopKinematics
    open: float  # largest loop residual [rad or sizes]
    square: float  # sum of squares of the task errors
    goals: tuple[Array, Array]  # task errors (e,) and Jacobian (e, v)


class Descent:
    """One solve of a mechanism, with its tasks, bounds and damping."""

    def __init__(
        self,
        tree: SpanningTree,
        loops: Loops,
        tasks: Sequence[Task],
        driven: Mapping[int, Array],
        bounds: tuple[Array, Array],
        damping: float,
    ) -> None:
        """`driven`: poses (4, 4) of driven bodies by index. `bounds`: least and largest coordinates (v,) in
        this frame, from position and speed limits. `damping`: damping of the first step, as a fraction of the
        squared error.
        """
        self.tree, self.loops, self.tasks, self.driven = tree, loops, tasks, driven
        self.unit = tree.unit
        self.lower, self.upper = bounds
        self.is_bounded = bool(np.isfinite(bounds).any())
        self.damping = Damping(damping)
        # number of evaluations so far, and the number at which the descent stops
        self.evaluations, self.most = 0, math.inf
        # (v,) whether the last step would take a coordinate beyond a bound
        self.held = np.zeros(len(self.unit), bool)
        self.last: CurvedStep | None = None  # motion of the last frame, scaled to this frame's duration
        self.first: Array | None = None  # (v,) first step, according to the linear model

    def evaluate(self, values: Array, balls: Array) -> Configuration:
        """Configuration of the mechanism at joint values (v,) and rotations (k, 3, 3) of its ball joints."""
        self.evaluations += 1
        frames = self.tree.forward(values, balls=balls)
        screws = self.tree.screws(frames)
        gap, _ = loops = self.loops.linear(frames, screws, self.driven)
        shape = LoopKinematics(frames, screws, loops)
        error, goal = stacked(self.tasks, Kinematics(frames, screws, values, balls), len(self.tree))
        return Configuration(
            values, balls, shape, float(np.abs(gap).max(initial=0.0)), float(error @ error), (error, goal)
        )

    def stepped(self, configuration: Configuration, step: Array) -> Configuration:
        """The configuration after a step (v,) [units of the coordinates], which is shortened to
        `LONGEST_STEP` and clipped to the bounds.
        """
        longest = float(np.abs(step).max(initial=0.0))
        if longest > LONGEST_STEP:
            step = step * (LONGEST_STEP / longest)
        values, balls = self.tree.moved(configuration.values, configuration.balls, step * self.unit)
        if self.is_bounded:
            values = np.clip(values, self.lower, self.upper)
        return self.evaluate(values, balls)

    def difference(self, start: Configuration, end: Configuration) -> Array:
        """The step (v,) [units of the coordinates] from one configuration to another."""
        step: Array = (end.values - start.values) / self.unit
        if self.tree.balls.size:
            step[self.tree.ball_coordinates] = logarithm(np.swapaxes(start.balls, -1, -2) @ end.balls)
        return step

    def along(self, configuration: Configuration) -> Array:
        """Jacobian (e, v) of the tasks, projected onto the null space of the loops."""
        _, across = self.loops.clusters.close(*configuration.shape.loops)
        return self.loops.clusters.project(configuration.goals[1], across)

    def go(self, configuration: Configuration, iterations: int) -> tuple[Configuration, bool, int]:
        """Steps from a configuration until they converge, none helps, `iterations` are done or the budget of
        evaluations is used up. Once converged with an error, it tries a step past a saddle.

        Returns:
            The best configuration found; whether it has converged; the number of steps.
        """
        settled, count = False, 0
        is_probed = False
        while not settled and count < iterations and self.evaluations < self.most:
            if configuration.open <= EXACT and configuration.square <= SAME_ANGLE * SAME_ANGLE:
                settled = True
                break
            count += 1
            better, settled = self._improve(configuration)
            configuration = configuration if better is None else better
            if settled and not is_probed and configuration.square > SAME_ANGLE * SAME_ANGLE:
                is_probed, beyond = True, self._beyond_saddle(configuration)
                configuration, settled = (configuration, True) if beyond is None else (beyond, False)
            elif better is None:
                break
        return self.close(configuration, EXACT), settled, count

    def _beyond_saddle(self, configuration: Configuration) -> Configuration | None:
        """A better configuration past a saddle or singular pose, where Gauss-Newton steps vanish; None if
        none is found. A stretched arm needs this when its target returns within reach.

        One step is tried, with `PROBE` as its largest component: down the gradient of the squared task
        errors, along the directions in which the tasks' Jacobian is nearly singular.
        """
        error, goal = configuration.goals
        if not goal.size:
            return None
        along = self.along(configuration)
        is_wide = len(error) > along.shape[1]
        square, directions = np.linalg.eigh(along.T @ along if is_wide else along @ along.T)
        strong = directions[:, square > NEAR_SINGULAR * NEAR_SINGULAR * square[-1]].T
        if not is_wide:
            strong = strong @ along
        slope = error @ along
        slope = slope - strong.T @ ((strong @ slope) / (strong * strong).sum(1))
        steepest = float(np.abs(slope).max(initial=0.0))
        if steepest == 0.0:
            return None
        stepped = self._closed(configuration, slope * (-PROBE / steepest))
        return (
            stepped
            if stepped is not None
            and configuration.square - stepped.square > LEAST_GAIN * configuration.square
            else None
        )

    def _improve(self, configuration: Configuration) -> tuple[Configuration | None, bool]:
        """A better configuration, or None if none is found; and whether the solve has converged, also if no
        step improves it.
        """
        step = self.step(configuration)
        for tried in self._candidates(configuration, step):
            stepped = self._closed(configuration, tried)
            longest = float(np.abs(tried).max(initial=0.0))
            if stepped is not None:
                gain = configuration.square - stepped.square
                left = configuration.goals[0] + configuration.goals[1] @ tried
                promised = configuration.square - float(left @ left)
                self.damping.after(gain, promised)
                is_small = configuration.open <= CLOSE_ENOUGH and gain <= LEAST_GAIN * configuration.square
                return stepped, stepped.open <= EXACT and (is_small or longest < EXACT)
            if longest < EXACT:
                return None, True
            if self.evaluations >= self.most:
                return None, False
        return None, True

    def _candidates(self, configuration: Configuration, step: Array) -> Iterator[Array]:
        """Steps (v,) to try: along the last frame's curve, then the step itself, then steps with increasing
        damping.
        """
        if self.first is None:
            self.first = step
            if self.last is not None and (curved := self.last.curved(step)) is not None:
                yield curved
        yield step
        while self.damping.raised():
            yield self.step(configuration)

    def _closed(self, configuration: Configuration, step: Array) -> Configuration | None:
        """The configuration after a step with its loops nearly closed; None if that is no improvement."""
        stepped = self.stepped(configuration, step)
        if stepped.open > CLOSE_ENOUGH:
            stepped = self.close(stepped, CLOSE_ENOUGH)
        if configuration.open > CLOSE_ENOUGH:  # task errors are compared only for closed loops
            return stepped if stepped.open < configuration.open else None
        if stepped.open > CLOSE_ENOUGH:
            return None
        gain = configuration.square - stepped.square
        # largest increase of the task errors that closing the loops can cause
        cost = configuration.open * (configuration.open + float(np.sqrt(configuration.square)))
        closes_loops = configuration.open > max(EXACT, 2.0 * stepped.open) and gain > -cost
        return stepped if gain > 0.0 or closes_loops else None

    def step(self, configuration: Configuration, is_closing_only: bool = False) -> Array:
        """The next step (v,) [units of the coordinates] within bounds: closes the loops and, unless
        `is_closing_only`, reduces task errors in their null space.
        """
        gap, loops = configuration.shape.loops
        error, goal = (
            (configuration.goals[0][:0], configuration.goals[1][:0])
            if is_closing_only
            else configuration.goals
        )
        if not self.is_bounded:
            return self._free_step(gap, loops, error, goal)

        def of_free(moves: Array, free: Mask) -> Array:
            if free.all():
                return self._free_step(gap, loops, error, goal)
            return self._free_step(gap + loops @ moves, loops * free, error + goal @ moves, goal * free)

        def slope(step: Array, free: Mask) -> Array:
            damped = goal.T @ (error + goal @ step) + self.damping.at(float(error @ error)) * step
            return self.loops.clusters.along_free(damped, loops, free)

        least, most = (
            (self.lower - configuration.values) / self.unit,
            (self.upper - configuration.values) / self.unit,
        )
        # bounds wider by `EXACT`, so that a rounding error at a bound does not hold the coordinate there;
        # `stepped` clips the excess
        step, at_bound = within(of_free, least - EXACT, most + EXACT, slope if len(error) else None)
        if not is_closing_only:
            self.held = at_bound
        return step

    def _free_step(self, gap: Array, loops: Array, error: Array, goal: Array) -> Array:
        """The step (v,) of free coordinates: the smallest one that closes the loops, plus damped least
        squares of the tasks in their null space.
        """
        closing, across = self.loops.clusters.close(gap, loops)
        if not len(error):
            return closing
        project = self.loops.clusters.project
        serving = self._task_step(error + goal @ closing, project(goal, across))
        # A target out of reach has large errors along rigid directions; their rounding errors are projected
        # out by a second projection.
        return closing + project(serving, across)

    def _task_step(self, error: Array, along: Array) -> Array:
        """The damped least-squares step (v,) against task errors (e,), with their Jacobian `along` (e, v) in
        the loops' null space.
        """
        is_wide = len(error) > along.shape[1]
        square = along.T @ along if is_wide else along @ along.T
        regularise(square, self.damping.at(float(error @ error)))
        step: Array = (
            -np.linalg.solve(square, along.T @ error)
            if is_wide
            else -along.T @ np.linalg.solve(square, error)
        )
        return step

    def close(self, configuration: Configuration, enough: float) -> Configuration:
        """The nearest configuration with loops closed to a residual [rad or sizes] of `enough`, as far as the
        iteration converges.
        """
        while configuration.open > enough:
            stepped = self.stepped(configuration, self.step(configuration, is_closing_only=True))
            if stepped.open >= 0.5 * configuration.open:
                # near a closed pose Newton's method doubles the digits; otherwise it is stuck
                return configuration if stepped.open >= configuration.open else stepped
            configuration = stepped
        return configuration
