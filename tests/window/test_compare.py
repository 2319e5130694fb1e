"""Tests Compare Solvers in a real window: cancelled, sorted and used with the mouse."""

WIDE = "1000x1600"  # [pixels] room for the table; the window of test_behaviour


def test_solvers_are_compared_under_the_users_eyes_and_the_table_answers_clicks(play):
    facts = play("compare", size=WIDE)
    assert facts["frame_after_cancel"] == 7
    assert (facts["frames"], facts["frame_after"]) == (24, 7)
    assert facts["sorted_by"] == "shape"
    assert facts["used"]
    assert facts["after_undo"] == facts["before_use"]
