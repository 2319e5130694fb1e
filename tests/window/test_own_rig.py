"""Tests README's three clicks on a rig that is not Limber's."""


def test_three_clicks_let_a_metarig_look(play):
    facts = play("own_rig")
    assert facts["clicks"] == 3
    assert facts["root"] == "spine.001", "the hips stay with the legs"
    assert facts["aim_error"] < 1e-3
