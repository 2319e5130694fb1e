"""Tests Reachy Mini's head in Limber against the maker's own inverse kinematics, on random poses."""

import pytest

from benchmarks.reachy_kinematics import kinematics
from tests.makers.reachy import IS_THERE, MISSING

pytestmark = pytest.mark.skipif(not IS_THERE, reason=MISSING)


def test_motors_are_the_makers_to_a_millionth_of_a_radian():
    errors = kinematics(20, seed=7)
    assert errors["solver"].max() < 1e-8  # [rad] difference from the closed form of the same file
    assert (
        errors["limber"].max() < 1e-6
    )  # the gallery's URDF has the constants of the maker's kinematics, from which the maker's URDF differs
