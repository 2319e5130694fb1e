"""Tests a jump of the pose and a fast motion: the robot approaches the former slowly, and follows the latter
at full speed.
"""

import math
from itertools import pairwise
from random import Random

import pytest
from limber.hardware.device import VIRTUAL_PORT, Device, DeviceJoint, ServoChannel, Share
from limber.hardware.safety import JUMPED, Command, State
from limber.hardware.worker.command_buffer import FAR
from limber.hardware.worker.core import PERIOD
from limber.hardware.worker.drive import APPROACH_SPEED
from limber.motion import Kinematic, Limits, make_filter

from tests import deep
from tests.hardware.simulation import LIMITS, largest, make_device, speeds, still

SLOWLY = 1.15 * APPROACH_SPEED  # with the limiter's headroom
QUICKEST = 1.1 * LIMITS.velocity * 1.001


def sweeps(rate: float, seconds: float) -> list[tuple[float]]:
    """Frames of a joint that swings between its ends as fast as its limits allow, `rate` per second."""
    swift, now, frames = make_filter("default", LIMITS), Kinematic(0.0), []
    for k in range(int(rate * seconds)):
        now = swift.step(now, 1.5 if k * 0.8 // rate % 2 else -1.5, 1 / rate)
        frames.append((now.position,))
    return frames


@pytest.mark.parametrize("after", [0.0, 0.15])
@pytest.mark.parametrize(("stands", "wanted"), [(-1.0, 1.0), (0.5, -1.5), (0.0, 0.48)])
def test_a_leap_of_the_pose_is_gone_to_slowly_and_then_followed_again(simulate, stands, wanted, after):
    simulation = simulate(make_device(1))
    simulation.arm(still(stands))
    simulation.run(after)  # an undo takes time, in which no frames arrive
    simulation.commands.clear()
    simulation.run(0.3, still(wanted))
    assert simulation.report.detail == JUMPED
    assert (
        simulation.run(abs(wanted - stands) / APPROACH_SPEED + 2.0, still(wanted), until=State.ARMED).state
        is State.ARMED
    )
    assert largest(speeds(simulation.commands)) <= SLOWLY
    assert simulation.report.detail == ""
    assert simulation.run(1.0, still(wanted)).commanded == pytest.approx((wanted,))


def test_a_leap_in_fast_motion_slows_down_within_the_limits_and_then_goes_slowly(simulate):
    def waving(time: float) -> tuple[float, ...]:
        return (math.sin(2.0 * time),)

    simulation = simulate(make_device(1))
    simulation.arm(waving)
    simulation.run(3.0, waving)
    simulation.commands.clear()
    wanted = -1.4 if waving(simulation.now)[0] > 0 else 1.4
    simulation.run(8.0, still(wanted), until=State.ARMED)
    assert largest(speeds(speeds(simulation.commands))) <= 1.1 * LIMITS.acceleration * 1.001
    assert largest(speeds(simulation.commands[50:])) <= SLOWLY
    assert simulation.state is State.ARMED


def test_a_scrub_to_and_fro_stays_slow_however_long_it_takes(simulate):
    simulation = simulate(make_device(1))
    simulation.arm(still(0.0))
    simulation.commands.clear()
    simulation.run(12.0, lambda time: (1.2 * (-1) ** int(time / 0.7),))
    assert simulation.state is not State.ARMED
    assert largest(speeds(simulation.commands)) <= SLOWLY
    simulation.run(6.0, still(1.0), until=State.ARMED)
    assert simulation.state is State.ARMED


def test_a_pose_that_leapt_while_nothing_was_sent_is_gone_to_slowly(simulate):
    simulation = simulate(make_device(1))
    simulation.arm(still(-1.2))
    assert simulation.run(1.0).state is State.HOLDING
    simulation.commands.clear()
    assert simulation.run(9.0, still(1.2), until=State.ARMED).state is State.ARMED
    assert largest(speeds(simulation.commands)) <= SLOWLY


def test_a_small_step_is_driven_at_once(simulate):
    simulation = simulate(make_device(1))
    simulation.arm(still(0.0))
    simulation.run(0.7, still(0.9 * FAR))
    assert simulation.state is State.ARMED
    assert simulation.commands[-1] == pytest.approx((0.9 * FAR,))


@pytest.mark.parametrize("rate", [24, 30, 60])
@pytest.mark.parametrize("uneven", [0.0, 0.3])
@pytest.mark.parametrize("hiccups", [0.0, 0.02])
def test_motion_at_the_joints_limits_is_followed_at_full_speed_however_unevenly_its_frames_come(
    simulate, rate, uneven, hiccups
):
    noise = Random(3)
    frames = sweeps(rate, deep.count(10, 20))
    simulation = simulate(make_device(1))
    simulation.arm(still(0.0))
    simulation.commands.clear()
    late = 0.0  # delays add up: Blender's motion is late by their sum
    begin = simulation.now
    for k, frame in enumerate(frames):
        late += noise.uniform(0.05, 0.12) if noise.random() < hiccups else 0.0
        due = begin + late + (k + noise.uniform(-uneven, uneven)) / rate
        while simulation.now < due:
            simulation.run(PERIOD)
            assert simulation.state is State.ARMED, simulation.report.detail
        simulation.send(frame, due)
    reached = [abs(b[0] - a[0]) / PERIOD for a, b in pairwise(simulation.commands)]
    assert 0.9 * LIMITS.velocity < max(reached) <= QUICKEST


def test_disarming_ends_a_hold_that_a_leap_brought_about(simulate):
    simulation = simulate(make_device(1))
    simulation.arm(still(-1.0))
    simulation.run(0.5, still(1.0))
    simulation.command(Command.DISARM)
    report = simulation.run(0.2, still(1.0))
    assert (report.state, report.detail) == (State.DISARMED, "")


def test_a_lamp_that_is_keyed_on_at_once_lets_the_joints_go_on(simulate):
    joints = (DeviceJoint("pan", LIMITS), DeviceJoint("lamp", Limits(0.0, 1.0, 4.0, 40.0, 400.0), "plain"))
    channels = (ServoChannel(0, (Share("pan"),)), ServoChannel(1, (Share("lamp", 1.0),)))
    simulation = simulate(Device(VIRTUAL_PORT, joints, channels))
    simulation.arm(still(0.0, 0.0))
    simulation.commands.clear()
    began = simulation.now
    states = set()
    for _ in range(100):
        states.add(
            simulation.run(0.01, lambda time: (0.5 * math.sin(time - began), float(time > began + 0.5))).state
        )
    assert states == {State.ARMED}
    lamp = [row[1] for row in simulation.commands]
    assert lamp[-1] == pytest.approx(1.0, abs=0.01)
    assert largest(speeds([[value] for value in lamp])) <= 1.1 * 4.0 * 1.001
