"""Tests the number of clicks from an empty scene to a robot of the gallery that looks, and to the virtual
robot that follows.
"""


def test_four_clicks_lead_to_a_gallery_robot_that_looks_at_a_moving_target_and_three_more_to_the_virtual_one_that_follows(
    play,
):
    facts = play("gallery")
    assert facts["robot"] == "Reachy Mini"
    assert facts["live"], "the gaze, and the mechanism that carries it"
    assert facts["clicks_to_gaze"] <= 4
    assert facts["miss"] < 2.0  # [degrees] aim error while the target moves
    assert facts["clicks_to_follow"] <= 3


def test_a_folder_without_a_robot_is_refused_in_a_sentence_when_it_is_chosen_in_the_file_browser(play):
    facts = play("gallery_folder")
    assert facts["added"] == 0
    assert facts["modal"] == []
    assert "Traceback" not in facts["said"]
    assert "No robot was added." in facts["said"]
    assert "robot.yaml" in facts["said"]
