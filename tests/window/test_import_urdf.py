"""Tests a robot's file in Blender's own interface: dropped, undone, chosen in the browser."""


def test_a_dropped_file_shows_its_options_comes_in_as_one_step_and_the_file_menu_frames_it_too(play):
    facts = play("import_urdf")
    assert "arm" not in facts["before"]
    assert facts["distance"] < 5.0  # [m] so that the robot, of a metre, fills the view
    assert facts["imported"] == facts["redone"] == ["arm", "base", "head"]
    assert facts["undone"] == facts["before"]
    assert facts["distance_after_browser"] < 5.0, (
        "the File menu is in no viewport: the window's largest shows the robot"
    )
