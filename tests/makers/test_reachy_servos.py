"""Tests Limber's worker process with Reachy Mini's own daemon, its real motor controller, and simulated
servos behind a serial port.
"""

import math
import signal
from pathlib import Path

import pytest
from limber.hardware.link import WorkerLink
from limber.hardware.safety import Fault, State
from limber.motion import Limits

from tests.hardware.patience import wait, wait_until
from tests.hardware.reachy_daemon import reachy_device
from tests.hardware.served_bus import ServedBus
from tests.makers.reachy import IS_THERE, MISSING, OFFSETS, MakersDaemon, set_up

from .test_reachy_daemon import NEUTRAL, follow

pytestmark = pytest.mark.skipif(not IS_THERE, reason=MISSING)
SLOW = Limits(-3.2, 3.2, math.pi, 5 * math.pi, 50 * math.pi)
# [rad] the maker's own sleep pose; stewart_1 is 8 degrees beyond the range of its servo
ASLEEP = (0.0, -0.9848, 1.2625, -0.2439, 0.2056, -1.2364, 1.0032, -3.05, 3.05)
STEP = math.tau / 4096  # [rad] angle of a servo's step


def daemon_on(bus: ServedBus, home: Path, *options: str) -> MakersDaemon:
    """A daemon that moves simulated servos."""
    set_up(bus)
    return MakersDaemon(home, "-p", bus.port, *options)


def is_disarmed(link: WorkerLink, status) -> bool:
    """Whether the robot is connected and disarmed; if a busy machine has delayed the daemon for too long, it
    is connected again.
    """
    if status.state is State.FAULT and status.fault in (Fault.SILENT, Fault.UNREAD):
        link.clear_fault()
    return status.state is State.DISARMED


def release_after_silence(link: WorkerLink) -> None:
    """Clears a fault by the daemon's silence, and releases all motors."""
    wait(link, lambda status: is_disarmed(link, status), NEUTRAL)
    link.release()


def test_a_robot_that_sleeps_is_armed_where_it_is_and_goes_up_slowly_and_a_pulled_cable_is_told(tmp_path):
    places = {
        10 + k: 2048.0 - offset + angle / STEP
        for k, (angle, offset) in enumerate(zip(ASLEEP, OFFSETS, strict=True))
    }
    with ServedBus(places, "dynamixel") as bus, daemon_on(bus, tmp_path, "--no-wake-up-on-start") as daemon:
        link = WorkerLink(reachy_device(SLOW, port=daemon.address))
        link.open()
        try:
            before = wait(link, lambda status: is_disarmed(link, status), NEUTRAL)
            assert before.measured == pytest.approx((*ASLEEP[:7], 3.05, -3.05), abs=2 * STEP)
            assert any(
                "stewart_1" in text and "lift the head by hand before Arm" in text for text in before.warnings
            )
            assert daemon.get("/api/daemon/status")["backend_status"]["motor_control_mode"] == "disabled"
            follow(link, NEUTRAL, lambda status: status.measured == pytest.approx(NEUTRAL, abs=3 * STEP))
            state = daemon.get("/api/daemon/status")
            assert (state["state"], state["error"]) == ("running", None)
            bus.close()
            status = wait(link, lambda status: status.state is State.FAULT, NEUTRAL)
            assert status.fault in (Fault.SILENT, Fault.DEVICE_REFUSED)
            assert "does not say where its motors are" in status.sentence or "motor" in status.sentence
        finally:
            link.close()


def test_motors_that_are_to_be_limp_lose_their_torque_as_the_robot_is_disarmed(tmp_path):
    places = {10 + k: 2048.0 - offset for k, offset in enumerate(OFFSETS)}
    with ServedBus(places, "dynamixel") as bus, daemon_on(bus, tmp_path) as daemon:
        link = WorkerLink(reachy_device(SLOW, "detach", daemon.address))
        link.open()
        try:
            follow(link, NEUTRAL)
            assert all(bus.torque())
            link.disarm()
            disarmed = wait(link, lambda status: status.state in (State.DISARMED, State.FAULT), NEUTRAL)
            if disarmed.state is State.FAULT:  # a busy machine has delayed the daemon
                release_after_silence(link)
            wait_until(lambda: not any(bus.torque()))
            # while it stands still, the daemon does not receive that its motors are to be limp
            follow(link, NEUTRAL)
            daemon.process.send_signal(signal.SIGSTOP)
            try:
                wait(link, lambda status: status.state is State.FAULT, NEUTRAL)
            finally:
                daemon.process.send_signal(signal.SIGCONT)
            release_after_silence(link)
            wait_until(lambda: not any(bus.torque()))
        finally:
            link.close()
