"""Limber beside Blender's own interface: its dialogs, the pose library."""


def test_new_chain_changes_rotation_modes_when_its_dialog_is_answered_and_only_then(play):
    facts = play("consent")
    assert facts["left"] == [0, ["QUATERNION", "QUATERNION"]]
    assert facts["agreed"] == [1, ["XYZ", "XYZ"]]


def test_blenders_pose_library_shows_a_stored_posture_and_a_click_applies_it(play):
    assert play("pose_library")["apart"] < 1e-6
