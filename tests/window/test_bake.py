"""Tests baking in a real window, where it runs while the interface is usable."""


def test_esc_cancels_a_bake_without_a_trace_and_a_bake_that_may_end_leaves_its_keys(play):
    facts = play("bake")
    assert facts["bakes"]
    assert facts["actions_after_cancel"] == 0
    assert facts["frame_after_cancel"] == 1
    assert facts["actions_after_bake"] == 1
    assert facts["range"] == [1, 40]
