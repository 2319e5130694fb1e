"""Tests the link with a real worker process: over shared memory alone, and over a real pty to a robot with
faults on command.
"""

import math

import pytest
from limber.hardware import device as devices
from limber.hardware.errors import AnglesError, WorkerError
from limber.hardware.link import WorkerLink
from limber.hardware.mixing import Mixing
from limber.hardware.protocols.limber import DeviceState as DeviceState
from limber.hardware.safety import Fault, State

from tests.hardware.patience import POSE, arm, wait, wait_for, wait_until
from tests.hardware.simulation import make_device


@pytest.mark.parametrize("port", [devices.VIRTUAL_PORT, devices.VIRTUAL_HOBBY_PORT])
def test_the_virtual_robot_connects_arms_follows_and_disarms(opened, port):
    link = opened(make_device(port=port))
    arm(link)
    there = wait(
        link, lambda status: status.commanded is not None and math.dist(status.commanded, POSE) < 1e-6
    )
    assert there.sent > 0
    if port == devices.VIRTUAL_PORT:
        wait(link, lambda status: math.dist(status.measured, POSE) < 1e-2)
    link.disarm()
    wait_for(link, State.DISARMED)


def test_a_robot_on_a_serial_port_goes_where_blender_says(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    status = wait(
        link, lambda status: status.measured is not None and math.dist(status.measured, POSE) < 1e-2
    )
    assert status.acknowledged > 0
    assert status.lost == 0


def test_connecting_moves_nothing(opened, robot):
    link = opened(make_device(port=robot.port))
    wait_for(link, State.DISARMED)
    wait(link, lambda status: status.measured is not None)
    with robot.lock:
        assert robot.robot.pulses == (None,) * 3


def test_of_frames_faster_than_the_worker_reads_each_third_is_announced(opened):
    """Their velocities stay per frame of Blender."""
    link = opened(make_device())
    for _ in range(4):
        link.send(POSE, plays=True, due=1 / 240)
    orders = link._memory.read_orders()
    assert orders.due == pytest.approx(3 / 240)
    assert orders.step == link.unit(1 / 240) == pytest.approx(1 / 240)


def test_a_closed_link_takes_frames_and_wishes_without_a_word():
    link = WorkerLink(make_device())
    link.send(POSE)
    link.arm()
    link.stop()
    status = link.status()
    assert status.state is State.CLOSED
    assert "Connect" in status.sentence


def test_the_wrong_number_of_angles_is_an_error_that_says_how_many():
    with pytest.raises(AnglesError, match="2 values for 3 joints"):
        WorkerLink(make_device()).send((0.0, 0.0))


def test_an_interpreter_that_is_not_there_is_an_error_that_names_it():
    with pytest.raises(WorkerError, match="/no/such/python"):
        WorkerLink(make_device(), python="/no/such/python").open()


def test_stop_reaches_the_robot_and_latches(opened, robot):
    link = opened(make_device(port=robot.port))
    arm(link)
    link.stop()
    wait_until(lambda: robot.robot.state is DeviceState.FAULT)
    assert wait_for(link, State.FAULT).fault is Fault.STOPPED
    link.arm()
    link.clear_fault()
    wait_for(link, State.DISARMED)
    arm(link)


def test_frames_that_are_no_numbers_hold_the_robot_and_name_the_joint(opened):
    link = opened(make_device())
    arm(link)
    bad = (0.0, math.nan, 0.0)
    status = wait(link, lambda status: status.state is State.HOLDING and "joint 1" in status.sentence, bad)
    assert status.refused > 0
    wait_for(link, State.ARMED)


def test_frames_out_of_range_stay_within_it(opened, robot):
    device = make_device(port=robot.port)
    link = opened(device)
    arm(link)
    wait(
        link,
        lambda status: status.clamped > 0 and math.dist(status.commanded, (1.5, -1.5, 0.0)) < 1e-6,
        (99.0, -99.0, 0.0),
    )
    with robot.lock:
        angles = Mixing(device).values(robot.robot.pulses)
    assert all(abs(angle) <= 1.51 for angle in angles)


def test_without_pyserial_the_virtual_robot_works_and_a_port_says_what_is_missing(opened, monkeypatch, robot):
    monkeypatch.setattr("limber.hardware.link.pyserial_folder", lambda: "")
    wait_for(opened(make_device()), State.DISARMED)
    assert wait_for(opened(make_device(port=robot.port)), State.FAULT).fault is Fault.NO_PYSERIAL
