"""Tests values that servos report about themselves, servos that do not follow, and robots whose reported pose
is impossible. In simulated time.
"""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from limber.hardware.device import Device, DeviceJoint, ServoChannel, Share
from limber.hardware.protocols.settings import ProtocolSettings
from limber.hardware.safety import Command, Fault, State
from limber.motion import Limits

from tests.hardware.bus_simulation import BUSES, PLACES, POSE, STEPS_PER_RAD, BusSimulation, bus_device
from tests.hardware.devices import direct
from tests.hardware.servo_bus import StsBus
from tests.hardware.simulation import LIMITS, still, waving

TEMPERATURE = {"feetech_sts": 63, "dynamixel": 146}
VOLTAGE = {"feetech_sts": 62, "dynamixel": 144}
A_STEP = (
    # [steps] in 5 ms: twice the ramp's speed, with goals every one or two cycles; a servo that jumps moves 15
    8
)


@pytest.fixture(params=BUSES)
def protocol(request):
    return request.param


@pytest.fixture
def bus(protocol):
    simulation = BusSimulation(bus_device(protocol), BUSES[protocol](dict(PLACES)))
    yield simulation
    simulation.close()


@pytest.mark.parametrize("armed", [False, True])
def test_temperature_and_voltage_of_every_servo_are_told_within_two_seconds(bus, protocol, armed):
    for number, servo in bus.bus.servos.items():
        servo.table[TEMPERATURE[protocol]] = 30 + number
    if armed:
        bus.arm(waving)
    bus.run(2.0, waving)
    assert [channel.temperature for channel in bus.report.channels] == [31.0, 32.0, 33.0]
    assert [channel.voltage for channel in bus.report.channels] == pytest.approx([12.0] * 3)
    assert bus.report.warnings == ()


def test_joints_that_are_too_fast_for_their_servos_are_warned_of(protocol):
    device = bus_device(protocol)
    slow = replace(device, channels=(replace(device.channels[0], speed=2.0), *device.channels[1:]))
    simulation = BusSimulation(slow, BUSES[protocol](dict(PLACES)))
    simulation.run(0.5, POSE)
    (warning,) = simulation.report.warnings
    assert "'joint 1' (servo 1) needs 180 degrees a second and can do 115" in warning
    simulation.close()


@pytest.mark.parametrize("way", [1, -1])
def test_servos_that_turn_more_than_once_are_driven_there_where_the_device_says_so(protocol, way):
    device = bus_device(protocol)
    servo = {"zero": 2048.0, "per_radian": STEPS_PER_RAD, "lowest": -9000.0, "highest": 12000.0}
    joint, channel = direct("spool", 1, Limits(-8.0, 8.0, 6.0, 30.0, 300.0), **servo)
    spool = replace(device, joints=(joint,), channels=(channel,))
    bus = BUSES[protocol]({1: 2048.0 + way * 7.0 * STEPS_PER_RAD})
    if protocol == "feetech_sts":
        bus.servos[1].table[9:13] = bytes(4)  # no angle limits: more than one revolution
    else:
        bus.servos[1].table[11] = 4  # extended position mode
    simulation = BusSimulation(replace(spool, settings=ProtocolSettings(multi_turn=True)), bus)
    simulation.arm(still(way * 7.5))
    simulation.run(0.5, still(way * 7.5))
    assert bus.servos[1].position == pytest.approx(2048.0 + way * 7.5 * STEPS_PER_RAD, abs=2)
    simulation.close()
    simulation = BusSimulation(spool, bus)
    report = simulation.run(0.5, still(0.0))
    assert report.fault is Fault.UNSUITABLE
    assert "'spool' (servo 1)" in report.detail
    simulation.close()


def test_a_hot_servo_a_weak_supply_and_a_strained_servo_are_told_before_anything_trips(bus, protocol):
    bus.arm(waving)
    bus.run(1.5, waving)
    bus.bus.servos[2].table[TEMPERATURE[protocol]] = 64
    bus.bus.servos[3].table[VOLTAGE[protocol]] = 90
    bus.bus.servos[1].pushes = 900 if protocol == "feetech_sts" else 0
    report = bus.run(4.0, waving)
    assert report.state is State.ARMED
    text = "\n".join(report.warnings)
    assert "'joint 2' (servo 2) is hot (64 °C)" in text
    assert "'joint 3' (servo 3) gets 9.0 V of 12.0 V" in text
    assert ("'joint 1' (servo 1) works at 90% of its strength" in text) is (protocol == "feetech_sts")


def test_a_current_is_told_where_a_dynamixel_has_one(bus, protocol):
    if protocol != "dynamixel":
        return
    bus.bus.servos[1].pushes = -250
    bus.run(2.0, POSE)
    assert bus.report.channels[0].current == pytest.approx(-0.25)  # the unit is 1 mA on an XL330
    assert bus.report.channels[0].load is None


def test_a_blocked_joint_is_warned_of_and_then_a_fault_with_expected_and_found(bus):
    bus.arm(still(0.0, 0.0, 0.0))
    bus.run(0.5, still(0.0, 0.0, 0.0))
    bus.bus.servos[2].stuck = True
    away = still(0.0, 0.25, 0.0)
    warned = bus.run(1.5, away)
    assert warned.state is State.ARMED
    assert (
        "'joint 2' (servo 2) stays behind: it should be at 14.3 degrees and is at 0.0 degrees"
        in warned.warnings
    )
    assert warned.channels[1].error == pytest.approx(-0.25, abs=0.01)
    farther = still(0.0, 0.5, 0.0)
    report = bus.run(4.0, farther)
    assert (report.state, report.fault) == (State.FAULT, Fault.BLOCKED)
    assert report.detail == "'joint 2' (servo 2): it should be at 28.6 degrees and is at 0.0 degrees"


def test_a_blocked_servo_no_longer_pushes_and_is_back_in_two_clicks(bus):
    bus.arm(still(0.0, 0.0, 0.0))
    bus.bus.servos[2].stuck = True
    bus.run(4.0, still(0.0, 0.6, 0.0))
    assert bus.report.fault is Fault.BLOCKED
    bus.run(0.1)
    assert bus.bus.goal(bus.bus.servos[2]) == pytest.approx(bus.bus.servos[2].position, abs=1)
    bus.bus.servos[2].stuck = False
    bus.command(Command.CLEAR_FAULT)
    bus.run(0.3, still(0.0, 0.6, 0.0))
    bus.arm(still(0.0, 0.6, 0.0))


def test_a_servo_at_full_speed_is_not_taken_for_one_that_stays_behind(bus):
    def fast(time: float) -> tuple[float, ...]:
        return (0.0, 1.0 * math.sin(2.8 * time), 0.0)  # at most 2.8 rad/s, of 3.1

    bus.arm(fast)
    for _ in range(40):
        assert bus.run(0.1, fast).warnings == ()
    assert bus.state is State.ARMED


def test_a_jog_against_a_stop_is_a_fault_as_well(bus):
    bus.run(1.0, POSE, until=State.DISARMED)
    bus.bus.servos[1].stuck = True
    bus.command(Command.JOG, target=0, amount=0.8)
    assert bus.run(5.0, POSE).fault is Fault.BLOCKED


@pytest.mark.parametrize("command", [Command.ARM, Command.PARK])
def test_a_robot_far_outside_its_range_is_not_armed_and_the_sentence_has_the_numbers(protocol, command):
    simulation = BusSimulation(bus_device(protocol), BUSES[protocol]({**PLACES, 2: 4000.0}))
    simulation.run(1.0, POSE, until=State.DISARMED)
    simulation.command(command, values=(0.0, 0.0, 0.0))
    report = simulation.run(0.5, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.POSE_UNFIT)
    assert (
        report.detail
        == "'joint 2' (servo 2) is at 171.6 degrees, and may be at -85.9 degrees to 85.9 degrees"
    )
    assert simulation.limp() == [True] * 3
    simulation.close()


def mirrored() -> Device:
    settings = {"zero": 2048.0, "per_radian": STEPS_PER_RAD, "lowest": 0.0, "highest": 4095.0}
    channels = (
        ServoChannel(1, (Share("shoulder"),), **settings),
        ServoChannel(2, (Share("shoulder"),), direction=-1, **settings),
        ServoChannel(3, (Share("wrist", 2.0),), **settings),
    )
    return Device(
        "a port",
        (DeviceJoint("shoulder", LIMITS), DeviceJoint("wrist", LIMITS)),
        channels,
        1_000_000,
        "feetech_sts",
    )


def test_servos_on_one_axis_that_disagree_are_not_armed_and_are_named():
    simulation = BusSimulation(mirrored(), StsBus({1: 2348.0, 2: 2048.0, 3: 2048.0}))
    simulation.run(1.0, still(0.0, 0.0), until=State.DISARMED)
    simulation.command(Command.ARM)
    report = simulation.run(0.5, still(0.0, 0.0))
    assert report.fault is Fault.POSE_UNFIT
    assert "13.2" in report.detail
    simulation.close()


def test_small_disagreement_melts_away_without_a_leap():
    simulation = BusSimulation(mirrored(), StsBus({1: 2148.0, 2: 2048.0, 3: 2048.0}))
    simulation.arm(still(0.0, 0.0))
    positions = [servo.moves for servo in simulation.bus.servos.values()]
    simulation.run(3.0, still(0.0, 0.0))
    assert [servo.position for servo in simulation.bus.servos.values()] == pytest.approx([2048.0] * 3, abs=1)
    assert max(abs(b - a) for row in positions for a, b in pairwise(row)) <= A_STEP
    simulation.close()


def test_mirrored_servos_follow_one_joint_in_step():
    simulation = BusSimulation(mirrored(), StsBus({1: 2148.0, 2: 1948.0, 3: 2048.0}))
    simulation.arm(lambda time: (0.6 * math.sin(2 * time), 0.3 * math.sin(time)))
    for _ in range(30):
        simulation.run(0.1, lambda time: (0.6 * math.sin(2 * time), 0.3 * math.sin(time)))
        first, second, _ = (servo.position for servo in simulation.bus.servos.values())
        assert first - 2048 == pytest.approx(2048 - second, abs=3)
    assert simulation.report.measured == pytest.approx(simulation.report.commanded, abs=0.1)
    simulation.close()


def test_a_device_whose_servo_stands_a_little_beyond_its_range_is_led_back_without_a_leap(protocol):
    device = bus_device(protocol)
    channels = tuple(replace(channel, lowest=1700.0, highest=2400.0) for channel in device.channels)
    simulation = BusSimulation(replace(device, channels=channels), BUSES[protocol]({**PLACES, 3: 2560.0}))
    simulation.arm(still(0.0, 0.0, 0.4))
    moves = simulation.bus.servos[3].moves
    assert max(abs(b - a) for a, b in pairwise(moves)) <= A_STEP
    simulation.close()


def test_a_blocked_servo_that_several_joints_turn_is_told_by_its_own_turn():
    settings = {"zero": 2048.0, "per_radian": 4096 / math.tau, "lowest": 1.0, "highest": 4095.0}
    tilt, nod = Share("tilt"), Share("nod")
    channels = (
        ServoChannel(1, (tilt, nod), **settings),
        ServoChannel(2, (tilt, Share("nod", -1.0)), **settings),
    )
    device = Device(
        "a port",
        (DeviceJoint("tilt", LIMITS), DeviceJoint("nod", LIMITS)),
        channels,
        1_000_000,
        "feetech_sts",
    )
    simulation = BusSimulation(device, StsBus({1: 2048.0, 2: 2048.0}))
    simulation.arm(still(0.0, 0.0))
    simulation.bus.servos[1].stuck = True
    report = simulation.run(5.0, still(0.3, 0.2), until=State.FAULT)
    assert (report.state, report.fault) == (State.FAULT, Fault.BLOCKED)
    assert "its servo should be rotated by 28.6 degrees and is by 0.0 degrees" in report.detail
    simulation.close()
