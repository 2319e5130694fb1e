"""Tests rendering in a real window, where Blender calls handlers outside its main thread while the user
continues to work.
"""


def test_an_animation_rendered_in_the_window_is_what_live_plays(play):
    facts = play("live_render")
    assert facts["frames"] == 12
    assert facts["off the main thread"]
    assert facts["apart"] < 1e-9
    assert facts["moved"] > 0.1
    assert facts["live while rendering"] == []
    assert facts["live before the job's end"] == [True, False]
    assert facts["ends told of"] == 0, "no handler hears of it, and live follows all the same"
    assert facts["raised"] == []
    assert facts["problem"] == ""
