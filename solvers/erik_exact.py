"""ERIK finished by an exact aim: the rig's solver. Knows no Blender."""

import math
import time
from collections.abc import Sequence

import numpy as np

from .aim_residual import residual
from .erik.solver import Erik
from .exact_aim import Finished, finish
from .gaze import GazeGoal, Shape, Solution, aim_error, check_goal, limits_hit, orientation_error
from .skeleton import Angles, Skeleton

MET = 1e-6  # [rad] an aim missed by less is met
ROOT_COST = 0.03  # of a turn of the root relative to one of the whole chain: the body may turn towards the target, that is no change of shape
SEEDS = 8  # starts spread over the joints' ranges, tried when nothing nearer meets the aim
SEED_STEPS = 20  # of each: those that succeed need fewer
JUMP = math.radians(30)  # of the aim missed at `start`: the target has been moved, not followed
SAME_BRANCH = math.radians(8)  # a joint that differs by less is on the same way to the aim
GLIDE = math.radians(5)  # what a joint moves in one frame on its way to a better branch
PATIENCE = math.radians(15)  # of shape deviation: a branch worse than the best by more is left
PULL = 0.05  # share of the way to the posture that a kept branch goes in each frame


class ErikExact:
    """ERIK, then the least change that makes the aim exact; beside it the posture itself, changed as little as the aim takes.

    Of those that meet the aim the one with the least shape deviation is the answer. When none does, starts spread over the joints' ranges are tried,
    and the nearest miss stands. With `start`, the way of the last frame is kept while it meets the aim about as well in shape.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.erik = Erik(skeleton)
        n = len(skeleton)
        # What a turn changes of the shape grows with the links that it carries.
        self.costs = [ROOT_COST if k == 0 else ((n - k) / n) ** 2 for k in range(n)]
        self.seeds = _spread(skeleton, SEEDS)

    def solve(self, goal: GazeGoal, start: Angles | None = None, memory: object = None) -> Solution:
        """See `GazeSolver.solve`. `converged`: the aim is met; `iterations`: ERIK's and the finish's steps."""
        began = time.perf_counter()
        posture = check_goal(self.skeleton, goal)
        shape = Shape(self.skeleton, posture)
        best, iterations = self._from_scratch(goal, posture, shape)
        if start is not None:
            best = self._following(goal, posture, shape, best, tuple(map(float, start)))
        return Solution(
            angles=np.array(best.angles),
            aim_error=aim_error(goal, best.pose),
            orientation_error=orientation_error(goal, best.pose),
            posture_error=self.erik.posture_error(posture, best.angles),
            shape_deviation=shape.deviation(best.pose),
            limits_hit=limits_hit(self.skeleton, best.angles),
            iterations=iterations + best.steps,
            converged=best.missed <= MET,
            seconds=time.perf_counter() - began,
        )

    def _from_scratch(self, goal: GazeGoal, posture: tuple[float, ...], shape: Shape) -> tuple[Finished, int]:
        angles, answer = self.erik.angles(goal, posture)
        found = [finish(self.skeleton, goal, angles, self.costs), finish(self.skeleton, goal, posture, self.costs)]
        if min(way.missed for way in found) > MET:
            found += [finish(self.skeleton, goal, seed, self.costs, SEED_STEPS) for seed in self.seeds]
        return _best(found, shape), answer.iterations

    def _following(self, goal: GazeGoal, posture: tuple[float, ...], shape: Shape, best: Finished, start: tuple[float, ...]) -> Finished:
        """The best, or the last frame's way to the aim while it is about as good, or a step from that towards the best."""
        start = self.skeleton.clamp(start)
        if max(abs(a - b) for a, b in zip(best.angles, start, strict=True)) <= SAME_BRANCH:
            return best
        if residual(self.skeleton, goal, self.skeleton.forward(start)).size > JUMP:
            return best
        kept = finish(self.skeleton, goal, _towards(start, posture, PULL, GLIDE), self.costs)
        worst = max(MET, best.missed)
        worse = shape.deviation(kept.pose) - shape.deviation(best.pose)
        if kept.missed <= worst and worse <= PATIENCE:
            return kept
        glide = finish(self.skeleton, goal, _towards(start, best.angles, 1.0, GLIDE), self.costs)
        if glide.missed <= worst:
            return glide
        return kept if kept.missed <= worst and worse <= 2.0 * PATIENCE else best


def _best(found: Sequence[Finished], shape: Shape) -> Finished:
    return min(found, key=lambda way: (max(way.missed, MET), shape.deviation(way.pose)))


def _towards(angles: Sequence[float], wanted: Sequence[float], share: float, most: float) -> tuple[float, ...]:
    """A share of the way from some angles to others, no joint by more than `most`."""
    return tuple(a + min(max(share * (b - a), -most), most) for a, b in zip(angles, wanted, strict=True))


def _spread(skeleton: Skeleton, count: int) -> list[tuple[float, ...]]:
    """Angles spread evenly over the joints' ranges, always the same: the additive recurrence on powers of the generalised golden ratio."""
    n = len(skeleton)
    ratio = 2.0
    for _ in range(64):  # the root of x^(n + 1) = x + 1
        ratio = (1.0 + ratio) ** (1.0 / (n + 1))
    ranges = list(zip(skeleton.lower, skeleton.upper, strict=True))
    return [tuple(lo + (hi - lo) * ((0.5 + i / ratio ** (k + 1)) % 1.0) for k, (lo, hi) in enumerate(ranges)) for i in range(1, count + 1)]
