"""Tests LeRobot's calibration in Blender: imported onto the gallery's arm and others, exported again, and
zeros checked by eye.
"""

import json
from collections.abc import Iterator
from math import degrees, radians

import bpy
import pytest
from limber.files import yaml_text
from limber.operators.robot.lerobot import LIMBER_OT_import_lerobot
from limber.rig.robot import links

from tests.blender.four_bars import four_bar, owned
from tests.blender.modal import step_by_step
from tests.blender.rigs import make_active
from tests.blender.robots import on_bus, state, status, until
from tests.robots.robots import write

JOINTS = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")
FILE = {
    "shoulder_pan": {"id": 1, "drive_mode": 0, "homing_offset": -45, "range_min": 720, "range_max": 3400},
    "shoulder_lift": {"id": 2, "drive_mode": 0, "homing_offset": 1203, "range_min": 801, "range_max": 3220},
    "elbow_flex": {"id": 3, "drive_mode": 0, "homing_offset": 0, "range_min": 865, "range_max": 3072},
    "wrist_flex": {"id": 4, "drive_mode": 0, "homing_offset": 77, "range_min": 925, "range_max": 3190},
    "wrist_roll": {"id": 5, "drive_mode": 0, "homing_offset": -2047, "range_min": 0, "range_max": 4095},
    "gripper": {"id": 6, "drive_mode": 0, "homing_offset": 12, "range_min": 2030, "range_max": 3460},
}
DEGREES = dict(zip(JOINTS[:-1], (31.0, -42.0, 55.0, -20.5, 90.0), strict=True))


@pytest.fixture(autouse=True)
def own_folder(monkeypatch, tmp_path):
    from limber.rig.robot import calibration

    monkeypatch.setattr(calibration, "folder", lambda: tmp_path)


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "my_arm.json"
    found.write_text(json.dumps(FILE))
    return found


@pytest.fixture
def so101():
    bpy.ops.limber.add_robot(robot="so101")
    return bpy.context.active_object


def arm(tmp_path, name: str, motor_names=JOINTS):
    """An arm of six joints whose model has this name, with a chain; each rotates about its own axis or in the
    opposite direction.
    """
    links = "".join(f'<link name="link {k}"/>' for k in range(7))
    axes = ("0 0 1", "1 0 0", "-1 0 0", "0 1 0", "0 0 -1", "1 0 0")
    joints = "".join(
        f'<joint name="{joint}" type="revolute"><parent link="link {k}"/><child link="link {k + 1}"/><origin'
        f' xyz="0 0 0.1"/><axis xyz="{axis}"/><limit lower="-3.2" upper="3.2" effort="1"'
        ' velocity="5"/></joint>'
        for k, (joint, axis) in enumerate(zip(motor_names, axes, strict=True))
    )
    bpy.ops.limber.import_robot(
        filepath=str(write(tmp_path, f'<robot name="{name}">{links}{joints}</robot>'))
    )
    rig = bpy.context.active_object
    from limber.rig.authoring.chains import new_chain

    new_chain(rig, [bone.name for bone in rig.data.bones])
    return rig


def steps_at(rig, values: dict[str, float]) -> dict[int, float]:
    """Position of each servo [steps] with the model's joints at these values [rad]."""
    from limber.hardware.mixing import Mixing
    from limber.rig.bones.imported_robot import pose_joints
    from limber.rig.robot.device import describe_plain, sources
    from limber.rig.robot.values import newest

    pose_joints(rig, values)
    bpy.context.view_layer.update()
    device = describe_plain(rig)
    now = newest(rig, sources(rig), [0.0] * len(device.joints))
    return dict(zip((channel.servo for channel in device.channels), Mixing(device).raw(now), strict=True))


@pytest.mark.every_blender
def test_lerobots_degrees_are_the_arms_own_and_go_to_the_same_steps(so101, path):
    from limber.hardware.lerobot.calibration import load

    bpy.ops.limber.import_lerobot(filepath=str(path))
    motors = load(path)
    steps = steps_at(
        so101,
        {name: radians(value) for name, value in DEGREES.items()} | {"gripper": radians(-10 + 1.1 * 30)},
    )
    for name, value in DEGREES.items():
        assert steps[motors[name].id] == pytest.approx(motors[name].position(value, "degrees"), abs=2e-3), (
            name
        )
    assert steps[6] == pytest.approx(motors["gripper"].position(30.0, "range_0_100"), abs=0.05)
    device = so101.limber.device
    assert (device.protocol, device.baudrate) == ("feetech_sts", 1_000_000)


@pytest.mark.parametrize("model", ["so101_new_calib", "so101_old_calib", "so_arm100"])
def test_other_models_get_other_zeros_and_go_to_the_same_steps(tmp_path, path, model):
    from limber.hardware.lerobot.calibration import load
    from limber.robots.lerobot_zeros import ZEROS

    rig = arm(tmp_path, model)
    bpy.ops.limber.import_lerobot(filepath=str(path))
    motors = load(path)
    values = {name: ZEROS[model][name].joint(radians(value)) for name, value in DEGREES.items()}
    steps = steps_at(rig, values)
    for name, value in DEGREES.items():
        assert steps[motors[name].id] == pytest.approx(motors[name].position(value, "degrees"), abs=5e-3), (
            name
        )


@pytest.mark.every_blender
@pytest.mark.parametrize("model", ["so101", "so_arm100"])
def test_what_was_imported_is_exported_again(tmp_path, path, model):
    if model == "so101":
        bpy.ops.limber.add_robot(robot=model)
    else:
        arm(tmp_path, model)
    bpy.ops.limber.import_lerobot(filepath=str(path))
    out = tmp_path / "out.json"
    bpy.ops.limber.export_lerobot(filepath=str(out))
    assert json.loads(out.read_text()) == FILE


def test_a_zero_that_was_moved_cuts_the_exported_range_to_be_even_about_it(so101, path, tmp_path, capfd):
    bpy.ops.limber.import_lerobot(filepath=str(path))
    joint = next(joint for chain in so101.limber.chains for joint in chain.joints if joint.servo == 3)
    joint.zero_us += 100
    out = tmp_path / "out.json"
    bpy.ops.limber.export_lerobot(filepath=str(out))
    elbow = json.loads(out.read_text())["elbow_flex"]
    assert (elbow["range_min"], elbow["range_max"]) == (1065, 3072)
    assert "17.6 degrees of its range are left out" in "".join(capfd.readouterr())


def test_an_import_is_undone_as_one_step(so101, path, undo_step):
    before = [
        (joint.servo, joint.zero_us, joint.homing_offset)
        for chain in so101.limber.chains
        for joint in chain.joints
    ]
    undo_step("robot")
    bpy.ops.limber.import_lerobot(filepath=str(path))
    undo_step("imported")
    bpy.ops.ed.undo()
    rig = bpy.data.objects["SO-101"]
    assert [
        (joint.servo, joint.zero_us, joint.homing_offset)
        for chain in rig.limber.chains
        for joint in chain.joints
    ] == before


def test_a_window_reads_the_file_in_a_process_of_its_own(so101, path, monkeypatch):
    window = step_by_step(monkeypatch, LIMBER_OT_import_lerobot, filepath=str(path), model="AUTO", prefix="")
    monkeypatch.setattr(yaml_text, "yaml_documents", None)  # in this process
    path.write_text("".join(f"{line}\n" for line in as_yaml(json.loads(path.read_text()))))
    before = calibrated(so101)
    window.start()
    while window.send("TIMER") == {"RUNNING_MODAL"}:
        assert calibrated(so101) == before
    assert window.reports[-1][1].startswith("LeRobot's calibration")
    assert calibrated(so101) != before


def test_a_robot_that_is_connected_while_the_file_is_read_keeps_its_calibration(so101, path, monkeypatch):
    window = step_by_step(monkeypatch, LIMBER_OT_import_lerobot, filepath=str(path), model="AUTO", prefix="")
    before = calibrated(so101)
    window.start()
    monkeypatch.setattr(links, "link", lambda rig: object())
    while window.send("TIMER") == {"RUNNING_MODAL"}:
        pass
    assert window.reports[-1][0] == "ERROR"
    assert calibrated(so101) == before


def test_another_robot_that_is_active_when_the_file_has_been_read_gets_no_calibration(
    so101, path, tmp_path, monkeypatch
):
    window = step_by_step(monkeypatch, LIMBER_OT_import_lerobot, filepath=str(path), model="AUTO", prefix="")
    before = calibrated(so101)
    window.start()
    other = arm(tmp_path, "other", [f"joint {k}" for k in range(6)])
    bpy.context.view_layer.objects.active = other
    while window.send("TIMER") == {"RUNNING_MODAL"}:
        pass
    assert window.reports[-1][0] == "ERROR"
    assert f"'{so101.name}' is no longer in use" in window.reports[-1][1]
    assert calibrated(so101) == before


def as_yaml(motors: dict) -> Iterator[str]:
    """Lines of a calibration as YAML."""
    for name, fields in motors.items():
        yield f"{name}:"
        yield from (f"  {field}: {value}" for field, value in fields.items())


def test_motors_are_found_by_their_numbers_where_joints_have_other_names(tmp_path, path):
    rig = arm(tmp_path, "mine", [f"joint {k}" for k in range(6)])
    with pytest.raises(RuntimeError, match="none of the models whose zeros are known"):
        bpy.ops.limber.import_lerobot(filepath=str(path))
    for joint in rig.limber.chains[0].joints:
        joint.servo += 100
    with pytest.raises(RuntimeError, match="no joint for the motors shoulder_pan"):
        bpy.ops.limber.import_lerobot(filepath=str(path), model="so101_new_calib")
    for joint in rig.limber.chains[0].joints:
        joint.servo -= 99
    bpy.ops.limber.import_lerobot(filepath=str(path), model="so101_new_calib")
    assert rig.limber.chains[0].joints[2].zero_us == pytest.approx((865 + 3072) / 2)


def test_a_gripper_without_a_range_is_refused_by_name_and_nothing_changes(tmp_path, path):
    rig = arm(tmp_path, "mine", [f"joint {k}" for k in range(6)])
    joints = rig.limber.chains[0].joints
    for number, joint in enumerate(joints, 1):
        joint.servo = number
    joints[5].lower = joints[5].upper = 0.5
    with pytest.raises(
        RuntimeError, match=r"no range from closed to open, which LeRobot's motor 'gripper' needs"
    ):
        bpy.ops.limber.import_lerobot(filepath=str(path), model="so101_new_calib")
    assert rig.limber.device.protocol != "feetech_sts"
    assert joints[0].homing_offset == -(2**31)


def calibrated(rig):
    return [(joint.servo, joint.zero_us, joint.reverse) for joint in rig.limber.chains[0].joints]


def prefixed(prefix: str, first_id: int = 1, **changes) -> dict:
    """The arm's motors with a prefix before their names, and ids from `first_id`."""
    return {
        prefix + changes.get(name, name): motor | {"id": motor["id"] + first_id - 1}
        for name, motor in FILE.items()
    }


WHEELS = {
    f"base_{place}_wheel": FILE["wrist_roll"] | {"id": number}
    for number, place in enumerate(("left", "back", "right"), 7)
}


@pytest.mark.parametrize("robot", ["so101", "so100"])
@pytest.mark.parametrize("prefix", ["arm_", "left_arm_", "Follower."])
def test_an_arm_whose_motors_names_have_a_prefix_is_calibrated_as_with_plain_names(
    tmp_path, path, robot, prefix
):
    bpy.ops.limber.add_robot(robot=robot)
    rig = bpy.context.active_object
    bpy.ops.limber.import_lerobot(filepath=str(path))
    plain = calibrated(rig)
    bpy.ops.limber.add_robot(robot=robot)
    rig = bpy.context.active_object
    other = tmp_path / "other.json"
    other.write_text(json.dumps(prefixed(prefix) | WHEELS))
    bpy.ops.limber.import_lerobot(filepath=str(other))
    assert calibrated(rig) == plain


def test_of_two_arms_that_with_the_prefix_is_taken_and_without_one_the_import_asks(so101, tmp_path):
    path = tmp_path / "two.json"
    path.write_text(json.dumps(prefixed("left_arm_", 7) | prefixed("right_arm_")))
    before = calibrated(so101)
    with pytest.raises(
        RuntimeError, match="2 arms, whose motors' names begin with 'left_arm_' and 'right_arm_': write one"
    ):
        bpy.ops.limber.import_lerobot(filepath=str(path))
    with pytest.raises(
        RuntimeError, match=r"begins with 'middle_': its arms' begin with left_arm_, right_arm_"
    ):
        bpy.ops.limber.import_lerobot(filepath=str(path), prefix="middle_")
    assert calibrated(so101) == before
    bpy.ops.limber.import_lerobot(filepath=str(path), prefix="left_arm_")
    assert [servo for servo, *_ in calibrated(so101)] == [7, 8, 9, 10, 11]


def test_of_two_arms_at_ports_of_their_own_one_is_taken(so101, tmp_path, path):
    bpy.ops.limber.import_lerobot(filepath=str(path))
    alone = calibrated(so101)
    both = tmp_path / "both.json"
    both.write_text(json.dumps({"left": FILE, "right": FILE}))
    bpy.ops.limber.import_lerobot(filepath=str(both), prefix="right_")
    assert calibrated(so101) == alone
    with pytest.raises(RuntimeError, match=r"have the same id, 1, .*keep only one arm's motors"):
        bpy.ops.limber.import_lerobot(filepath=str(both), model="middle")
    assert calibrated(so101) == alone


def test_of_two_arms_beside_a_head_and_a_base_at_their_ports_one_is_taken(so101, tmp_path, path):
    bpy.ops.limber.import_lerobot(filepath=str(path))
    alone = calibrated(so101)
    beside = {f"head_motor_{k}": FILE["gripper"] | {"id": 6 + k} for k in (1, 2)}
    beside |= {
        f"base_{side}_wheel": FILE["gripper"] | {"id": 7 + k} for k, side in enumerate(("left", "right"))
    }
    robot = tmp_path / "robot.json"
    robot.write_text(json.dumps(prefixed("left_arm_") | beside | prefixed("right_arm_")))
    for prefix in ("left_arm_", "right_arm_"):
        bpy.ops.limber.import_lerobot(filepath=str(robot), prefix=prefix)
        assert calibrated(so101) == alone


@pytest.mark.parametrize(
    ("motors", "said"),
    [
        (
            prefixed("", wrist_roll="wrist_rotate"),
            r"Motor 'wrist_rotate' \(id 5\) would be that of gripper_link Y.*none of this robot's",
        ),
        (prefixed("arm_", shoulder_pan="pan"), r"Motor 'arm_pan' \(id 1\)"),
        ({f"joint{k}": motor for k, motor in enumerate(FILE.values())}, r"Motor 'joint0' \(id 1\)"),
        (
            FILE | {"shoulder_pan": FILE["shoulder_pan"] | {"drive_mode": 1}},
            r"'shoulder_pan' \(id 1\) has drive_mode 1.*toggle Reverse",
        ),
        (
            prefixed("arm_") | {"arm_elbow_flex": FILE["elbow_flex"] | {"drive_mode": 1}},
            "'arm_elbow_flex'.* has drive_mode 1",
        ),
    ],
)
def test_a_motor_whose_zero_or_direction_is_open_is_refused_by_name_and_nothing_changes(
    so101, tmp_path, motors, said
):
    path = tmp_path / "arm.json"
    path.write_text(json.dumps(motors))
    before, protocol = calibrated(so101), so101.limber.device.protocol
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.limber.import_lerobot(filepath=str(path))
    assert (calibrated(so101), so101.limber.device.protocol) == (before, protocol)


def test_two_motors_are_not_given_one_joint(tmp_path, path):
    rig = arm(tmp_path, "mine", ["shoulder_pan", *(f"joint {k}" for k in range(1, 6))])
    for number, joint in enumerate(rig.limber.chains[0].joints):
        joint.servo = 2 if number == 0 else number + 10
    with pytest.raises(RuntimeError, match="Motors 'shoulder_pan' and 'shoulder_lift' would both be that of"):
        bpy.ops.limber.import_lerobot(filepath=str(path), model="so101_new_calib")


def test_a_gripper_with_drive_mode_1_opens_the_other_way(so101, tmp_path, path):
    ends = {}
    for mode in (0, 1):
        path.write_text(json.dumps(FILE | {"gripper": FILE["gripper"] | {"drive_mode": mode}}))
        bpy.ops.limber.import_lerobot(filepath=str(path))
        value = so101.limber.device.auxiliaries[0]
        ends[mode] = (value.at_low, value.at_high)
    assert ends[1] == ends[0][::-1]


def test_a_homing_offset_that_nobody_knows_is_not_exported(so101, tmp_path):
    with pytest.raises(RuntimeError, match=r"homing offset of servo 1 is not known.*press Connect"):
        bpy.ops.limber.export_lerobot(filepath=str(tmp_path / "out.json"))
    assert not (tmp_path / "out.json").exists()


def test_a_mechanism_of_objects_is_told_which_servo_it_lacks(tmp_path):
    four_bar()
    make_active(owned())
    with pytest.raises(RuntimeError, match="has no servo for 'shoulder_pan': give that joint one"):
        bpy.ops.limber.export_lerobot(filepath=str(tmp_path / "out.json"), model="so_arm100")
    assert not (tmp_path / "out.json").exists()


def test_a_file_that_cannot_be_used_changes_nothing(so101, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(FILE | {"elbow_flex": FILE["elbow_flex"] | {"range_max": "far"}}))
    with pytest.raises(
        RuntimeError, match=r"bad\.json, motor 'elbow_flex', range_max: expected a whole number, found 'far'"
    ):
        bpy.ops.limber.import_lerobot(filepath=str(bad))
    assert so101.limber.chains[0].joints[0].homing_offset == -(2**31)


@pytest.mark.every_blender
def test_zeros_are_checked_against_the_pose_that_blender_shows_and_set_joint_by_joint(so101, path, tmp_path):
    from limber.rig.robot import zero_check

    bpy.ops.limber.import_lerobot(filepath=str(path))
    bpy.ops.limber.zero_pose()
    middles = {motor["id"]: (motor["range_min"] + motor["range_max"]) / 2 for motor in FILE.values()}
    with on_bus(so101, middles | {3: middles[3] + 100}, "feetech_sts") as bus:
        make_active(so101)
        bpy.ops.limber.let_go()
        until(lambda: state(so101) == "LIMP", "the robot is limp")
        found = {one.joint.name: one for one in zero_check.differences(so101)}
        apart = {name: degrees(one.measured - one.shown) for name, one in found.items()}
        (elbow,) = (name for name, one in apart.items() if abs(one) > 1)
        assert apart[elbow] == pytest.approx(100 * 360 / 4095, abs=0.1)
        bpy.ops.limber.set_zero(joint=elbow, angle=found[elbow].shown)
        measured = {
            one.joint.name: degrees(one.measured - one.shown) for one in zero_check.differences(so101)
        }
        assert all(abs(one) < 0.1 for one in measured.values()), "the new zero counts at once"
        joint = next(joint for chain in so101.limber.chains for joint in chain.joints if joint.servo == 3)
        assert joint.homing_offset == 0, "the offset that the servo has now"
        bus.store(3, 31, (77).to_bytes(2, "little"))
        bpy.ops.limber.reconnect()
        until(
            lambda: state(so101) == "DISARMED" and status(so101).channels[0].homing_offset is not None,
            "it is connected anew",
        )
        warnings = "\n".join(status(so101).warnings)
        assert "its homing offset is 77, and it was calibrated with 0" in warnings
        bpy.ops.limber.arm()
        until(lambda: state(so101) == "FAULT", "it is not armed")


KOCH = {
    "shoulder_pan": {"id": 1, "drive_mode": 0, "homing_offset": 1043, "range_min": 0, "range_max": 4095},
    "shoulder_lift": {"id": 2, "drive_mode": 0, "homing_offset": -3071, "range_min": 870, "range_max": 3250},
    "elbow_flex": {"id": 3, "drive_mode": 1, "homing_offset": 5120, "range_min": -90, "range_max": 2200},
    "wrist_flex": {"id": 4, "drive_mode": 0, "homing_offset": -1024, "range_min": 700, "range_max": 3100},
    "wrist_roll": {"id": 5, "drive_mode": 0, "homing_offset": 0, "range_min": 0, "range_max": 4095},
    "gripper": {"id": 6, "drive_mode": 0, "homing_offset": -2100, "range_min": 1900, "range_max": 3300},
}


@pytest.mark.every_blender
@pytest.mark.parametrize("known_by", ["its folder", "the protocol"])
def test_a_koch_arms_calibration_is_that_of_its_dynamixel_servos(tmp_path, known_by, capfd):
    from limber.hardware.lerobot.calibration import DYNAMIXEL, load

    rig = arm(tmp_path, "koch")
    folder = tmp_path / ("koch_follower" if known_by == "its folder" else "mine")
    folder.mkdir()
    path = folder / "my_arm.json"
    path.write_text(json.dumps(KOCH))
    if known_by == "the protocol":
        rig.limber.device.protocol = "dynamixel"
    with pytest.raises(RuntimeError, match="is none of the models whose zeros are known: choose its Zeros"):
        bpy.ops.limber.import_lerobot(filepath=str(path))
    bpy.ops.limber.import_lerobot(filepath=str(path), model="middle")
    assert (
        "each joint's 0 is the middle of its range, as LeRobot's: where a joint runs the wrong way"
        in capfd.readouterr().out
    )
    device, motors = rig.limber.device, load(path, DYNAMIXEL)
    assert (device.protocol, device.baudrate, device.multi_turn) == ("dynamixel", 1_000_000, True)
    steps = steps_at(rig, {name: radians(value) for name, value in DEGREES.items()})
    for name, value in DEGREES.items():
        assert steps[motors[name].id] == pytest.approx(motors[name].position(value, "degrees"), abs=5e-3), (
            name
        )
    offsets = {joint.servo: joint.homing_offset for joint in rig.limber.chains[0].joints}
    assert offsets[3] == 5120


def test_any_robots_calibration_is_taken_by_its_joints_names_with_the_middle_as_zero(tmp_path):
    names = ("yaw", "pitch", "nod", "roll", "tilt", "jaw")
    rig = arm(tmp_path, "head", names)
    path = tmp_path / "head.json"
    path.write_text(json.dumps(dict(zip(names, FILE.values(), strict=True))))
    bpy.ops.limber.import_lerobot(filepath=str(path), model="middle")
    device = rig.limber.device
    assert (device.protocol, device.multi_turn) == ("feetech_sts", False)
    assert steps_at(rig, dict.fromkeys(names, 0.0))[1] == pytest.approx((720 + 3400) / 2, abs=5e-3)
