"""A gaze that reaches a joint's limit takes the way round: no goal that a search from scratch meets is missed for good."""

import math

import numpy as np
import pytest
from limber.character.chain.tick import make_model, tick
from limber.motion.filters import NEUTRAL, NO_FILTER
from limber.solvers.expressive.solver import Expressive
from limber.solvers.goals import GazeGoal, Point

from tests.solvers.chains import unit_chain

DT = 1 / 24  # [s]
WALK, REST = 40, 120  # frames
LAMP = unit_chain("YXXX", math.pi, 0.2)
POSTURE = np.array([0.0, 0.5, -0.9, 0.0])


@pytest.mark.parametrize(("begin", "end"), [((-0.76, 0.76, -1.04), (0.12, 1.02, 1.07)), ((1.34, 0.77, 0.05), (-0.09, 0.83, 0.94))])
def test_a_target_that_walked_round_is_met_after_it_rests(begin, end):
    model = make_model(LAMP, "expressive", NO_FILTER, NEUTRAL, posture_jumps=False)
    state = None
    for frame in range(WALK + REST):
        share = frame / WALK
        share = share * share * (3.0 - 2.0 * share)  # it starts and stops gently, as keys do
        place = tuple((1 - share) * a + share * b for a, b in zip(begin, end, strict=True))
        if frame <= WALK:
            goal = GazeGoal(Point(place), POSTURE)
        outputs, state = tick(model, goal, state, DT)
    assert Expressive(LAMP).solve(goal).aim_error < 1e-6
    assert outputs.solution.aim_error < 1e-6
