"""Tests faults of a port, a line or a device: the worker's report and the robot's reaction. In simulated
time.
"""

from dataclasses import replace
from random import Random

import pytest
from limber.hardware.mixing import Mixing
from limber.hardware.protocols.limber import VERSION, DeviceResult, FrameDecoder, Move, WrongVersion, encode
from limber.hardware.protocols.limber import DeviceState as DeviceState
from limber.hardware.safety import Command, Fault, State
from limber.hardware.virtual_robot import VirtualRobot
from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.limber_connection import MOST_WAITING

from tests.hardware.simulation import LIMITS, POSE, largest, make_device, speeds, still, waving


def test_an_unplugged_cable_is_a_fault_and_clearing_it_connects_again(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    simulation.cable.unplugged = True
    report = simulation.run(0.1, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNPLUGGED)
    simulation.missing = Fault.PORT_MISSING
    simulation.command(Command.CLEAR_FAULT)
    assert simulation.run(0.5, POSE).fault is Fault.PORT_MISSING
    simulation.missing = None
    simulation.command(Command.CLEAR_FAULT)
    assert simulation.run(1.0, POSE).state is State.DISARMED
    simulation.arm(POSE)


def test_connecting_anew_disarms_even_where_the_port_does_not_open_again(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    simulation.missing = Fault.PORT_BUSY
    simulation.command(Command.RECONNECT)
    assert simulation.run(2 * PERIOD, POSE).fault is Fault.PORT_BUSY
    assert simulation.robot.state is DeviceState.DISARMED


def test_a_device_that_freezes_is_noticed_by_its_missing_answers(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    simulation.cable.frozen = True
    written = len(simulation.cable.written)
    report = simulation.run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.SILENT)
    moves = [
        frame
        for frame in FrameDecoder().feed(simulation.cable.written[written:])
        if isinstance(frame.message, Move)
    ]
    assert len(moves) <= MOST_WAITING  # bytes that wait in the port must not move the robot later
    assert report.lost > 0


def test_a_stop_in_the_turn_in_which_a_connection_is_given_up_goes_out_all_the_same(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    simulation.cable.spoil = lambda data: data + encode(WrongVersion(VERSION + 1, (2, 0)))
    simulation.stop()
    assert simulation.run(PERIOD, POSE).fault is Fault.STOPPED
    assert simulation.robot.state is DeviceState.FAULT


def test_a_device_that_restarts_in_motion_ends_disarmed_and_says_so(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.robot.reset()
    report = simulation.run(0.5, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.DEVICE_RESET)
    assert simulation.robot.state is DeviceState.DISARMED
    assert simulation.robot.pulses[:3] == (None,) * 3
    simulation.command(Command.CLEAR_FAULT)
    assert simulation.run(1.0, waving, until=State.DISARMED).state is State.DISARMED
    simulation.commands.clear()
    stands = Mixing(simulation.device).values(simulation.robot.positions[:3])
    simulation.arm(waving)
    assert simulation.commands[0] == pytest.approx(stands, abs=1e-3)


def test_a_device_that_is_unplugged_after_a_fault_is_not_reached(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.robot.reset()
    report = simulation.run(0.5, waving)
    assert (report.fault, report.is_reached) == (Fault.DEVICE_RESET, True)
    simulation.cable.unplugged = True
    report = simulation.run(0.5, waving)
    assert (report.fault, report.is_reached) == (Fault.DEVICE_RESET, False)


def test_a_device_that_restarts_at_rest_is_greeted_again(simulate):
    simulation = simulate(make_device())
    simulation.run(1.0, POSE)
    simulation.robot.reset()
    assert simulation.run(1.0, POSE).state is State.DISARMED
    simulation.arm(POSE)


def test_a_device_whose_watchdog_ended_the_motion_is_a_fault(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    simulation.cable.deaf = True
    report = simulation.run(0.4, POSE, until=State.FAULT)
    assert report.fault is Fault.DEVICE_WATCHDOG
    simulation.cable.deaf = False
    assert simulation.run(0.5, POSE).state is State.FAULT
    assert simulation.robot.state is DeviceState.DISARMED
    simulation.command(Command.CLEAR_FAULT)
    assert simulation.run(0.5, POSE).state is State.DISARMED


def test_damaged_bytes_lose_frames_and_nothing_else(simulate):
    noise = Random(5)

    def spoil(data: bytes) -> bytes:
        return bytes(byte ^ (1 << noise.randrange(8)) if noise.random() < 0.002 else byte for byte in data)

    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.commands.clear()
    simulation.cable.spoil = spoil
    report = simulation.run(10.0, waving)
    assert report.state is State.ARMED
    assert 0 < report.lost < 0.3 * report.sent
    assert report.acknowledged + report.lost == pytest.approx(report.sent, abs=12)
    assert (
        largest(speeds(simulation.positions))
        <= 1.6 * LIMITS.velocity * simulation.device.channels[0].per_radian
    )


def test_garbage_between_answers_is_skipped(simulate):
    noise = Random(7)
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.cable.spoil = lambda data: noise.randbytes(noise.randrange(4)) + data
    assert simulation.run(5.0, waving).state is State.ARMED


def test_a_port_that_says_nothing_is_silent_and_one_that_babbles_speaks_another_protocol(simulate):
    for babble, fault in ((b"", Fault.SILENT), (b"ok\nT:21.3 /0.0\n", Fault.OTHER_PROTOCOL)):
        simulation = simulate(make_device())
        simulation.run(PERIOD)
        simulation.cable.deaf = True
        simulation.cable.spoil = lambda data, babble=babble: babble
        report = simulation.run(8.0, POSE, until=State.FAULT)
        assert (report.state, report.fault) == (State.FAULT, fault)


@pytest.mark.parametrize(("baudrate", "rate"), [(115200, 100), (57600, 50), (19200, 16)])
def test_moves_do_not_outrun_the_line(simulate, baudrate, rate):
    device = replace(make_device(16), baudrate=baudrate)
    simulation = simulate(device)
    pose = still(*[0.1] * 16)
    simulation.arm(pose)
    before = simulation.report.sent
    assert simulation.run(10.0, pose).sent - before == pytest.approx(10 * rate, rel=0.1)


def test_a_line_too_slow_for_the_watchdog_is_refused(simulate):
    simulation = simulate(replace(make_device(16), baudrate=2400))
    report = simulation.run(1.0)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNSUITABLE)
    assert "2400 baud" in report.detail


def test_a_device_with_fewer_servos_or_narrower_pulses_than_described_is_refused_with_both_numbers(simulate):
    robot = VirtualRobot([1500.0] * 2, feedback=True, time=1000.0)
    report = simulate(make_device(), robot).run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNSUITABLE)
    assert report.detail == "it has 2 servos, counted from 0, and 'joint 2' (servo 2) is beyond"
    report = simulate(make_device(lowest=300.0)).run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNSUITABLE)
    assert "its pulses go from 400 to 2600 us, those of 'joint 0' (servo 0) from 300 to" in report.detail


class Refusing(VirtualRobot):
    """A robot that refuses ranges, or to be armed."""

    refused = "range"

    def _configure(self, settings) -> DeviceResult:
        return DeviceResult.OUT_OF_RANGE if self.refused == "range" else super()._configure(settings)

    def _arm(self, session) -> DeviceResult:
        return DeviceResult.NOT_CONFIGURED if self.refused == "arming" else super()._arm(session)


def test_a_device_that_refuses_a_channels_range_is_a_fault_that_names_both(simulate):
    report = simulate(make_device(), Refusing.for_device(make_device(), 1000.0)).run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNSUITABLE)
    assert report.detail == "it refused the range of 'joint 0' (servo 0): out of range"


def test_a_device_that_refuses_to_arm_is_a_fault_with_its_reason(simulate):
    robot = Refusing.for_device(make_device(), 1000.0)
    robot.refused = "arming"
    simulation = simulate(make_device(), robot)
    simulation.run(1.0, POSE, until=State.DISARMED)
    simulation.command(Command.ARM)
    report = simulation.run(5.0, POSE, until=State.FAULT)
    assert (report.state, report.fault) == (State.FAULT, Fault.DEVICE_REFUSED)
    assert report.detail == "it refused to arm: not configured"


def test_the_virtual_robot_stands_in_for_servos_of_any_id(simulate):
    device = make_device()
    far = replace(
        device,
        channels=tuple(replace(channel, servo=30 + 7 * k) for k, channel in enumerate(device.channels)),
    )
    simulation = simulate(far)
    simulation.arm(POSE)
    report = simulation.run(1.0, POSE)
    assert report.state is State.ARMED
    assert report.measured == pytest.approx(simulation.commands[-1], abs=0.02)
