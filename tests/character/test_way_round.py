"""Tests a gaze that reaches a joint's limit and goes round the other way: a goal that a search from scratch
meets is not missed permanently.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from limber.character.chain.tick import make_model, tick
from limber.motion.filters import NEUTRAL, NO_FILTER
from limber.solvers.expressive.solver import Expressive
from limber.solvers.goals import GazeGoal, Point

from tests.solvers.chains import unit_chain

DT = 1 / 24  # [s] duration of a frame
REST = 120  # number of frames at rest
LAMP = unit_chain("YXXX", math.pi, 0.2)
POSTURE = np.array([0.0, 0.5, -0.9, 0.0])


def walk(places, frames):
    """Positions of a target that moves from each position to the next in `frames` frames, eased as between
    keys, and then rests.
    """
    for first, last in pairwise(places):
        for frame in range(frames):
            share = frame / frames
            share = share * share * (3.0 - 2.0 * share)
            yield tuple((1 - share) * a + share * b for a, b in zip(first, last, strict=True))
    yield from [places[-1]] * REST


@pytest.mark.parametrize(
    ("places", "frames"),
    [
        (((-0.76, 0.76, -1.04), (0.12, 1.02, 1.07)), 40),
        (((1.34, 0.77, 0.05), (-0.09, 0.83, 0.94)), 40),
        (
            ((-1.15, -0.79, 0.4), (-0.77, -0.47, 0.28), (-1.26, -0.07, 0.64), (0.02, 0.84, 0.68)),
            25,
        ),  # missed by less than a degree
    ],
)
def test_a_target_that_walked_round_is_met_after_it_rests(places, frames):
    model = make_model(LAMP, "expressive", NO_FILTER, NEUTRAL, posture_jumps=False)
    state = goal = None
    for place in walk(places, frames):
        if goal is None or goal.aim.position != place:
            goal = GazeGoal(Point(place), POSTURE)
        outputs, state = tick(model, goal, state, DT)
    assert Expressive(LAMP).solve(goal).aim_error < 1e-6
    assert outputs.solution.aim_error < 1e-6
