"""Tests a robot with mass on servos: it follows with a lag, sags, reports its load, is stopped by an
obstacle, and falls when released.
"""

import math

import numpy as np
import pytest
from limber.hardware.safety import Command, Fault, State
from limber.hardware.sentences import sentence

from tests.hardware.bus_simulation import BUSES, BusSimulation, bus_device
from tests.hardware.simulation import PERIOD, still
from tests.hardware.small_arm import ARM, HORNS, POST, START, small_arm
from tests.robots.robots import NO_PUBLIC, SHARED

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install -r requirements/dev.txt")

SO101 = SHARED / "robots" / "so101" / "so101_new_calib.xml"
REST = still(*START.values())


def swinging(time: float) -> tuple[float, ...]:
    return tuple(start + 0.2 * math.sin(math.pi * time + k) for k, start in enumerate(START.values()))


@pytest.fixture
def begin(closing):
    """Function that creates simulations, which are closed at the end of the test."""
    return lambda *args: closing(small_arm(*args))


def lag(simulation, seconds: float, pose, joints: int) -> tuple[float, float]:
    """Lag [s] and gain of the measured joints relative to the commanded ones, while `pose` swings at .5
    Hz.
    """
    simulation.commands.clear()
    found = []
    for _ in range(round(seconds / PERIOD)):
        simulation.run(PERIOD, pose)
        found.append(simulation.angles()[:joints])
    times = np.arange(len(found)) * PERIOD
    wave = np.exp(-1j * math.pi * times)
    commanded, measured = (
        ((np.array(rows) - np.mean(rows, axis=0)).T @ wave)
        for rows in (simulation.commands[-len(found) :], found)
    )
    ratio = measured / commanded
    return float(np.max(-np.angle(ratio)) / math.pi), float(np.mean(np.abs(ratio)))


@pytest.mark.parametrize("protocol", BUSES)
def test_a_body_with_mass_follows_a_little_later(begin, protocol):
    simulation = begin(protocol)
    simulation.arm(swinging)
    simulation.run(2.0, swinging)
    late, gain = lag(simulation, 4.0, swinging, 3)
    assert 0.005 < late < 0.06
    assert gain == pytest.approx(1.0, abs=0.05)
    assert simulation.state is State.ARMED
    assert simulation.report.warnings == ()


def test_what_carries_weight_tells_its_load_and_sags(begin):
    simulation = begin("feetech_sts")
    simulation.arm(REST)
    report = simulation.run(2.0, REST)
    bus = simulation.bus
    needed = (
        bus.data.qfrc_bias[1:3] / bus.model.actuator_forcerange[1:3, 1]
    )  # gravity's torque, as a share of the strength
    assert [channel.load for channel in report.channels[1:]] == pytest.approx(list(needed), abs=0.03)
    assert needed[0] < -0.1, "the shoulder lifts the arm"
    assert abs(report.channels[0].load) < 0.02, "the base carries nothing"
    sag = simulation.angles()[1] - START[2]
    assert 1e-4 < sag < 0.02


def test_a_servo_that_pushes_against_an_obstacle_is_named_with_its_load_and_goes_weak(begin):
    simulation = begin("feetech_sts")
    simulation.arm(REST)
    against, said = still(POST - 0.05, -0.2, 0.1), set()
    for _ in range(60):
        report = simulation.run(0.1, against)
        said.update(report.warnings)
    assert any(text.startswith("'joint 1' (servo 1) works at 100% of its strength") for text in said), said
    assert report.fault is Fault.DEVICE_REFUSED
    assert "'joint 1' (servo 1): it is overloaded" in sentence(
        report.state, report.fault, report.detail, simulation.device
    )


def test_a_joint_that_an_obstacle_blocks_is_a_fault(begin):
    simulation = begin("dynamixel")
    simulation.arm(REST)
    report = simulation.run(8.0, still(1.45, -0.2, 0.1))
    assert (report.state, report.fault) == (State.FAULT, Fault.BLOCKED)
    assert simulation.angles()[0] < POST
    assert "'joint 1' (servo 1)" in report.detail


@pytest.mark.parametrize("protocol", BUSES)
def test_a_released_robot_falls_and_is_armed_where_it_lies(begin, protocol):
    simulation = begin(protocol, "detach")
    simulation.arm(REST)
    simulation.command(Command.DISARM)
    simulation.run(3.0, REST)
    fallen = simulation.angles()
    assert fallen[1] > 1.0, "the arm hangs"
    simulation.command(Command.ARM)
    simulation.run(0.3, REST)
    assert simulation.angles()[1] == pytest.approx(fallen[1], abs=0.15), "arming begins where the robot is"
    assert simulation.run(12.0, REST, until=State.ARMED).state is State.ARMED
    assert simulation.run(1.0, REST).positions[1] == pytest.approx(START[2], abs=0.03)


def test_a_softer_gain_sags_more(begin):
    simulation = begin("feetech_sts")
    simulation.arm(REST)
    simulation.run(1.0, REST)
    stiff = simulation.angles()[1] - START[2]
    simulation.bus.servos[2].table[21] = 8
    simulation.run(1.0, REST)
    assert simulation.angles()[1] - START[2] > 2.0 * stiff


@pytest.mark.skipif(not SO101.exists(), reason=f"{NO_PUBLIC}: {SO101.name}")
def test_the_model_of_a_real_arm_follows():
    from tests.hardware.servo_bus.body import StsOnBody, horns_of, model_of

    names = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")
    bus = StsOnBody(model_of(SO101), horns_of([f"{k}:{name}" for k, name in enumerate(names, 1)]))
    simulation = BusSimulation(bus_device("feetech_sts", ids=tuple(range(1, 7))), bus)

    def pose(time: float) -> tuple[float, ...]:
        return tuple(0.17 * math.sin(math.pi * time) + (0.2 if name == "gripper" else 0.0) for name in names)

    simulation.arm(pose)
    simulation.run(2.0, pose)
    late, gain = lag(simulation, 4.0, pose, 6)
    assert 0.0 < late < 0.03, "14 ms by the model's own gains, and the servo's delay"
    assert gain == pytest.approx(1.0, abs=0.02)
    assert simulation.state is State.ARMED
    simulation.close()


def test_the_arm_is_a_model_that_mujoco_reads():
    assert mujoco.MjModel.from_xml_string(ARM).nu == len(HORNS)
