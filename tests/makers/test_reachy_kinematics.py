"""Reachy Mini's head in Limber beside its maker's own inverse kinematics, on poses that are drawn anew."""

import pytest

from benchmarks.reachy_kinematics import kinematics
from tests.makers.reachy import IS_THERE, MISSING

pytestmark = pytest.mark.skipif(not IS_THERE, reason=MISSING)


def test_motors_are_the_makers_to_a_millionth_of_a_radian():
    errors = kinematics(20, seed=7)
    assert errors["solver"].max() < 1e-8  # [rad] beside the closed form on the same file
    assert (
        errors["limber"].max() < 1e-6
    )  # the gallery's URDF has the maker's kinematics' own constants, from which its URDF differs
