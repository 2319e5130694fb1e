"""Tests the key that stops the robot, in a real window."""


def test_the_stop_key_stops_the_robot_over_every_editor(play):
    facts = play("stop_key")
    assert facts["editors"]
    assert facts["stopped_over"] == facts["editors"]
