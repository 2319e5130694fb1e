"""ERIK followed by an exact correction of the aim. Knows no Blender."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from .aim_residual import MAX_STEPS, Finished, finish_or_look, residual
from .diagnosis import MET
from .erik.parameters import Hyperparameters
from .erik.solver import Erik
from .gaze import Shape, Solution, aim_error
from .goals import LOOKS, GazeGoal, check_goal
from .kinematics.skeleton import Angles, Skeleton
from .spread import spread

ABOUT_AS_WELL = 1.1  # ratio of errors up to which two solutions are as good, where none meets the aim
VIEWS = 2  # of a point in ERIK: the correction knows the parallax itself
ROOT_COST = 0.03  # cost of a root rotation against 1 for one of the whole chain: rotation toward the target changes no shape
SEEDS = 8  # starts spread over the joints' ranges, tried when nothing nearer meets the aim
SEED_STEPS = 20  # of each: those that succeed need fewer
ENOUGH_SEEDS = 3  # that meet the aim: the best of them is taken
# frames without another search after a failed one: a target out of reach stays so for a while, and a search takes milliseconds
SEARCH_PAUSE = 15
SHAPE_DIGITS = 5  # decimals [rad] of a shape deviation that are compared: beyond them lies the rounding of an arc cosine
JUMP = math.radians(30)  # [rad] increase of the aim error at `start` over the last frame's that is a jump of the target
STEP = math.radians(5)  # [rad] of a joint in a frame on the way to a better solution, before the aim is corrected: below 15 in all, no pop


@dataclass(frozen=True)
class Memory:
    """State of the solver from frame to frame."""

    pause: int = 0  # frames before the next search among the seeds
    aim_error: float = 0.0  # [rad] of the goal
    posture: tuple[float, ...] = ()  # (n,) [rad]


class ErikExact:
    """ERIK, then the least change that makes the aim exact; the posture itself, so corrected, is the other candidate.

    The solution is the candidate that meets the aim with the least shape deviation. When none does, starts spread over the joints' ranges
    are tried, and the least error counts. Where a chain cannot be upright as well, the view is exact and the roll as near as it gets.
    """

    def __init__(self, skeleton: Skeleton, hyper: Hyperparameters | None = None) -> None:
        self.skeleton = skeleton
        self.erik = Erik(skeleton, hyper, max_views=VIEWS)
        n = len(skeleton)
        # A rotation's change of the shape grows with the links that it carries.
        self.costs = [ROOT_COST if k == 0 else ((n - k) / n) ** 2 for k in range(n)]
        self.seeds = [tuple(row) for row in spread(skeleton, SEEDS).tolist()]

    def solve(self, goal: GazeGoal, start: Angles | None = None, memory: object = None) -> Solution:
        """See `GazeSolver.solve`. `converged`: the whole goal is met; `iterations`: steps of ERIK and of the correction.

        With `start` the solution moves to the best one in small steps that keep the aim, and jumps only if none does. After a jump of the
        target it is solved from scratch.
        """
        began = time.perf_counter()
        posture = check_goal(self.skeleton, goal, LOOKS, start)
        shape = self.erik.diagnosis.shape(posture)
        last = memory if isinstance(memory, Memory) else Memory()
        here = None if start is None else self.skeleton.clamp(start)
        if here is not None and residual(self.skeleton, goal, self.skeleton.forward(here)).size > last.aim_error + JUMP:
            here, last = None, Memory()
        if here is not None and len(last.posture) == len(here):
            # The animation's own movement is applied at once: only changes of branch are slowed down.
            here = self.skeleton.clamp([a + now - then for a, now, then in zip(here, posture, last.posture, strict=True)])
        pause = 0 if here is None else last.pause
        best, iterations = self._solved(goal, posture, shape, here if self.erik.hyper.use_previous_solution else None, search=pause == 0)
        if pause == 0 and _errors(goal, best)[0] > MET:
            pause = SEARCH_PAUSE
        if here is not None:
            best = self._step_toward(goal, best, here)
        return self.erik.diagnosis.solution(
            goal,
            posture,
            best.angles,
            iterations=iterations + best.steps,
            began=began,
            memory=Memory(max(0, pause - 1), best.aim_error, posture),
            pose=best.pose,
        )

    def _finish(self, goal: GazeGoal, angles: Sequence[float], max_steps: int = MAX_STEPS) -> Finished:
        return finish_or_look(self.skeleton, goal, angles, self.costs, max_steps)

    def _solved(
        self, goal: GazeGoal, posture: tuple[float, ...], shape: Shape, previous: tuple[float, ...] | None, search: bool
    ) -> tuple[Finished, int]:
        """The best candidate and ERIK's iterations; where ERIK stays with the previous solution, that one alone."""
        angles, answer = self.erik.angles(goal, posture, previous)
        found = [self._finish(goal, angles)]
        if answer.iterations:
            found.append(self._finish(goal, posture))
        if search and min(_errors(goal, result)[0] for result in found) > MET:
            met = 0
            for seed in self.seeds:
                found.append(self._finish(goal, seed, SEED_STEPS))
                met += _errors(goal, found[-1])[0] <= MET
                if met == ENOUGH_SEEDS:
                    break

        def cost(result: Finished) -> tuple[float, ...]:
            # Of equal shapes (an end's twist changes none) the one whose angles are nearer to the posture's.
            change = sum(abs(a - b) for a, b in zip(result.angles, posture, strict=True))
            return *_errors(goal, result), round(shape.deviation(result.pose), SHAPE_DIGITS), change

        return min(found, key=cost), answer.iterations

    def _step_toward(self, goal: GazeGoal, best: Finished, start: tuple[float, ...]) -> Finished:
        """The best if it is near the last frame's angles, else a step from these toward it, with the aim corrected; the best also where
        that loses the aim.
        """
        if max(abs(a - b) for a, b in zip(best.angles, start, strict=True)) <= STEP:
            return best
        step = self._finish(goal, [a + min(max(b - a, -STEP), STEP) for a, b in zip(start, best.angles, strict=True)])
        aims = all(error <= ABOUT_AS_WELL * least for error, least in zip(_errors(goal, step), _errors(goal, best), strict=True))
        return step if aims else best


def _errors(goal: GazeGoal, result: Finished) -> tuple[float, float]:
    """Errors [rad] of the view, then of the whole goal; errors too small to matter are equal."""
    return max(MET, aim_error(goal, result.pose)), max(MET, result.aim_error)
