"""Tests that servos in another mode, beyond their range, or without their limits are detected before they
move.
"""

import math

import pytest
from limber.hardware.protocols.bus.instructions import StatusPacket
from limber.hardware.protocols.dynamixel.series import dynamixel
from limber.hardware.protocols.feetech.series import feetech
from limber.hardware.protocols.servo_state import StoredSettings, VolatileSettings
from limber.hardware.safety import Command, Fault, State
from limber.hardware.sentences import sentence
from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.servos.servo_diagnostics import ServoDiagnostics

from tests.hardware.bus_simulation import BUSES, POSE, STEPS_PER_RAD, begin, bus_device, simulation
from tests.hardware.device_packets import DynamixelDevice, FeetechDevice
from tests.hardware.servo_bus import Bus, DynamixelBus, StsBus
from tests.hardware.simulation import waving

__all__ = ["begin", "simulation"]

SLOWS_DOWN = 0.17  # [s] longest time in which `waving` slows down within the limits
DEGREE = STEPS_PER_RAD * math.tau / 360.0  # [steps] of one degree
SPEED = {StsBus: (46, 2), DynamixelBus: (112, 4)}  # register of the speed limit, and its number of bytes
MODE = {StsBus: 33, DynamixelBus: 11}
SPINNING = {StsBus: (1, 46, 800), DynamixelBus: (1, 104, 60)}  # mode, register of the speed, and a speed


def written(bus: Bus) -> list[tuple[int, int, bytes]]:
    """Records writes from now on: servo, address, data."""
    notes: list[tuple[int, int, bytes]] = []
    write = bus._write

    def noted(number: int, start: int, data: bytes) -> int:
        notes.append((number, start, bytes(data)))
        return write(number, start, data)

    bus._write = noted
    return notes


def spin(bus: Bus, number: int) -> None:
    """Sets a servo to continuous rotation, as another program would."""
    mode, register, speed = SPINNING[type(bus)]
    servo = bus.servos[number]
    servo.table[MODE[type(bus)]], servo.table[bus.TORQUE] = mode, 1
    bus.put(servo, register, speed, 2 if isinstance(bus, StsBus) else 4)


def speed_limit(bus: Bus, number: int) -> int:
    return bus.number(bus.servos[number], *SPEED[type(bus)])


def says(simulation) -> str:
    report = simulation.report
    return sentence(report.state, report.fault, report.detail, simulation.device)


WRONG = [
    ("feetech_sts", 33, 1, "its operating mode (register 33) is 1 (wheel) and must be 0 (position)"),
    ("feetech_sts", 33, 2, "is 2 (PWM)"),
    ("feetech_sts", 33, 3, "is 3 (step)"),
    ("feetech_sts", 33, 9, "is 9 and must be 0 (position)"),
    (
        "dynamixel",
        11,
        0,
        "its operating mode (address 11) is 0 (current) and must be 3 (position), 4 (extended position) or 5",
    ),
    ("dynamixel", 11, 1, "is 1 (velocity)"),
    ("dynamixel", 11, 16, "is 16 (PWM)"),
    ("dynamixel", 10, 4, "its drive mode (address 10) is 4 and must be without 4 (time-based profile)"),
    ("dynamixel", 10, 9, "without 4 (time-based profile) and 8 (torque on by goal update)"),
]


@pytest.mark.parametrize(("protocol", "register", "number", "words"), WRONG)
def test_nothing_is_written_to_servos_of_which_one_is_set_to_move_otherwise(
    begin, protocol, register, number, words
):
    simulation = begin(protocol)
    bus, servo = simulation.bus, simulation.bus.servos[2]
    if protocol == "dynamixel":
        bus.put(servo, 100, 0)  # goals for which it stands still
        bus.put(servo, 102, 0)
    servo.table[register], servo.table[bus.TORQUE] = number, 1
    notes, stood = written(bus), simulation.robot.positions
    report = simulation.run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.WRONG_MODE)
    assert "'joint 2' (servo 2): its " in says(simulation)
    assert words in says(simulation)
    assert notes == []
    assert simulation.robot.positions == stood
    servo.table[bus.TORQUE], servo.table[register] = 0, 3 if register == 11 else 0
    simulation.command(Command.CLEAR_FAULT)
    simulation.arm(POSE)


@pytest.mark.parametrize("protocol", BUSES)
def test_a_servo_that_spins_before_it_is_connected_loses_its_torque_by_stop(begin, protocol):
    simulation = begin(protocol)
    spin(simulation.bus, 2)
    simulation.run(1.0, POSE)
    assert simulation.report.fault is Fault.WRONG_MODE
    assert simulation.bus.has_torque(2)
    simulation.stop()
    simulation.run(0.02, POSE)
    assert not simulation.bus.has_torque(2)
    assert simulation.report.fault is Fault.STOPPED


@pytest.mark.parametrize("protocol", BUSES)
def test_servos_that_are_to_go_limp_do_so_though_the_line_damages_what_stop_sends(begin, protocol):
    """The frames with which a stop begins have no answers, so the torque of each servo is switched off once
    more, with an answer.
    """
    simulation = begin(protocol, on_silence="detach")
    simulation.arm(waving)
    simulation.cable.spoil = lambda data: b""
    simulation.stop()
    simulation.run(PERIOD, waving)
    simulation.cable.spoil = lambda data: data
    simulation.run(0.4, waving)
    assert simulation.limp() == [True] * 3
    assert simulation.report.fault is Fault.STOPPED
    simulation.command(Command.CLEAR_FAULT)
    simulation.run(0.2, waving)
    simulation.arm(waving)


def test_a_mode_that_was_changed_while_the_robot_was_disarmed_is_found_when_it_is_armed(simulation):
    simulation.arm(POSE)
    simulation.command(Command.DISARM)
    simulation.run(1.5, POSE)
    simulation.bus.servos[3].table[MODE[type(simulation.bus)]] = 1
    simulation.bus.servos[3].table[simulation.bus.TORQUE] = 0
    notes = written(simulation.bus)
    simulation.command(Command.ARM)
    report = simulation.run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.WRONG_MODE)
    assert {start for _, start, _ in notes} == {simulation.bus.TORQUE}, "it is made limp, and that is all"
    assert {number for number, _, _ in notes} == {3}


@pytest.mark.parametrize("ending", ["stop", "disarm", "disconnect"])
def test_a_servo_that_goes_on_turning_after_its_motion_was_ended_loses_its_torque_and_the_others_hold(
    simulation, ending
):
    pose = (
        POSE if ending == "disarm" else waving
    )  # a robot that slows down before it is disarmed is monitored meanwhile
    simulation.arm(pose)
    simulation.run(0.3, pose)
    spin(simulation.bus, 2)
    ended = simulation.now
    if ending == "stop":
        simulation.stop()
    elif ending == "disarm":
        simulation.command(Command.DISARM)
    else:
        while not simulation.worker.shut_down(simulation.now):
            simulation.pass_time(PERIOD)
        simulation.worker.close(simulation.now)
        assert simulation.now - ended <= 0.6
    if ending != "disconnect":
        simulation.run(0.6, pose)
    assert simulation.limp() == [False, True, False]
    if ending == "stop":
        assert simulation.report.fault is Fault.STOPPED
        assert "'joint 2' (servo 2) went on turning after Stop and was made limp" in "\n".join(
            simulation.report.warnings
        )
    if ending == "disarm":
        assert simulation.report.fault is Fault.WENT_ON
        assert "'joint 2' (servo 2)" in says(simulation)


@pytest.mark.parametrize("protocol", BUSES)
def test_servos_that_stand_are_seen_to_stand_at_once_and_keep_their_torque(begin, protocol):
    simulation = begin(protocol)
    simulation.arm(waving)
    simulation.run(0.3, waving)
    ended = simulation.now
    while not simulation.worker.shut_down(simulation.now):
        simulation.pass_time(PERIOD)
    assert simulation.now - ended <= 0.3 + SLOWS_DOWN
    assert simulation.limp() == [False] * 3


def test_a_servo_that_is_pushed_a_little_after_a_stop_holds_on(simulation):
    simulation.arm(POSE)
    simulation.stop()
    for _ in range(12):
        simulation.run(0.1, POSE)
        simulation.bus.servos[2].position += 2.5 * DEGREE
    assert simulation.limp() == [False] * 3


def test_an_scs_servo_without_angle_limits_is_refused_and_others_have_them_for_bounds():
    codec, packets = feetech("scs"), FeetechDevice()
    (question,) = codec.settings([3])
    told = {}
    for highest in (0, 900):
        decoder = codec.decoder()
        decoder.expect(question)
        (told[highest],) = decoder.feed(
            packets.encode_status(StatusPacket(3, 0, (0).to_bytes(2, "big") + highest.to_bytes(2, "big")))
        )
    assert told[0] == StoredSettings(
        3, "its highest angle limit (register 11) is 0 (motor mode) and must be above 0"
    )
    assert told[900] == StoredSettings(3, "", (0, 900))


def test_servos_that_answer_one_by_one_are_asked_one_by_one_what_they_still_know():
    """A dozen answers in succession would delay the goals by a tenth of a second."""
    device = bus_device("feetech_scs", ids=(1, 2, 3))
    codec = feetech("scs")
    health = ServoDiagnostics(device, codec)
    held = {servo: VolatileSettings(True, 500.0) for servo in (1, 2, 3)}
    asked = [health.check(0.25 * k, held) for k in range(6)]
    assert [
        [answer.servo for exchange in exchanges for answer in exchange.answers] for exchanges in asked
    ] == [[2], [3], [1]] * 2


def test_a_dynamixel_that_turns_more_than_once_needs_an_extended_mode():
    codec = dynamixel(multi_turn=True)
    (question,) = codec.settings([1])
    decoder = codec.decoder()
    decoder.expect(question)
    table = bytearray(64)
    table[11] = 3
    (settings,) = decoder.feed(DynamixelDevice().encode_status(StatusPacket(1, 0, bytes(table[10:56]))))
    assert (
        settings.refusal
        == "its operating mode (address 11) is 3 (position) and must be 4 (extended position) or 5"
        " (current-based position)"
    )


BEYOND = [
    (
        "feetech_sts",
        {"position": 4346.0},
        {18: 0x1C},
        "reads 4346, and goals go from 0 to 4095 steps",
    ),  # full angle
    ("feetech_sts", {"position": 100.0}, {18: 0x1C, 31: 0x2C, 32: 0x01}, "reads -200,"),  # and an offset
    (
        "feetech_sts",
        {"position": 1000.0},
        {9: 0xDC, 10: 0x05},
        "reads 1000, and its own limits are 1500 to 4095 steps",
    ),
    ("dynamixel", {"position": 4200.0}, {}, "reads 4200, and goals go from 0 to 4095 steps"),
    (
        "dynamixel",
        {"position": 1000.0},
        {52: 0xDC, 53: 0x05},
        "reads 1000, and its own limits are 1500 to 4095 steps",
    ),
]


@pytest.mark.parametrize(("protocol", "state", "table", "words"), BEYOND)
def test_a_servo_that_cannot_be_told_to_stay_where_it_reads_gets_no_torque(
    begin, protocol, state, table, words
):
    positions = {1: 1800.0, 2: state["position"], 3: 2300.0}
    simulation = begin(protocol, positions=positions)
    for address, number in table.items():
        simulation.bus.servos[2].table[address] = number
    simulation.run(1.0, POSE, until=State.DISARMED)
    simulation.worker._pose.implausible = lambda raw: ""  # as if the joint's own range were wide enough
    simulation.command(Command.ARM)
    report = simulation.run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.POSITION_DOUBTFUL)
    assert f"'joint 2' (servo 2) {words}" in says(simulation)
    assert simulation.limp() == [True] * 3
    assert simulation.robot.positions == tuple(positions.values())


def test_a_dynamixel_whose_reading_changes_when_it_gets_torque_loses_it_again_before_it_has_moved(begin):
    simulation = begin("dynamixel", positions={1: 1800.0, 2: 2500.0, 3: 2300.0})
    servo = simulation.bus.servos[2]
    simulation.bus.put(servo, 20, -1000, 4)
    # rotated by hand into another revolution: it reads 3500, and would read -596 with torque
    servo.position = 4500.0
    simulation.run(1.0, POSE, until=State.DISARMED)
    simulation.worker._pose.implausible = lambda raw: ""  # as above
    simulation.command(Command.ARM)
    report = simulation.run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.POSITION_DOUBTFUL)
    assert "'joint 2' (servo 2) read 3500 without torque and -596 with it" in says(simulation)
    assert not simulation.bus.has_torque(2)
    assert abs(servo.position - 4500.0) < DEGREE


@pytest.mark.parametrize("ending", ["stop", "disarm"])
def test_a_dynamixel_whose_reading_changes_loses_its_torque_also_where_arming_is_broken_off_before_it_is_read_again(
    begin, ending
):
    simulation = begin("dynamixel", positions={1: 1800.0, 2: 2500.0, 3: 2300.0})
    servo = simulation.bus.servos[2]
    simulation.bus.put(servo, 20, -1000, 4)
    servo.position = 4500.0
    simulation.run(1.0, POSE, until=State.DISARMED)
    simulation.worker._pose.implausible = lambda raw: ""  # as above
    simulation.command(Command.ARM)
    while not simulation.bus.has_torque(2):
        simulation.run(PERIOD, POSE)
    if ending == "stop":
        simulation.stop()
    else:
        simulation.command(Command.DISARM)
    simulation.run(0.5, POSE)
    assert simulation.limp() == [False, True, True], "the third had not got torque yet"
    assert abs(servo.position - 4500.0) < DEGREE


@pytest.mark.parametrize("protocol", BUSES)
def test_limits_are_written_and_read_back_at_every_arm(begin, protocol):
    simulation = begin(protocol)
    simulation.run(1.0, POSE, until=State.DISARMED)
    notes = written(simulation.bus)
    simulation.arm(POSE)
    limits = {number: speed_limit(simulation.bus, number) for number in (1, 2, 3)}
    assert all(limits.values())
    simulation.command(Command.DISARM)
    simulation.run(1.5, POSE)
    for number in (1, 2, 3):
        simulation.bus.restart(number)  # its supply drops briefly
    assert speed_limit(simulation.bus, 1) == 0
    notes.clear()
    simulation.arm(POSE)
    assert {number: speed_limit(simulation.bus, number) for number in (1, 2, 3)} == limits
    torque = notes.index((1, simulation.bus.TORQUE, b"\x01"))
    first = notes[: torque + 1]
    assert any(start == SPEED[type(simulation.bus)][0] for _, start, _ in first), (
        "a servo has its limit before it has torque"
    )


def test_after_a_watchdog_trip_a_dynamixel_has_its_limits_again(begin):
    simulation = begin("dynamixel")
    simulation.arm(waving)
    limit = speed_limit(simulation.bus, 1)
    simulation.pass_time(1.0)
    simulation.run(0.1, waving)
    assert simulation.report.fault is Fault.DEVICE_WATCHDOG
    assert speed_limit(simulation.bus, 1) == 0
    simulation.command(Command.CLEAR_FAULT)
    simulation.run(0.5, waving, until=State.DISARMED)
    simulation.arm(waving)
    assert speed_limit(simulation.bus, 1) == limit


def test_a_servo_that_does_not_take_its_limit_gets_no_torque(simulation):
    write, speed = simulation.bus._write, SPEED[type(simulation.bus)][0]
    simulation.bus._write = lambda number, start, data: (
        0 if (number, start) == (2, speed) else write(number, start, data)
    )
    simulation.run(1.0, POSE, until=State.DISARMED)
    simulation.command(Command.ARM)
    report = simulation.run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.SERVO_FORGOT)
    assert "'joint 2' (servo 2): its speed limit is 0, and 1 was written" in says(simulation)
    assert simulation.limp() == [True] * 3


def test_a_servo_that_restarts_in_motion_is_named_before_it_is_far_from_its_goal(simulation):
    simulation.arm(waving)
    simulation.run(0.3, waving)
    simulation.bus.restart(2)
    report = simulation.run(0.5, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.SERVO_FORGOT)
    assert "'joint 2' (servo 2): its torque is 0, and 1 was written" in says(simulation)
    assert simulation.limp() == [False, True, False]
    simulation.command(Command.CLEAR_FAULT)
    simulation.run(0.2, waving)
    simulation.arm(waving)


@pytest.mark.parametrize("protocol", BUSES)
def test_a_servo_that_restarts_with_its_torque_on_is_found_by_what_it_forgot(begin, protocol):
    simulation = begin(protocol)
    simulation.arm(waving)
    simulation.bus.restart(2)
    simulation.bus.servos[2].table[simulation.bus.TORQUE] = 1
    report = simulation.run(0.5, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.SERVO_FORGOT)
    assert "'joint 2' (servo 2): its speed limit is 0" in says(simulation)
