"""Tests a mechanism in a real window; a picture of its panel is in build/window/mechanism.png."""

import pytest


def test_the_clock_moves_a_mechanism_to_its_target_and_ending_live_leaves_nothing_behind(play):
    facts = play("mechanism")
    assert facts["distance"] < 2.0  # [m] so that the added mechanism is visible
    assert facts["problem"] == ""
    assert facts["pan"] == pytest.approx(0.5, abs=0.1)
    assert facts["constraints"] == 0
