"""Tests that the tab's buttons keep their positions under the mouse, and that Blender draws nothing while
nothing changes.
"""


def test_no_button_moves_while_a_robot_is_connected_and_nothing_is_drawn_while_it_is_armed_and_still(play):
    facts = play("still")
    assert facts["buttons"] > 12
    assert {name: moved for name, moved in facts["moved"].items() if moved} == {}
    assert facts["drawn while it is still"] == []
