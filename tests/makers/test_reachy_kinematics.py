"""Reachy Mini's head in Limber beside its maker's own inverse kinematics, on poses that are drawn anew."""

import numpy as np
import pytest

from benchmarks.reachy_kinematics import kinematics
from tests.makers.reachy import IS_THERE, MISSING

pytestmark = pytest.mark.skipif(not IS_THERE, reason=MISSING)


def test_motors_are_the_makers_to_the_rounding_of_its_urdf():
    errors = kinematics(20, seed=7)
    assert errors["solver"].max() < 1e-8  # [rad] beside the closed form on the same file
    assert np.median(errors["limber"]) < 1e-5
    assert errors["limber"].max() < 2e-5  # the URDF's and the kinematics' own constants differ by 9e-6 rad
