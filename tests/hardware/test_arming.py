"""Tests arming: the robot moves slowly from its actual or confirmed pose to Blender's. In simulated time."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.hardware.device import VIRTUAL_HOBBY_PORT
from limber.hardware.mixing import Mixing
from limber.hardware.protocols.limber import DeviceState as DeviceState
from limber.hardware.safety import NO_POSE, Command, Fault, State
from limber.hardware.virtual_robot import VirtualRobot
from limber.hardware.worker.drive import APPROACH_SPEED

from tests.hardware.simulation import LIMITS, POSE, Simulation, largest, make_device, speeds, still, waving


@settings(max_examples=25, derandomize=True, deadline=None)
@given(
    st.lists(st.floats(-1.4, 1.4), min_size=3, max_size=3),
    st.lists(st.floats(-1.4, 1.4), min_size=3, max_size=3),
)
def test_arming_starts_where_the_robot_is_and_goes_slowly(stands, wanted):
    device = make_device()
    positions = Mixing(device).raw(stands)
    simulation = Simulation(device, VirtualRobot(positions, feedback=True, time=0.0))
    simulation.arm(still(*wanted))
    assert simulation.commands[0] == pytest.approx(stands, abs=1e-3)
    assert (
        largest(speeds(simulation.commands)) <= 1.15 * APPROACH_SPEED
    )  # the limiter's headroom, and rounding of the encoding
    assert largest(speeds(simulation.positions)) <= 1.15 * APPROACH_SPEED * device.channels[0].per_radian
    simulation.close()


def test_arming_catches_up_with_a_pose_that_moves_faster_than_the_ramp(simulate):
    simulation = simulate(make_device())
    simulation.arm(lambda time: tuple(1.2 * math.sin(2.0 * time + k) for k in range(3)))  # up to 2.4 rad/s
    assert simulation.state is State.ARMED


def test_a_robot_that_stands_beyond_a_limit_is_led_back_inside(simulate):
    device = make_device(1)
    beyond = LIMITS.upper + 0.05
    position = device.channels[0].zero + device.channels[0].per_radian * beyond
    simulation = simulate(device, VirtualRobot([position], feedback=True, time=0.0))
    simulation.arm(still(1.0))
    assert simulation.commands[0] == pytest.approx((beyond,), abs=1e-3)
    assert largest(speeds(simulation.commands)) <= 1.15 * APPROACH_SPEED


def test_hobby_servos_start_at_the_confirmed_pose(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.run(1.0, POSE)
    simulation.command(Command.ARM)
    assert simulation.run(1.0, POSE).state is State.CONFIRM_POSE
    assert simulation.robot.pulses[:3] == (None,) * 3
    simulation.command(Command.CONFIRM_POSE)
    simulation.run(0.5, POSE, until=State.ARMED)
    assert simulation.commands[0] == pytest.approx(POSE(0))
    assert simulation.report.measured is None


def test_hobby_servos_are_armed_at_once_by_a_user_who_says_that_they_are_at_the_pose(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    assert simulation.run(1.0, POSE).needs_confirmation
    simulation.command(Command.ARM_CONFIRMED)
    assert simulation.run(0.5, POSE, until=State.ARMED).state is State.ARMED
    assert simulation.commands[0] == pytest.approx(POSE(0))
    assert not simulation.report.needs_confirmation


def test_hobby_servos_that_hold_start_from_there_whatever_the_user_says(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.arm(POSE)
    simulation.run(0.5, POSE)
    simulation.command(Command.DISARM)
    assert not simulation.run(0.5, POSE).needs_confirmation
    simulation.commands.clear()
    simulation.command(Command.ARM_CONFIRMED)
    simulation.run(10.0, still(-0.5, 0.5, 0.0), until=State.ARMED)
    assert simulation.commands[0] == pytest.approx(POSE(0), abs=1e-3)


def test_nobody_is_asked_where_a_robot_is_that_measures_it(simulate):
    simulation = simulate(make_device())
    assert not simulation.run(1.0, POSE).needs_confirmation


@pytest.mark.parametrize("rest", [Command.DISARM, Command.RECONNECT])
def test_hobby_servos_that_still_hold_start_from_there_and_need_no_confirmation(simulate, rest):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.arm(POSE)
    simulation.run(0.5, POSE)
    simulation.command(rest)
    simulation.run(0.5, POSE)
    assert simulation.state is State.DISARMED
    simulation.commands.clear()
    simulation.positions.clear()
    simulation.command(Command.ARM)
    elsewhere = still(-0.5, 0.5, 0.0)
    assert simulation.run(10.0, elsewhere, until=State.ARMED).state is State.ARMED
    assert simulation.commands[0] == pytest.approx(POSE(0), abs=1e-3)
    assert (
        largest(speeds(simulation.positions))
        <= 1.15 * APPROACH_SPEED * simulation.device.channels[0].per_radian
    )


def test_hobby_servos_that_went_limp_need_their_pose_confirmed_again(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT, on_silence="detach"))
    simulation.arm(POSE)
    simulation.command(Command.DISARM)
    simulation.run(0.5, POSE)
    simulation.command(Command.ARM)
    assert simulation.run(0.5, POSE).state is State.CONFIRM_POSE


def test_a_pose_cannot_be_confirmed_before_blender_shows_one(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.run(1.0)
    simulation.command(Command.ARM_CONFIRMED)
    simulation.run(0.2)
    simulation.command(Command.CONFIRM_POSE)
    assert simulation.run(0.2).state is State.CONFIRM_POSE
    assert simulation.report.detail == NO_POSE


def test_a_servo_that_does_not_tell_its_place_keeps_the_robot_disarmed(simulate):
    device = make_device(3)
    robot = VirtualRobot([1500.0, 1500.0, 1500.0], feedback=True, time=0.0)
    robot.unread = {1}
    simulation = simulate(device, robot)
    simulation.run(1.0, POSE)
    simulation.command(Command.ARM)
    report = simulation.run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.POSE_UNREAD)
    assert "joint 1" in report.detail
    assert robot.pulses == (None,) * 3
    robot.unread = set()
    simulation.command(Command.CLEAR_FAULT)
    assert simulation.run(0.5, POSE).state is State.DISARMED
    simulation.arm(POSE)


def test_servos_that_lose_their_pulses_while_arming_are_not_sent_to_a_pose_that_nobody_confirmed(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.arm(POSE)
    simulation.command(Command.DISARM)
    simulation.run(0.5, POSE)
    simulation.command(Command.ARM)
    for servo in simulation.robot.servos:
        servo.pulse = None
    assert simulation.run(1.0, still(-1.0, -1.0, -1.0)).fault is Fault.POSE_UNREAD
    assert simulation.robot.pulses == (None,) * 3


def test_disarm_ends_motion_and_arming_again_starts_from_there(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.command(Command.DISARM)
    assert simulation.run(0.5, waving).state is State.DISARMED
    assert simulation.robot.state is DeviceState.DISARMED
    stands = simulation.report.measured
    simulation.commands.clear()
    simulation.arm(waving)
    assert simulation.commands[0] == pytest.approx(stands, abs=1e-3)
