"""Tests Compare Solvers in a real window: cancelled, sorted and used with the mouse."""

SMALL = 0.5  # scale of the interface, which makes room for the table


def test_solvers_are_compared_under_the_users_eyes_and_the_table_answers_clicks(play):
    facts = play("compare", scale=SMALL)
    assert facts["frame_after_cancel"] == 7
    assert (facts["frames"], facts["frame_after"]) == (24, 7)
    assert facts["sorted_by"] == "shape"
    assert facts["used"]
    assert facts["after_undo"] == facts["before_use"]
