"""Tests that faults at the port or the device are distinguished and named: missing, busy, silent, another
device, unplugged, frozen, invalid data.
"""

import os

import pytest
import serial
from limber.hardware.protocols.limber import VERSION, WrongVersion, encode
from limber.hardware.protocols.limber import DeviceState as DeviceState
from limber.hardware.safety import Fault, State

from tests.hardware.patience import arm, wait, wait_for, wait_until
from tests.hardware.pty_robot import PtyRobot
from tests.hardware.simulation import make_device


def test_a_missing_port_is_named_and_connects_once_it_is_there(opened, tmp_path):
    port = tmp_path / "robot"
    link = opened(make_device(port=str(port)))
    status = wait_for(link, State.FAULT)
    assert status.fault is Fault.PORT_MISSING
    assert str(port) in status.sentence
    with PtyRobot.for_device(make_device()) as robot:
        port.symlink_to(robot.port)
        link.clear_fault()
        wait_for(link, State.DISARMED)
        link.close()


def test_a_port_that_another_program_has_open_is_busy(opened, robot):
    with serial.Serial(robot.port, exclusive=True):
        link = opened(make_device(port=robot.port))
        assert wait_for(link, State.FAULT).fault is Fault.PORT_BUSY
    link.reconnect()
    wait_for(link, State.DISARMED)


def test_a_second_link_to_a_port_finds_it_busy_and_leaves_the_first_alone(opened, robot):
    first = opened(make_device(port=robot.port))
    arm(first)
    second = opened(make_device(port=robot.port))
    wait(first, lambda _: second.status().state is State.FAULT)
    assert second.status().fault is Fault.PORT_BUSY
    assert wait_for(first, State.ARMED).state is State.ARMED


def test_a_file_that_is_no_port_cannot_be_used(opened, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a robot")
    link = opened(make_device(port=str(path)))
    assert wait_for(link, State.FAULT).fault is Fault.PORT_UNUSABLE


@pytest.mark.skipif(
    os.geteuid() == 0, reason="root may open every port: run as a user to see a port forbidden"
)
def test_a_port_that_may_not_be_opened_names_the_group(opened, robot):
    os.chmod(robot.port, 0)
    link = opened(make_device(port=robot.port))
    status = wait_for(link, State.FAULT)
    assert status.fault is Fault.PORT_FORBIDDEN
    assert "dialout" in status.sentence


def test_a_port_that_never_answers_is_silent(opened, robot):
    robot.freeze()
    link = opened(make_device(port=robot.port))
    assert wait_for(link, State.FAULT).fault is Fault.SILENT
    robot.thaw()
    link.clear_fault()
    wait_for(link, State.DISARMED)


def test_a_port_that_speaks_otherwise_is_not_taken_for_a_robot(opened, robot):
    robot.answer = lambda data: b"echo:busy: processing\n" if data else b""
    link = opened(make_device(port=robot.port))
    assert wait_for(link, State.FAULT).fault is Fault.OTHER_PROTOCOL


def test_a_robot_of_another_version_is_told_apart(opened, robot):
    robot.answer = lambda data: encode(WrongVersion(VERSION + 1, (2, 0))) if data else b""
    link = opened(make_device(port=robot.port))
    status = wait_for(link, State.FAULT)
    assert status.fault is Fault.OTHER_VERSION
    assert f"version {VERSION + 1}" in status.sentence


def test_a_robot_with_too_few_servos_says_so(opened, robot):
    link = opened(make_device(5, port=robot.port))
    status = wait_for(link, State.FAULT, (0.0,) * 5)
    assert status.fault is Fault.UNSUITABLE
    assert "3 servos" in status.sentence


def test_a_cable_pulled_in_motion_is_noticed_and_a_new_one_connects(opened, tmp_path):
    port = tmp_path / "robot"
    with PtyRobot.for_device(make_device()) as robot:
        port.symlink_to(robot.port)
        link = opened(make_device(port=str(port)))
        arm(link)
        robot.unplug()
    assert wait_for(link, State.FAULT).fault is Fault.UNPLUGGED
    port.unlink()
    with PtyRobot.for_device(make_device()) as robot:
        port.symlink_to(robot.port)
        link.clear_fault()
        arm(link)
        link.close()


def test_a_robot_that_freezes_in_motion_is_noticed(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    robot.freeze()
    assert wait_for(link, State.FAULT).fault is Fault.SILENT
    robot.thaw()
    wait_until(lambda: robot.robot.state is not DeviceState.ARMED)


def test_a_robot_that_restarts_in_motion_ends_disarmed(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    robot.reset()
    assert wait_for(link, State.FAULT).fault is Fault.DEVICE_RESET
    assert robot.robot.state is DeviceState.DISARMED
    link.clear_fault()
    arm(link)


def test_a_robot_among_garbage_is_still_understood(opened, robot):
    robot.answer = lambda data: b"\xa5\x04\xfb??" + data if data else b""
    link = opened(make_device(port=robot.port))
    arm(link)
    wait(link, lambda status: status.acknowledged > 50)


def test_a_robot_that_was_stopped_and_then_unplugged_is_not_reached(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    link.stop()
    stopped = wait_for(link, State.FAULT)
    assert stopped.is_reached
    assert stopped.sentence.startswith("Stopped: ")
    robot.unplug()
    status = wait(link, lambda status: not status.is_reached)
    assert (status.state, status.fault) == (State.FAULT, Fault.STOPPED)
    assert status.sentence.startswith(f"Not reached: nothing is known now of the robot on {robot.port}")
    assert stopped.sentence in status.sentence


def test_a_robot_that_is_not_there_is_not_reached(opened, tmp_path):
    link = opened(make_device(port=str(tmp_path / "robot")))
    status = wait_for(link, State.FAULT)
    assert not status.is_reached
    assert status.sentence.startswith("Port ")
