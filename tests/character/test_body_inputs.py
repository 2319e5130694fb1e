"""Tests the targets of a body between two frames, where some are lost in one of the two."""

import numpy as np
import pytest
from limber.character.body.inputs import BodyInputs, between, velocities_of
from limber.solvers.kinematics.se3 import exponential


def inputs(*rotations: np.ndarray) -> BodyInputs:
    return BodyInputs(np.array(rotations), np.zeros(3), np.eye(4), np.zeros((0, 3)))


@pytest.mark.parametrize("nothing", [np.nan, 0.0])
def test_a_rotation_that_is_lost_in_one_frame_has_no_velocity_and_is_not_interpolated(nothing: float):
    lost, here, there = (
        np.full((3, 3), nothing),
        np.eye(3),
        exponential(np.array([0.0, 0.0, 1.0])),
    )
    first, last = inputs(lost, here, here), inputs(there, lost, there)
    angular = velocities_of(first, last, 0.5).angular
    assert np.isnan(angular[:2]).all()
    assert angular[2] == pytest.approx([0.0, 0.0, 2.0])
    halfway = between(first, last, 0.5).rotation
    assert halfway[0] == pytest.approx(there)
    assert np.array_equal(halfway[1], lost, equal_nan=True)
    assert halfway[2] == pytest.approx(exponential(np.array([0.0, 0.0, 0.5])))
