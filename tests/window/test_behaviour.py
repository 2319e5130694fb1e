"""Tests a behaviour in a real window: added, rehearsed and directed by the mouse."""


def test_a_ready_set_is_added_rehearsed_and_directed_by_the_mouse_while_nothing_plays(play):
    facts = play("behaviour")
    assert facts["states"] == 10
    assert facts["idle"] > 5.0  # [degrees] half of the gaze
    assert facts["attending"] < 0.1
    assert [line.partition(": ")[2] for line in facts["lines"]] == [
        "Idle to Noticing (event arrive)",
        "Noticing to Attending (after)",
    ]


def test_rows_of_its_lists_are_selected_by_the_mouse(play):
    facts = play("behaviour_rows", scale=0.5)
    assert [facts[name] for name in ("active_posture", "active_chain", "active_lid")] == [0, 0, 0]
