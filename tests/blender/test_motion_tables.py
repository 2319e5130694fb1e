"""Tests tables of other programs for a robot whose joints determine the meaning of headings, in a real
Blender.
"""

import math

import bpy
import pytest

from tests.blender.imported import joint_values
from tests.blender.test_motion_import import arm, bring, refusal


def imported(tmp_path, text, name="wave.csv", **options):
    """Values [rad] of the arm's joints in the first row of a table."""
    rig = arm(tmp_path, with_chain=False)
    path = tmp_path / name
    path.write_text(text)
    assert bring(path, frame_start=1, **options) == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    return joint_values(rig)


@pytest.mark.parametrize(
    ("heading", "row"),
    [
        ("t,shoulder_target,shoulder_actual,elbow_actual,elbow_error", "0,.9,.1,.2,.9"),
        ("t,Shoulder Angle,Elbow Angle,Tip X", "0,.1,.2,.9"),
        ("t,desired_shoulder,desired_elbow,mode", "0,.1,.2,.9"),
        ("t,Position_shoulder,Velocity_shoulder,Position_elbow,load_elbow", "0,.1,.9,.2,.9"),
    ],
)
def test_a_robots_joints_decide_which_words_of_headings_belong_to_names(tmp_path, heading, row):
    shown = imported(tmp_path, f"{heading}\n{row}\n")
    assert (shown["shoulder"], shown["elbow"]) == pytest.approx((0.1, 0.2), abs=1e-6)


def test_a_joint_whose_own_name_has_a_word_of_positions_comes_first(tmp_path):
    text = "t,elbow_angle,elbow\n0,.9,.2\n"
    assert imported(tmp_path, text)["elbow"] == pytest.approx(0.2, abs=1e-6)


@pytest.mark.every_blender
def test_angles_that_no_joint_has_in_radians_are_refused_and_may_be_said_to_be_degrees(tmp_path):
    rig = arm(tmp_path, with_chain=False)
    path = tmp_path / "wave.csv"
    path.write_text("t,shoulder,elbow\n0,-40,30\n1,-45,35\n")
    said = refusal(path)
    assert "the values of 'shoulder' are no radians. Choose Degrees in Angles" in said
    assert "'shoulder [deg]'" in said
    assert bring(path, frame_start=1, angles="DEGREES") == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    assert joint_values(rig)["shoulder"] == pytest.approx(math.radians(-40.0), abs=1e-6)


@pytest.mark.every_blender
def test_units_that_a_file_says_are_not_asked_about_and_lengths_are_no_angles(tmp_path, capfd):
    text = "t,shoulder [rad],grip\n0,20,.01\n"
    shown = imported(tmp_path, text, angles="DEGREES")
    assert (shown["shoulder"], shown["grip"]) == pytest.approx((20.0, 0.01), abs=1e-5)
    assert "Joint 'shoulder' goes from" in capfd.readouterr().out


def test_velocities_of_angles_in_degrees_are_in_degrees(tmp_path):
    point = '{"positions": [%s], "velocities": [%s], "time_from_start": {"sec": %d, "nanosec": 0}}'
    points = ", ".join(point % values for values in (("0, 0", "90, 90", 0), ("90, 90", "0, 0", 1)))
    text = f'{{"joint_names": ["shoulder", "elbow"], "points": [{points}]}}'
    imported(tmp_path, text, "wave.json", angles="DEGREES")
    bpy.context.scene.frame_set(1 + 12)
    shown = joint_values(bpy.context.active_object)
    assert shown["elbow"] == pytest.approx(math.radians(45.0 + 90.0 / 8.0), abs=1e-4)
