"""Tests the link with a real worker process and a real pty, to simulated bus servos and to a user's own
robot.
"""

import time
from dataclasses import replace

import pytest
from limber.hardware.device import Device
from limber.hardware.protocols.program import read_program
from limber.hardware.safety import Fault, State

from tests.hardware.boards import LineBoard
from tests.hardware.bus_simulation import bus_device
from tests.hardware.devices import direct, one_to_one
from tests.hardware.patience import arm, wait, wait_for
from tests.hardware.pty_robot import PtyRobot
from tests.hardware.servo_bus import DynamixelBus, StsBus
from tests.hardware.simulation import LIMITS

IDS = tuple(range(1, 13))
POSE = (0.1, -0.1) * 6


def on_port(device: Device, port: str) -> Device:
    return replace(device, port=port)


@pytest.mark.parametrize(("protocol", "bus"), [("feetech_sts", StsBus), ("dynamixel", DynamixelBus)])
def test_twelve_servos_on_a_serial_port_are_armed_follow_and_are_read_back(opened, protocol, bus):
    servos = bus(dict.fromkeys(IDS, 2048.0))
    servos.now = time.perf_counter()
    with PtyRobot(servos) as robot:
        link = opened(on_port(bus_device(protocol, "detach", IDS), robot.port))
        arm(link, POSE)
        wait(
            link,
            lambda status: (
                status.measured is not None
                and max(map(abs, map(float.__sub__, status.measured, POSE))) < 0.01
            ),
            POSE,
        )
        assert all(servos.has_torque(number) for number in IDS)
        link.disarm()
        wait_for(link, State.DISARMED, POSE)
        wait(link, lambda status: not any(servos.has_torque(number) for number in IDS), POSE)


def test_a_bus_that_is_unplugged_is_a_fault(opened):
    servos = StsBus(dict.fromkeys(IDS, 2048.0))
    servos.now = time.perf_counter()
    with PtyRobot(servos) as robot:
        link = opened(on_port(bus_device("feetech_sts", ids=IDS), robot.port))
        arm(link, POSE)
        robot.unplug()
        assert wait_for(link, State.FAULT, POSE).fault in (Fault.UNPLUGGED, Fault.PORT_UNUSABLE)


def test_a_users_file_that_never_returns_costs_the_worker_and_nothing_else(opened, tmp_path):
    path = tmp_path / "my_robot.py"
    released = tmp_path / "released"
    path.write_text(
        f"import os\n\ndef frame(positions):\n    while not os.path.exists({str(released)!r}):\n       "
        " pass\n    return b''\n"
    )
    gone = (
        Fault.WORKER_HUNG,
        Fault.WORKER_DIED,
    )  # with real-time priority the system would end it before Blender does
    with PtyRobot(LineBoard()) as robot:
        program = read_program(path).digest
        link = opened(
            one_to_one(robot.port, [direct("joint", 0, LIMITS)], protocol=f"file:{path}", program=program)
        )
        assert wait_for(link, State.WORKER_LOST, (0.0,)).fault in gone
        released.touch()
        link.clear_fault()
        wait_for(link, State.DISARMED, (0.0,))
