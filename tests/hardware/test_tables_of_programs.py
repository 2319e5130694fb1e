"""Tests tables of motion written by other programs: their headings, clocks, units, and names of
quantities.
"""

import math

import pytest
from limber.hardware.motion_files import MotionFileError, read
from limber.hardware.motion_files.other_names import OtherName, other_name


def recorded(tmp_path, text, name="wave.csv"):
    path = tmp_path / name
    path.write_text(text)
    return read(path)


SIMM = "Coordinates\nnRows=2\nnColumns=3\n\nUnits are S.I. units\n{}\n\nendheader\n"


@pytest.mark.parametrize(
    ("line", "unit", "factor"),
    [
        ("Angles are in degrees.", "rad", math.radians(1.0)),
        ("Angles are in radians.", "rad", 1.0),
        ("inDegrees=Y", "rad", math.radians(1.0)),
        ("inDegrees = no\t\t", "rad", 1.0),
        ("", "plain", 1.0),
    ],
)
def test_opensims_head_says_the_unit_in_several_ways_or_leaves_radians(tmp_path, line, unit, factor):
    table = "time\tknee\tpelvis_tx\n0\t3\t.5\n.1\t2\t.6\n"
    knee, pelvis = recorded(tmp_path, SIMM.format(line) + table, "gait.mot").columns
    assert (knee.name, knee.unit) == ("knee", unit)
    assert knee.values == pytest.approx((3.0 * factor, 2.0 * factor))
    assert (pelvis.unit, pelvis.values) == ("m", (0.5, 0.6))


@pytest.mark.parametrize("quantity", ["Speeds", "Accelerations"])
def test_opensims_speeds_of_coordinates_are_no_motion(tmp_path, quantity):
    head = f"{quantity}\nversion=1\nnRows=1\nnColumns=2\ninDegrees=yes\nendheader\n"
    with pytest.raises(MotionFileError, match=f"the coordinates' {quantity.lower()}, not their positions"):
        recorded(tmp_path, head + "time\tknee\n0\t3\n", "gait.sto")


def test_opensims_states_have_their_values_also_outside_of_a_joint_set(tmp_path):
    heading = "time\tground_pelvis/tilt/value\tground_pelvis/tilt/speed\tsoleus/activation\n"
    text = SIMM.format("inDegrees=no") + heading + "0\t1\t2\t3\n"
    (tilt,) = recorded(tmp_path, text, "states.sto").columns
    assert (tilt.name, tilt.unit, tilt.values) == ("tilt", "rad", (1.0,))


@pytest.mark.parametrize("mark", [",", ", "])
def test_a_log_of_libfranka_counts_milliseconds_and_names_the_makers_joints(tmp_path, mark):
    headings = (
        "time",
        "success_rate",
        "state.q[0]",
        "state.q[1]",
        "state.q_d[0]",
        "state.dq[0]",
        "cmd.q_d[0]",
    )
    found = recorded(tmp_path, mark.join(headings) + "\n1000,1,.1,.2,8,9,7\n1001,1,.3,.4,8,9,7\n")
    assert found.times == pytest.approx((1.0, 1.001))
    assert [(column.name, column.values) for column in found.columns] == [
        ("joint_1", (0.1, 0.3)),
        ("joint_2", (0.2, 0.4)),
    ]
    assert "fr3_joint2" in found.columns[1].other_names


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("heading", ["q[{}]", "actual_q_{}"])
def test_an_arrays_joints_are_counted_from_its_first(tmp_path, heading, first):
    headings = [heading.format(first + k) for k in range(3)]
    found = recorded(tmp_path, ",".join(["time", *headings]) + "\n0,.1,.2,.3\n1,.4,.5,.6\n")
    assert [column.name for column in found.columns] == ["joint_1", "joint_2", "joint_3"]


def test_a_motion_of_webots_may_end_its_lines_as_old_macs_do(tmp_path):
    text = "#WEBOTS_MOTION,V1.0,HeadYaw\r00:00:040,Pose1,.1\r00:00:080,Pose2,.2\r"
    assert recorded(tmp_path, text, "wave.motion").times == pytest.approx((0.04, 0.08))


def test_a_damaged_motion_of_webots_is_refused_with_a_sentence(tmp_path):
    text = "#WEBOTS_MOTION,V1.0,HeadYaw\n00:00:040,Pose1,.1," + "9" * 200000 + "\n"
    with pytest.raises(MotionFileError, match="it is no motion of Webots"):
        recorded(tmp_path, text, "wave.motion")


@pytest.mark.parametrize(
    "head", ["#WEBOTS_MOTION,V1.0,HeadYaw,LElbowRoll\n", "#WEBOTS_MOTION,V1.0\nHeadYaw,LElbowRoll\n"]
)
def test_a_motion_of_webots_has_its_times_and_names(tmp_path, head):
    text = head + "00:00:040,Pose1,.1,-.2\n01:02:500,Pose2,.3,-.4\n"
    found = recorded(tmp_path, text, "wave.motion")
    assert found.times == pytest.approx((0.04, 62.5))
    assert {column.name: column.values for column in found.columns} == {
        "HeadYaw": (0.1, 0.3),
        "LElbowRoll": (-0.2, -0.4),
    }


def test_a_motion_of_webots_without_times_is_refused_by_its_row(tmp_path):
    with pytest.raises(MotionFileError, match="row 1: it begins with 'play', and a motion of Webots"):
        recorded(tmp_path, "#WEBOTS_MOTION,V1.0,HeadYaw\nplay,.1\n", "wave.motion")


def test_a_state_of_joints_with_a_date_of_slashes_is_read(tmp_path):
    text = "time,.header.frame_id,.name,.position\n"
    for second in ("10.25", "10.35"):
        text += f"2023/09/22/18:55:{second},,\"['pan', 'tilt']\",\"(0.1, 0.2)\"\n"
    found = recorded(tmp_path, text)
    assert found.seconds == pytest.approx(0.1, abs=1e-6)
    assert [column.name for column in found.columns] == ["pan", "tilt"]


def test_marked_positions_are_known_beside_quantities_that_are_written_out_and_controls(tmp_path):
    for others in ("pan_effort,tilt_velocity", "ctrl_0,ctrl_1"):
        found = recorded(tmp_path, f"t,pan_pos,tilt_pos,{others}\n0,1,2,9,9\n")
        assert [column.name for column in found.columns][:2] == ["pan", "tilt"]


def test_quantities_of_joints_before_a_path_mark_are_known(tmp_path):
    found = recorded(tmp_path, "t,joint_pos/pan,joint_vel/pan,dof_torques.pan,qpos/tilt\n0,1,9,9,2\n")
    assert [(column.name, column.values) for column in found.columns] == [("pan", (1.0,)), ("tilt", (2.0,))]


def test_of_a_joint_in_two_units_the_first_counts(tmp_path):
    found = recorded(tmp_path, "t,pan_rad,pan_deg\n0,1,57.3\n")
    assert [(column.name, column.values) for column in found.columns] == [("pan", (1.0,))]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("FR_0_actual", OtherName("fr_0")),
        ("Joint 1 Angle", OtherName("joint_1")),
        ("Desired Joint 1 Angle", OtherName("joint_1", True)),
        ("Position_maxon", OtherName("maxon")),
        ("target_fl_hfe", OtherName("fl_hfe", True)),
        ("left_knee_joint_dof", OtherName("left_knee_joint")),
        ("observation.state.elbow_flex", OtherName("elbow_flex")),
        ("action.elbow_flex", OtherName("elbow_flex", True)),
        ("/arm/elbow/actual", OtherName("elbow")),
        ("elbow.error", OtherName()),
        ("actions/0", OtherName()),
        ("FR_0_error", OtherName()),
        ("tor_elbow_vel", OtherName()),
        ("Position_0", OtherName()),
        ("elbow", OtherName()),
        ("position", OtherName()),
    ],
)
def test_a_heading_gives_the_name_that_its_joint_has_without_words_of_positions(name, other):
    assert other_name(name) == other


def test_a_gripper_of_lerobot_is_a_share_also_behind_a_path(tmp_path):
    gripper, elbow = recorded(tmp_path, "t,action.gripper.pos,action.elbow_flex.pos\n0,50,9\n").columns
    assert (gripper.unit, elbow.unit) == ("range_0_100", "degrees")
    assert (elbow.other_names, elbow.is_commanded) == (("elbow_flex",), True)
