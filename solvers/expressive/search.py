"""From scratch: the least shape deviation that meets the aim, over all branches. Knows no Blender."""

import math
from typing import NamedTuple

import numpy as np

from ..diagnosis import MET
from ..exact_aim import Finished, finish_or_look
from ..gaze import aim_error
from ..goals import GazeGoal
from ..shape import Shape
from ..skeleton import Skeleton
from .aims import BatchedAim
from .descent import Descent, Pace, Rows
from .measure import Measure
from .model import Authored, Model
from .seeds import Seeds

BOLD = Pace(proximal=0.01, largest_step=0.5)
# After each round of steps the best rows go on: (rows kept, steps). Wide at first, as a third of all starts end in the best.
ROUNDS = ((None, 2), (20, 4), (8, 6), (3, 7))
RESCUES = 12  # rows of the second round that get an exact finish when none of the last does
SHAPE_DIGITS = 6  # of a shape deviation [rad]: beyond them lies the rounding of an arc cosine


class Answer(NamedTuple):
    """The best that was found."""

    way: Finished
    steps: int


class Search:
    """The search from scratch on one chain."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.seeds = Seeds(model)

    def solve(self, goal: GazeGoal, posture: tuple[float, ...], shape: Shape | Measure) -> Answer:
        """The best for a goal whose posture is within limits."""
        authored = np.array(posture)
        aim = BatchedAim(self.model, goal)
        descent = Descent(self.model, Authored(self.model, authored, goal.keep), aim)
        starts, sides = self.seeds.around(authored), None
        if aim.two_sided:
            starts, sides = np.concatenate([starts, starts]), np.repeat([1.0, -1.0], len(starts))
        rows = descent.at(starts, sides)
        steps, spare = 0, rows
        for kept, count in ROUNDS:
            if kept is not None:
                rows = best_rows(rows, kept)
                spare = rows if steps <= ROUNDS[0][1] else spare
            for _ in range(count):
                rows = descent.step(rows, BOLD)
            steps += count
        found = [exactly(self.model.skeleton, goal, posture_of(rows, i)) for i in range(len(rows.angles))]
        if min(way.missed for way in found) > MET:
            found += [exactly(self.model.skeleton, goal, posture_of(spare, i)) for i in range(min(RESCUES, len(spare.angles)))]
            found.append(exactly(self.model.skeleton, goal, posture))
        lost = descent.rolls.lost(self.model.poses(np.array([way.angles for way in found]))) if descent.rolls else np.zeros(len(found))
        best = min(zip(found, lost.tolist(), strict=True), key=lambda pair: rank(goal, shape, pair[0], pair[1], posture))[0]
        return Answer(best, steps + best.steps)


def best_rows(rows: Rows, count: int) -> Rows:
    """The `count` best rows, best first."""
    return rows.pick(np.argsort(rows.merit, kind="stable")[:count])


def posture_of(rows: Rows, index: int) -> tuple[float, ...]:
    return tuple(rows.angles[index].tolist())


def rank(goal: GazeGoal, shape: Shape | Measure, way: Finished, lost: float, posture: tuple[float, ...]) -> tuple[float, ...]:
    """What is better of two answers: the view met, the whole goal met, the shape with what rolls lose of its cosine; of equal ones the
    angles nearer to the posture's."""
    change = sum(abs(a - b) for a, b in zip(way.angles, posture, strict=True))
    kept = shape.deviation(way.pose)
    if lost:  # by rounding it may be a little below 0
        kept = math.acos(min(max(math.cos(kept) - lost, -1.0), 1.0))
    return max(MET, aim_error(goal, way.pose)), max(MET, way.missed), round(kept, SHAPE_DIGITS), change


def exactly(skeleton: Skeleton, goal: GazeGoal, angles: tuple[float, ...]) -> Finished:
    """The least change of `angles` that meets the goal; where a chain cannot be upright as well, its view alone."""
    return finish_or_look(skeleton, goal, angles, [1.0] * len(skeleton))
