"""The tab keeps still under the mouse."""


def test_no_button_moves_by_a_pixel_while_a_robot_is_connected_armed_held_stopped_by_a_fault_tried_and_disconnected(play):
    facts = play("still")
    assert facts["buttons"] > 12
    assert {name: moved for name, moved in facts["moved"].items() if moved} == {}
