"""Tests the robot's panel with servos that do not measure, and without an answering device; pictures of each
state are in build/window/.
"""


def test_hobby_servos_are_armed_by_one_button_and_choosing_a_port_leaves_nothing_to_undo(play):
    facts = play("robot_hobby")
    assert facts["armed"]
    assert facts["undone"] == 0
