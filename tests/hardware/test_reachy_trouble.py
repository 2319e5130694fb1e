"""Tests faults of Reachy Mini's daemon, its motors or through another program: each is reported as a fault or
a remark in a sentence, in simulated time.
"""

import math

import pytest
from limber.hardware.safety import Command, Fault, State
from limber.motion import Limits

from tests.hardware.reachy_daemon import text
from tests.hardware.reachy_simulation import UP, begin, waving
from tests.hardware.simulation import still

__all__ = ["begin"]


def test_a_move_that_plays_is_told_and_forbids_to_arm(begin):
    simulation = begin(motors="enabled")
    simulation.run(2.0, UP, until=State.DISARMED)
    simulation.daemon.play(3.0, 0.3)
    simulation.run(0.5, UP)
    simulation.command(Command.ARM)
    report = simulation.run(1.2, UP)
    assert (report.state, report.fault) == (State.FAULT, Fault.DEVICE_REFUSED)
    assert not simulation.daemon.commands
    assert "wait for the end of its move" in report.detail


@pytest.mark.parametrize("velocity", [0.6, 0.0])
def test_another_program_that_drives_the_robot_too_is_told(begin, velocity):
    simulation = begin()
    simulation.arm(waving)
    assert simulation.run(1.0, waving).warnings == ()
    simulation.daemon.play(3.0, velocity)
    warnings = simulation.run(0.9, waving).warnings
    assert any("body_rotation" in text and "Another program" in text for text in warnings)


def test_two_programs_whose_orders_alternate_are_told(begin):
    simulation = begin()
    simulation.arm(UP)
    simulation.run(1.0, UP)
    for turn in range(60):
        if turn % 2:
            simulation.daemon.targets = [0.3] * 9
        simulation.run(0.02, UP)
    assert any("stewart_1" in text for text in simulation.report.warnings)


def test_a_move_that_a_program_has_loaded_is_told_at_once(begin):
    simulation = begin()
    simulation.arm(UP)
    simulation.line._coming += text({"type": "play_uploaded_move", "upload_id": "a", "started": True})
    assert any("plays a move" in text for text in simulation.run(0.02, UP).warnings)
    simulation.line._coming += text({"type": "play_uploaded_move", "upload_id": "a", "finished": True})
    assert simulation.run(0.02, UP).warnings == ()


def test_motors_that_another_program_switches_off_are_a_fault(begin):
    simulation = begin()
    simulation.arm(UP)
    simulation.daemon.motors = "disabled"
    report = simulation.run(1.2, UP)
    assert report.fault is Fault.DEVICE_REFUSED
    assert "another program has set its motors to 'disabled'" in report.detail


def test_torque_that_outlasts_a_fault_is_told_and_ended_by_release(begin):
    simulation = begin("detach")
    simulation.arm(UP)
    simulation.line.cut = True
    assert simulation.run(1.0, UP).fault is Fault.SILENT
    # the daemon serves one client, so the next connection finds it begun anew
    simulation.daemon.__init__(simulation.now, simulation.daemon.angles, "enabled")
    simulation.command(Command.CLEAR_FAULT)
    assert simulation.run(3.0, UP, until=State.DISARMED).state is State.DISARMED
    assert any("have torque" in text for text in simulation.run(1.2, UP).warnings)
    assert simulation.daemon.motors == "enabled", "connecting moves nothing"
    simulation.command(Command.RELEASE)
    report = simulation.run(0.1, UP)
    assert (report.state, report.warnings) == (State.LIMP, ())
    assert simulation.daemon.motors == "disabled"


def test_no_torque_is_told_of_motors_that_a_stop_has_made_limp(begin):
    simulation = begin("detach")
    simulation.arm(UP)
    simulation.stop()
    simulation.run(0.05, UP)
    simulation.command(Command.CLEAR_FAULT)
    assert simulation.run(0.05, UP).state is State.DISARMED
    assert simulation.report.warnings == ()


def test_a_daemon_in_trouble_is_a_fault_in_its_own_words(begin):
    simulation = begin()
    simulation.arm(UP)
    simulation.daemon.state, simulation.daemon.error = (
        "error",
        "No response from the robot's motor for the last second.",
    )
    assert simulation.run(1.2, UP).detail == simulation.daemon.error


def test_a_joint_beyond_its_limits_is_told_by_name_within_a_tenth_of_a_second(begin):
    simulation = begin(limits=Limits(-0.9, 1.3, math.pi, 5 * math.pi, 50 * math.pi))
    simulation.run(1.5, UP)
    report = simulation.run(0.1, still(*UP(0)[:3], 1.5, *UP(0)[4:]))
    assert any("stewart_3" in text and "85.9" in text and "74.5" in text for text in report.warnings)
    assert simulation.run(0.1, UP).warnings == ()


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (b"HTTP/1.1 404 Not Found\r\n\r\n", Fault.OTHER_PROTOCOL),
        (b"\x00" * 40_000, Fault.OTHER_PROTOCOL),
        (b"", Fault.SILENT),
    ],
)
def test_what_is_no_daemon_is_a_fault(begin, said, fault):
    simulation = begin()
    simulation.daemon.hear = lambda data, now: said
    assert simulation.run(6.0, UP, until=State.FAULT).fault is fault


def test_a_connection_that_ends_is_a_fault(begin):
    simulation = begin()
    simulation.arm(UP)
    simulation.line.ended = True
    assert simulation.run(0.1, UP).fault is Fault.UNPLUGGED
