"""The nearest answer, to which the benchmarks compare: exact aim by the least change of the posture,
at once.
"""

import random

import numpy as np
import pytest
from limber.solvers.goals import Direction, GazeGoal, Orientation, PostureShapeError

from benchmarks.contestants.nearest import Nearest

from .chains import (
    aim_that_can_be_met,
    any_chain,
    any_direction,
    lamp,
    posture_of,
    shared_places,
    skeleton_of,
)

KINDS = ("orientation", "direction", "point")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chain", [lamp(), shared_places(3), skeleton_of("G")], ids=["lamp", "spine", "G"])
def test_an_aim_that_can_be_met_is_mostly_met_exactly_and_always_within_limits(chain, kind):
    draw, solver, met = random.Random(2), Nearest(chain), []
    for _ in range(20):
        solution = solver.solve(GazeGoal(aim_that_can_be_met(draw, chain, kind), posture_of(draw, chain)))
        assert np.all(solution.angles >= chain.lower)
        assert np.all(solution.angles <= chain.upper)
        assert solution.converged == (solution.aim_error <= 1e-6)
        assert solution.converged or solution.reason
        met.append(solution.converged)
    assert np.mean(met) >= 0.9


def test_a_posture_that_meets_the_aim_stays_as_it_is():
    draw, chain = random.Random(3), skeleton_of("F")
    for _ in range(5):
        posture = posture_of(draw, chain)
        solution = Nearest(chain).solve(
            GazeGoal(Orientation(chain.forward(posture.tolist()).tool_rotation), posture)
        )
        assert solution.angles == pytest.approx(posture, abs=1e-7)
        assert solution.shape_deviation < 1e-3


def test_it_keeps_the_shape_better_than_the_least_change_of_angles_from_elsewhere():
    draw, chain = random.Random(4), skeleton_of("G")
    solver, kept, other = Nearest(chain), [], []
    for _ in range(20):
        posture = 0.5 * posture_of(draw, chain)
        goal = GazeGoal(aim_that_can_be_met(draw, chain, "orientation"), posture)
        kept.append(solver.solve(goal).shape_deviation)
        elsewhere = solver.solve(GazeGoal(goal.aim, np.zeros(len(chain)))).angles
        pose = chain.forward(elsewhere.tolist())
        other.append(solver.diagnosis.shape(tuple(posture.tolist())).deviation(pose))
    assert np.mean(kept) < np.mean(other)


def test_where_the_postures_branch_misses_the_start_is_tried():
    draw, chain = random.Random(5), skeleton_of("E")
    solver, mended = Nearest(chain), 0
    for _ in range(300):
        wanted = posture_of(draw, chain)
        goal = GazeGoal(
            Orientation(chain.forward(wanted.tolist()).tool_rotation),
            posture_of(draw, chain),
            symmetric=False,
        )
        stuck = solver.solve(goal, goal.posture)
        if not stuck.converged:
            helped = solver.solve(goal, wanted)
            assert helped.converged
            assert helped.angles == pytest.approx(wanted, abs=1e-6)
            mended += 1
    assert mended >= 3


def test_no_chain_breaks_it():
    draw = random.Random(6)
    for _ in range(60):
        chain = any_chain(draw, draw.randrange(1, 8))
        solution = Nearest(chain).solve(GazeGoal(Direction(any_direction(draw)), posture_of(draw, chain)))
        assert np.all(np.isfinite(solution.angles))
        assert np.all(solution.angles >= chain.lower)
        assert np.all(solution.angles <= chain.upper)


def test_a_posture_of_another_length_is_refused():
    with pytest.raises(PostureShapeError):
        Nearest(lamp()).solve(GazeGoal(Direction((0.0, 1.0, 0.0)), np.zeros(3)))
