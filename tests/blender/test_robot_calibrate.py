"""Tests calibrating in Blender: zero, ends and range from the robot's pose; models of servos; the calibration
as a file and as a copy.
"""

import json
from pathlib import Path

import bpy
import pytest

from tests.blender.rigs import UPRIGHT, build, make_active
from tests.blender.robots import connect, on_bus, robot_rig, state, status, until


@pytest.fixture
def chain():
    return robot_rig()[1]


@pytest.fixture(autouse=True)
def own_folder(monkeypatch, tmp_path):
    """Separate folder for copies of calibrations."""
    from limber.rig.robot import calibration

    monkeypatch.setattr(calibration, "folder", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def bus(rig, chain):
    """Six Feetech servos on a port, and a rig that is connected to them."""
    with on_bus(
        rig, {joint.servo: 2048.0 + 50 * joint.servo for joint in chain.joints}, "feetech_sts"
    ) as bus:
        yield bus


def limp(rig) -> None:
    bpy.ops.limber.let_go()
    until(lambda: state(rig) == "LIMP", "the robot is limp")


def move(rig, bus, servo: int, steps: float) -> None:
    """Moves a servo by hand; returns when Blender knows its position."""
    from limber.rig.robot import calibrating

    def is_there() -> bool:
        position = calibrating.positions(rig)[servo]
        return position is not None and abs(position - steps) < 2

    bus.put(servo, steps)
    until(is_there, f"servo {servo} is at {steps}")
    calibrating.note()


def test_zero_is_where_the_robot_stands(rig, chain, bus):
    limp(rig)
    move(rig, bus, 2, 1800.0)
    bpy.ops.limber.set_zero(joint="middle X")
    assert chain.joints[2].zero_us == pytest.approx(1800.0, abs=2)
    bpy.ops.limber.reconnect()
    until(lambda: state(rig) == "DISARMED" and None not in status(rig).positions, "it is connected anew")
    assert status(rig).positions[2] == pytest.approx(0.0, abs=0.01)


@pytest.mark.every_blender
def test_one_joint_is_let_go_alone_and_the_armature_stays_as_it_is(rig, chain, bus):
    assert bus.torque() == [False] * 6, "connecting gives no torque"
    bpy.ops.limber.arm()
    until(lambda: state(rig) == "ARMED", "it is armed")
    bpy.ops.limber.disarm()
    until(lambda: state(rig) == "DISARMED", "it is disarmed, and holds")
    bpy.ops.limber.let_go(joint="middle X")
    until(lambda: state(rig) == "LIMP", "it is limp")
    until(lambda: bus.torque() == [True, True, False, True, True, True], "one servo has no torque any more")
    before = rig.pose.bones["middle"].rotation_euler.x
    move(rig, bus, 2, 1900.0)
    assert rig.pose.bones["middle"].rotation_euler.x == before
    with pytest.raises(RuntimeError, match="'tail' is no joint"):
        bpy.ops.limber.let_go(joint="tail")


def test_zero_can_be_had_at_another_angle_and_with_reverse(rig, chain, bus):
    limp(rig)
    move(rig, bus, 2, 1800.0)
    chain.joints[2].reverse = True
    bpy.ops.limber.set_zero(joint="middle X", angle=0.5)
    bpy.ops.limber.reconnect()
    until(lambda: state(rig) == "DISARMED" and None not in status(rig).positions, "it is connected anew")
    assert status(rig).positions[2] == pytest.approx(0.5, abs=0.01)


@pytest.mark.every_blender
def test_ends_are_where_the_robot_stands(rig, chain, bus):
    limp(rig)
    move(rig, bus, 2, 1500.0)
    bpy.ops.limber.set_end(joint="middle X", end="LOW")
    move(rig, bus, 2, 2600.0)
    bpy.ops.limber.set_end(joint="middle X", end="HIGH")
    assert (chain.joints[2].min_us, chain.joints[2].max_us) == pytest.approx((1500.0, 2600.0), abs=2)
    with pytest.raises(RuntimeError, match="set that one first"):
        bpy.ops.limber.set_end(joint="middle X", end="LOW")


@pytest.mark.parametrize(("press", "more"), [("set_zero", {}), ("set_end", {"end": "LOW"})])
def test_a_value_that_has_no_zero_says_what_to_type(rig, press, more):
    rig["jaw"] = 0.5
    bpy.ops.limber.add_auxiliary(path=f'bpy.data.objects["{rig.name}"]["jaw"]')
    rig.limber.device.auxiliaries[0].servo = 20
    connect(rig)
    until(lambda: None not in status(rig).positions, "all positions are known")
    with pytest.raises(RuntimeError, match="'jaw' has no zero of its own: type the positions at the ends"):
        getattr(bpy.ops.limber, press)(joint="jaw", **more)


@pytest.mark.every_blender
def test_a_range_is_recorded_by_hand_for_the_joints_that_were_moved(rig, chain, bus):
    limp(rig)
    bpy.ops.limber.record_range()
    before = [(joint.min_us, joint.max_us) for joint in chain.joints]
    for place in (1400.0, 2000.0, 2700.0, 2100.0):
        move(rig, bus, 2, place)
    bpy.ops.limber.end_range()
    joint = chain.joints[2]
    assert (joint.min_us, joint.max_us) == pytest.approx((1400.0, 2700.0), abs=2)
    assert (joint.lower, joint.upper) == pytest.approx(
        ((1400 - 2048) / 651.9, (2700 - 2048) / 651.9), abs=0.01
    )
    assert [(one.min_us, one.max_us) for k, one in enumerate(chain.joints) if k != 2] == [
        span for k, span in enumerate(before) if k != 2
    ]


def test_a_range_in_which_nothing_was_moved_changes_nothing(rig, chain, bus):
    with pytest.raises(RuntimeError, match="press Arm"):
        bpy.ops.limber.record_range()
    limp(rig)
    bpy.ops.limber.record_range()
    with pytest.raises(RuntimeError, match="No servo was moved"):
        bpy.ops.limber.end_range()
    assert chain.joints[2].max_us == 4095.0


@pytest.mark.every_blender
def test_a_range_needs_a_limp_robot_from_its_begin_to_its_end(rig, bus):
    from limber.rig.blender.errors import RigError
    from limber.rig.robot import calibrating

    with pytest.raises(RuntimeError, match="No range is being recorded: press Record Range"):
        bpy.ops.limber.end_range()
    with pytest.raises(RigError, match="The robot is not let go: press Release All first"):
        calibrating.start_range(rig)
    limp(rig)
    bpy.ops.limber.record_range()
    bpy.ops.limber.disconnect()
    with pytest.raises(RuntimeError, match="No range is being recorded: press Record Range"):
        bpy.ops.limber.end_range()
    connect(rig)


def test_a_calibration_of_another_robot_says_what_fits_and_what_to_tick(rig, chain, tmp_path):
    path = tmp_path / "other.json"
    bpy.ops.limber.save_calibration(filepath=str(path))
    for bone in rig.data.bones:
        bone.name = f"{bone.name} new"
    for joint in chain.joints:
        joint.bone = f"{joint.bone} new"
    with pytest.raises(
        RuntimeError, match=r"other\.json does not fit 'Rig': .*\. Tick Load Partially to use the rest"
    ):
        bpy.ops.limber.load_calibration(filepath=str(path))
    with pytest.raises(RuntimeError, match=r"other\.json has no joint of 'Rig': "):
        bpy.ops.limber.load_calibration(filepath=str(path), partly=True)


def test_nothing_is_calibrated_while_the_robot_follows_or_is_not_there(rig):
    with pytest.raises(RuntimeError, match="Not connected"):
        bpy.ops.limber.set_zero(joint="middle X")
    connect(rig)
    bpy.ops.limber.arm()
    until(lambda: state(rig) == "ARMED", "it is armed")
    with pytest.raises(RuntimeError, match="Armed"):
        bpy.ops.limber.set_zero(joint="middle X")


@pytest.mark.every_blender
def test_on_the_virtual_robot_positions_are_those_of_the_panel(rig, chain):
    """For any protocol, though the virtual robot has pulses."""
    rig.limber.device.protocol = "feetech_sts"
    connect(rig)
    until(lambda: None not in status(rig).positions, "all places are known")
    place = status(rig).positions[2]
    bpy.ops.limber.set_zero(joint="middle X", angle=place)
    assert chain.joints[2].zero_us == pytest.approx(2048.0, abs=2)


@pytest.mark.every_blender
def test_a_calibration_goes_through_a_file_to_another_scene(rig, chain, tmp_path):
    joint, device = chain.joints[2], rig.limber.device
    device.protocol, device.baudrate, device.latency = "dynamixel", 1_000_000, 0.1
    joint.zero_us, joint.min_us, joint.max_us, joint.reverse, joint.gear, joint.servo_speed = (
        1900.0,
        900.0,
        3000.0,
        True,
        2.0,
        6.0,
    )
    rig["jaw"] = 0.5
    bpy.ops.limber.add_auxiliary(path=f'bpy.data.objects["{rig.name}"]["jaw"]')
    device.auxiliaries[0].at_low, device.auxiliaries[0].at_high = 2500.0, 1500.0
    chain.active_joint = 4
    bpy.ops.limber.add_channel()
    device.channels[0].servo, device.channels[0].shares[0].gear = 20, -1.0
    path = tmp_path / "robot.json"
    bpy.ops.limber.save_calibration(filepath=str(path))
    from limber.rig.robot import links

    before = links.describe(rig)
    rig, _ = robot_rig(build(UPRIGHT, name="Other"))
    make_active(rig)
    rig["jaw"] = 0.5
    bpy.ops.limber.add_auxiliary(path=f'bpy.data.objects["{rig.name}"]["jaw"]')
    bpy.ops.limber.load_calibration(filepath=str(path))
    after = links.describe(rig)
    assert [one.servo for one in after.channels] == [one.servo for one in before.channels]
    for new, old in zip(after.channels, before.channels, strict=True):
        assert (new.zero, new.per_radian, new.lowest, new.highest) == pytest.approx(
            (old.zero, old.per_radian, old.lowest, old.highest)
        )
        assert (new.direction, new.shares, new.on_silence) == (old.direction, old.shares, old.on_silence)
    assert (after.protocol, after.baudrate, after.latency) == (
        before.protocol,
        before.baudrate,
        before.latency,
    )


@pytest.mark.every_blender
def test_a_calibration_that_does_not_fit_names_the_joints_and_changes_nothing(rig, chain, tmp_path):
    path = tmp_path / "robot.json"
    bpy.ops.limber.save_calibration(filepath=str(path))
    path.write_text(path.read_text().replace("middle X", "tail X"))
    before = [joint.servo for joint in chain.joints]
    with pytest.raises(RuntimeError, match=r"(?s)middle X.*tail X|tail X.*middle X"):
        bpy.ops.limber.load_calibration(filepath=str(path))
    assert [joint.servo for joint in chain.joints] == before
    bpy.ops.limber.load_calibration(filepath=str(path), partly=True)
    assert [joint.servo for joint in chain.joints] == [0, 1, -1, 3, 4, 5]


@pytest.mark.parametrize(
    "text", ["", "{}", "[1, 2]", "\x00\x01", '{"format": "limber calibration", "version": 99}']
)
def test_a_file_that_is_no_calibration_is_a_sentence(rig, tmp_path, text):
    path = tmp_path / "robot.json"
    path.write_text(text)
    with pytest.raises(RuntimeError, match=r"robot\.json"):
        bpy.ops.limber.load_calibration(filepath=str(path))


@pytest.mark.every_blender
def test_every_step_leaves_a_copy_that_survives_undo(rig, chain, bus, own_folder, undo_step):
    undo_step("connected")
    limp(rig)
    move(rig, bus, 2, 1800.0)
    bpy.ops.limber.set_zero(joint="middle X")
    undo_step("zero")
    (copy,) = own_folder.glob("*.json")
    assert json.loads(copy.read_text())
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Rig"]
    assert rig.limber.chains[0].joints[2].zero_us == 2048.0
    bpy.context.view_layer.objects.active = rig
    bpy.ops.limber.disconnect()
    bpy.ops.limber.restore_calibration()
    assert rig.limber.chains[0].joints[2].zero_us == pytest.approx(1800.0, abs=2)
    bpy.context.view_layer.objects.active = rig
    connect(rig)


def test_without_a_copy_nothing_can_be_restored(rig):
    with pytest.raises(RuntimeError, match="There is no copy of a calibration of 'Rig' yet"):
        bpy.ops.limber.restore_calibration()


def test_the_calibration_is_in_the_saved_file(rig, chain, reopen):
    joint = chain.joints[2]
    joint.zero_us, joint.gear, joint.servo_speed = 1432.0, -3.0, 4.5
    bpy.ops.limber.add_channel()
    reopen()
    rig = bpy.data.objects["Rig"]
    joint = rig.limber.chains[0].joints[2]
    assert (joint.zero_us, joint.gear, joint.servo_speed) == (1432.0, -3.0, 4.5)
    assert rig.limber.device.channels[0].shares[0].joint in {
        f"{joint.bone} {joint.axis}" for joint in rig.limber.chains[0].joints
    }


def test_a_model_of_servo_describes_the_joints_of_the_chain(rig, chain):
    from limber.hardware.presets import PRESETS

    rig.limber.device.protocol = "feetech_sts"
    key = next(key for key, preset in PRESETS.items() if "feetech_sts" in preset.protocols)
    preset = PRESETS[key]
    bpy.ops.limber.use_preset(preset=key, which="CHAIN")
    for joint in chain.joints:
        assert (joint.zero_us, joint.max_us) == (preset.zero, preset.highest)
        assert joint.velocity == pytest.approx(preset.velocity)


@pytest.mark.every_blender
@pytest.mark.parametrize(("index", "counts"), [(99, -1), (-1, 0), (3, 3)])
def test_an_index_off_the_list_of_joints_means_the_joint_nearest_to_it(chain, index, counts):
    chain.active_joint = index
    bpy.ops.limber.assign_servo(servo=77)
    assert [joint.servo for joint in chain.joints].index(77) == counts % len(chain.joints)
    bpy.ops.limber.use_preset(which="JOINT")
    assert [joint.servo_speed > 0 for joint in chain.joints].index(True) == counts % len(chain.joints)


def test_a_hobby_servo_on_a_maestro_is_described_in_its_unit(rig, chain):
    from limber.hardware.presets import PRESETS

    rig.limber.device.protocol = "maestro"
    key = next(key for key, preset in PRESETS.items() if "maestro" in preset.protocols)
    bpy.ops.limber.use_preset(preset=key, which="JOINT", speeds=False)
    joint = chain.joints[chain.active_joint]
    assert (joint.zero_us, joint.min_us, joint.max_us) == (6000.0, 2000.0, 10000.0)
    assert joint.us_per_radian == pytest.approx(4 * PRESETS[key].per_radian)


def test_the_copy_has_a_place_without_an_installed_extension(monkeypatch):
    from limber.rig.robot import calibration

    monkeypatch.undo()
    assert isinstance(calibration.folder(), Path)
    assert calibration.folder().is_dir()
