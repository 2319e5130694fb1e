"""Tests the worker with servos on a bus: arming, following, stopping, and every fault, in simulated time."""

import math
import random
from dataclasses import replace

import pytest
from limber.hardware.safety import Command, Fault, State
from limber.hardware.worker.drive import APPROACH_SPEED

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
from tests.hardware.simulation import largest, speeds, waving

__all__ = ["begin", "simulation"]


def test_connecting_moves_nothing_and_gives_no_torque(simulation):
    for servo in simulation.bus.servos.values():
        servo.table[42:44] = servo.table[116:118] = b"\xff\x0f"  # goals from an earlier run
    assert simulation.run(2.0, POSE).state is State.DISARMED
    assert simulation.limp() == [True] * 3
    assert simulation.robot.positions == tuple(PLACES.values())
    assert simulation.report.measured == pytest.approx(simulation.angles(), abs=1e-3)


def test_arming_starts_where_the_servos_are_and_goes_slowly(simulation):
    for servo in simulation.bus.servos.values():
        servo.table[42:44] = servo.table[116:118] = b"\xff\x0f"
    starts = simulation.angles()
    simulation.arm(POSE)
    assert simulation.commands[0] == pytest.approx(starts, abs=1e-3)
    assert largest(speeds(simulation.commands)) <= 1.15 * APPROACH_SPEED
    assert (
        largest(speeds(simulation.positions[::10])) / 10 <= 1.3 * APPROACH_SPEED * STEPS_PER_RAD
    )  # over 0.1 s, since goals come every one or two cycles
    simulation.run(0.5, POSE)
    assert simulation.angles() == pytest.approx(POSE(0), abs=0.002)


def test_servos_follow_smooth_motion_and_are_read_back(simulation):
    simulation.arm(waving)
    before = simulation.report
    simulation.run(5.0, waving)
    after = simulation.report
    assert after.state is State.ARMED
    assert after.sent - before.sent >= 5.0 * 45  # 50 Hz, write and read
    assert after.lost == before.lost == 0
    assert after.acknowledged - before.acknowledged >= after.sent - before.sent - 2
    assert after.measured == pytest.approx(after.commanded, abs=0.1)


@pytest.mark.parametrize("protocol", BUSES)
def test_disarming_lets_go_of_those_that_are_to_be_limp_and_holds_the_others(begin, protocol):
    for on_silence, limp in (("hold", False), ("detach", True)):
        simulation = begin(protocol, on_silence)
        simulation.arm(POSE)
        simulation.command(Command.DISARM)
        assert simulation.run(0.5, POSE).state is State.DISARMED
        assert simulation.limp() == [limp] * 3


@pytest.mark.parametrize("protocol", BUSES)
def test_release_makes_limp_what_kept_its_torque_when_the_robot_was_lost(begin, protocol):
    simulation = begin(protocol, "detach")
    simulation.arm(POSE)
    simulation.cable.spoil = lambda data: b""
    assert simulation.run(2.0, POSE).fault is Fault.SILENT
    simulation.cable.spoil = lambda data: data
    simulation.command(Command.CLEAR_FAULT)
    assert simulation.run(3.0, POSE, until=State.DISARMED).state is State.DISARMED
    simulation.run(0.5, POSE)
    simulation.command(Command.DISARM)
    simulation.run(0.5, POSE)
    assert simulation.limp() == [False] * 3, "a robot that counts as disarmed keeps its torque until Release"
    simulation.command(Command.RELEASE)
    assert simulation.run(0.5, POSE).state is State.LIMP
    assert simulation.limp() == [True] * 3


@pytest.mark.parametrize("protocol", BUSES)
@pytest.mark.parametrize("on_silence", ["hold", "detach"])
def test_a_stop_ends_motion_within_two_turns_whatever_is_open(begin, protocol, on_silence):
    simulation = begin(protocol, on_silence)
    simulation.arm(waving)
    simulation.run(0.105, waving)
    simulation.stop()
    simulation.run(0.02, waving)
    stands = simulation.robot.positions
    simulation.run(1.0, waving)
    assert simulation.state is State.FAULT
    assert simulation.report.fault is Fault.STOPPED
    assert simulation.robot.positions == pytest.approx(
        stands, abs=12
    )  # a servo's own motion back to the position that was read: about a degree
    assert simulation.limp() == [on_silence == "detach"] * 3
    simulation.command(Command.CLEAR_FAULT)
    simulation.run(0.2, waving)
    assert simulation.state is State.DISARMED
    simulation.arm(waving)


def test_a_servo_that_cannot_be_read_keeps_the_robot_from_being_armed(simulation):
    simulation.run(1.0, POSE, until=State.DISARMED)
    simulation.bus.servos[2].silent = True
    simulation.run(0.4, POSE)
    simulation.command(Command.ARM)
    report = simulation.run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.POSE_UNREAD)
    assert "joint 2" in report.detail
    assert simulation.limp() == [True] * 3


def test_a_servo_that_falls_silent_while_arming_is_found_before_any_gets_torque(simulation):
    simulation.run(1.0, POSE, until=State.DISARMED)
    simulation.run(0.1, POSE)
    simulation.command(Command.ARM)
    simulation.bus.servos[3].silent = True
    report = simulation.run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.POSE_UNREAD)
    assert "joint 3" in report.detail
    assert simulation.limp() == [True] * 3


def test_a_servo_that_answers_and_does_not_say_where_it_is_keeps_the_robot_from_being_armed(begin):
    simulation = begin("dynamixel")
    simulation.run(1.0, POSE, until=State.DISARMED)
    simulation.run(0.1, POSE)
    simulation.bus.servos[3].refuses = True
    simulation.command(Command.ARM)
    report = simulation.run(1.0, POSE)
    assert report.state is State.FAULT
    assert "joint 3" in report.detail
    assert simulation.limp() == [True] * 3


def test_a_servo_that_is_missing_is_named_when_others_answer(simulation):
    simulation.bus.servos[3].silent = True
    report = simulation.run(8.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNSUITABLE)
    assert "joint 3" in report.detail


def test_a_servo_that_falls_silent_in_motion_is_named_and_the_robot_stops(simulation):
    simulation.arm(waving)
    simulation.bus.servos[2].silent = True
    report = simulation.run(1.0, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.DEVICE_REFUSED)
    assert "joint 2" in report.detail


def test_a_bus_that_falls_silent_is_a_fault_and_comes_back_after_clear_fault(simulation):
    simulation.arm(waving)
    simulation.cable.broken = True
    report = simulation.run(1.0, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.SILENT)
    simulation.command(Command.CLEAR_FAULT)
    simulation.run(1.0, waving, until=State.DISARMED)
    assert simulation.state is State.DISARMED
    simulation.arm(waving)


def test_a_cable_that_is_pulled_is_a_fault(simulation):
    simulation.arm(waving)
    simulation.cable.unplugged = True
    report = simulation.run(0.1, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNPLUGGED)


def test_nobody_on_the_bus_is_silence(simulation):
    for servo in simulation.bus.servos.values():
        servo.silent = True
    report = simulation.run(8.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.SILENT)


def test_a_servo_that_is_too_hot_in_motion_is_named_and_the_robot_stops(simulation):
    simulation.arm(waving)
    simulation.bus.servos[2].error = 0x04
    report = simulation.run(0.5, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.DEVICE_REFUSED)
    assert "joint 2" in report.detail


def test_a_stuck_servo_holds_no_other_one_up(simulation):
    simulation.arm(waving)
    simulation.bus.servos[2].stuck = True
    assert simulation.run(1.0, waving).state is State.ARMED
    assert simulation.report.measured[0] == pytest.approx(simulation.report.commanded[0], abs=0.1)


@pytest.mark.parametrize("forgets_after", [0.03, math.inf])
@pytest.mark.parametrize("seed", range(2))
def test_over_a_bad_line_the_robot_goes_on_and_no_servo_makes_a_leap(simulation, seed, forgets_after):
    """One bit of every tenth message, in either direction, is flipped.

    Servos that wait permanently for the number of bytes in a damaged length block the line for a while, which
    may end in a fault.
    """
    simulation.bus.forgets_after = forgets_after
    chance = random.Random(seed)
    simulation.arm(waving)

    def spoil(data: bytes) -> bytes:
        if not data or chance.random() > 0.1:
            return data
        damaged = bytearray(data)
        bit = chance.randrange(8 * len(data))
        damaged[bit // 8] ^= 1 << bit % 8
        return bytes(damaged)

    simulation.cable.spoil = spoil
    simulation.positions.clear()
    simulation.commands.clear()
    report = simulation.run(5.0, waving)
    behind = [
        position - 2048 - STEPS_PER_RAD * angle
        for positions, angles in zip(simulation.positions, simulation.commands, strict=False)
        for position, angle in zip(positions, angles, strict=True)
    ]
    most = (
        0.25 if forgets_after == 0.03 else 0.6
    )  # [rad] at 1 rad/s: moves of so many seconds were lost in succession
    assert max(map(abs, behind)) <= most * STEPS_PER_RAD
    if report.state is not State.ARMED:
        assert forgets_after == math.inf
        assert (report.state, report.fault) in (
            (State.FAULT, Fault.SILENT),
            (State.FAULT, Fault.DEVICE_REFUSED),
        )
        return
    simulation.cable.spoil = lambda data: data
    simulation.run(0.3, waving)
    assert simulation.report.measured == pytest.approx(simulation.report.commanded, abs=0.1)


def test_blender_that_is_silent_makes_the_servos_hold_and_then_go_limp_or_hold_disarmed(begin):
    simulation = begin("feetech_sts", "detach")
    simulation.arm(POSE)
    simulation.run(1.0)
    assert simulation.state is State.HOLDING
    simulation.run(6.0)
    assert simulation.report.fault is Fault.BLENDER_SILENT
    assert simulation.limp() == [True] * 3


def test_a_worker_that_hangs_leaves_dynamixels_to_their_watchdog(begin):
    simulation = begin("dynamixel")
    simulation.arm(waving)
    simulation.pass_time(1.0)
    stands = simulation.robot.positions
    simulation.pass_time(1.0)
    assert simulation.robot.positions == stands
    assert simulation.bus.servos[1].table[98] == 0xFF
    report = simulation.run(0.1, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.HELD_UP)
    simulation.command(Command.CLEAR_FAULT)
    simulation.run(0.5, waving, until=State.DISARMED)
    simulation.arm(waving)


def test_closing_lets_go_of_those_that_are_to_be_limp(begin):
    simulation = begin("feetech_sts", "detach")
    simulation.arm(POSE)
    simulation.worker.close(simulation.now)
    assert simulation.limp() == [True] * 3


def disarm(simulation) -> None:
    simulation.command(Command.DISARM)
    simulation.run(0.5, POSE)


def leave(simulation) -> None:
    while not simulation.worker.shut_down(simulation.now):
        simulation.pass_time(0.01)
    simulation.worker.close(simulation.now)


ENDS = {
    "disarm": disarm,
    "close": lambda simulation: simulation.worker.close(simulation.now),
    "leave": leave,
}


@pytest.mark.parametrize("protocol", BUSES)
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_servo_that_was_moved_and_not_released_goes_limp_when_the_robot_is_disarmed_or_left(
    begin, protocol, end
):
    simulation = begin(protocol, "detach")
    simulation.run(2.0, POSE, until=State.DISARMED)
    simulation.command(Command.JOG, target=0, amount=0.1)
    simulation.run(2.0, POSE)
    simulation.command(Command.RELEASE, channels=(1,))
    assert simulation.run(0.5, POSE).state is State.LIMP
    assert simulation.limp() == [False, True, True]
    end(simulation)
    assert simulation.limp() == [True] * 3


@pytest.mark.parametrize("protocol", BUSES)
@pytest.mark.parametrize(
    ("disturbed", "is_cleared"), [(0.5, False), (1.0, False), (0.02, True), (0.2, True), (0.5, True)]
)
def test_servos_that_could_not_hear_a_stop_go_limp_once_they_hear_again(
    begin, protocol, disturbed, is_cleared
):
    simulation = begin(protocol, "detach")
    simulation.arm(POSE)
    simulation.run(0.5, POSE)
    simulation.cable.spoil = lambda data: b"\x00" * len(data)
    simulation.stop()
    simulation.run(0.01, POSE)
    if is_cleared:
        simulation.command(Command.CLEAR_FAULT)
    simulation.run(disturbed, POSE)
    assert not any(simulation.limp())
    simulation.cable.spoil = lambda data: data
    simulation.run(2.5, POSE)
    assert all(simulation.limp())


@pytest.fixture(params=BUSES)
def with_a_dead_servo(request, closing):
    """Three armed servos, of which the first is to go limp and has died."""
    device = bus_device(request.param, "hold")
    channels = (replace(device.channels[0], on_silence="detach"), *device.channels[1:])
    servos = BUSES[request.param](dict(PLACES))
    simulation = closing(BusSimulation(replace(device, channels=channels), servos))
    simulation.arm(POSE)
    simulation.run(0.3, POSE)
    servos.servos[1].silent = True
    return simulation


def keep_turning(simulation, turning, rate):
    """Has a servo with torque turn on at a rate [rad/s], whatever its goal."""
    way = simulation.bus.way

    def goes_on(servo, dt):
        has_torque = servo.number == turning and simulation.bus.has_torque(turning)
        return rate * STEPS_PER_RAD * dt if has_torque else way(servo, dt)

    simulation.bus.way = goes_on


@pytest.mark.parametrize("end", ["stop", "stop and Clear Fault", "disarm"])
@pytest.mark.parametrize("rate", [0.3, 1.0, 5.0])  # [rad/s]
def test_beside_a_dead_servo_one_that_goes_on_turning_is_made_limp(with_a_dead_servo, end, rate):
    simulation, turning = with_a_dead_servo, 2
    if end == "disarm":
        simulation.command(Command.DISARM)
    else:
        simulation.stop()
    keep_turning(simulation, turning, rate)
    simulation.run(0.1, POSE)
    if end == "stop and Clear Fault":
        simulation.command(Command.CLEAR_FAULT)
    simulation.run(1.0, POSE)
    assert not simulation.bus.has_torque(turning)


def test_a_servo_that_does_not_answer_its_release_is_told_and_does_not_keep_the_fault(with_a_dead_servo):
    simulation = with_a_dead_servo
    simulation.stop()
    simulation.run(1.0, POSE)
    simulation.command(Command.CLEAR_FAULT)
    simulation.run(2.0, POSE)
    simulation.command(Command.CLEAR_FAULT)
    report = simulation.run(3.0, POSE)
    assert report.state is State.DISARMED
    assert any("'joint 1'" in text and "may have torque" in text for text in report.warnings)
    simulation.bus.servos[1].silent = False
    report = simulation.run(2.0, POSE)
    assert not simulation.bus.has_torque(1)
    assert not any("may have torque" in text for text in report.warnings)


def test_the_release_of_a_servo_stays_due_after_a_stop_while_others_are_released_by_hand(with_a_dead_servo):
    simulation = with_a_dead_servo
    simulation.stop()
    for seconds in (1.0, 2.0):  # the stop is cleared, then the fault of the missing answer
        simulation.run(seconds, POSE)
        simulation.command(Command.CLEAR_FAULT)
    simulation.run(0.5, POSE)
    simulation.command(Command.RELEASE, channels=frozenset({1}))
    report = simulation.run(1.0, POSE)
    assert simulation.limp()[1]
    assert report.fault is Fault.DEVICE_REFUSED
    assert "'joint 1'" in report.detail
    simulation.bus.servos[1].silent = False
    simulation.run(2.0, POSE)
    assert simulation.limp() == [True, True, False]


@pytest.mark.parametrize("end", ["stop", "disarm"])
@pytest.mark.parametrize("protocol", BUSES)
def test_a_long_disturbance_keeps_no_servo_from_its_release_beside_servos_that_hold(closing, protocol, end):
    device = bus_device(protocol, "hold")
    channels = (replace(device.channels[0], on_silence="detach"), *device.channels[1:])
    simulation = closing(BusSimulation(replace(device, channels=channels), BUSES[protocol](dict(PLACES))))
    simulation.arm(POSE)
    simulation.cable.spoil = lambda data: b"\x00" * len(data)
    if end == "disarm":
        simulation.command(Command.DISARM)
    else:
        simulation.stop()
    simulation.run(1.5, POSE)
    assert not any(simulation.limp())
    simulation.cable.spoil = lambda data: data
    simulation.run(2.5, POSE)
    assert simulation.limp() == [True, False, False]


@pytest.mark.parametrize("then", [Command.RELEASE, Command.JOG])
@pytest.mark.parametrize("wait", [0.1, 0.2])
def test_a_servo_that_goes_on_turning_is_made_limp_while_another_is_released_or_moved(simulation, then, wait):
    simulation.arm(POSE)
    simulation.command(Command.DISARM)
    keep_turning(simulation, 2, 3.0)
    simulation.run(wait, POSE)
    simulation.command(then, channels=frozenset({2}), target=2, amount=0.1)
    report = simulation.run(1.0, POSE)
    assert not simulation.bus.has_torque(2)
    assert report.fault is Fault.WENT_ON


def test_a_servo_that_goes_on_turning_is_made_limp_though_another_is_armed_for_long(simulation, monkeypatch):
    simulation.arm(POSE)
    simulation.run(0.3, POSE)
    # [s]: a Dynamixel bus needs 1.2 s to arm then, longer than servos are monitored
    delay = 0.08
    coming, read = [], simulation.cable.read

    def read_late():
        coming.append((simulation.now + delay, read()))
        arrived = b"".join(data for due, data in coming if due <= simulation.now)
        coming[:] = [(due, data) for due, data in coming if due > simulation.now]
        return arrived

    monkeypatch.setattr(simulation.cable, "read", read_late)
    simulation.run(0.3, POSE)
    assert simulation.state is State.ARMED
    simulation.command(Command.DISARM)
    keep_turning(simulation, 2, 3.0)
    simulation.run(0.1, POSE)
    simulation.command(Command.JOG, target=2, amount=0.1)
    simulation.run(2.0, POSE)
    assert not simulation.bus.has_torque(2)


@pytest.mark.parametrize("then", [None, Command.CLEAR_FAULT])
def test_a_servo_that_goes_on_turning_is_made_limp_though_a_release_fails_meanwhile(simulation, then):
    simulation.arm(POSE)
    simulation.command(Command.DISARM)
    keep_turning(simulation, 2, 3.0)
    simulation.run(0.1, POSE)
    simulation.cable.spoil = lambda data: b"\x00" * len(data)
    simulation.command(Command.RELEASE)
    simulation.run(0.4, POSE)
    simulation.cable.spoil = lambda data: data
    simulation.run(0.3, POSE)
    if then is not None:
        simulation.command(then)
    simulation.run(3.0, POSE)
    assert not simulation.bus.has_torque(2)


def test_all_servos_on_a_dead_line_are_named_while_a_release_is_due(with_a_dead_servo):
    simulation = with_a_dead_servo
    simulation.cable.spoil = lambda data: b"\x00" * len(data)
    simulation.command(Command.DISARM)
    report = simulation.run(3.0, POSE)
    (warning,) = report.warnings
    assert [f"'joint {k}'" in warning for k in (1, 2, 3)] == [True, True, True]


def test_servos_that_are_limp_beside_one_that_does_not_answer_their_release_may_fall(simulation):
    simulation.arm(POSE)
    simulation.command(Command.DISARM)
    simulation.run(1.5, POSE)
    advance, bus = simulation.bus.advance, simulation.bus

    def falls(dt):
        advance(dt)
        for servo in bus.servos.values():
            servo.position -= 0.0 if bus.has_torque(servo.number) else 0.5 * STEPS_PER_RAD * dt

    bus.advance, bus.servos[1].silent = falls, True
    simulation.command(Command.RELEASE)
    report = simulation.run(3.0, POSE)
    assert simulation.limp() == [False, True, True]
    assert "'joint 1'" in report.detail
    assert not any("went on" in text for text in report.warnings)


def test_a_channel_beyond_its_servos_range_is_a_fault_that_names_it(begin):
    simulation = begin("feetech_sts", ids=(1, 2, 300))
    report = simulation.run(0.5, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNSUITABLE)
    assert "joint 300" in report.detail


@pytest.mark.parametrize("protocol", BUSES)
def test_two_dozen_servos_are_armed_though_that_takes_longer_than_a_silence(begin, protocol):
    ids = tuple(range(1, 25))
    simulation = begin(protocol, positions=dict.fromkeys(ids, 2048.0), ids=ids)
    simulation.arm(lambda time: (0.1,) * len(ids))
    assert all(map(simulation.bus.has_torque, ids))


@pytest.mark.parametrize("protocol", BUSES)
def test_twelve_servos_are_driven_and_read_back_fifty_times_a_second(begin, protocol):
    ids = tuple(range(1, 13))
    simulation = begin(protocol, positions=dict.fromkeys(ids, 2048.0), ids=ids)

    def wave(time: float) -> tuple[float, ...]:
        return tuple(0.4 * math.sin(2.0 * time + number) for number in ids)

    simulation.arm(wave)
    before = simulation.report.acknowledged
    simulation.run(4.0, wave)
    assert simulation.report.acknowledged - before >= 4 * 50
    assert simulation.report.measured == pytest.approx(simulation.report.commanded, abs=0.1)
