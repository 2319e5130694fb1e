"""Tests Limber with Blender's own interface: its dialogs, the pose library."""


def test_blenders_pose_library_shows_a_stored_posture_and_a_click_applies_it(play):
    assert play("pose_library")["apart"] < 1e-6


def test_connect_runs_a_program_that_a_blend_names_when_a_click_in_its_dialog_allows_it_and_only_then(play):
    facts = play("program")
    assert (facts["left"], facts["entered"], facts["allowed"]) == (False, False, True)


def test_dialogs_of_postures_and_adjusting_them_afterwards_act_on_the_mover_whose_button_was_pressed(play):
    facts = play("adjust")
    assert [facts[name] for name in ("stored", "stored, adjusted", "added", "added, adjusted")] == [
        [["Posture"], ["Curious"]],
        [["Tall"], ["Curious"]],
        [["Tall", "Above"], ["Curious"]],
        [["Tall", "Below"], ["Curious"]],
    ]


def test_every_dialog_and_file_browser_that_comes_before_the_work_can_be_left_without_an_error(play):
    facts = play("cancelled")
    assert {
        "export_motion",
        "import_motion",
        "import_from_robot",
        "add_robot_folder",
        "install_robot_meshes",
    } <= set(facts["asked"])
    assert facts["asked"]["export_motion"] == "FILE_BROWSER"
    assert facts["asked"]["import_from_robot"] == "dialog"
    assert set(facts["printed"].values()) == {""}
    assert facts["left"] == []
