"""Tests the forecast of how bones share a look, beside the solver's answers."""

import math

import numpy as np
import pytest
from limber.solvers.bones.model import _own_inertias
from limber.solvers.bones.sharing import LARGEST_SHARE, LARGEST_TWIST, LookingBones
from limber.solvers.bones.solver import BoneSolver
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.goals import Direction, GazeGoal

from tests.solvers.test_bones import rotations_of_bones, spine, toward

ACROSS = np.array([[0.0, 0.0, 1.0]])


def bones_of(count: int, axis=ACROSS) -> LookingBones:
    inertias = _own_inertias(spine(count))[2::3]
    return LookingBones(inertias, np.repeat(np.array(axis), count, axis=0))


@pytest.mark.parametrize("look_from", [0.5, 0.7, 1.0])
@pytest.mark.parametrize("count", [2, 4])
def test_the_forecast_is_what_the_solver_does(count: int, look_from: float):
    skeleton = spine(count)
    solver = BoneSolver(skeleton, ExpressiveOptions(hold_body=True, measure="bones", look_from=look_from))
    solved = solver.solve(GazeGoal(Direction(toward(40.0, 0.0)), [0.0] * len(skeleton)), None, 0.0)
    angles = np.array(rotations_of_bones(skeleton, solved.angles))
    assert angles / angles.sum() == pytest.approx(bones_of(count).shares(look_from), abs=0.01)


def test_the_least_even_sharing_is_taken_that_keeps_all_bones_within_their_bounds():
    upright = bones_of(4, [[0.0, 1.0, 0.0]])
    look = math.radians(80)
    least = upright.look_from(look, look)
    assert least is not None
    assert np.all(upright.shares(least) * look <= LARGEST_TWIST)
    assert least == 0.5 or np.any(upright.shares(least - 0.02) * look > LARGEST_TWIST)


def test_too_few_bones_cannot_stay_within_their_bounds():
    two = bones_of(2, [[0.0, 1.0, 0.0]])
    assert two.look_from(math.radians(80), math.radians(80)) is None
    assert two.look_from(math.radians(50), math.radians(50)) is not None


def test_one_bone_takes_no_more_than_its_share_of_a_look_to_which_others_contribute():
    one, whole = bones_of(1), math.radians(60)
    assert one.look_from(0.9 * LARGEST_SHARE * whole, whole) is not None
    assert one.look_from(1.1 * LARGEST_SHARE * whole, whole) is None


def test_shares_do_not_depend_on_the_figures_size_where_the_last_bone_carries_nothing():
    inertias, axes = bones_of(3)
    inertias = np.array([*inertias[:2], np.zeros((3, 3))])
    small, large = (LookingBones(scale * inertias, axes).shares(0.5) for scale in (1.0, 1e5))
    assert small == pytest.approx(large)
