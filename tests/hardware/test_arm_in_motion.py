"""Tests arming while Blender shows a motion: the approach begins slowly, accelerates over two seconds, and
ends. In simulated time.
"""

import math

import pytest
from limber.hardware.safety import Command, State
from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.drive import (
    APPROACH_ACCELERATION,
    APPROACH_GROWTH,
    APPROACH_PATIENCE,
    APPROACH_SPEED,
)
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


def looped(clip, seconds: float, joints: int):
    """Frames of a clip that begins again every `seconds`: `clip(share)` is the position of its first joint;
    the others move in proportion, apart from it.
    """

    def pose(time: float) -> tuple[Kinematic, ...]:
        share = time % seconds / seconds
        before = max(share - 1 / 60 / seconds, 0.0)  # velocity per frame; none from before the jump
        return tuple(
            Kinematic((1.0 - 0.3 * k) * clip(share) - 0.3 * k, (1.0 - 0.3 * k) * (clip(share) - clip(before)))
            for k in range(joints)
        )

    return pose


CLIPS = {
    "even": lambda share: 2.4 * share - 1.2,
    "ever faster": lambda share: 1.2 * share**2,
    "rests at its end": lambda share: 1.2 * math.sin(0.5 * math.pi * min(1.5 * share, 1.0)),
}


@pytest.mark.parametrize("clip", CLIPS)
@pytest.mark.parametrize(("seconds", "joints"), [(0.3, 3), (0.3, 1), (0.8, 3), (1.5, 2), (3.0, 3)])
def test_arming_ends_while_a_clip_loops_with_a_jump(simulate, seconds, joints, clip):
    """Within the duration of a slow approach and of the growth, which holds after the jumps of short loops
    lengthen four times; the speed never exceeds what has grown.
    """
    simulation, pose = simulate(make_device(joints)), looped(CLIPS[clip], seconds, joints)
    simulation.run(1.0, pose)
    simulation.command(Command.ARM)
    simulation.commands.clear()
    began = simulation.now
    assert simulation.run(30.0, pose, until=State.ARMED).state is State.ARMED
    longest = 1.8 / APPROACH_SPEED + APPROACH_SPEED / APPROACH_ACCELERATION + APPROACH_PATIENCE
    assert simulation.now - began <= longest + 4.0 * APPROACH_GROWTH
    growth = 1.1 * LIMITS.velocity - APPROACH_SPEED
    for turn, row in enumerate(speeds(simulation.commands)):
        grown = min(turn * PERIOD / APPROACH_GROWTH, 1.0)
        assert max(map(abs, row)) <= MARGIN * (APPROACH_SPEED + growth * grown), turn
    assert largest(speeds(speeds(simulation.commands))) <= 1.1 * MARGIN * LIMITS.acceleration


def test_a_jump_to_a_pose_that_stands_is_gone_to_slowly_however_fast_the_approach_has_become(simulate):
    simulation, pose = simulate(make_device(1)), swing(1.2, 2.5)
    simulation.run(1.0, pose)
    simulation.command(Command.ARM)
    simulation.run(0.5, pose)
    while largest(speeds(simulation.commands[-2:])) < 4.0 * APPROACH_SPEED:
        assert simulation.run(PERIOD, pose).state is not State.ARMED
    away = still(math.copysign(1.4, -simulation.commands[-1][0]))
    simulation.run(1.0, away)
    simulation.commands.clear()
    assert simulation.run(30.0, away, until=State.ARMED).state is State.ARMED
    assert largest(speeds(simulation.commands)) <= MARGIN * APPROACH_SPEED
    assert simulation.commands[-1] == pytest.approx(away(0.0), abs=0.01)


def test_a_jump_after_the_robot_has_followed_begins_a_slow_approach(simulate):
    simulation, pose = simulate(make_device(1)), looped(CLIPS["even"], 3.0, 1)
    simulation.arm(pose)
    assert simulation.run(3.0, pose, until=State.HOLDING).state is State.HOLDING
    simulation.run(1.0, pose, until=State.ARMING)
    simulation.commands.clear()
    began = simulation.now
    simulation.run(30.0, pose, until=State.ARMED)
    assert simulation.now - began >= APPROACH_GROWTH
    growth = 1.1 * LIMITS.velocity - APPROACH_SPEED
    for turn, row in enumerate(speeds(simulation.commands)):
        grown = min(turn * PERIOD / APPROACH_GROWTH, 1.0)
        assert max(map(abs, row)) <= MARGIN * (APPROACH_SPEED + growth * grown), turn
