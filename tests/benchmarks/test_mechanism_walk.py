"""Tests the walk of the paper's figure 9: with the goal for the centre of mass a robot stands at all times,
without it the robot falls.
"""

import pytest

from benchmarks.mechanism_walk import FEET, SECONDS, SHIFT, at, measured

RATE = 30.0  # [Hz] frame rate


def test_the_goal_of_the_centre_of_mass_keeps_a_walk_over_its_soles_and_costs_its_frames_nothing():
    row = measured(True, 0.0, RATE)
    assert row.outside == 0.0
    assert max(row.frames, row.centre) < 1e-3  # [mm] errors of frames and centre of mass


def test_without_it_the_centre_of_mass_leaves_the_soles():
    row = measured(False, 0.0, RATE)
    assert row.outside > 30.0  # [mm] distance of the centre of mass from the soles
    assert row.frames < 1e-3  # [mm] error of frames


@pytest.mark.parametrize("k", range(round(10 * SECONDS)))
def test_a_foot_swings_only_while_the_other_carries_the_weight(k):
    walk, later = at(0.1 * k), at(0.1 * k + 0.02 * SHIFT)
    moving = [side for side in FEET if (walk.feet[side] != later.feet[side]).any()]
    assert len(moving) <= 1
    if moving:
        assert walk.left == pytest.approx(0.0 if moving == ["left"] else 1.0, abs=1e-3)
