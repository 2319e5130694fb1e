"""Tests that feasible motion of joints reaches the servos unchanged, also through gears and mixes, with the
latency given by the device.
"""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.hardware.device import Device, DeviceJoint, ServoChannel, Share, auxiliary
from limber.hardware.messages import Request
from limber.hardware.mixing import Mixing
from limber.hardware.safety import Command, State
from limber.hardware.worker.monitors import BLOCKED_FOR, TrackingErrorMonitor
from limber.hardware.worker.motion_controller import MotionController
from limber.motion import Kinematic, Limits
from limber.motion.tracking import TrackingFilter

from tests.hardware.devices import direct
from tests.hardware.simulation import Simulation, make_device, still

PERIOD = 0.01
gears = st.floats(0.5, 2.0) | st.floats(-2.0, -0.5)


def limits_within(reach: float, velocity: float) -> Limits:
    return Limits(-reach, reach, velocity, 5.0 * velocity, 50.0 * velocity)


@st.composite
def devices(draw) -> Device:
    """A differential of two joints, two servos on one axis, a prismatic joint, and a jaw."""
    velocity = draw(st.floats(0.5, 6.0))
    a, b = draw(gears), draw(gears)
    joints = [
        DeviceJoint("pan", limits_within(0.3, velocity)),
        DeviceJoint("tilt", limits_within(0.3, 0.5 * velocity)),
    ]
    channels = [
        ServoChannel(0, (Share("pan", a), Share("tilt", b))),
        ServoChannel(1, (Share("pan", a), Share("tilt", -b)), direction=-1),
        ServoChannel(2, (Share("shoulder", a),)),
        ServoChannel(3, (Share("shoulder", a),), direction=-1, zero=1400.0),
    ]
    pairs = [
        direct("slide", 4, limits_within(0.02, 0.1), gear=30.0, unit="m"),
        auxiliary("jaw", 5, Limits(0.0, 1.0, 4.0, 40.0, 800.0), 2000.0, 1200.0),
    ]
    joints += [DeviceJoint("shoulder", limits_within(0.6, velocity)), *(joint for joint, _ in pairs)]
    return Device("virtual", tuple(joints), (*channels, *(channel for _, channel in pairs)))


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    devices(),
    st.lists(st.lists(st.floats(0.0, 1.0), min_size=5, max_size=5), min_size=3, max_size=12),
    st.integers(5, 40),
)
def test_motion_within_all_limits_reaches_every_channel_unchanged(device, targets, turns):
    """Targets jump at random, and a filter with the joints' own limits converts them to motion."""
    mixing = Mixing(device)
    filters = [TrackingFilter(joint.limits) for joint in device.joints]
    states = [Kinematic(joint.limits.clamp(0.0)) for joint in device.joints]
    controller = MotionController(
        device, mixing, Request(Command.ARM), mixing.raw([state.position for state in states])
    )
    for shares in targets:
        goals = [
            joint.limits.lower + share * (joint.limits.upper - joint.limits.lower)
            for joint, share in zip(device.joints, shares, strict=True)
        ]
        for _ in range(turns):
            states = [
                one.step(state, goal, PERIOD) for one, state, goal in zip(filters, states, goals, strict=True)
            ]
            wanted = [Kinematic(state.position, state.velocity, state.acceleration) for state in states]
            sent = controller.step(State.ARMED, wanted, PERIOD)
            assert sent == pytest.approx(mixing.unbounded([state.position for state in states]), abs=1e-6)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(devices(), st.lists(st.lists(st.floats(-9.0, 9.0), min_size=5, max_size=5), min_size=1, max_size=30))
def test_whatever_is_wanted_no_channel_leaves_its_range_or_outruns_its_joints(device, targets):
    mixing = Mixing(device)
    start = mixing.raw([joint.limits.clamp(0.0) for joint in device.joints])
    controller = MotionController(device, mixing, Request(Command.ARM), start)
    before = start
    for target in targets:
        goal = [Kinematic(value) for value in mixing.clamp(target)]
        for _ in range(7):
            sent = controller.step(State.ARMED, goal, PERIOD)
            for k, (channel, old, new) in enumerate(zip(device.channels, before, sent, strict=True)):
                assert channel.lowest - 1e-6 <= new <= channel.highest + 1e-6
                assert abs(new - old) <= 1.1 * mixing.top_speed(k) * channel.per_radian * PERIOD + 1e-6
            before = sent


@pytest.mark.parametrize("latency", [0.0, 0.4, 1.0])
def test_motion_is_as_late_as_the_device_says(latency):
    device = make_device(1)
    late = Device(device.port, device.joints, device.channels, latency=latency)
    simulation = Simulation(late)
    simulation.arm(still(0.0))
    simulation.run(2.0, still(0.0))
    simulation.commands.clear()
    began = simulation.now
    simulation.run(3.0, lambda time: (0.1 * (1 - math.cos(3.0 * max(time - began, 0.0))),))
    peaks = [k * PERIOD for k, (angle,) in enumerate(simulation.commands) if angle > 0.199]
    middle = sum(peaks) / len(peaks)
    assert middle - math.pi / 3.0 == pytest.approx(latency + 0.05, abs=0.04)  # and the lag of playback
    assert simulation.state is State.ARMED
    simulation.close()


def test_a_robot_with_latency_holds_as_soon_as_blender_is_silent():
    device = make_device(1)
    simulation = Simulation(Device(device.port, device.joints, device.channels, latency=1.0))
    simulation.arm(lambda time: (0.3 * math.sin(2.0 * time),))
    simulation.run(0.4)
    assert simulation.state is State.HOLDING
    simulation.close()


@pytest.mark.parametrize(("lag", "told"), [(0.1, False), (0.25, False), (0.6, True)])
def test_a_servo_that_is_a_little_late_does_not_stay_behind(lag, told):
    device = make_device(1)
    mixing, following = Mixing(device), TrackingErrorMonitor(device)

    def at(time: float) -> tuple[float, ...]:
        return mixing.raw((math.sin(2.5 * time),))

    warned = False
    for k in range(300):
        following.take(k * PERIOD, at(k * PERIOD), at(k * PERIOD - lag))
        warned |= bool(following.warnings(k * PERIOD))
    assert warned is told


def test_only_a_servo_that_stays_behind_without_a_break_is_blocked():
    device = make_device(1)
    mixing, following = Mixing(device), TrackingErrorMonitor(device)
    for k in range(300):
        held = 0.0 if k % 90 else 1.0  # sometimes a frame arrives
        following.take(k * PERIOD, mixing.raw((1.0,)), mixing.raw((held,)))
        assert following.blocked(k * PERIOD) is None
    following.forget()
    times = [k * PERIOD for k in range(300)]
    for time in times:
        following.take(time, mixing.raw((1.0,)), mixing.raw((0.0,)))
        assert (following.blocked(time) is not None) is (time > BLOCKED_FOR)
