"""Tests LeRobot's calibration: its file is read and written, its values are converted, and errors name the
unusable value.
"""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.hardware.lerobot.calibration import (
    DYNAMIXEL,
    FEETECH,
    LerobotError,
    LeRobotMotor,
    arms_of,
    family_of,
    from_text,
    load,
    save,
    to_text,
    usual_folder,
)

from tests import jsons

ARM = {
    "shoulder_pan": LeRobotMotor(1, 0, -45, 720, 3400),
    "wrist_roll": LeRobotMotor(5, 0, 1203, 0, 4095),
    "gripper": LeRobotMotor(6, 0, 12, 2030, 3460),
}
MODES = ("degrees", "range_m100_100", "range_0_100")

motors = st.builds(
    lambda mode, offset, ends: LeRobotMotor(3, mode, offset, *sorted(ends)),
    st.sampled_from([0, 1]),
    st.integers(-2047, 2047),
    st.lists(st.integers(0, 4095), min_size=2, max_size=2, unique=True),
)


def edited(change) -> str:
    plain = json.loads(to_text(ARM))
    change(plain)
    return json.dumps(plain)


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "arm.json"
    save(path, ARM)
    assert load(path) == ARM
    assert json.loads(path.read_text())["shoulder_pan"] == {
        "id": 1,
        "drive_mode": 0,
        "homing_offset": -45,
        "range_min": 720,
        "range_max": 3400,
    }


@pytest.mark.parametrize(
    ("motor", "mode", "position", "value"),
    [
        (ARM["shoulder_pan"], "degrees", 2060, 0.0),
        (ARM["shoulder_pan"], "degrees", 2060 + 4095 / 4, 90.0),
        (ARM["wrist_roll"], "degrees", 0, -180.0),
        (ARM["shoulder_pan"], "range_m100_100", 3400, 100.0),
        (ARM["shoulder_pan"], "range_m100_100", 1390, -50.0),
        (ARM["gripper"], "range_0_100", 2030, 0.0),
        (ARM["gripper"], "range_0_100", 2745, 50.0),
        (LeRobotMotor(1, 1, 0, 1000, 3000), "range_m100_100", 3000, -100.0),
        (LeRobotMotor(1, 1, 0, 1000, 3000), "range_0_100", 1500, 75.0),
        (LeRobotMotor(1, 1, 0, 1000, 3000), "degrees", 1000, -87.91208791208791),
    ],
)
def test_values_are_those_of_lerobots_formulas(motor, mode, position, value):
    assert motor.value(position, mode) == pytest.approx(value, abs=1e-12)
    assert motor.position(value, mode) == pytest.approx(position, abs=1e-9)


def test_ranges_are_clamped_and_degrees_are_not():
    pan = ARM["shoulder_pan"]
    assert pan.value(4000, "range_m100_100") == 100.0
    assert pan.position(-250.0, "range_m100_100") == pan.range_min
    assert pan.position(300.0, "range_0_100") == pan.range_max
    assert pan.position(pan.value(4090, "degrees"), "degrees") == pytest.approx(4090)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda plain: plain["gripper"].update(range_min="low"),
            "arm.json, motor 'gripper', range_min: expected a whole number, found 'low'",
        ),
        (
            lambda plain: plain["gripper"].update(homing_offset="--5"),
            "motor 'gripper', homing_offset: expected a whole number, found '--5'",
        ),
        (
            lambda plain: plain["gripper"].update(range_max=2030),
            "motor 'gripper', range_max: expected more than range_min, 2030, found 2030",
        ),
        (
            lambda plain: plain["gripper"].update(range_max=5000),
            "motor 'gripper', range_max: expected a whole number from 0 to 4095",
        ),
        (
            lambda plain: plain["gripper"].update(homing_offset=4000),
            "homing_offset: expected a whole number from -2047 to 2047, found 4000",
        ),
        (
            lambda plain: plain["gripper"].update(drive_mode=True),
            "drive_mode: expected a whole number, found true",
        ),
        (lambda plain: plain["gripper"].update(speed=1), "expected the fields id, .* found 'speed'"),
        (
            lambda plain: plain["gripper"].pop("id"),
            "motor 'gripper', id: expected a whole number, found nothing",
        ),
        (lambda plain: plain["gripper"].update(id=1), "motors 'shoulder_pan' and 'gripper', id: both have 1"),
        (lambda plain: plain.update(gripper=[1, 2]), "motor 'gripper': expected an object"),
        (lambda plain: plain.clear(), "has no motor"),
        (
            lambda plain: plain.update(calib_mode=["LINEAR"]),
            "from LeRobot before June 2025.*lerobot-calibrate",
        ),
        (lambda plain: plain.update(format="limber-calibration"), "Load reads Limber's own"),
    ],
)
def test_what_cannot_be_used_is_named_with_expected_and_found(tmp_path, change, said):
    path = tmp_path / "arm.json"
    path.write_text(edited(change))
    with pytest.raises(LerobotError, match=said) as caught:
        load(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(LerobotError, match=r"cannot be read.*choose"):
        load(tmp_path / "none.json")


@settings(derandomize=True, max_examples=300)
@given(jsons.texts(json.loads(to_text(ARM))))
def test_no_text_raises_anything_but_a_lerobot_error(text):
    with suppress(LerobotError):
        assert from_text(to_text(from_text(text))) == from_text(text)


def test_the_usual_folder_is_where_lerobot_is_told_to_keep_it(monkeypatch):
    for name in ("HF_LEROBOT_CALIBRATION", "HF_LEROBOT_HOME", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert usual_folder() == Path("~/.cache/huggingface/lerobot/calibration").expanduser()
    monkeypatch.setenv("HF_HOME", "/data/hub")
    assert usual_folder() == Path("/data/hub/lerobot/calibration")
    monkeypatch.setenv("HF_LEROBOT_CALIBRATION", "~/arms")
    assert usual_folder() == Path("~/arms").expanduser()


def test_dynamixel_servos_have_far_offsets_and_turns_and_reverse_themselves(tmp_path):
    folder = tmp_path / "teleoperators" / "koch_leader"
    folder.mkdir(parents=True)
    path = folder / "arm.json"
    path.write_text(
        json.dumps(
            {
                "elbow": {
                    "id": 3,
                    "drive_mode": 1,
                    "homing_offset": -4096,
                    "range_min": -200,
                    "range_max": 5000,
                }
            }
        )
    )
    assert family_of(path, "limber") == DYNAMIXEL
    assert family_of(tmp_path / "arm.json", "dynamixel") == DYNAMIXEL
    assert family_of(tmp_path / "so_follower" / "arm.json", "limber") == FEETECH
    elbow = load(path, DYNAMIXEL)["elbow"]
    assert (elbow.homing_offset, elbow.range_min, elbow.range_max) == (-4096, -200, 5000)
    assert elbow.value(5000, "range_m100_100") == 100.0, "the servo has reversed the position already"
    with pytest.raises(LerobotError, match="homing_offset: expected a whole number from -2047 to 2047"):
        load(path)


def test_the_calibration_of_an_old_lerobot_is_named_with_the_way_to_a_new_one(tmp_path):
    old = {
        "homing_offset": [2048, 3072, -1024],
        "drive_mode": [0, 1, 0],
        "start_pos": [2015, 3058, 3061],
        "end_pos": [-1024, 4096, 1024],
        "calib_mode": ["DEGREE", "DEGREE", "LINEAR"],
        "motor_names": ["shoulder_pan", "shoulder_lift", "gripper"],
    }
    path = tmp_path / "main_follower.json"
    path.write_text(json.dumps(old))
    with pytest.raises(
        LerobotError,
        match="from LeRobot before June 2025, which stored no ranges: calibrate again with lerobot-calibrate",
    ):
        load(path, DYNAMIXEL)


PLAIN = json.loads(to_text(ARM))


@pytest.mark.parametrize("around", [{"motors": PLAIN}, {"calibration": {"follower": PLAIN}}])
def test_what_is_around_all_motors_is_no_part_of_their_names(around):
    assert from_text(json.dumps(around)) == ARM


@pytest.mark.parametrize(
    "both",
    [
        {"left": PLAIN, "right": PLAIN},
        {"arms": {"left": {"motors": PLAIN}, "right": {"motors": PLAIN}}},
        {f"{side}_{name}": motor for side in ("left", "right") for name, motor in PLAIN.items()},
    ],
)
def test_arms_at_ports_of_their_own_may_have_the_same_ids(both):
    motors = from_text(json.dumps(both))
    for side in ("left_", "right_"):
        arm = arms_of(motors, list(ARM))[side]
        assert {name: motors[motor] for name, motor in arm.items()} == ARM


@pytest.mark.parametrize("name", ["Shoulder-Pan", "shoulderPan", "SHOULDER_PAN", "shoulder pan"])
def test_a_motor_is_known_however_its_words_are_written(name):
    assert arms_of([name, f"left_{name}"], ["shoulder_pan"]) == {
        "": {"shoulder_pan": name},
        "left_": {"shoulder_pan": f"left_{name}"},
    }


def test_whole_numbers_may_have_a_point():
    text = json.dumps({name: {key: float(n) for key, n in motor.items()} for name, motor in PLAIN.items()})
    assert from_text(text) == ARM


@pytest.mark.parametrize(
    ("plain", "said"),
    [
        ({"left": PLAIN, "left_gripper": PLAIN["gripper"]}, "two motors 'left_gripper': keep one"),
        (PLAIN | {"norm_mode": "degrees"}, "'norm_mode' is 'degrees', and no motor: take it out of the file"),
        ({"name": "so-100", "servos_offsets": [0]}, "phosphobot's calibration, which has no ranges"),
        ({"main": {"motor_names": ["gripper"], "calib_mode": ["LINEAR"]}}, "from LeRobot before June 2025"),
        ({"left": PLAIN, "right": {"joints": [1, 2]}}, r"'right'.*, motor 'joints': expected an object"),
    ],
)
def test_what_is_no_motor_is_named(plain, said):
    with pytest.raises(LerobotError, match=said):
        from_text(json.dumps(plain))


LISTED = [{"name": name, **motor} for name, motor in PLAIN.items()]
FIELDS = ("id", "drive_mode", "homing_offset", "range_min", "range_max")


@pytest.mark.parametrize(
    "plain",
    [
        LISTED,
        {"motors": LISTED, "robot_type": "so101_follower"},
        {"version": 2, "calibration": PLAIN, "_meta": {"robot": "so101", "date": "2026-11-29"}},
        {field: {name: motor[field] for name, motor in PLAIN.items()} for field in FIELDS},
        {"motor_names": list(PLAIN)}
        | {field: [motor[field] for motor in PLAIN.values()] for field in FIELDS},
        {name: {key: str(number) for key, number in motor.items()} for name, motor in PLAIN.items()},
        {
            name: dict(
                zip(
                    ("ID", "driveMode", "Homing Offset", "rangeMin", "range-max"), motor.values(), strict=True
                )
            )
            for name, motor in PLAIN.items()
        },
        {name: motor | {"model": "sts3215"} for name, motor in PLAIN.items()},
    ],
)
def test_the_same_motors_in_another_layout_are_the_same(plain):
    assert from_text(json.dumps(plain)) == ARM


def test_arms_of_a_list_have_their_names():
    arms = [{"arm": "left", "motors": PLAIN}, {"arm": "right", "motors": LISTED}]
    motors = from_text(json.dumps({"arms": arms}))
    assert {name: motors[f"left_{name}"] for name in ARM} == ARM
    assert {name: motors[f"right_{name}"] for name in ARM} == ARM


def test_yaml_and_a_comma_too_many_are_read():
    yaml = "".join(
        f"{name}:\n" + "".join(f"  {key}: {number}\n" for key, number in motor.items())
        for name, motor in PLAIN.items()
    )
    assert from_text("# my arm\n" + yaml) == ARM
    assert from_text(json.dumps(PLAIN)[:-1] + ",}") == ARM


@pytest.mark.parametrize("model", ["xl330-m288", "koch_follower", "Dynamixel"])
def test_what_may_be_of_other_servos_is_not_passed_over(model):
    with pytest.raises(LerobotError, match=f"'{model}', and no motor: take it out"):
        from_text(json.dumps(PLAIN | {"model": model}))


@pytest.mark.parametrize(
    "change",
    [
        lambda motor: motor.update(range_min=3400, range_max=720),
        lambda motor: motor.update(homing_offset=None),
        lambda motor: motor.pop("drive_mode"),
        lambda motor: motor.update(speed=1),
    ],
)
def test_whatever_is_wrong_with_a_motor_the_message_says_what_to_do(change):
    with pytest.raises(
        LerobotError, match="correct it in the file, or calibrate again with lerobot-calibrate"
    ):
        from_text(edited(lambda plain: change(plain["shoulder_pan"])))
