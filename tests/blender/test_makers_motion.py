"""Tests motion files of makers on robots of the gallery: a file is imported, played, and exported again
without changes.
"""

import json
from math import degrees, pi, radians

import bpy
import numpy as np
import pytest
from limber.hardware.lerobot import calibration as lerobot
from limber.hardware.lerobot.calibration import LeRobotMotor
from limber.hardware.motion_files import FORMATS, Settings, read, write
from limber.hardware.motion_files.lelamp import JOINTS
from limber.rig.bones.imported_robot import pose_joints

from tests.blender.imported import joint_values
from tests.blender.modal import Window
from tests.hardware.moves import arm
from tests.robots.robots import SHARED

NEAR = 1e-6  # [rad] tolerance
RECORDINGS = SHARED / "robots" / "lelamp" / "recordings"
MIDDLES = {
    "1": -1.87944,
    "2": 0.48654,
    "3": -1.2492255,
    "4": -0.644945,
    "5": 0.7174615,
}  # of the ranges in the model
LAMP = {name: LeRobotMotor(k, 0, 0, 1000, 3000 + 10 * k) for k, name in enumerate(JOINTS, 1)}


@pytest.fixture(autouse=True)
def own_folder(monkeypatch, tmp_path):
    from limber.rig.robot import calibration

    monkeypatch.setattr(calibration, "folder", lambda: tmp_path / "calibrations")


def added(robot: str, fps: int = 30):
    assert bpy.ops.limber.add_robot(robot=robot) == {"FINISHED"}
    bpy.context.scene.render.fps = fps
    return bpy.context.active_object


def bring(path, **options) -> set[str]:
    return bpy.ops.limber.import_motion(filepath=str(path), frame_start=1, **options)


def send(path, name: str, rows: int, **options) -> set[str]:
    return bpy.ops.limber.export_motion(
        filepath=str(path), format=name, frame_start=1, frame_end=rows, **options
    )


def recording(path, values: list[tuple[float, ...]]):
    lines = [f"timestamp,{','.join(f'{name}.pos' for name in JOINTS)}"]
    path.write_text("\n".join([*lines, *(f"{k},{','.join(map(repr, row))}" for k, row in enumerate(values))]))
    return path


def test_a_lamp_s_animation_is_the_middle_of_its_ranges_and_ninety_degrees_to_either_side_until_it_is_calibrated(
    tmp_path, capfd
):
    rig = added("lelamp")
    assert bring(recording(tmp_path / "nod.csv", [(0.0,) * 5, (100.0,) * 5, (-50.0,) * 5])) == {"FINISHED"}
    assert "has no calibration of LeRobot's, so usual ranges are taken" in capfd.readouterr().out
    for frame, share in ((1, 0.0), (2, 1.0), (3, -0.5)):
        bpy.context.scene.frame_set(frame)
        assert joint_values(rig) == pytest.approx(
            {name: middle + share * pi / 2 for name, middle in MIDDLES.items()}, abs=1e-5
        )


def test_with_the_lamp_s_calibration_an_animation_goes_to_the_same_servo_positions_as_its_own_player_sends(
    tmp_path, capfd
):
    from limber.hardware.mixing import Mixing
    from limber.rig.robot.device import describe_plain, sources
    from limber.rig.robot.values import newest

    rig = added("lelamp")
    lerobot.save(tmp_path / "lamp.json", LAMP)
    assert bpy.ops.limber.import_lerobot(filepath=str(tmp_path / "lamp.json")) == {"FINISHED"}
    rows = [(12.0, -20.0, 33.3, -41.7, 99.9), (-99.0, 0.0, 5.0, 60.0, -70.0)]
    bring(recording(tmp_path / "nod.csv", rows))
    assert "usual ranges" not in capfd.readouterr().out
    for frame, row in enumerate(rows, 1):
        bpy.context.scene.frame_set(frame)
        device = describe_plain(rig)
        raw = Mixing(device).raw(newest(rig, sources(rig), [0.0] * len(device.joints)))
        sent = {channel.servo: steps for channel, steps in zip(device.channels, raw, strict=True)}
        for name, value in zip(JOINTS, row, strict=True):
            assert sent[LAMP[name].id] == pytest.approx(
                LAMP[name].position(value, "range_m100_100"), abs=0.01
            )


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason=f"no recordings in {RECORDINGS}")
@pytest.mark.parametrize("name", ["curious", "excited", "nod"])
def test_the_maker_s_own_animations_play_on_the_lamp_and_go_out_as_they_came(tmp_path, name):
    rig = added("lelamp")
    assert bring(RECORDINGS / f"{name}.csv") == {"FINISHED"}
    expected = read(RECORDINGS / f"{name}.csv")
    rows = len(expected.times)
    bpy.context.scene.frame_set(rows // 2)
    shown = joint_values(rig)
    for k, (joint, middle) in enumerate(MIDDLES.items()):
        assert shown[joint] == pytest.approx(
            middle + expected.columns[k].values[rows // 2 - 1] / 100 * pi / 2, abs=1e-5
        )
    back = tmp_path / "back.csv"
    assert send(back, "lelamp", rows) == {"FINISHED"}
    for one, other in zip(read(back).columns, expected.columns, strict=True):
        there, here = np.array(one.values), np.array(other.values)
        assert np.abs(there - here).max() * pi / 200 < NEAR


@pytest.mark.parametrize("robot", ["so101", "so100"])
@pytest.mark.parametrize("values", ["degrees", "range_m100_100"])
def test_an_episode_is_in_lerobot_s_units_and_goes_out_as_it_came(tmp_path, robot, values):
    rig = added(robot)
    found = arm(25)
    write(tmp_path / "there", FORMATS["lerobot"].make(found, Settings()))
    assert bring(tmp_path / "there" / "meta" / "info.json") == {"FINISHED"}
    told = {column.name: column for column in read(tmp_path / "there").columns}
    bpy.context.scene.frame_set(11)
    if robot == "so101":  # whose joint values are LeRobot's degrees
        for name in ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll"):
            assert degrees(joint_values(rig)[name]) == pytest.approx(told[name].values[10], abs=1e-4)
    assert send(tmp_path / "back", "lerobot", 25, lerobot_values=values) == {"FINISHED"}
    again = bpy.ops.limber.import_motion(
        filepath=str(tmp_path / "back" / "meta" / "info.json"), frame_start=101, lerobot_values=values
    )
    assert again == {"FINISHED"}
    for k in range(25):
        bpy.context.scene.frame_set(1 + k)
        first = joint_values(rig)
        bpy.context.scene.frame_set(101 + k)
        assert joint_values(rig) == pytest.approx(first, abs=NEAR)


def test_the_gripper_s_share_is_of_the_way_from_closed_to_open(tmp_path):
    rig = added("so101")
    found = arm(3)
    write(tmp_path / "set", FORMATS["lerobot"].make(found, Settings()))
    bring(tmp_path / "set" / "meta" / "info.json")
    bpy.context.scene.frame_set(2)
    share = (
        next(column for column in read(tmp_path / "set").columns if column.name == "gripper").values[1] / 100
    )
    assert joint_values(rig)["gripper"] == pytest.approx(radians(-10) + share * radians(110), abs=1e-3)


def test_a_folder_that_is_there_is_not_replaced(tmp_path):
    added("so101")
    (tmp_path / "mine").mkdir()
    with pytest.raises(RuntimeError, match="is there already, and its files may be of use"):
        send(tmp_path / "mine", "lerobot", 3)


def test_a_trajectory_moves_its_joints_cubically_and_others_stay_as_posed(tmp_path, capfd):
    rig = added("so101", fps=20)
    before = joint_values(rig)
    points = [
        {
            "positions": [0.0, 0.0, 1.0],
            "velocities": [0.0, 0.0, 0.0],
            "time_from_start": {"sec": 0, "nanosec": 0},
        },
        {
            "positions": [0.4, -0.4, 1.0],
            "velocities": [0.0, 0.0, 0.0],
            "time_from_start": {"sec": 0, "nanosec": 500_000_000},
        },
    ]
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"joint_names": ["elbow_flex", "shoulder_pan", "finger"], "points": points}))
    assert bring(path) == {"FINISHED"}
    assert "'SO-101' has no joint for 'finger': left out" in capfd.readouterr().out
    for k in range(11):
        bpy.context.scene.frame_set(1 + k)
        u = k / 10
        expected = 0.4 * u * u * (3 - 2 * u)
        shown = joint_values(rig)
        assert (shown["elbow_flex"], shown["shoulder_pan"]) == pytest.approx((expected, -expected), abs=1e-6)
        assert shown["wrist_flex"] == pytest.approx(before["wrist_flex"])


@pytest.mark.parametrize("name", ["csv", "json"])
def test_limber_s_own_tables_have_the_model_s_names_and_signs_and_come_back_as_they_went_out(tmp_path, name):
    rig = added("so101")
    posed = {"shoulder_pan": 0.5, "shoulder_lift": -0.4, "wrist_roll": 0.3, "gripper": 0.6}
    pose_joints(rig, posed)
    path = tmp_path / f"own{FORMATS[name].suffix}"
    assert send(path, name, 3) == {"FINISHED"}
    told = {column.name: column.values[0] for column in read(path).columns}
    assert {joint: told[joint] for joint in posed} == pytest.approx(posed, abs=NEAR)
    pose_joints(rig, dict.fromkeys(posed, 0.0))
    assert bring(path) == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    assert {joint: joint_values(rig)[joint] for joint in posed} == pytest.approx(posed, abs=NEAR)


def test_under_limber_s_own_label_a_joint_has_its_channel_s_sign(tmp_path):
    rig = added("so101")
    path = tmp_path / "labels.csv"
    path.write_text("seconds,shoulder_link Y [rad]\n0,0.25")
    assert bring(path) == {"FINISHED"}
    assert rig.pose.bones["shoulder_link"].rotation_euler.y == pytest.approx(0.25)
    assert joint_values(rig)["shoulder_pan"] == pytest.approx(-0.25)


def test_a_format_takes_its_player_s_rate_where_none_is_asked_for(tmp_path):
    added("lelamp", fps=24)
    assert send(tmp_path / "still.csv", "lelamp", 24) == {"FINISHED"}
    assert len(read(tmp_path / "still.csv").times) == 29
    with pytest.raises(RuntimeError, match="LeLamp plays 30 rows a second"):
        send(tmp_path / "fast.csv", "lelamp", 24, rate=50)


def test_in_the_file_browser_a_format_brings_its_suffix_and_its_player_s_rate_and_a_rate_of_one_s_own_stays():
    from limber.operators.output.export_motion import LIMBER_OT_export_motion

    added("lelamp")
    browser = Window(
        LIMBER_OT_export_motion, filepath="/a/lamp.json", format="ros2_json", rate=50, rate_format="ros2_json"
    )
    assert not browser.check(bpy.context)
    for name, suffix, rate in (
        ("lelamp", ".csv", 30),
        ("reachy_mini", ".json", 50),
        ("lerobot", "", 30),
        ("csv", ".csv", 50),
    ):
        browser.format = name
        assert browser.check(bpy.context)
        assert (browser.filepath, browser.rate) == (f"/a/lamp{suffix}", rate)
    browser.rate = 25
    assert not browser.check(bpy.context)
    assert browser.rate == 25
