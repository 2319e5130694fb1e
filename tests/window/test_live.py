"""Live and the robot in a real window, where Blender's timers, keys and redraws are what a user has."""


def test_the_head_follows_a_dragged_target_and_a_played_animation_and_leaves_no_trace(play):
    facts = play("live")
    assert facts["miss_after_drag"] < 0.1  # degrees
    assert facts["authored_while_live"]
    assert facts["moved_while_playing"] > 0.01
    assert facts["trace_after_live"] < 1e-6


def test_the_stop_key_stops_the_robot_over_every_editor(play):
    facts = play("stop_key")
    assert facts["editors"]
    assert facts["stopped_over"] == facts["editors"]
