"""Tests the worker with Reachy Mini's daemon: arming, following, stopping, and actions that the daemon does
not report, in simulated time.
"""

import math
from dataclasses import replace

import pytest
from limber.hardware.errors import DeviceError
from limber.hardware.protocols.reachy_mini.capabilities import MOTORS
from limber.hardware.safety import Command, Fault, State
from limber.hardware.worker.connection import Moves
from limber.hardware.worker.drive import APPROACH_SPEED
from limber.hardware.worker.reachy_connection import ReachyConnection

from tests.hardware.reachy_daemon import SLEEP, reachy_device
from tests.hardware.reachy_simulation import AWAKE, JOINTS, LIMITS, UP, Line, begin, waving
from tests.hardware.simulation import largest, speeds, still

__all__ = ["begin"]


def test_connecting_says_nothing_to_the_robot_and_reads_where_it_is(begin):
    simulation = begin(angles=SLEEP)
    assert simulation.run(3.0, UP).state is State.DISARMED
    assert simulation.daemon.commands == []
    assert simulation.report.measured == pytest.approx(JOINTS, abs=1e-9)


@pytest.mark.parametrize("motors", ["disabled", "enabled"])
def test_arming_begins_where_the_robot_is_and_goes_slowly(begin, motors):
    simulation = begin(motors=motors, angles=SLEEP)
    simulation.arm(UP)
    kinds = [command["type"] for command in simulation.daemon.commands[:4]]
    assert kinds == ["set_automatic_body_yaw", "set_head_joints", "set_antennas", "set_motor_mode"]
    assert simulation.daemon.commands[0]["enabled"] is False
    assert simulation.commands[0] == pytest.approx(JOINTS, abs=1e-3)
    assert (
        largest(speeds(simulation.commands)) <= 1.15 * APPROACH_SPEED * 4
    )  # it accelerates after a second, and again
    simulation.run(0.5, UP)
    assert simulation.joints() == pytest.approx(UP(0), abs=1e-6)


def test_a_motor_that_rests_beyond_its_servos_limits_is_told_and_gets_the_nearest_goal_that_the_servo_takes(
    begin,
):
    asleep = (0.0, -0.985, 1.2, *SLEEP[3:])  # as in the maker's own sleep pose; the limit is 48 degrees
    simulation = begin(angles=asleep)
    assert any(
        "stewart_1" in text and "8 degrees beyond" in text for text in simulation.run(2.0, UP).warnings
    )
    simulation.command(Command.ARM)
    simulation.run(1.5, UP)
    told = [command["joints"] for command in simulation.daemon.told("set_head_joints")]
    assert told[0][1] == pytest.approx(math.radians(-48.0), abs=1e-3)
    assert min(joints[1] for joints in told) == told[0][1]


def test_ranges_that_are_wider_than_a_servos_limits_are_told_and_goals_stay_within_what_it_takes(begin):
    simulation = begin(ranges=dict.fromkeys(MOTORS, (0, 4095)))
    wide = still(*UP(0)[:1], 2.0, *UP(0)[2:])
    warnings = simulation.run(2.0, wide).warnings
    assert any(
        text.startswith("Reachy Mini's servos take less")
        and "'stewart_1' goes from -48.0 degrees to 80.0" in text
        for text in warnings
    )
    simulation.arm(wide)
    assert simulation.run(1.0, wide).commanded[1] == pytest.approx(math.radians(80.0), abs=1e-3)
    assert any(
        "stewart_1" in text and "114.6" in text and "80.0" in text for text in simulation.report.warnings
    )


def test_what_a_blocked_motor_should_be_at_is_what_it_was_sent(begin):
    asleep = (
        0.0,
        -1.25,
        1.2,
        *SLEEP[3:],
    )  # 24 degrees beyond the servo's limit of 48, which becomes its goal when its torque is switched on
    simulation = begin(angles=asleep, limits=replace(LIMITS, velocity=0.01))
    obey = simulation.daemon._obey

    def with_a_stuck_motor(command):
        obey(command)
        if simulation.daemon.targets is not None:
            simulation.daemon.targets[1] = asleep[1]

    simulation.daemon._obey = with_a_stuck_motor
    simulation.run(2.0, UP, until=State.DISARMED)
    simulation.command(Command.ARM)
    report = simulation.run(3.0, UP)
    sent = [math.degrees(command["joints"][1]) for command in simulation.daemon.told("set_head_joints")]
    assert max(sent) < -45.0
    assert report.fault is Fault.BLOCKED
    assert "stewart_1" in report.detail
    assert "should be at -48.0 degrees and is at -71.6 degrees" in report.detail


def test_nothing_is_driven_before_the_daemon_has_said_that_its_motors_are_enabled(begin):
    simulation = begin()
    simulation.run(2.0, UP, until=State.DISARMED)
    simulation.daemon._obey = lambda command: None  # it receives commands, and ignores them
    simulation.command(Command.ARM)
    report = simulation.run(4.0, UP)
    assert (report.state, report.fault) == (State.FAULT, Fault.DEVICE_REFUSED)
    assert "stay 'disabled'" in report.detail
    assert {tuple(command["joints"]) for command in simulation.daemon.told("set_head_joints")} == {AWAKE[:7]}


def test_motion_goes_out_fifty_times_a_second_with_the_antennas_the_other_way(begin):
    simulation = begin()
    simulation.arm(waving)
    simulation.run(1.0, waving)
    del simulation.daemon.commands[:], simulation.daemon.times[:]
    before = simulation.report
    simulation.run(4.0, waving)
    told = simulation.daemon.told("set_head_joints")
    assert len(told) == pytest.approx(200, abs=2)
    assert simulation.report.lost == before.lost == 0
    assert simulation.report.acknowledged - before.acknowledged >= 198
    assert simulation.report.measured == pytest.approx(simulation.joints(), abs=0.02)
    assert simulation.report.measured == pytest.approx(waving(simulation.now), abs=0.05)
    right, left = simulation.daemon.told("set_antennas")[-1]["antennas"]
    assert (right, left) == pytest.approx([-waving(simulation.now)[7], -waving(simulation.now)[8]], abs=0.05)


def test_antennas_that_stand_still_are_not_told_again(begin):
    simulation = begin()
    simulation.arm(UP)
    simulation.run(2.0, UP)
    del simulation.daemon.commands[:]
    simulation.run(1.0, UP)
    assert simulation.daemon.told("set_head_joints")
    assert not simulation.daemon.told("set_antennas")


def test_what_is_not_a_number_never_leaves_the_worker(begin):
    simulation = begin()
    simulation.arm(UP)
    simulation.run(1.0, UP)
    report = simulation.run(0.5, still(*UP(0)[:8], math.nan))
    assert report.state is State.HOLDING
    assert "the value of 'left_antenna' is not a number" in report.detail
    assert all(
        math.isfinite(angle)
        for command in simulation.daemon.told("set_antennas")
        for angle in command["antennas"]
    )


def test_a_goal_that_is_not_a_number_ends_the_connection_and_is_not_sent(begin):
    simulation = begin()
    simulation.arm(UP)
    connection = simulation.worker._connection
    count = len(simulation.daemon.commands)
    connection.move(simulation.now + 1.0, [math.nan] * 9)
    assert connection.fault_report.fault is Fault.UNSUITABLE
    assert len(simulation.daemon.commands) == count


@pytest.mark.parametrize("armed", [True, False])
def test_a_daemon_that_says_nothing_more_is_a_fault_within_a_second(begin, armed):
    simulation = begin("detach")
    simulation.arm(UP) if armed else simulation.run(2.0, UP)
    simulation.daemon.silent = True  # its motors are disconnected, while the connection stays open
    report = simulation.run(1.0, UP)
    assert (report.state, report.fault) == (State.FAULT, Fault.SILENT)
    assert simulation.daemon.motors == "disabled"
    simulation.daemon.silent = False
    simulation.command(Command.CLEAR_FAULT)
    simulation.daemon.__init__(simulation.now, simulation.daemon.angles)
    assert simulation.run(3.0, UP).state is State.DISARMED


@pytest.mark.parametrize("on_silence", ["hold", "detach"])
def test_stop_ends_moves_and_motion_and_holds_or_releases(begin, on_silence):
    simulation = begin(on_silence)
    simulation.arm(waving)
    simulation.run(1.0, waving)
    simulation.daemon.play(5.0, 0.5)
    simulation.stop()
    simulation.run(0.05, waving)
    stands = simulation.joints()
    simulation.run(1.0, waving)
    assert simulation.report.fault is Fault.STOPPED
    assert simulation.joints() == pytest.approx(stands, abs=0.02)
    assert simulation.daemon.told("stop_move")
    assert simulation.daemon.motors == {"hold": "enabled", "detach": "disabled"}[on_silence]
    simulation.command(Command.CLEAR_FAULT)
    simulation.run(0.2, waving)
    simulation.arm(waving)


def test_the_worker_goes_on_after_a_stop_before_the_daemon_has_sent_positions(begin):
    simulation = begin()
    simulation.run(0.01)  # the connection is being made
    simulation.line.cut = True
    simulation.stop()
    report = simulation.run(1.0, UP)
    assert (report.state, report.fault) == (State.FAULT, Fault.STOPPED)


def test_disarming_makes_limp_what_is_to_be_limp(begin):
    for on_silence, motors in (("hold", "enabled"), ("detach", "disabled")):
        simulation = begin(on_silence)
        simulation.arm(UP)
        simulation.command(Command.DISARM)
        assert simulation.run(0.3, UP).state is State.DISARMED
        assert simulation.daemon.motors == motors
        simulation.command(Command.RELEASE, channels=(1, 2))
        simulation.run(0.1, UP)
        assert simulation.daemon.limp == {"stewart_1", "stewart_2"}


@pytest.mark.parametrize("then", [None, Command.ARM, Command.RELEASE])
@pytest.mark.parametrize("is_cleared", [False, True])
def test_a_stop_that_the_network_does_not_take_is_sent_as_soon_as_it_does(begin, is_cleared, then):
    simulation = begin("detach")
    simulation.arm(waving)
    simulation.line.full = True
    simulation.stop()
    simulation.run(0.1, waving)
    if is_cleared:
        simulation.command(Command.CLEAR_FAULT)
        assert simulation.run(0.1, waving).state is State.DISARMED
        if then is not None:
            simulation.command(then, channels=(0,))
            simulation.run(0.1, waving)
    simulation.line.full = False
    simulation.run(0.02, waving)
    assert simulation.daemon.told("stop_move")
    if then is not Command.ARM:
        assert simulation.daemon.motors == "disabled"


def test_an_address_that_is_none_is_no_device():
    with pytest.raises(DeviceError, match="'http://reachy' is no address of a robot"):
        reachy_device(LIMITS, port="http://reachy")


def test_a_servo_that_the_robot_does_not_have_is_named():
    device = reachy_device(LIMITS)
    device = replace(device, channels=(replace(device.channels[0], servo=3), *device.channels[1:]))
    connection = ReachyConnection(device, Line(None), Moves(), 0.0)
    assert "'body_rotation' (servo 3) is none of its motors, 10 to 18" in connection.fault_report.detail


def test_a_robot_of_which_only_the_body_is_driven_keeps_its_head_where_it_is(begin):
    simulation = begin()
    simulation.run(2.0, UP, until=State.DISARMED)
    simulation.command(Command.JOG, target=0, amount=0.1)
    simulation.run(3.0, UP)
    assert simulation.state is State.SETUP
    assert simulation.joints()[0] == pytest.approx(0.1, abs=1e-6)
    assert simulation.daemon.angles[1:] == pytest.approx(AWAKE[1:], abs=1e-9)


def test_motors_that_were_moved_and_not_released_go_limp_when_the_robot_is_disarmed_or_left(begin):
    for end in (disarm, leave):
        simulation = begin("detach")
        simulation.run(2.0, UP, until=State.DISARMED)
        simulation.command(Command.JOG, target=0, amount=0.1)
        simulation.run(3.0, UP)
        simulation.command(Command.RELEASE, channels=(1,))
        assert simulation.run(0.3, UP).state is State.LIMP
        assert simulation.daemon.motors == "enabled"
        end(simulation)
        assert simulation.daemon.motors == "disabled"


def disarm(simulation) -> None:
    simulation.command(Command.DISARM)
    simulation.run(0.3, UP)


def leave(simulation) -> None:
    simulation.worker.close(simulation.now)


def test_a_worker_that_leaves_releases_what_is_to_be_limp(begin):
    simulation = begin("detach")
    simulation.arm(UP)
    for _ in range(10):
        simulation.now += 0.01
        if simulation.worker.shut_down(simulation.now):
            break
    simulation.worker.close(simulation.now)
    assert simulation.daemon.motors == "disabled"
