"""Tests that a motion ended by Disarm, or by ending live motion, slows down within the limits before the
robot is disarmed. In simulated time.
"""

import math
from itertools import pairwise

import pytest
from limber.hardware.safety import Command, State
from limber.hardware.worker.core import PERIOD

from tests.hardware.bus_simulation import begin
from tests.hardware.simulation import LIMITS, POSE, largest, make_device, speeds, still

__all__ = ["begin"]

FASTEST = 2.7  # [rad/s] largest speed of `fast`: 155 degrees per second


def fast(time: float) -> tuple[float, ...]:
    return 0.9 * math.sin(3.0 * time), 0.0, 0.0


def at_full_speed(simulation) -> None:
    simulation.arm(fast)
    simulation.run(2.0, fast)
    while abs(math.cos(3.0 * simulation.now)) < 0.98:
        simulation.run(PERIOD, fast)


def brakes(rows) -> None:
    """Asserts that commanded values (times, joints) slow down to rest within the limits."""
    velocities = speeds(rows)
    assert largest(velocities) > 0.9 * FASTEST, "it was fast"
    assert largest(velocities[-1:]) < 0.01
    assert largest(speeds(velocities)) <= 1.1 * LIMITS.acceleration * 1.01


@pytest.mark.parametrize("on_silence", ["hold", "detach"])
def test_a_disarmed_robot_slows_down_within_its_limits_and_only_then_goes_limp(begin, on_silence):
    simulation = begin("feetech_sts", on_silence)
    at_full_speed(simulation)
    simulation.commands[:] = simulation.commands[-3:]
    simulation.command(Command.DISARM)
    while simulation.run(PERIOD, fast).state is State.BRAKING:
        assert simulation.limp() == [False] * 3
    assert simulation.state is State.DISARMED
    brakes(simulation.commands)
    simulation.run(0.1, fast)
    assert simulation.limp() == [on_silence == "detach"] * 3


def test_a_robot_at_rest_is_disarmed_at_once(begin):
    simulation = begin()
    simulation.arm(POSE)
    simulation.run(0.5, POSE)
    simulation.command(Command.DISARM)
    assert simulation.run(PERIOD, POSE).state is State.DISARMED


def test_a_robot_whose_worker_ends_slows_down_within_its_limits(begin):
    simulation = begin("feetech_sts", "detach")
    at_full_speed(simulation)
    places = [simulation.angles()[0]]
    goals = [simulation.worker._controller.commanded]
    for _ in range(100):
        simulation.now += PERIOD
        ended = simulation.worker.shut_down(simulation.now)
        goals.append(simulation.worker._controller.commanded)
        places.append(simulation.angles()[0])
        if ended:
            break
    assert ended
    brakes([simulation.commands[-2], *goals])
    assert simulation.limp() == [True] * 3
    steps = [abs(b - a) for a, b in pairwise(places)]
    assert max(steps[-3:]) < 0.01, "it did not fall in motion"


@pytest.mark.parametrize("command", [Command.JOG, Command.TEST])
def test_a_joint_that_is_set_up_slows_down_too(begin, command):
    simulation = begin()
    simulation.run(2.0, POSE, until=State.DISARMED)
    simulation.command(command, target=0, amount=1.0)
    simulation.run(1.2, POSE)
    raw = []
    simulation.command(Command.DISARM)
    for _ in range(100):
        report = simulation.run(PERIOD, POSE)
        if report.state is State.DISARMED:
            break
        raw.append((report.channels[0].commanded * math.tau / 4096,))
    assert report.state is State.DISARMED
    assert len(raw) > 5
    assert largest(speeds(speeds(raw))) <= 1.3 * LIMITS.acceleration, "apart from the steps' rounding"
    assert largest(speeds(raw[-2:])) < 0.2


def test_stop_wins_while_the_robot_slows_down(simulate):
    simulation = simulate(make_device())
    at_full_speed(simulation)
    simulation.command(Command.DISARM)
    assert simulation.run(0.05, fast).state is State.BRAKING
    simulation.stop()
    assert simulation.run(PERIOD, fast).state is State.FAULT


def test_blender_may_show_anything_meanwhile(begin):
    simulation = begin()
    at_full_speed(simulation)
    simulation.commands[:] = simulation.commands[-3:]
    simulation.command(Command.DISARM)
    simulation.run(1.0, still(-1.4, 1.4, 1.4))
    assert simulation.state is State.DISARMED
    brakes(simulation.commands)
