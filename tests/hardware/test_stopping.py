"""Tests Stop, and silence from Blender: how motion ends or pauses, and how it continues. In simulated
time.
"""

from limber.hardware.protocols.limber import DeviceState as DeviceState
from limber.hardware.safety import Command, Fault, State
from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.drive import APPROACH_SPEED

from tests.hardware.simulation import LIMITS, POSE, Simulation, largest, make_device, speeds, waving


def test_silence_from_blender_slows_down_to_a_hold_and_goes_on_by_a_ramp(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.run(1.0, waving)
    simulation.commands.clear()
    assert simulation.run(0.19).state is State.ARMED
    assert simulation.run(0.8).state is State.HOLDING
    assert largest(speeds(speeds(simulation.commands))) <= 1.1 * LIMITS.acceleration * 1.001
    assert simulation.commands[-1] == simulation.commands[-10]  # the robot stands still
    assert simulation.robot.state is DeviceState.ARMED  # the device's own watchdog has not tripped
    simulation.commands.clear()
    simulation.run(10.0, waving, until=State.ARMED)
    assert simulation.state is State.ARMED
    assert largest(speeds(simulation.commands[:30])) <= 1.15 * APPROACH_SPEED


def test_signs_of_life_without_angles_keep_a_hold(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    for _ in range(100):
        simulation.live()
        simulation.run(0.1)
    assert simulation.state is State.HOLDING


def test_five_seconds_of_silence_disarm_the_robot(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    assert simulation.run(4.9).state is State.HOLDING
    report = simulation.run(0.3)
    assert (report.state, report.fault) == (State.FAULT, Fault.BLENDER_SILENT)
    assert simulation.robot.state is DeviceState.DISARMED
    report = simulation.run(1.0, POSE)
    assert report.state is State.FAULT  # frames alone do not end the fault


def test_stop_ends_motion_within_two_turns_and_latches(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.stop()
    simulation.run(2 * PERIOD, waving)
    assert simulation.robot.state is DeviceState.FAULT
    pulses = simulation.robot.pulses
    report = simulation.run(1.0, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.STOPPED)
    assert simulation.robot.pulses == pulses  # channels that hold continue to do so
    simulation.command(Command.ARM)
    assert simulation.run(0.5, waving).state is State.FAULT
    simulation.command(Command.CLEAR_FAULT)
    assert simulation.run(0.5, waving).state is State.DISARMED
    simulation.arm(waving)


def test_a_wish_from_before_a_stop_is_void(simulate):
    simulation = simulate(make_device())
    simulation.run(1.0, POSE)
    simulation.command(Command.ARM)
    simulation.stop()
    assert simulation.run(0.5, POSE).fault is Fault.STOPPED
    assert simulation.robot.pulses[:3] == (None,) * 3


def test_a_wish_from_before_a_stop_is_void_also_where_it_arrives_after_it(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    simulation.stop()
    simulation.run(0.1, POSE)
    simulation.command(Command.CLEAR_FAULT, stops=0)
    assert simulation.run(0.5, POSE).fault is Fault.STOPPED


def test_stop_reaches_the_device_in_a_fault_as_well(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    simulation.run(6.0)
    assert simulation.report.fault is Fault.BLENDER_SILENT
    simulation.stop()
    assert simulation.run(0.1).fault is Fault.STOPPED
    assert simulation.robot.state is DeviceState.FAULT


def test_stop_is_honoured_while_connecting(simulate):
    simulation = simulate(make_device())
    simulation.run(PERIOD)
    simulation.stop()
    assert simulation.run(1.0, POSE).fault is Fault.STOPPED
    simulation.command(Command.CLEAR_FAULT)
    assert simulation.run(1.0, POSE).state is State.DISARMED


def test_channels_that_detach_go_limp_on_stop_and_disarm(simulate):
    for end in (Simulation.stop, lambda simulation: simulation.command(Command.DISARM)):
        simulation = simulate(make_device(on_silence="detach"))
        simulation.arm(POSE)
        end(simulation)
        simulation.run(0.1, POSE)
        assert simulation.robot.pulses[:3] == (None,) * 3
