"""Tests live motion in a real window, with Blender's own timers and redraws."""

import pytest

pytestmark = pytest.mark.every_window


def test_the_head_follows_a_dragged_target_and_a_played_animation_and_leaves_no_trace(play):
    facts = play("live")
    assert facts["miss_after_drag"] < 0.1  # [degrees]
    assert facts["authored_while_live"]
    assert facts["moved_while_playing"] > 0.01
    assert facts["trace_after_live"] < 1e-6
