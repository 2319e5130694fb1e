"""Tests picking the forward axis in the 3D view."""

import pytest


def test_an_arrow_or_a_point_is_picked_by_a_click_and_escape_keeps_what_was(play):
    facts = play("forward_axis")
    assert facts["arrow"] == "-Z"
    assert facts["kept"] == "-Z"
    assert facts["point"] == "CUSTOM"
    assert facts["across"] == pytest.approx(0, abs=0.03), "the end is seen to face the point"
