"""Tests moving a target with the mouse over the 3D view."""

import pytest

pytestmark = pytest.mark.every_window


def test_the_target_goes_with_the_mouse_and_comes_back_with_escape_and_undo(play):
    facts = play("mouse_target")
    assert facts["put_back"]
    assert facts["off"] < 2
    assert facts["missed"] == pytest.approx(0, abs=0.5)
    assert facts["left_there"]
    assert facts["undone"]
