"""Tests half a minute of streaming: no frame is lost, and memory does not grow."""

import math
import time
from pathlib import Path

import pytest
from limber.hardware.link import WorkerLink
from limber.hardware.safety import State

from tests.hardware.patience import POSE, arm
from tests.hardware.pty_robot import PtyRobot
from tests.hardware.simulation import make_device

SECONDS = 30.0
CHANNELS = 8


def wave(t: float) -> tuple[float, ...]:
    return tuple(0.5 * math.sin(1.5 * t + k) for k in range(CHANNELS))


def memory_of(pid: int) -> int:
    """Resident memory [kB] of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


@pytest.mark.soak
def test_half_a_minute_over_a_serial_port_loses_nothing_and_does_not_grow():
    device = make_device(CHANNELS)
    with PtyRobot.for_device(device) as robot, WorkerLink(make_device(CHANNELS, port=robot.port)) as link:
        arm(link, POSE + (0.0,) * (CHANNELS - len(POSE)))
        began = deadline = time.perf_counter()
        early = 0
        while (now := time.perf_counter()) < began + SECONDS:
            link.send(wave(now - began))
            status = link.status()
            assert status.state is not State.FAULT, status.sentence
            if not early and now - began > 5.0:
                early = memory_of(link.worker_pid)
            deadline += 1 / 60
            time.sleep(max(deadline - time.perf_counter(), 0.0))
        assert status.sent > 0.5 * SECONDS / 0.01  # at least half the cycles, however busy the machine is
        assert status.lost <= 0.01 * status.sent
        assert status.sent - status.acknowledged - status.lost <= 12
        assert memory_of(link.worker_pid) < early + 1024
