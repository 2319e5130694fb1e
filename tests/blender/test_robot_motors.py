"""Tests servos of a mechanism's motors: they are shown, assigned, described and calibrated as those of a
chain's joints.
"""

from itertools import pairwise
from types import SimpleNamespace
from unittest.mock import patch

import bpy
import pytest

from tests.blender import mechanisms as those
from tests.blender.drawing import Layout, drawn
from tests.blender.rigs import looking_chain, make_active
from tests.blender.robots import connect, until

SERVO = ["servo", "reverse", "gear", "zero_us", "min_us", "max_us", "per_degree", "servo_speed", "on_silence"]


@pytest.fixture
def neck():
    """The owner of a neck on push rods: an empty, whose motors have servos 0, 1 and 2."""
    return those.add("neck", place=(0.0, 0.0, 0.0))


@pytest.fixture
def both():
    """An armature that has a chain and whose bones are a mechanism with motors; the chain's joints have
    servos 0 to 5.
    """
    rig, chain = looking_chain()
    make_active(rig)
    bpy.ops.limber.new_mechanism()
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones[chain.joints[0].bone]
    bpy.ops.limber.add_motors()
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig, chain, rig.limber.mechanism.motors


def servos(joints) -> list[int]:
    return [joint.servo for joint in joints]


def shown():
    from limber.panels.robot.servos import LIMBER_PT_channels

    assert LIMBER_PT_channels.poll(bpy.context)
    return drawn(LIMBER_PT_channels)


def test_the_owner_of_a_neck_shows_the_servo_of_the_motor_that_is_selected(neck):
    kept = neck.limber.mechanism
    for index, motor in enumerate(kept.motors):
        kept.active_motor = index
        notes = shown()
        assert notes.lists == [(kept, "motors")]
        assert notes.settings == [(motor, name) for name in SERVO]
        assert "limber.use_preset" in notes.operators


def test_an_armature_shows_its_joints_and_below_them_its_motors(both):
    rig, chain, motors = both
    notes = shown()
    assert notes.lists == [(chain, "joints"), (rig.limber.mechanism, "motors")]
    assert notes.settings == [(joint, name) for joint in (chain.joints[0], motors[0]) for name in SERVO]
    assert [label for label in notes.labels if label.endswith((" of head", "Mechanism"))] == [
        "Joints of head",
        "Motors of the Mechanism",
    ]


def test_the_menu_of_a_property_sends_it_to_the_robot_of_a_mechanism_without_chains(neck):
    from limber.panels import property_menu

    neck["lamp"] = 0.5
    path = f'{neck!r}["lamp"]'
    notes = Layout()
    with patch.object(property_menu, "full_path", lambda _context: path):
        property_menu.draw(SimpleNamespace(layout=notes), bpy.context)
    assert notes.operators == ["limber.add_auxiliary"]
    bpy.ops.limber.add_auxiliary(path=path)
    assert [(value.owner, value.path) for value in neck.limber.device.auxiliaries] == [(neck, '["lamp"]')]


@pytest.mark.every_blender
def test_a_mechanism_without_motors_shows_no_servos_and_says_where_motors_come_from(neck):
    from limber.panels.robot.servos import LIMBER_PT_channels

    neck.limber.mechanism.motors.clear()
    assert not LIMBER_PT_channels.poll(bpy.context)
    with pytest.raises(
        RuntimeError, match=r"'Push-Rod Neck' has no motor: select a joint and press \+ under Motors"
    ):
        bpy.ops.limber.assign_servo(servo=1)


def test_a_motor_changes_servos_with_the_motor_that_had_it(neck):
    kept = neck.limber.mechanism
    assert servos(kept.motors) == [0, 1, 2]
    kept.active_motor = 2
    bpy.ops.limber.assign_servo(servo=0)
    assert servos(kept.motors) == [2, 1, 0]


def test_a_motor_changes_servos_with_the_joint_that_had_it(both):
    _rig, chain, motors = both
    before, had = servos(chain.joints), motors[0].servo
    bpy.ops.limber.assign_servo(servo=before[3], motors=True)
    assert motors[0].servo == before[3]
    assert servos(chain.joints) == [*before[:3], had, *before[4:]]
    bpy.ops.limber.assign_servo(servo=99)
    assert chain.joints[0].servo == 99, "without `motors` the joint is meant"
    assert motors[0].servo == before[3]


def test_a_model_of_servo_describes_one_motor_or_all(neck):
    from limber.hardware.presets import PRESETS

    neck.limber.device.protocol = "feetech_sts"
    key, preset = next((key, preset) for key, preset in PRESETS.items() if "feetech_sts" in preset.protocols)
    motors = neck.limber.mechanism.motors
    motors[0].max_us = motors[1].max_us = motors[2].max_us = 7.0
    neck.limber.mechanism.active_motor = 1
    bpy.ops.limber.use_preset(preset=key, which="JOINT")
    assert [motor.max_us for motor in motors] == [7.0, preset.highest, 7.0]
    assert motors[1].velocity == pytest.approx(preset.velocity)
    bpy.ops.limber.use_preset(preset=key, which="CHAIN")
    assert [motor.max_us for motor in motors] == [preset.highest] * 3


def test_a_further_servo_is_on_the_motor_that_is_selected_and_has_the_next_free_number(neck):
    neck.limber.mechanism.active_motor = 1
    bpy.ops.limber.add_channel()
    channel = neck.limber.device.channels[0]
    assert (channel.servo, [share.joint for share in channel.shares]) == (3, ["Left Servo Z"])


@pytest.mark.every_blender
def test_a_motor_is_tried_and_calibrated_as_a_joint_is(neck, monkeypatch, tmp_path):
    from limber.panels.robot.calibrate import LIMBER_PT_calibrate
    from limber.rig.robot import calibrating, calibration

    monkeypatch.setattr(calibration, "folder", lambda: tmp_path)
    neck.limber.device.port = "virtual"
    connect(neck)
    kept = neck.limber.mechanism
    assert LIMBER_PT_calibrate.poll(bpy.context)
    notes = drawn(LIMBER_PT_calibrate)
    buttons = [
        "limber.wiggle",
        "limber.which_joint",
        "limber.test_joint",
        "limber.jog",
        "limber.let_go",
        "limber.set_end",
        "limber.set_zero",
    ]
    places = [notes.operators.index(button) for button in buttons]
    assert all(one < other for one, other in pairwise(places))
    assert (kept.motors[0], "zero_us") in notes.settings
    bpy.ops.limber.jog(joint="Pan Z", amount=5.0)
    per_degree = kept.motors[0].per_degree
    until(
        lambda: calibrating.positions(neck)[0] == pytest.approx(1500 + 5 * per_degree, abs=2),
        "the motor has been jogged",
    )
    bpy.ops.limber.set_zero(joint="Pan Z")
    assert kept.motors[0].zero_us == pytest.approx(1500 + 5 * per_degree, abs=2)
    assert [motor.zero_us for motor in kept.motors][1:] == [1500.0, 1500.0]
    bpy.ops.limber.set_end(joint="Pan Z", end="HIGH")
    assert kept.motors[0].max_us == pytest.approx(1500 + 5 * per_degree, abs=2)
    bpy.ops.limber.disconnect()


def test_a_motor_has_one_name_in_the_lists_of_motors_and_of_servos(tmp_path):
    from limber.rig.robot import device

    text = """<robot name="jaw"><link name="skull"/><link name="jaw"/>
      <joint name="hinge" type="revolute"><parent link="skull"/><child link="jaw"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/></joint>
      <transmission name="t"><joint name="hinge"/></transmission></robot>"""
    path = tmp_path / "jaw.urdf"
    path.write_text(text)
    bpy.ops.limber.import_robot(filepath=str(path))
    bpy.ops.limber.new_mechanism()
    rig = bpy.context.active_object
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones["jaw"]
    bpy.ops.limber.add_motors()
    motor = rig.limber.mechanism.motors[0]
    assert (motor.name, motor.axis) == ("hinge X", "Z")
    assert motor.label == "hinge X"
    assert [joint.name for joint in device.describe(rig).joints] == ["hinge X"]
