"""Limits the angular acceleration of bodies, in this frame and the next ones. Knows no Blender.

A body's acceleration is not that of one coordinate: several add up in it, and a loop spreads one over many. So bodies themselves are
limited, in one least squares with the loops, the limits and the goals: where a limit stops a leg dead, the platform rotates on and the
other legs give way. And what is fast cannot stop within one frame: so this frame is solved together with the next ones, with targets that
keep their velocity. Accelerations are per frame: the change of a body's rotation vector [rad] from one frame to the next.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..kinematics.se3 import Array, logarithm
from ..least_squares import box
from .clusters import Indices
from .descent import CLOSED, Configuration, Descent

FRAMES = 3  # frames that are solved together: this one and the next two
WIDEST = 400  # coordinates of all these frames: a step takes time with their third power
EXCESS_WEIGHT = 300.0  # of a squared excess over the limit, against the squared task errors: the limit comes first
DESIRED_WEIGHT = 0.3  # of the squared distance from the desired pose, against the squared task errors
STEP_WEIGHT = 0.3  # of squared steps, against the squared task errors
LOOP_WEIGHT = 1e6  # of the squared loop residuals, against the squared task errors
ROUNDS = 8  # most steps: most frames take two or three
ROUNDS_OF_BODIES = 3  # rounds in which bodies that a step would accelerate too much are added
EVALUATION_FACTOR = 2  # evaluations, times those that a frame may use, where these are bounded: as many as for the solve itself
TOLERANCE = 1.03  # times the limit: an excess up to it is left
LEAST_GAIN = 0.003  # relative decrease of the cost: a step that gains less is the last
FARTHEST = 0.08  # [rad or sizes] of the task errors beyond the exact solution: what lags more has to catch up first
BRAKING_ANGLE = math.radians(48.0)  # [rad] largest angle in which a body must be able to brake: a faster one would go too far
WEIGHT_GROWTH = 2.0  # factor of this frame's task weight where steps lead too far from the goals
SHARES = (1.0, 0.5, 0.25, 0.125)  # shares of a step to try, where the whole one leads too far

Configurations = Sequence[Configuration]  # of this frame and the next ones
Accelerations = list[Array]  # (b, 3) [rad per frame^2] of each of them


@dataclass(frozen=True)
class BodyAccelerations:
    """Rotations of the bodies in the last frame, from which accelerations count."""

    nodes: Indices  # (b,) of the bodies
    first: Array  # (b, 3, 3) their rotations at the start of this frame
    last: Array  # (b, 3) rotation vectors [rad] of the last frame, scaled to this one's length

    @classmethod
    def since(cls, before: Array, start: Configuration, nodes: Indices, share: float) -> "BodyAccelerations":
        """Accelerations relative to the motion of the last frame, from the frames (n + 1, 4, 4) at its start.

        Args:
            before: These frames.
            start: Configuration at the start of this frame.
            nodes: Nodes of the tree that carry bodies.
            share: Duration of this frame relative to the last one's.
        """
        first = start.shape.frames[nodes, :3, :3]
        return cls(nodes, first, share * _rotation_between(before[nodes, :3, :3], first))

    def at(self, *positions: Configuration) -> Accelerations:
        """Change of each body's rotation vector (b, 3) [rad per frame^2], for each of these frames."""
        rotations = [self.first, *(position.shape.frames[self.nodes, :3, :3] for position in positions)]
        steps = [self.last, *(_rotation_between(first, then) for first, then in pairwise(rotations))]
        return [then - first for first, then in pairwise(steps)]

    def largest(self, *positions: Configuration) -> float:
        """Largest size of `at` [rad per frame^2]."""
        return max(float(_sizes(acceleration).max(initial=0.0)) for acceleration in self.at(*positions))


def _rotation_between(first: Array, then: Array) -> Array:
    return logarithm(then @ np.swapaxes(first, -1, -2))


def _sizes(vectors: Array) -> Array:
    sizes: Array = np.sqrt((vectors * vectors).sum(-1))
    return sizes


@dataclass(frozen=True)
class AccelerationLimit:
    """Problem of a frame and those after it: least squares of tasks and distance, with a penalty on excess acceleration.

    The excess over `most` is minimised by steps of least squares whose target is the last step's acceleration, cut to `most`: each step
    lowers the cost.
    """

    descent: Descent
    start: Configuration  # at the start of the frame
    exact: Configuration  # nearest to the goals; the answer's task errors exceed its own by `farthest` at most
    accelerations: BodyAccelerations
    most: float  # [rad per frame^2] limit of a body's acceleration
    move: Array  # (e,) change of the task errors per frame, by the targets' velocity
    goal_weight: float = 1.0  # weight of this frame's task errors, against those of the next ones
    farthest: float = FARTHEST  # [rad or sizes] of the task errors beyond the exact solution

    @cached_property
    def later_descent(self) -> Descent:
        """The solve of the next frames."""
        return self.descent.later_frame()

    def _moved(self, here: Configurations, steps: Array) -> Configurations:
        """The configurations after steps (f, v), with closed loops."""
        descents = (self.descent, *(self.later_descent,) * (len(here) - 1))
        return [descent.close(descent.stepped(at, step), CLOSED) for descent, at, step in zip(descents, here, steps, strict=True)]

    def applied(self, desired: Configuration) -> Configuration:
        """The desired configuration, or one near it in which no body's acceleration exceeds `most`, as far as that is possible."""
        farthest = math.sqrt(self.exact.square) + self.farthest
        is_far = math.sqrt(desired.square) > farthest
        if is_far or (self.accelerations.last**2).sum(-1).max(initial=0.0) > 2.0 * self.most * BRAKING_ANGLE:
            return desired
        descent, open_most = self.descent, max(CLOSED, self.exact.open)
        aim, goal_weight = descent.difference(self.start, desired), self.goal_weight
        here = self._continued(desired, aim)
        for _ in range(ROUNDS):
            evaluations = descent.evaluations + self.later_descent.evaluations
            if self.accelerations.largest(*here) <= TOLERANCE * self.most or evaluations >= EVALUATION_FACTOR * descent.most:
                break
            cost = self._cost(here, aim, goal_weight)
            steps, is_far = self._steps(here, aim, goal_weight), False
            for share in SHARES:
                there = self._moved(here, share * steps)
                is_far = math.sqrt(there[0].square) > farthest
                is_closed = max(at.open for at in there) <= open_most
                if is_closed and not is_far and (less := self._cost(there, aim, goal_weight)) < cost:
                    break
            else:
                if not is_far:
                    break
                goal_weight *= WEIGHT_GROWTH
                continue
            here = there
            if cost - less < LEAST_GAIN * cost:
                break
        return here[0]

    def _continued(self, desired: Configuration, step: Array) -> Configurations:
        """A frame's configuration and those of the next frames that repeat its step, as far as the loops allow."""
        positions, count = [desired], min(FRAMES, WIDEST // len(step))
        while len(positions) < count:
            there = self.later_descent.close(self.later_descent.stepped(positions[-1], step), CLOSED)
            if there.open > CLOSED:
                there = positions[-1]
            step = self.descent.difference(positions[-1], there)
            positions.append(there)
        return positions

    def errors(self, here: Configurations) -> list[Array]:
        """Task errors (e,) of each frame; this one's relative to the exact solution."""
        return [here[0].goals[0] - self.exact.goals[0], *(at.goals[0] + k * self.move for k, at in enumerate(here[1:], 1))]

    def _cost(self, here: Configurations, aim: Array, goal_weight: float) -> float:
        """The cost that steps lower."""
        now, *later_descent = self.errors(here)
        deviation = aim - self.descent.difference(self.start, here[0])
        excess = sum(float((np.maximum(_sizes(acceleration) - self.most, 0.0) ** 2).sum()) for acceleration in self.accelerations.at(*here))
        return (
            EXCESS_WEIGHT * excess
            + goal_weight * float(now @ now)
            + sum(float(row @ row) for row in later_descent)
            + DESIRED_WEIGHT * float(deviation @ deviation)
        )

    def _steps(self, here: Configurations, aim: Array, goal_weight: float) -> Array:
        """Steps (f, v) in units, within limits, one for each frame."""
        width, count = self.descent.coordinates.width, len(here)
        matrix, slope = np.zeros((count, width, count, width)), np.zeros((count, width))
        for k, (at, error) in enumerate(zip(here, self.errors(here), strict=True)):
            gap, loops = at.shape.loops
            goal, weight = at.goals[1], 1.0 if k else goal_weight
            matrix[k, :, k] = LOOP_WEIGHT * (loops.T @ loops) + weight * (goal.T @ goal) + STEP_WEIGHT * np.eye(width)
            slope[k] = -LOOP_WEIGHT * (gap @ loops) - weight * (error @ goal)
        slope[0] += DESIRED_WEIGHT * (aim - self.descent.difference(self.start, here[0]))
        return self._limiting_step(here, matrix.reshape(count * width, -1), slope.ravel()).reshape(count, width)

    def _limiting_step(self, here: Configurations, matrix: Array, slope: Array) -> Array:
        """The step (f v,) that minimises x' `matrix` x / 2 - `slope`' x plus the penalty on excess accelerations after it."""
        lower, upper = self._room(here)
        acceleration, rows = np.concatenate(self.accelerations.at(*here)), self._acceleration_jacobian(here)
        step, after = np.zeros(len(slope)), acceleration
        included = np.zeros(len(acceleration), bool)
        for attempt in range(ROUNDS_OF_BODIES):
            size = _sizes(after)
            if attempt and not (size[~included] > self.most).any():
                break
            included |= size > self.most
            target = after[included] * (self.most / np.maximum(size[included], self.most))[:, None]
            heavy = rows[included].reshape(-1, len(slope))
            beyond = (acceleration[included] - target).ravel()
            step = box.solve(matrix + EXCESS_WEIGHT * (heavy.T @ heavy), slope - EXCESS_WEIGHT * (beyond @ heavy), lower, upper).x
            after = acceleration + rows @ step
        return step

    def _room(self, here: Configurations) -> tuple[Array, Array]:
        """Least and largest steps (f v,) in units; this frame's by speed limits, too."""
        unit = self.descent.unit
        bounds = [(self.descent.lower, self.descent.upper), *(self.descent.limits,) * (len(here) - 1)]
        lower = [np.minimum((low - at.values) / unit, 0.0) for at, (low, _) in zip(here, bounds, strict=True)]
        upper = [np.maximum((high - at.values) / unit, 0.0) for at, (_, high) in zip(here, bounds, strict=True)]
        return np.concatenate(lower), np.concatenate(upper)

    def _acceleration_jacobian(self, here: Configurations) -> Array:
        """Jacobian (f b, 3, f v) of all frames' accelerations by all their steps."""
        coordinates, nodes, count = self.descent.coordinates, self.accelerations.nodes, len(here)
        rotations = [at.shape.screws[0] * coordinates.carries[nodes][:, None, :] for at in here]
        rows = np.zeros((count, len(nodes), 3, count, coordinates.width))
        for k in range(count):
            for back, share in enumerate((1.0, -2.0, 1.0)[: k + 1]):
                rows[k, :, :, k - back] = share * rotations[k - back]
        return rows.reshape(count * len(nodes), 3, -1)
