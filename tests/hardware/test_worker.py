"""The worker against the virtual robot, in simulated time: what the robot does when something goes wrong."""

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limber.hardware.calibration import angle_from_pulse, pulse_from_angle
from limber.hardware.device import VIRTUAL_HOBBY_PORT
from limber.hardware.protocols.limber import Decoder, Move
from limber.hardware.protocols.limber import State as DeviceState
from limber.hardware.safety import Fault, State, Wish
from limber.hardware.virtual_robot import VirtualRobot
from limber.hardware.worker.conversation import MOST_WAITING
from limber.hardware.worker.core import TURN
from limber.hardware.worker.drive import LONGEST_STEP, RAMP_SPEED

from tests.hardware.simulation import LIMITS, Simulation, largest, make_device, speeds, still

POSE = still(0.4, -0.3, 0.2)


def waving(time: float) -> tuple[float, ...]:
    return tuple(0.5 * math.sin(2.0 * time + k) for k in range(3))


def test_connecting_moves_nothing(simulate):
    simulation = simulate(make_device())
    places = simulation.robot.places
    report = simulation.run(1.0, POSE)
    assert report.state is State.DISARMED
    assert simulation.robot.pulses == (None,) * len(places)
    assert simulation.robot.places == places


def test_the_worker_says_that_it_connects_before_a_port_that_takes_its_time_to_open(simulate):
    simulation = simulate(make_device())
    simulation.run(TURN)
    assert simulation.told_while_opening.state is State.CONNECTING


def test_an_armed_robot_goes_where_blender_says(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    report = simulation.run(1.0, POSE)
    assert report.commanded == pytest.approx(POSE(0))
    assert report.reported == pytest.approx(POSE(0), abs=1e-3)


def test_smooth_motion_within_limits_reaches_the_wire_unchanged_but_later(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.run(4.0, waving)  # playback settles
    for _ in range(200):
        command = simulation.run(TURN, waving).commanded
        delays = [0.001 * ms for ms in range(20, 80)]
        assert min(math.dist(command, waving(simulation.now - delay)) for delay in delays) < 1e-3


@settings(max_examples=25, derandomize=True, deadline=None)
@given(st.lists(st.floats(-1.4, 1.4), min_size=3, max_size=3), st.lists(st.floats(-1.4, 1.4), min_size=3, max_size=3))
def test_arming_starts_where_the_robot_is_and_goes_slowly(stands, wanted):
    device = make_device()
    places = [pulse_from_angle(channel, angle) for channel, angle in zip(device.channels, stands, strict=True)]
    simulation = Simulation(device, VirtualRobot(places, feedback=True, now=0.0))
    simulation.arm(still(*wanted))
    assert simulation.commands[0] == pytest.approx(stands, abs=1e-3)
    assert largest(speeds(simulation.commands)) <= 1.15 * RAMP_SPEED  # the limiter's headroom, and what encoding rounds
    assert largest(speeds(simulation.places)) <= 1.15 * RAMP_SPEED * device.channels[0].us_per_rad
    simulation.close()


def test_arming_catches_up_with_a_pose_that_moves_faster_than_the_ramp(simulate):
    simulation = simulate(make_device())
    simulation.arm(lambda time: tuple(1.2 * math.sin(2.0 * time + k) for k in range(3)))  # up to 2.4 rad/s
    assert simulation.state is State.ARMED


def test_a_robot_that_stands_beyond_a_limit_is_led_back_inside(simulate):
    device = make_device(1)
    beyond = LIMITS.upper + 0.05
    place = device.channels[0].zero_us + device.channels[0].us_per_rad * beyond
    simulation = simulate(device, VirtualRobot([place], feedback=True, now=0.0))
    simulation.arm(still(1.0))
    assert simulation.commands[0] == pytest.approx((beyond,), abs=1e-3)
    assert largest(speeds(simulation.commands)) <= 1.15 * RAMP_SPEED


def test_hobby_servos_start_at_the_confirmed_pose(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.run(1.0, POSE)
    simulation.wish(Wish.ARM)
    assert simulation.run(1.0, POSE).state is State.CONFIRM_POSE
    assert simulation.robot.pulses[:3] == (None,) * 3
    simulation.wish(Wish.CONFIRM_POSE)
    simulation.run(0.5, POSE, until=State.ARMED)
    assert simulation.commands[0] == pytest.approx(POSE(0))
    assert simulation.report.reported is None


@pytest.mark.parametrize("rest", [Wish.DISARM, Wish.RECONNECT])
def test_hobby_servos_that_still_hold_start_from_there_and_need_no_confirmation(simulate, rest):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.arm(POSE)
    simulation.run(0.5, POSE)
    simulation.wish(rest)
    simulation.run(0.5, POSE)
    assert simulation.state is State.DISARMED
    simulation.commands.clear()
    simulation.places.clear()
    simulation.wish(Wish.ARM)
    elsewhere = still(-0.5, 0.5, 0.0)
    assert simulation.run(10.0, elsewhere, until=State.ARMED).state is State.ARMED
    assert simulation.commands[0] == pytest.approx(POSE(0), abs=1e-3)
    assert largest(speeds(simulation.places)) <= 1.15 * RAMP_SPEED * simulation.device.channels[0].us_per_rad


def test_hobby_servos_that_went_limp_need_their_pose_confirmed_again(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT, on_silence="detach"))
    simulation.arm(POSE)
    simulation.wish(Wish.DISARM)
    simulation.run(0.5, POSE)
    simulation.wish(Wish.ARM)
    assert simulation.run(0.5, POSE).state is State.CONFIRM_POSE


def test_a_pose_cannot_be_confirmed_before_blender_shows_one(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.run(1.0)
    simulation.wish(Wish.ARM)
    simulation.run(0.2)
    simulation.wish(Wish.CONFIRM_POSE)
    assert simulation.run(0.2).state is State.CONFIRM_POSE
    assert "Live" in simulation.report.detail


def test_a_servo_that_does_not_tell_its_place_keeps_the_robot_disarmed(simulate):
    device = make_device(3)
    robot = VirtualRobot([1500.0, 1500.0, 1500.0], feedback=True, now=0.0)
    robot.unread = {1}
    simulation = simulate(device, robot)
    simulation.run(1.0, POSE)
    simulation.wish(Wish.ARM)
    report = simulation.run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.POSE_UNREAD)
    assert "joint 1" in report.detail
    assert robot.pulses == (None,) * 3
    robot.unread = set()
    simulation.wish(Wish.CLEAR_FAULT)
    assert simulation.run(0.5, POSE).state is State.DISARMED
    simulation.arm(POSE)


def test_silence_from_blender_slows_down_to_a_hold_and_goes_on_by_a_ramp(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.run(1.0, waving)
    simulation.commands.clear()
    assert simulation.run(0.19).state is State.ARMED
    assert simulation.run(0.8).state is State.HOLDING
    assert largest(speeds(speeds(simulation.commands))) <= 1.1 * LIMITS.acceleration * 1.001
    assert simulation.commands[-1] == simulation.commands[-10]  # stands
    assert simulation.robot.state is DeviceState.ARMED  # the device's own watchdog stays calm
    simulation.commands.clear()
    simulation.run(10.0, waving, until=State.ARMED)
    assert simulation.state is State.ARMED
    assert largest(speeds(simulation.commands[:30])) <= 1.15 * RAMP_SPEED


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
    assert report.state is State.FAULT  # frames alone do not bring it back


def test_stop_ends_motion_within_two_turns_and_latches(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.stop()
    simulation.run(2 * TURN, waving)
    assert simulation.robot.state is DeviceState.FAULT
    pulses = simulation.robot.pulses
    report = simulation.run(1.0, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.STOPPED)
    assert simulation.robot.pulses == pulses  # channels that hold go on holding
    simulation.wish(Wish.ARM)
    assert simulation.run(0.5, waving).state is State.FAULT
    simulation.wish(Wish.CLEAR_FAULT)
    assert simulation.run(0.5, waving).state is State.DISARMED
    simulation.arm(waving)


def test_a_wish_from_before_a_stop_is_void(simulate):
    simulation = simulate(make_device())
    simulation.run(1.0, POSE)
    simulation.wish(Wish.ARM)
    simulation.stop()
    assert simulation.run(0.5, POSE).fault is Fault.STOPPED
    assert simulation.robot.pulses[:3] == (None,) * 3


def test_a_wish_from_before_a_stop_is_void_also_where_it_arrives_after_it(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    simulation.stop()
    simulation.run(0.1, POSE)
    simulation.wish(Wish.CLEAR_FAULT, stops=0)
    assert simulation.run(0.5, POSE).fault is Fault.STOPPED


def test_stop_reaches_the_device_in_a_fault_as_well(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    simulation.run(6.0)
    assert simulation.report.fault is Fault.BLENDER_SILENT
    simulation.stop()
    assert simulation.run(0.1).fault is Fault.STOPPED
    assert simulation.robot.state is DeviceState.FAULT


def test_servos_that_lose_their_pulses_while_arming_are_not_sent_to_a_pose_that_nobody_confirmed(simulate):
    simulation = simulate(make_device(port=VIRTUAL_HOBBY_PORT))
    simulation.arm(POSE)
    simulation.wish(Wish.DISARM)
    simulation.run(0.5, POSE)
    simulation.wish(Wish.ARM)
    for servo in simulation.robot.servos:
        servo.pulse = None
    assert simulation.run(1.0, still(-1.0, -1.0, -1.0)).fault is Fault.POSE_UNREAD
    assert simulation.robot.pulses == (None,) * 3


def test_stop_is_honoured_while_connecting(simulate):
    simulation = simulate(make_device())
    simulation.run(TURN)
    simulation.stop()
    assert simulation.run(1.0, POSE).fault is Fault.STOPPED
    simulation.wish(Wish.CLEAR_FAULT)
    assert simulation.run(1.0, POSE).state is State.DISARMED


def test_channels_that_detach_go_limp_on_stop_and_disarm(simulate):
    for end in (Simulation.stop, lambda simulation: simulation.wish(Wish.DISARM)):
        simulation = simulate(make_device(on_silence="detach"))
        simulation.arm(POSE)
        end(simulation)
        simulation.run(0.1, POSE)
        assert simulation.robot.pulses[:3] == (None,) * 3


def test_disarm_ends_motion_and_arming_again_starts_from_there(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.wish(Wish.DISARM)
    assert simulation.run(0.5, waving).state is State.DISARMED
    assert simulation.robot.state is DeviceState.DISARMED
    stands = simulation.report.reported
    simulation.commands.clear()
    simulation.arm(waving)
    assert simulation.commands[0] == pytest.approx(stands, abs=1e-3)


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


def test_an_unplugged_cable_is_a_fault_and_clearing_it_connects_again(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    simulation.cable.unplugged = True
    report = simulation.run(0.1, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.UNPLUGGED)
    simulation.missing = Fault.PORT_MISSING
    simulation.wish(Wish.CLEAR_FAULT)
    assert simulation.run(0.5, POSE).fault is Fault.PORT_MISSING
    simulation.missing = None
    simulation.wish(Wish.CLEAR_FAULT)
    assert simulation.run(1.0, POSE).state is State.DISARMED
    simulation.arm(POSE)


def test_connecting_anew_disarms_even_where_the_port_does_not_open_again(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    simulation.missing = Fault.PORT_BUSY
    simulation.wish(Wish.RECONNECT)
    assert simulation.run(2 * TURN, POSE).fault is Fault.PORT_BUSY
    assert simulation.robot.state is DeviceState.DISARMED


def test_a_device_that_freezes_is_noticed_by_its_missing_answers(simulate):
    simulation = simulate(make_device())
    simulation.arm(POSE)
    simulation.cable.frozen = True
    written = len(simulation.cable.written)
    report = simulation.run(1.0, POSE)
    assert (report.state, report.fault) == (State.FAULT, Fault.SILENT)
    moves = [frame for frame in Decoder().feed(simulation.cable.written[written:]) if isinstance(frame.message, Move)]
    assert len(moves) <= MOST_WAITING  # what waits in the port must not move the robot later
    assert report.lost > 0


def test_a_device_that_restarts_in_motion_ends_disarmed_and_says_so(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.robot.reset()
    report = simulation.run(0.5, waving)
    assert (report.state, report.fault) == (State.FAULT, Fault.DEVICE_RESET)
    assert simulation.robot.state is DeviceState.DISARMED
    assert simulation.robot.pulses[:3] == (None,) * 3
    simulation.wish(Wish.CLEAR_FAULT)
    assert simulation.run(1.0, waving, until=State.DISARMED).state is State.DISARMED
    simulation.commands.clear()
    stands = [angle_from_pulse(c, p) for c, p in zip(simulation.device.channels, simulation.robot.places, strict=False)]
    simulation.arm(waving)
    assert simulation.commands[0] == pytest.approx(stands, abs=1e-3)


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
    simulation.wish(Wish.CLEAR_FAULT)
    assert simulation.run(0.5, POSE).state is State.DISARMED


def test_a_worker_that_was_held_up_does_not_leap(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.commands.clear()
    for _ in range(20):
        simulation.run(0.05, waving)
        simulation.now += 0.1  # the worker was not run
        simulation.send(waving(simulation.now))
    assert largest(speeds(simulation.commands)) * TURN <= 1.1 * LIMITS.velocity * LONGEST_STEP * 1.001


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
    assert largest(speeds(simulation.places)) <= 1.6 * LIMITS.velocity * simulation.device.channels[0].us_per_rad


def test_garbage_between_answers_is_skipped(simulate):
    noise = Random(7)
    simulation = simulate(make_device())
    simulation.arm(waving)
    simulation.cable.spoil = lambda data: noise.randbytes(noise.randrange(4)) + data
    assert simulation.run(5.0, waving).state is State.ARMED


def test_a_port_that_says_nothing_is_silent_and_one_that_babbles_speaks_another_protocol(simulate):
    for babble, fault in ((b"", Fault.SILENT), (b"ok\nT:21.3 /0.0\n", Fault.OTHER_PROTOCOL)):
        simulation = simulate(make_device())
        simulation.run(TURN)
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


def test_leaving_disarms_the_robot(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    for _ in range(30):
        simulation.now += TURN
        if simulation.worker.leave(simulation.now):
            break
    assert simulation.robot.state is DeviceState.DISARMED


def test_every_frame_is_accounted_for(simulate):
    simulation = simulate(make_device())
    simulation.arm(waving)
    report = simulation.run(5.0, waving)
    assert report.lost == 0
    assert report.sent - report.acknowledged <= 1
