"""Tests blends, attention, life and deviations in a real window: panels are drawn, bones are coloured, and a
chain changes to another target.
"""

import numpy as np
import pytest

from tests.window.conftest import LEFT


def picture(name: str) -> np.ndarray:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    return pyplot.imread(LEFT / f"{name}.png")[..., :3]


def test_bones_are_coloured_and_the_gaze_goes_over_to_another_target(play):
    facts = play("authoring")
    assert facts["problem"] == ""
    assert facts["aim_error"] < 1e-4
    assert facts["postures"] == ["Bowed", "Curious"]
    plain, coloured = picture("authoring_plain"), picture("authoring")
    drawn = np.abs(coloured - plain).max(axis=2) > 0.2
    assert drawn.sum() > 200, "lines are drawn along the bones"
