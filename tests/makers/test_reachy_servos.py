"""Limber's worker process, Reachy Mini's own daemon with its real motor controller, and simulated servos behind a serial port."""

import math

import pytest
from limber.hardware.link import Link
from limber.hardware.safety import Fault, State
from limber.motion import Limits

from tests.hardware.patience import wait, wait_for, wait_until
from tests.hardware.reachy_daemon import reachy_device
from tests.hardware.served_bus import ServedBus
from tests.makers.reachy import IS_THERE, MISSING, OFFSETS, MakersDaemon

from .test_reachy_daemon import NEUTRAL, follow

pytestmark = pytest.mark.skipif(not IS_THERE, reason=MISSING)
SLOW = Limits(-3.2, 3.2, math.pi, 5 * math.pi, 50 * math.pi)
# [rad] the maker's own sleep pose; stewart_1 rests 8 degrees beyond what its servo takes
ASLEEP = (0.0, -0.9848, 1.2625, -0.2439, 0.2056, -1.2364, 1.0032, -3.05, 3.05)
STEP = math.tau / 4096  # [rad] of a servo


def test_a_robot_that_sleeps_is_armed_where_it_is_and_goes_up_slowly_and_a_pulled_cable_is_told(tmp_path):
    places = {10 + k: 2048.0 - offset + angle / STEP for k, (angle, offset) in enumerate(zip(ASLEEP, OFFSETS, strict=True))}
    with ServedBus(places, "dynamixel") as bus, MakersDaemon(tmp_path, "-p", bus.port, "--no-wake-up-on-start") as daemon:
        link = Link(reachy_device(SLOW, port=daemon.address))
        link.open()
        try:
            before = wait_for(link, State.DISARMED, NEUTRAL)
            assert before.measured == pytest.approx((*ASLEEP[:7], 3.05, -3.05), abs=2 * STEP)
            assert any("stewart_1" in text and "lift the head by hand before Arm" in text for text in before.warnings)
            assert daemon.get("/api/daemon/status")["backend_status"]["motor_control_mode"] == "disabled"
            link.arm()
            first = wait(link, lambda status: status.commanded is not None, NEUTRAL)
            assert first.commanded[2:7] == pytest.approx(before.measured[2:7], abs=0.05)
            follow(link, NEUTRAL, lambda status: status.measured == pytest.approx(NEUTRAL, abs=3 * STEP))
            state = daemon.get("/api/daemon/status")
            assert (state["state"], state["error"]) == ("running", None)
            bus.close()
            status = wait(link, lambda status: status.state is State.FAULT, NEUTRAL)
            assert status.fault in (Fault.SILENT, Fault.DEVICE_REFUSED)
            assert "does not say where its motors are" in status.sentence or "motor" in status.sentence
        finally:
            link.close()


def test_what_is_to_be_limp_is_limp_after_limber_has_left(tmp_path):
    places = {10 + k: 2048.0 - offset for k, offset in enumerate(OFFSETS)}
    with ServedBus(places, "dynamixel") as bus, MakersDaemon(tmp_path, "-p", bus.port) as daemon:
        link = Link(reachy_device(SLOW, "detach", daemon.address))
        link.open()
        try:
            follow(link, NEUTRAL)
            assert all(bus.torque())
        finally:
            link.close()
        wait_until(lambda: not any(bus.torque()))
