"""Tests the worker with the virtual robot, in simulated time: from Blender's angles to the robot's."""

import math

import pytest
from limber.hardware.protocols.limber import DeviceState as DeviceState
from limber.hardware.safety import Fault, State
from limber.hardware.worker.connection import SILENT_AFTER
from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.drive import LONGEST_STEP

from tests.hardware.simulation import LIMITS, POSE, largest, make_device, speeds, still, waving


def test_connecting_moves_nothing(simulate):
    simulation = simulate(make_device())
    positions = simulation.robot.positions
    report = simulation.run(1.0, POSE)
    assert report.state is State.DISARMED
    assert simulation.robot.pulses == (None,) * len(positions)
    assert simulation.robot.positions == positions


def test_the_worker_says_that_it_connects_before_a_port_that_takes_its_time_to_open(simulate):
    simulation = simulate(make_device())
    simulation.run(PERIOD)
    assert simulation.told_while_opening.state is State.CONNECTING


def test_an_armed_robot_goes_where_blender_says(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    report = simulation.run(1.0, POSE)
    assert report.commanded == pytest.approx(POSE(0))
    assert report.measured == pytest.approx(POSE(0), abs=1e-3)


def test_smooth_motion_within_limits_reaches_the_wire_unchanged_but_later(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.run(4.0, waving)  # playback settles
    for _ in range(200):
        command = simulation.run(PERIOD, waving).commanded
        delays = [0.001 * ms for ms in range(20, 80)]
        assert min(math.dist(command, waving(simulation.now - delay)) for delay in delays) < 1e-3


def test_angles_that_are_no_numbers_are_refused_and_the_robot_holds(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    for bad in (math.nan, math.inf, -math.inf):
        before = simulation.report.refused
        report = simulation.run(1.0, still(0.0, bad, 0.0))
        assert report.state is State.HOLDING
        assert report.refused > before
        assert "joint 1" in report.detail
        assert all(map(math.isfinite, report.commanded))
    assert simulation.run(5.0, POSE, until=State.ARMED).detail == ""


def test_angles_out_of_range_end_at_the_range(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    report = simulation.run(5.0, still(50.0, -50.0, 0.0))
    assert report.commanded == pytest.approx((LIMITS.upper, LIMITS.lower, 0.0))
    assert report.clamped > 0
    assert report.state is State.ARMED


def test_a_worker_that_was_held_up_does_not_leap(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.commands.clear()
    for _ in range(20):
        simulation.run(0.05, waving)
        simulation.now += 0.1  # the worker did not run
        simulation.send(waving(simulation.now))
    assert largest(speeds(simulation.commands)) * PERIOD <= 1.1 * LIMITS.velocity * LONGEST_STEP * 1.001


def test_a_worker_that_was_held_up_does_not_take_a_robot_for_silent_that_had_no_time_to_answer(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    simulation.cable.frozen = True
    simulation.run(PERIOD, POSE)
    simulation.now += 0.9
    simulation.run(0.2, POSE)
    assert simulation.state is not State.FAULT
    report = simulation.run(SILENT_AFTER, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.SILENT)


def test_leaving_disarms_the_robot(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    for _ in range(30):
        simulation.now += PERIOD
        if simulation.worker.shut_down(simulation.now):
            break
    assert simulation.robot.state is DeviceState.DISARMED


def test_every_frame_is_accounted_for(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    report = simulation.run(5.0, waving)
    assert report.lost == 0
    assert report.sent - report.acknowledged <= 1
