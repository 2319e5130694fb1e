"""Solving from scratch: the least shape deviation that meets the aim, over all branches. Knows no Blender."""

import math
from typing import NamedTuple

import numpy as np

from ..diagnosis import MET
from ..exact_aim import Finished, finish_or_look
from ..gaze import Shape, aim_error
from ..goals import GazeGoal
from ..skeleton import Skeleton
from .aims import BatchedAim
from .descent import Candidates, Descent, Seeds, StepSettings
from .measure import Measure
from .model import Authored, Model

BOLD = StepSettings(proximal=0.01, largest_step=0.5)
# (candidates kept, steps) of each round. Many candidates at first, as a third of all starts end at the optimum.
ROUNDS = ((None, 2), (20, 4), (8, 6), (3, 7))
RESCUES = 12  # candidates of the second round that get an exact correction when none of the last round meets the aim
SHAPE_DIGITS = 6  # decimals [rad] of a shape deviation that are compared: beyond them lies the rounding of an arc cosine


class Answer(NamedTuple):
    """The best solution found."""

    finished: Finished
    steps: int


class Search:
    """Search from scratch on one skeleton."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.seeds = Seeds(model)

    def solve(self, goal: GazeGoal, posture: tuple[float, ...], shape: Shape | Measure) -> Answer:
        """The best solution for a goal whose posture (n,) [rad] is within limits."""
        authored = np.array(posture)
        aim = BatchedAim(self.model, goal)
        descent = Descent(self.model, Authored(self.model, authored, goal.keep), aim)
        starts, sides = self.seeds.around(authored), None
        if aim.two_sided:
            starts, sides = np.concatenate([starts, starts]), np.repeat([1.0, -1.0], len(starts))
        candidates = descent.at(starts, sides)
        steps, spare = 0, candidates
        for kept, count in ROUNDS:
            if kept is not None:
                candidates = best_of(candidates, kept)
                spare = candidates if steps <= ROUNDS[0][1] else spare
            for _ in range(count):
                candidates = descent.step(candidates, BOLD)
            steps += count
        found = [exactly(self.model.skeleton, goal, posture_of(candidates, i)) for i in range(len(candidates.angles))]
        if min(finished.aim_error for finished in found) > MET:
            found += [exactly(self.model.skeleton, goal, posture_of(spare, i)) for i in range(min(RESCUES, len(spare.angles)))]
            found.append(exactly(self.model.skeleton, goal, posture))
        lost = (
            descent.rolls.loss(self.model.poses(np.array([finished.angles for finished in found])))
            if descent.rolls
            else np.zeros(len(found))
        )
        best = min(zip(found, lost.tolist(), strict=True), key=lambda pair: rank(goal, shape, pair[0], pair[1], posture))[0]
        return Answer(best, steps + best.steps)


def best_of(candidates: Candidates, count: int) -> Candidates:
    """The `count` candidates of least cost, best first."""
    return candidates.pick(np.argsort(candidates.merit, kind="stable")[:count])


def posture_of(candidates: Candidates, index: int) -> tuple[float, ...]:
    return tuple(candidates.angles[index].tolist())


def rank(goal: GazeGoal, shape: Shape | Measure, finished: Finished, lost: float, posture: tuple[float, ...]) -> tuple[float, ...]:
    """Sort key: error of the view, error of the whole goal, shape deviation with the loss of rolls, distance to the posture."""
    change = sum(abs(a - b) for a, b in zip(finished.angles, posture, strict=True))
    kept = shape.deviation(finished.pose)
    if lost:  # rounding may make it a little negative
        kept = math.acos(min(max(math.cos(kept) - lost, -1.0), 1.0))
    return max(MET, aim_error(goal, finished.pose)), max(MET, finished.aim_error), round(kept, SHAPE_DIGITS), change


def exactly(skeleton: Skeleton, goal: GazeGoal, angles: tuple[float, ...]) -> Finished:
    """The least change of `angles` (n,) that meets the goal; where a chain cannot be upright as well, its view alone."""
    return finish_or_look(skeleton, goal, angles, [1.0] * len(skeleton))
