"""ERIK behind the solver protocol: from goals on a skeleton to the virtual chain and back. Knows no Blender."""

import math
import time
from dataclasses import replace

import numpy as np

from ..gaze import (
    Direction,
    GazeGoal,
    Orientation,
    Point,
    Shape,
    Solution,
    aim_error,
    check_goal,
    limits_hit,
    look,
    orientation_error,
    upright,
)
from ..rotations import NO_DIRECTION, Quaternion, Vector, Y, length, normalized, rotate, unit, vector_angle
from ..skeleton import Angles, Skeleton
from .algorithm import Answer, calculate_erik
from .chain import VirtualChain
from .errors import PostureError
from .parameters import Hyperparameters

MAX_VIEWS = 6  # solves for one point at most: each sees it from where the last one left the end
SAME_VIEW = 1e-4  # [rad] a view that turned by less is not solved again: a hundredth of the threshold


class Erik:
    """ERIK as published, for any chain. From scratch each time: the paper's previous solution is an input that nothing uses."""

    def __init__(self, skeleton: Skeleton, hyper: Hyperparameters | None = None, max_views: int = MAX_VIEWS) -> None:
        self.skeleton = skeleton
        self.max_views = max_views
        self.hyper = hyper or Hyperparameters()
        self.chain = VirtualChain(skeleton)

    def solve(self, goal: GazeGoal, start: Angles | None = None, memory: object = None) -> Solution:
        """See `GazeSolver.solve`; `start` and `memory` change nothing. `converged`: the weighted error is within the threshold."""
        began = time.perf_counter()
        posture = check_goal(self.skeleton, goal)
        angles, answer = self.angles(goal, posture)
        pose = self.skeleton.forward(angles)
        return Solution(
            angles=np.array(angles),
            aim_error=aim_error(goal, pose),
            orientation_error=orientation_error(goal, pose),
            posture_error=answer.posture_error,
            shape_deviation=Shape(self.skeleton, posture).deviation(pose),
            limits_hit=limits_hit(self.skeleton, angles),
            iterations=answer.iterations,
            converged=answer.converged,
            seconds=time.perf_counter() - began,
        )

    def angles(self, goal: GazeGoal, posture: tuple[float, ...]) -> tuple[tuple[float, ...], Answer]:
        """ERIK's angles (n,) for the skeleton, and its answer on the virtual chain."""
        hyper = self.hyper if goal.symmetric else replace(self.hyper, symmetric_endpoint=False)
        if isinstance(goal.aim, Orientation):
            return self._towards(normalized(goal.aim.wxyz), None, posture, hyper)
        if isinstance(goal.aim, Direction):
            return self._along(unit(goal.aim.vector), goal.aim.up, posture, hyper)
        return self._at(goal.aim, posture, hyper)

    def posture_error(self, posture: tuple[float, ...], angles: tuple[float, ...]) -> float:
        """The paper's posture error of any angles (n,) of the skeleton, weighted."""
        turning = self.chain.turning
        error = PostureError(self.chain, [posture[k] for k in turning], self.hyper.aggravation)
        return self.hyper.posture_weight * error(self.chain.bases([angles[k] for k in turning]))

    def _at(self, point: Point, posture: tuple[float, ...], hyper: Hyperparameters) -> tuple[tuple[float, ...], Answer]:
        """Solve for the view that the posture has of the point, then for the view from where that leaves the end."""
        view = unit(look(point, self.skeleton.forward(self.skeleton.clamp(posture)).tool_place))
        iterations, least, best = 0, math.inf, None
        for _ in range(self.max_views):
            angles, answer = self._along(view, point.up, posture, hyper)
            iterations += answer.iterations
            pose = self.skeleton.forward(angles)
            seen = look(point, pose.tool_place)
            missed = vector_angle(seen, rotate(pose.tool_rotation, Y))
            if missed < least or best is None:  # views need not settle: of a chain with few joints they may go round in circles
                least, best = missed, (angles, answer)
            if length(seen) <= NO_DIRECTION or vector_angle(view, seen) <= SAME_VIEW:
                break
            view = unit(seen)
        assert best is not None
        return best[0], replace(best[1], iterations=iterations)

    def _along(
        self, view: Vector, up: Vector | None, posture: tuple[float, ...], hyper: Hyperparameters
    ) -> tuple[tuple[float, ...], Answer]:
        return self._towards(upright(view, up), view, posture, hyper)

    def _towards(
        self, tool_target: Quaternion | None, view: Vector | None, posture: tuple[float, ...], hyper: Hyperparameters
    ) -> tuple[tuple[float, ...], Answer]:
        chain = self.chain
        target = None if tool_target is None else chain.target(tool_target)
        if target is not None:
            direction = rotate(target, Y)
        else:
            assert view is not None
            direction = rotate(chain.to_virtual, view)
        answer = calculate_erik(chain, [posture[k] for k in chain.turning], target, direction, hyper)
        angles = list(self.skeleton.clamp(posture))
        for k, angle in zip(chain.turning, answer.angles, strict=True):
            angles[k] = self._nearest_turn(k, angle, posture[k])
        return tuple(angles), answer

    def _nearest_turn(self, k: int, angle: float, wanted: float) -> float:
        """`angle` plus the whole turns that bring it nearest to `wanted` within the joint's limits, which may span several turns."""
        lower, upper = self.skeleton.lower[k], self.skeleton.upper[k]
        turns = round((wanted - angle) / math.tau)
        while turns and not lower <= angle + turns * math.tau <= upper:
            turns -= 1 if turns > 0 else -1
        return angle + turns * math.tau
