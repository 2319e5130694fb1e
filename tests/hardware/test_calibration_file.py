"""Tests calibrations in files: a written file is read again, and errors name the unusable value."""

import json
import os
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.hardware.calibration_file import (
    CalibrationError,
    RobotCalibration,
    from_text,
    load,
    save,
    to_text,
)
from limber.hardware.device import Device, DeviceJoint, ServoChannel, Share
from limber.motion import Limits

from tests import jsons
from tests.hardware.simulation import LIMITS, make_device

NECK = Device(
    "virtual",
    (
        DeviceJoint("pan", LIMITS),
        DeviceJoint("tilt", LIMITS),
        DeviceJoint("jaw", Limits(0.0, 1.0, 1.0, 10.0, 100.0), "plain"),
    ),
    (
        ServoChannel(
            4, (Share("pan"), Share("tilt", 1.5)), zero=2048.0, per_radian=651.9, lowest=0.0, highest=4095.0
        ),
        ServoChannel(5, (Share("pan"), Share("tilt", -1.5)), -1, 2048.0, 651.9, 0.0, 4095.0, "detach", 4.7),
        ServoChannel(6, (Share("jaw", 2.0),)),
    ),
    1_000_000,
    "feetech_sts",
    0.2,
)

calibrations = st.builds(
    lambda zero, gear, direction, speed, name: RobotCalibration.of(
        Device(
            "virtual",
            (DeviceJoint(name, LIMITS),),
            (ServoChannel(3, (Share(name, gear),), direction, zero, speed=speed),),
        )
    ),
    st.floats(-1e6, 1e6),
    st.floats(0.01, 100.0) | st.floats(-100.0, -0.01),
    st.sampled_from([1, -1]),
    st.none() | st.floats(0.1, 100.0),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=20),
)


def edited(change) -> str:
    plain = json.loads(to_text(RobotCalibration.of(NECK)))
    change(plain)
    return json.dumps(plain)


@settings(derandomize=True)
@given(calibrations)
def test_what_is_written_is_read_again(calibration):
    assert from_text(to_text(calibration)) == calibration


def test_a_calibration_makes_the_device_that_it_came_from(tmp_path):
    path = tmp_path / "neck.json"
    save(path, RobotCalibration.of(NECK))
    assert load(path).device("virtual", NECK.joints) == NECK


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda plain: plain.update(format="other"),
            "neck.json, format: expected 'limber-calibration', found 'other'",
        ),
        (lambda plain: plain.update(version=2), "version: expected 1.*found 2"),
        (lambda plain: plain.update(colour="red"), "expected the fields .* found 'colour'"),
        (lambda plain: plain.pop("baudrate"), "baudrate: expected a whole number, found nothing"),
        (
            lambda plain: plain["settings"].update(channel_count=7),
            "settings, channel_count: expected 6, 12, 18 or 24, found 7",
        ),
        (
            lambda plain: plain["settings"].update(multi_turn=1),
            "settings, multi_turn: expected true or false, found 1",
        ),
        (
            lambda plain: plain["channels"][1].update(zero="middle"),
            "servo 5, zero: expected a finite number, found 'middle'",
        ),
        (
            lambda plain: plain["channels"][1].update(servo=True),
            "servo true, servo: expected a whole number, found true",
        ),
        (lambda plain: plain["channels"][0].update(lowest=5000), "servo 4.*range goes from 5000 to 4095"),
        (
            lambda plain: plain["channels"][0].update(on_silence="sing"),
            "servo 4, on_silence: expected 'hold' or 'detach', found 'sing'",
        ),
        (
            lambda plain: plain["channels"][0]["joints"][1].update(gear=None),
            "servo 4, joint 'tilt', gear: expected a finite number",
        ),
        (
            lambda plain: plain["channels"][0]["joints"][1].update(joint="roll"),
            "'pan \\+ roll' .*driven by 'roll', which is no joint",
        ),
        (
            lambda plain: plain["joints"][2].update(unit="turns"),
            "joint 'jaw', unit: expected 'rad' or 'm' or 'plain', found 'turns'",
        ),
        (
            lambda plain: plain["joints"].append("nose"),
            "joint 'number 4': expected an object with fields, found 'nose'",
        ),
        (lambda plain: plain.update(channels={}), "channels: expected a list, found {}"),
        (lambda plain: plain["channels"][1].update(servo=4), "both use servo 4"),
    ],
)
def test_what_cannot_be_used_is_named_with_expected_and_found(tmp_path, change, said):
    path = tmp_path / "neck.json"
    path.write_text(edited(change))
    with pytest.raises(CalibrationError, match=said) as caught:
        load(path)
    assert str(path) in str(caught.value)


@settings(derandomize=True, max_examples=300)
@given(st.data())
def test_no_text_raises_anything_but_a_calibration_error(data):
    text = to_text(RobotCalibration.of(NECK))
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 30)))
    changed = (
        text[:begin] + data.draw(st.text('{}[]",:0123456789eE+-.truefalsn \n', max_size=10)) + text[end:]
    )
    with suppress(CalibrationError):
        from_text(changed)


@settings(derandomize=True, max_examples=500)
@given(jsons.texts(json.loads(to_text(RobotCalibration.of(NECK)))))
def test_no_value_in_any_place_raises_anything_but_a_calibration_error_that_can_be_shown(text):
    found = None
    said = ""
    try:
        found = from_text(text)
    except CalibrationError as error:
        said = str(error)
    assert len(said.encode("utf-8")) < 2000
    assert found is None or from_text(to_text(found)) == found


@pytest.mark.parametrize("value", [jsons.HUGE, -jsons.HUGE, float("nan"), "\ud800", [[[]]], {}], ids=range(6))
def test_each_value_of_a_calibration_may_be_anything(value):
    plain = json.loads(to_text(RobotCalibration.of(NECK)))
    for way in jsons.places(plain):
        with pytest.raises(CalibrationError):
            from_text(json.dumps(jsons.changed(plain, way, value)))


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xfe", b"NaN", b"[" * 100_000, jsons.DEEP.encode()])
def test_a_file_that_is_no_calibration_is_an_error(tmp_path, content):
    path = tmp_path / "neck.json"
    path.write_bytes(content)
    with pytest.raises(CalibrationError, match=r"neck\.json"):
        load(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(CalibrationError, match=r"none\.json cannot be read"):
        load(tmp_path / "none.json")


@pytest.mark.parametrize("broken", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, broken, error):
    path = tmp_path / "neck.json"
    save(path, RobotCalibration.of(NECK))
    before = path.read_bytes()

    def fail(*_):
        raise error

    monkeypatch.setattr(os, broken, fail)
    with pytest.raises((CalibrationError, KeyboardInterrupt)):
        save(path, RobotCalibration.of(make_device()))
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["neck.json"]


def test_a_place_that_takes_no_file_is_named(tmp_path):
    with pytest.raises(CalibrationError, match="cannot be written"):
        save(tmp_path / "no such folder" / "neck.json", RobotCalibration.of(NECK))


def test_a_calibration_of_other_joints_says_which_are_missing_and_which_unknown():
    calibration = RobotCalibration.of(NECK)
    assert calibration.mismatches(["jaw", "tilt", "pan"]) == ()
    missing, unknown, counts = (
        calibration.mismatches(["pan", "tilt"]),
        calibration.mismatches(["pan", "tilt", "jaw", "nose"]),
        ["pan", "tilt", "nose"],
    )
    assert missing == (
        "it has servos for 'jaw', which the robot does not have",
        "it is for 3 joints, the robot has 2",
    )
    assert unknown == ("it has no servo for 'nose'", "it is for 3 joints, the robot has 4")
    assert len(calibration.mismatches(counts)) == 2
    with pytest.raises(CalibrationError, match="no servo for 'nose'; it has servos for 'jaw'"):
        calibration.device("virtual", [DeviceJoint(name, LIMITS) for name in counts])
    with pytest.raises(CalibrationError, match="'jaw': the calibration is in plain, the robot in rad"):
        calibration.device("virtual", [DeviceJoint(name, LIMITS) for name in ("pan", "tilt", "jaw")])
