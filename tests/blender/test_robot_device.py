"""Tests the conversion of an armature's settings to a device: servos of joints, further ones, mixes, values
beside the joints, any protocol.
"""

import bpy
import pytest

from tests.blender.robots import arm, connect, is_at, robot_rig, settle, state, status, until


@pytest.fixture
def chain():
    return robot_rig()[1]


def describe(rig):
    from limber.rig.robot import links

    return links.describe(rig)


def name(joint) -> str:
    return f"{joint.bone} {joint.axis}"


def jaw(rig):
    """A property of the armature object, from 0 to 1, with servo 9."""
    rig["jaw"] = 0.15
    bpy.ops.limber.add_auxiliary(path=f'bpy.data.objects["{rig.name}"]["jaw"]')
    value = rig.limber.device.auxiliaries[0]
    value.servo = 9
    return value


def test_a_joint_is_a_channel_with_its_settings(rig, chain):
    joint = chain.joints[2]
    joint.gear, joint.servo_speed, joint.reverse, joint.on_silence = 2.0, 5.0, True, "detach"
    device = describe(rig)
    channel = next(one for one in device.channels if one.servo == joint.servo)
    assert [(share.joint, share.gear) for share in channel.shares] == [(name(joint), 2.0)]
    assert (channel.speed, channel.direction, channel.on_silence) == (5.0, -1, "detach")
    assert [one.name for one in device.joints] == [name(one) for one in chain.joints]


def test_two_mirrored_servos_move_one_joint(rig, chain):
    chain.active_joint = 2
    bpy.ops.limber.add_channel()
    further = rig.limber.device.channels[0]
    further.reverse = True
    assert further.servo == 6, "the lowest free number"
    arm(rig)
    rig.pose.bones["middle"].rotation_euler.x = 0.2
    settle(rig, [0, 0, 0.2, 0, 0, 0], "the robot has come")
    raw = [one.measured for one in status(rig).channels]
    assert raw[2] - 1500 == pytest.approx(1500 - raw[6], abs=5)


def test_a_differential_turns_both_servos_for_either_joint(rig, chain):
    nod, tilt = chain.joints[4], chain.joints[5]
    nod.servo = tilt.servo = -1
    for servo, gear in ((4, 1.0), (5, -1.0)):
        bpy.ops.limber.add_channel()
        channel = rig.limber.device.channels[-1]
        channel.servo = servo
        channel.shares.clear()
        for joint, ratio in ((nod, 1.0), (tilt, gear)):
            share = channel.shares.add()
            share.joint, share.gear = name(joint), ratio
    arm(rig)
    rig.pose.bones[nod.bone].rotation_euler["XYZ".index(nod.axis)] = 0.2
    rig.pose.bones[tilt.bone].rotation_euler["XYZ".index(tilt.axis)] = 0.3
    settle(rig, [0, 0, 0, 0, 0.2, 0.3], "both joints have come")
    sum_, difference = (one.measured for one in status(rig).channels[-2:])
    assert sum_ - 1500 == pytest.approx(0.5 * 636.6, abs=6)
    assert difference - 1500 == pytest.approx(-0.1 * 636.6, abs=6)


@pytest.mark.every_blender
def test_joints_of_a_further_servo_are_added_chosen_and_removed(rig, chain):
    bpy.ops.limber.add_channel()
    bpy.ops.limber.add_share()
    channel = rig.limber.device.channels[0]
    assert len(channel.shares) == 2
    bpy.ops.limber.choose_share(index=1, joint=name(chain.joints[3]))
    assert channel.shares[1].joint == name(chain.joints[3])
    with pytest.raises(RuntimeError, match="'nobody' is no joint"):
        bpy.ops.limber.choose_share(index=1, joint="nobody")
    bpy.ops.limber.remove_share(index=0)
    assert [share.joint for share in channel.shares] == [name(chain.joints[3])]
    bpy.ops.limber.remove_channel()
    assert not rig.limber.device.channels
    with pytest.raises(RuntimeError, match="no further servo"):
        bpy.ops.limber.remove_channel()


@pytest.mark.every_blender
def test_a_further_servo_keeps_its_joint_when_the_bone_is_renamed_while_live(rig, chain):
    chain.active_joint = 2
    bpy.ops.limber.add_channel()
    bpy.ops.limber.live()
    rig.data.bones["middle"].name = "waist"
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(2)
    assert chain.joints[2].bone == "waist"
    assert rig.limber.device.channels[0].shares[0].joint == "waist X"
    describe(rig)


@pytest.mark.every_blender
def test_a_joint_that_no_chain_has_is_named(rig):
    bpy.ops.limber.add_channel()
    rig.limber.device.channels[0].shares[0].joint = "tail X"
    with pytest.raises(RuntimeError, match=r"Servo 6 .* driven by 'tail X', which is no joint of a chain"):
        bpy.ops.limber.connect()


def test_a_property_moves_a_servo(rig):
    value = jaw(rig)
    assert (value.name, value.low, value.high) == ("jaw", 0.0, 1.0)
    value.at_low, value.at_high = 1000.0, 2000.0
    arm(rig)
    settle(rig, [0, 0, 0, 0, 0, 0, 0.15], "the value has come")
    rig["jaw"] = 0.3
    settle(rig, [0, 0, 0, 0, 0, 0, 0.3], "it has followed")
    assert status(rig).channels[-1].measured == pytest.approx(1300, abs=12)


@pytest.mark.every_blender
def test_a_shape_key_brings_its_own_range(rig):
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    cube.shape_key_add(name="Basis")
    key = cube.shape_key_add(name="Smile")
    key.slider_min, key.slider_max = -1.0, 2.0
    bpy.context.view_layer.objects.active = rig
    bpy.ops.limber.add_auxiliary(
        path=f'bpy.data.shape_keys["{cube.data.shape_keys.name}"].key_blocks["Smile"].value'
    )
    value = rig.limber.device.auxiliaries[0]
    assert (value.name, value.low, value.high) == ("Smile", -1.0, 2.0)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "nonsense",
        'bpy.data.objects["Nobody"].location[0]',
        'bpy.data.objects["Rig"].location',
        'bpy.data.objects["Rig"].name',
    ],
)
def test_what_is_no_number_is_refused_and_nothing_is_left(rig, path):
    with pytest.raises(RuntimeError, match=r"names no property|is no number"):
        bpy.ops.limber.add_auxiliary(path=path)
    assert not rig.limber.device.auxiliaries


def test_values_of_one_name_are_told_apart_and_removed(rig):
    jaw(rig)
    bpy.ops.limber.add_auxiliary(path=f'bpy.data.objects["{rig.name}"]["jaw"]')
    assert [value.name for value in rig.limber.device.auxiliaries] == ["jaw", "jaw.001"]
    bpy.ops.limber.remove_auxiliary()
    bpy.ops.limber.remove_auxiliary()
    with pytest.raises(RuntimeError, match="no value"):
        bpy.ops.limber.remove_auxiliary()


def test_a_property_that_goes_away_leaves_its_servo_where_it_is(rig):
    jaw(rig)
    arm(rig)
    settle(rig, [0, 0, 0, 0, 0, 0, 0.15], "the value has come")
    del rig["jaw"]
    sent = status(rig).sent
    until(lambda: status(rig).sent > sent + 20, "the robot has heard more")
    assert is_at(rig, [0, 0, 0, 0, 0, 0, 0.15])


@pytest.mark.parametrize("protocol", ["feetech_sts", "feetech_scs", "dynamixel", "maestro"])
def test_the_virtual_robot_takes_the_calibration_of_any_protocol(rig, protocol):
    rig.limber.device.protocol = protocol
    arm(rig)
    rig.pose.bones["middle"].rotation_euler.x = 0.2
    settle(rig, [0, 0, 0.2, 0, 0, 0], "the robot has come")
    until(lambda: state(rig) == "ARMED", "it is armed, if need be again after a missed beat")


def test_a_maestro_s_model_and_crc_are_settings_of_the_device_and_of_no_other_protocol(rig, chain):
    from limber.hardware.protocols.settings import ProtocolSettings
    from limber.rig.robot import device as robot_device

    device = rig.limber.device
    device.channel_count, device.crc, device.multi_turn = "24", True, True
    device.protocol = "maestro"
    assert robot_device.describe_plain(rig).settings == ProtocolSettings(channel_count=24, crc=True)
    device.protocol = "dynamixel"
    assert robot_device.describe_plain(rig).settings == ProtocolSettings(multi_turn=True)


def test_a_servo_is_assigned_to_the_selected_joint_which_changes_with_the_one_that_had_it(rig, chain):
    chain.active_joint = 3
    bpy.ops.limber.assign_servo(servo=1)
    assert [joint.servo for joint in chain.joints] == [0, 3, 2, 1, 4, 5]
    bpy.ops.limber.assign_servo(servo=17)
    bpy.ops.limber.assign_servo(servo=-1)
    assert [joint.servo for joint in chain.joints] == [0, 3, 2, -1, 4, 5]


@pytest.mark.every_blender
def test_the_joint_that_moves_gets_the_servo_that_wiggles(rig, chain):
    connect(rig)
    bpy.ops.limber.which_joint(servo=2, joint=name(chain.joints[5]))
    assert [joint.servo for joint in chain.joints] == [0, 1, 5, 3, 4, 2]
    with pytest.raises(RuntimeError, match="'nobody' is no joint"):
        bpy.ops.limber.which_joint(servo=2, joint="nobody")


@pytest.mark.every_blender
def test_wiggle_jog_and_test_move_one_joint_and_leave_the_others(rig, chain):
    connect(rig)
    before = status(rig).measured
    assert before is not None
    bpy.ops.limber.jog(joint="middle X", amount=5.0)
    until(lambda: state(rig) == "SETUP", "it is being set up")
    until(lambda: abs(status(rig).positions[2] - before[2]) > 0.06, "the joint has moved on")
    bpy.ops.limber.disarm()
    until(lambda: state(rig) == "DISARMED", "it is disarmed")
    assert [status(rig).positions[k] for k in (0, 1, 3, 4, 5)] == pytest.approx(
        [before[k] for k in (0, 1, 3, 4, 5)], abs=0.01
    )
    bpy.ops.limber.wiggle(servo=4)
    until(lambda: state(rig) == "SETUP", "it wiggles")
    until(lambda: state(rig) == "DISARMED", "it has ended by itself")
    with pytest.raises(RuntimeError, match="Servo 40 is not on the robot"):
        bpy.ops.limber.wiggle(servo=40)
    with pytest.raises(RuntimeError, match="'tail' is no joint"):
        bpy.ops.limber.test_joint(joint="tail")
    bpy.ops.limber.test_joint(joint="middle X")
    until(lambda: state(rig) == "SETUP", "it is tested")
    bpy.ops.limber.stop()
    until(lambda: state(rig) == "FAULT", "stop wins")


@pytest.mark.every_blender
def test_parking_goes_to_the_pose_and_disarms(rig, chain):
    rig.pose.bones["middle"].rotation_euler.x = -0.2
    bpy.ops.limber.store_posture(name="Rest")
    rig.pose.bones["middle"].rotation_euler.x = 0.1
    arm(rig)
    with pytest.raises(RuntimeError, match="no park pose"):
        bpy.ops.limber.park()
    rig.limber.device.park = chain.postures[0].action
    bpy.ops.limber.park()
    until(lambda: state(rig) == "PARKING", "it parks")
    until(lambda: state(rig) == "DISARMED", "it has disarmed by itself")
    assert status(rig).positions[2] == pytest.approx(-0.2, abs=0.02)


@pytest.mark.every_blender
def test_hobby_servos_are_confirmed_joint_by_joint(rig, chain):
    rig.limber.device.port = "virtual-hobby"
    connect(rig)
    bpy.ops.limber.arm()
    until(lambda: state(rig) == "CONFIRM_POSE", "it asks")
    for index in range(6):
        assert state(rig) == "CONFIRM_POSE"
        bpy.ops.limber.confirm_joint(joint=index)
        until(
            lambda number=index: state(rig) != "CONFIRM_POSE" or status(rig).confirmed[number],
            "it is confirmed",
        )
    until(lambda: state(rig) == "ARMED", "it is armed")


def test_old_files_names_of_properties_still_say_the_same(rig, chain):
    """A file of an older version has these on its joints and on the device."""
    joint, device = chain.joints[0], rig.limber.device
    joint.servo, joint.zero_us, joint.us_per_radian, joint.min_us, joint.max_us = (
        7,
        1400.0,
        600.0,
        600.0,
        2300.0,
    )
    joint.reverse, joint.on_silence, device.port, device.baudrate = True, "detach", "/dev/ttyACM0", 57600
    described = describe(rig)
    channel = next(one for one in described.channels if one.servo == 7)
    assert (channel.zero, channel.lowest, channel.highest, channel.direction) == (1400.0, 600.0, 2300.0, -1)
    assert channel.per_radian == pytest.approx(600.0)
    assert (described.port, described.baudrate, described.protocol) == ("/dev/ttyACM0", 57600, "limber")
