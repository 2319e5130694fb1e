"""Tests joints whose speed limits exceed those of their servos: servos never get goals beyond their speed."""

import math
from itertools import pairwise

import pytest
from limber.hardware.device import VIRTUAL_PORT, Device, DeviceJoint, ServoChannel, Share
from limber.hardware.messages import Request
from limber.hardware.mixing import Mixing
from limber.hardware.safety import Command, State
from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.motion_controller import MotionController
from limber.motion import Kinematic
from limber.motion.profile import stopping_distance

from tests.hardware.simulation import LIMITS, largest, speeds, still

# [rad/s] limit of each servo, which moves as fast as both joints together if they move in the same direction:
# at most 1.1 pi
FASTEST = 4.0
HEADROOM = 1.1  # that of the limiter


def neck(speed: float | None) -> Device:
    joints = tuple(DeviceJoint(name, LIMITS) for name in ("pan", "tilt", "jaw"))
    gears = (
        (Share("pan", 0.5), Share("tilt", 0.5)),
        (Share("pan", 0.5), Share("tilt", -0.5)),
        (Share("jaw"),),
    )
    return Device(
        VIRTUAL_PORT,
        joints,
        tuple(ServoChannel(k, shares, speed=speed if k < 2 else None) for k, shares in enumerate(gears)),
    )


def nodding(time: float) -> tuple[float, ...]:
    """Both joints at once, at up to 2.8 rad/s, within their limits."""
    return tuple(1.0 * math.sin(2.8 * time) for _ in range(3))


def alone(speed: float) -> Device:
    """A joint with its own servo, which rotates twice as fast as the joint."""
    return Device(
        VIRTUAL_PORT, (DeviceJoint("pan", LIMITS),), (ServoChannel(0, (Share("pan", 2.0),), speed=speed),)
    )


def turns(commands) -> list[float]:
    """Commanded speeds of the first servo, from each command to the next [rad/s]."""
    return [abs(0.5 * (b[0] + b[1]) - 0.5 * (a[0] + a[1])) / PERIOD for a, b in pairwise(commands)]


@pytest.mark.parametrize("speed", [1.0, 2.0])
def test_no_servo_of_a_mix_is_asked_to_turn_faster_than_it_can(simulate, speed):
    simulation = simulate(neck(speed))
    simulation.arm(still(0.0, 0.0, 0.0))
    simulation.commands.clear()
    simulation.run(6.0, nodding)
    assert max(turns(simulation.commands)) <= HEADROOM * speed * 1.001
    assert max(turns(simulation.commands)) >= 0.9 * speed
    assert simulation.run(8.0, still(0.3, -0.2, 0.1)).state in (State.ARMED, State.ARMING)
    assert simulation.report.commanded == pytest.approx((0.3, -0.2, 0.1), abs=0.01)


def test_joints_of_a_mix_slow_down_together_and_the_others_do_not(simulate):
    slow, quick = simulate(neck(1.0)), simulate(neck(None))
    for simulation in (slow, quick):
        simulation.arm(still(0.0, 0.0, 0.0))
        simulation.commands.clear()
        simulation.run(5.0, nodding)
    assert [row[2] for row in slow.commands] == [row[2] for row in quick.commands]
    assert [row[0] for row in slow.commands] == pytest.approx([row[1] for row in slow.commands])


def test_motion_that_the_servos_can_make_is_not_touched(simulate):
    free, held = simulate(neck(None)), simulate(neck(FASTEST))
    for simulation in (free, held):
        simulation.arm(still(0.0, 0.0, 0.0))
        simulation.run(5.0, nodding)
    assert free.commands == held.commands


def test_a_mix_that_is_held_to_its_servos_speed_keeps_its_joints_accelerations_when_it_brakes(simulate):
    simulation = simulate(neck(1.0))
    simulation.arm(still(0.0, 0.0, 0.0))
    simulation.run(3.2, nodding)
    simulation.commands.clear()
    simulation.run(1.5)  # no more frames: it holds
    assert simulation.state is State.HOLDING
    assert max(turns(simulation.commands)) <= HEADROOM * 1.001
    assert turns(simulation.commands)[-1] == pytest.approx(0.0, abs=1e-3)


def test_a_joint_with_a_slow_servo_of_its_own_keeps_that_speed_and_all_its_limits(simulate):
    simulation = simulate(alone(1.0))
    simulation.arm(still(0.0))
    simulation.commands.clear()
    simulation.run(6.0, lambda time: (0.7 * math.sin(3.0 * time),))
    velocity = speeds(simulation.commands)
    acceleration = speeds(velocity)
    assert 0.9 * 0.5 <= largest(velocity) <= HEADROOM * 0.5 * 1.001
    assert largest(acceleration) <= HEADROOM * LIMITS.acceleration * 1.001
    assert largest(speeds(acceleration)) <= HEADROOM * LIMITS.jerk * 1.001


def test_a_joint_with_a_slow_servo_of_its_own_stops_within_the_way_that_its_real_speed_needs():
    device = alone(1.0)
    mixing = Mixing(device)
    controller = MotionController(device, mixing, Request(Command.ARM), mixing.raw([0.0]))
    for k in range(60):
        angle = 3.0 * k * PERIOD
        controller.step(
            State.ARMED, [Kinematic(math.sin(angle), 3.0 * math.cos(angle), -9.0 * math.sin(angle))], PERIOD
        )
    (begun,) = controller.commanded
    while not controller.at_rest:
        controller.step(State.HOLDING, None, PERIOD)
    way = stopping_distance(HEADROOM * 0.5, LIMITS.acceleration, LIMITS.acceleration, LIMITS.jerk)
    assert abs(controller.commanded[0] - begun) <= way


def test_a_joint_that_is_jogged_keeps_the_speed_of_a_servo_of_its_own_that_is_slower_than_a_jog():
    device = alone(0.2)  # half of it is a quarter of a jog's speed
    mixing = Mixing(device)
    controller = MotionController(device, mixing, Request(Command.JOG, amount=0.3), mixing.raw([0.0]))
    raw = [controller.step(State.SETUP, None, PERIOD) for _ in range(500)]
    joint = [mixing.values(row) for row in raw]
    assert joint[-1] == pytest.approx((0.3,), abs=1e-6)
    assert largest(speeds(joint)) <= HEADROOM * 0.1 * 1.001
