"""Tests limits and homing offsets that servos store: goals keep within them, and differences from the
calibration are named before arming.
"""

import math
from dataclasses import replace

import pytest
from limber.hardware.calibration_file import RobotCalibration, from_text, to_text
from limber.hardware.device import ServoChannel, Share
from limber.hardware.errors import DeviceError
from limber.hardware.protocols.servo_state import StoredSettings
from limber.hardware.safety import Command, Fault, State
from limber.hardware.sentences import sentence
from limber.hardware.worker.servos.stored_ranges import other_offsets, shortened, within_own_limits

from tests.hardware.bus_simulation import (
    BUSES,
    PLACES,
    POSE,
    STEPS_PER_RAD,
    BusSimulation,
    begin,
    bus_device,
    simulation,
)
from tests.hardware.servo_bus import Bus, DynamixelBus, StsBus
from tests.hardware.simulation import still

__all__ = ["begin", "simulation"]

LIMIT_REGISTERS = {StsBus: (9, 11, 2), DynamixelBus: (52, 48, 4)}
OFFSET_REGISTER = {StsBus: (31, 2), DynamixelBus: (20, 4)}
REPORTS = {StsBus: -1, DynamixelBus: 1}  # reported = actual + this * offset


def store_limits(bus: Bus, number: int, lowest: int, highest: int) -> None:
    low, high, size = LIMIT_REGISTERS[type(bus)]
    servo = bus.servos[number]
    bus.put(servo, low, lowest, size)
    bus.put(servo, high, highest, size)


def store_offset(bus: Bus, number: int, offset: int) -> None:
    at, size = OFFSET_REGISTER[type(bus)]
    bus.put(
        bus.servos[number], at, (-offset | 0x800) if offset < 0 and isinstance(bus, StsBus) else offset, size
    )


def changed(protocol: str, servo: int, **settings) -> BusSimulation:
    """A simulation whose channel of a servo has other settings."""
    device = bus_device(protocol)
    channels = tuple(replace(one, **settings) if one.servo == servo else one for one in device.channels)
    return BusSimulation(replace(device, channels=channels), BUSES[protocol](dict(PLACES)))


def says(simulation) -> str:
    report = simulation.report
    return sentence(report.state, report.fault, report.detail, simulation.device)


def degrees(steps: float) -> float:
    return math.degrees((steps - 2048) / STEPS_PER_RAD)


def test_goals_end_at_the_limits_that_a_servo_stores_and_the_joint_is_named(simulation):
    store_limits(simulation.bus, 2, 1900, 2200)
    simulation.arm(POSE)
    report = simulation.run(4.0, still(0.4, -0.8, 0.2))
    assert report.state is State.ARMED
    assert report.channels[1].commanded == pytest.approx(1900)
    assert simulation.bus.servos[2].position == pytest.approx(1900, abs=1)
    assert report.commanded[1] == pytest.approx(math.radians(degrees(1900)))
    assert report.channels[1].error == pytest.approx(0.0, abs=0.01), (
        "nothing is behind: what is commanded is what it can do"
    )
    warnings = "\n".join(report.warnings)
    assert f"'joint 2' goes from {degrees(1900):.1f} degrees to {degrees(2200):.1f} degrees" in warnings
    assert "'joint 1'" not in warnings
    simulation.run(2.0, still(0.4, 0.0, 0.2))
    assert simulation.bus.servos[2].position == pytest.approx(2048, abs=2)


def test_limits_stored_while_the_robot_was_disarmed_hold_from_the_next_arming(simulation):
    simulation.arm(POSE)
    simulation.command(Command.DISARM)
    simulation.run(1.0, POSE)
    assert not any("narrower" in text for text in simulation.report.warnings)
    store_limits(simulation.bus, 3, 2048, 2400)
    simulation.arm(POSE)
    report = simulation.run(3.0, still(0.4, -0.3, -0.5))
    assert report.channels[2].commanded == pytest.approx(2048)
    assert report.state is State.ARMED


@pytest.mark.parametrize("protocol", BUSES)
def test_a_position_that_a_homing_offset_shifts_is_read_and_commanded_as_the_servo_reports_it(
    begin, protocol
):
    simulation = begin(protocol)
    store_offset(simulation.bus, 2, -45)
    simulation.arm(POSE)
    report = simulation.run(3.0, POSE)
    assert report.channels[1].homing_offset == -45
    shift = -REPORTS[type(simulation.bus)] * -45
    assert simulation.bus.servos[2].position == pytest.approx(2048 - 0.3 * STEPS_PER_RAD + shift, abs=1.5)
    assert report.positions[1] == pytest.approx(-0.3, abs=0.002)


@pytest.mark.parametrize("protocol", BUSES)
def test_a_servo_with_another_homing_offset_than_it_was_calibrated_with_is_not_armed(protocol):
    simulation = changed(protocol, 2, homing_offset=-45)
    store_offset(simulation.bus, 2, 12)
    report = simulation.run(1.0, POSE)
    text = "'joint 2' (servo 2): its homing offset is 12, and it was calibrated with -45"
    assert report.state is State.DISARMED, "it can be connected and calibrated"
    assert text in "\n".join(report.warnings)
    simulation.command(Command.ARM)
    report = simulation.run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.OTHER_CALIBRATION)
    assert text in says(simulation)
    assert not any(simulation.bus.has_torque(number) for number in simulation.bus.servos)
    store_offset(simulation.bus, 2, -45)
    simulation.command(Command.CLEAR_FAULT)
    simulation.arm(POSE)
    simulation.close()


@pytest.mark.parametrize("protocol", BUSES)
def test_a_servo_whose_limits_lie_outside_of_the_range_is_not_armed(protocol):
    simulation = changed(protocol, 1, highest=3000.0)
    simulation.bus.servos[1].position = 3100.0
    store_limits(simulation.bus, 1, 3050, 3500)
    simulation.run(1.0, POSE)
    simulation.command(Command.ARM)
    assert simulation.run(1.0, POSE).fault is Fault.OTHER_CALIBRATION
    assert "'joint 1' (servo 1): its own limits are 3050 to 3500, and its range here is 1 to 3000" in says(
        simulation
    )
    assert not any(simulation.bus.has_torque(number) for number in simulation.bus.servos)
    simulation.close()


def test_ranges_and_offsets_are_compared_by_channel():
    device = bus_device("feetech_sts")
    stored = {
        1: StoredSettings(1, bounds=(0, 4095), homing_offset=7),
        2: StoredSettings(2, bounds=(2000, 2100)),
    }
    assert within_own_limits(device, {}, 1.0) is device
    assert within_own_limits(device, {1: stored[1]}, 1.0) is device
    narrowed = within_own_limits(device, stored, 1.0)
    assert [(one.lowest, one.highest) for one in narrowed.channels] == [
        (1.0, 4095.0),
        (2000.0, 2100.0),
        (1.0, 4095.0),
    ]
    assert "'joint 2' goes from -4.2 degrees to 4.6 degrees" in shortened(device, narrowed)
    assert shortened(device, device) == ""
    assert other_offsets(device, stored) == "", "nothing is known of the calibration's own offsets"
    with pytest.raises(
        DeviceError,
        match=r"'joint 3' \(servo 3\): its own limits are 5000 to 6000, and its range here is 1 to 4095",
    ):
        within_own_limits(device, {3: StoredSettings(3, bounds=(5000, 6000))}, 1.0)


def test_a_channel_keeps_its_homing_offset_in_the_calibration_file():
    channel = ServoChannel(3, (Share("pan"),), homing_offset=-45)
    device = bus_device("feetech_sts")
    joint = replace(device.joints[0], name="pan")
    calibration = RobotCalibration.of(replace(device, joints=(joint,), channels=(channel,)))
    assert from_text(to_text(calibration)).channels == (channel,)
