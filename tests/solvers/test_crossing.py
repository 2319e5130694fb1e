"""Tests of the minimum-jerk movement."""

import numpy as np
import pytest
from limber.solvers.crossing import STEEPEST, minimum_jerk


def test_it_begins_and_ends_at_rest_without_acceleration_and_is_symmetric() -> None:
    shares = np.linspace(0.0, 1.0, 1001)
    completed = minimum_jerk(shares)
    velocity = np.gradient(completed, shares)
    assert (completed[0], completed[-1]) == (0.0, 1.0)
    assert completed + completed[::-1] == pytest.approx(1.0, abs=1e-12)
    assert velocity[[0, -1]] == pytest.approx(0.0, abs=1e-5)
    assert np.gradient(velocity, shares)[[0, -1]] == pytest.approx(0.0, abs=0.1)
    assert velocity.max() == pytest.approx(STEEPEST, abs=1e-5)
