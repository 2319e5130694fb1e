"""Tests arming while Blender shows a motion: the approach begins slowly, accelerates over two seconds, and
ends. In simulated time.
"""

import math

import pytest
from limber.hardware.safety import Command, State
from limber.hardware.sentences import sentence
from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.drive import APPROACH_GROWTH, APPROACH_SPEED
from limber.motion import Kinematic

from tests.hardware.simulation import LIMITS, POSE, largest, make_device, speeds, still

MARGIN = 1.02  # tolerance of a speed computed from rounded numbers


def swing(amplitude: float, rate: float, phase: float = 0.0):
    """A motion that passes 0, with its velocity per frame."""

    def pose(time: float) -> tuple[Kinematic]:
        turn = rate * time + phase
        return (Kinematic(amplitude * math.sin(turn), amplitude * rate * math.cos(turn) / 60.0, 0.0),)

    return pose


def armed_in(simulation, pose) -> list[float]:
    """Commanded speeds [rad/s] from Arm until one second after the robot is armed."""
    simulation.run(1.0, pose)
    simulation.command(Command.ARM)
    simulation.commands.clear()
    assert simulation.run(30.0, pose, until=State.ARMED).state is State.ARMED
    simulation.run(1.0, pose)
    return [abs(row[0]) for row in speeds(simulation.commands)]


@pytest.mark.parametrize("phase", [0.0, 1.0, 2.0, math.pi / 2])
@pytest.mark.parametrize(
    ("amplitude", "rate"), [(0.5, 0.5), (0.8, 1.0), (1.2, 1.0), (1.2, 2.0), (1.2, 2.5), (0.1, 12.0)]
)
def test_no_motion_makes_the_approach_begin_faster_than_it_should(simulate, amplitude, rate, phase):
    found = armed_in(simulate(make_device(1)), swing(amplitude, rate, phase))
    growth = 1.1 * LIMITS.velocity - APPROACH_SPEED
    for turn, speed in enumerate(found[: round(APPROACH_GROWTH / PERIOD)]):
        assert speed <= MARGIN * (APPROACH_SPEED + growth * turn * PERIOD / APPROACH_GROWTH), turn


def test_a_robot_that_is_where_a_fast_motion_passes_is_not_armed_at_once(simulate):
    simulation = simulate(make_device(1))
    pose = swing(1.2, 2.5)
    simulation.run(1.0, pose)
    simulation.command(Command.ARM)
    began = simulation.now
    simulation.run(30.0, pose, until=State.ARMED)
    assert APPROACH_GROWTH <= simulation.now - began <= 3.0 * APPROACH_GROWTH


def test_a_robot_at_a_pose_that_stands_is_armed_soon(simulate):
    simulation = simulate(make_device())
    simulation.run(2.0, still(0.0, 0.0, 0.0))
    simulation.command(Command.ARM)
    assert simulation.run(0.3, still(0.0, 0.0, 0.0), until=State.ARMED).state is State.ARMED


def test_a_way_to_a_pose_that_stands_is_slow_to_its_end(simulate):
    simulation = simulate(make_device())
    simulation.run(2.0, POSE)
    simulation.command(Command.ARM)
    simulation.commands.clear()
    assert simulation.run(30.0, still(1.4, -1.4, 1.4), until=State.ARMED).state is State.ARMED
    assert max(abs(value) for row in speeds(simulation.commands) for value in row) <= MARGIN * APPROACH_SPEED


@pytest.mark.parametrize("seconds", [0.5, 1.0, 2.0])
def test_a_loop_that_jumps_each_time_is_gone_to_slowly_and_said_so_with_the_remedy(simulate, seconds):
    simulation = simulate(make_device(1))

    def loop(time: float) -> tuple[Kinematic]:
        return (Kinematic(time % seconds / seconds - 0.5, 1.0 / seconds / 60.0),)

    simulation.run(1.0, loop)
    simulation.command(Command.ARM)
    simulation.commands.clear()
    report = simulation.run(20.0, loop, until=State.ARMED)
    assert report.state in (State.ARMING, State.HOLDING)
    said = sentence(report.state, report.fault, report.detail, simulation.device)
    assert "let its end meet its beginning" in said
    rows = simulation.commands
    for limit in (LIMITS.velocity, LIMITS.acceleration, LIMITS.jerk):
        rows = speeds(rows)
        assert largest(rows) <= 1.1 * limit * 1.001
