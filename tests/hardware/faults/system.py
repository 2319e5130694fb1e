"""Rows of the fault table that need a system: a real worker process, a real port, a real Blender, and the
firmware in real time.
"""

import contextlib
import importlib.util
import math
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import pytest
from limber.hardware.errors import AnglesError
from limber.hardware.link import WorkerLink
from limber.hardware.safety import DISARM_AFTER, Fault, State
from limber.hardware.status import Status

from tests.hardware.emulator import EmulatedUno
from tests.hardware.faults.observing import Ending, ending
from tests.hardware.faults.playing import Outcome
from tests.hardware.faults.rows import Robot
from tests.hardware.faults.worlds import (
    CONFIRM_AND_ARM,
    PULSE_SPACING,
    Seen,
    seen_in,
    uno_device,
    with_limits,
)
from tests.hardware.patience import PATIENCE, wait_until
from tests.hardware.processes import is_running
from tests.hardware.simulation import waving

ROOT = Path(__file__).resolve().parents[3]
WHERE = "Uno, real time"
NARROW = 0.2  # [rad] narrow limit
LOOK = 0.005  # [s] interval between two frames
# [s, the device's] larger than the interval that `ending` evaluates, so that it only sees later observations
SEEN = 0.35


class Bench:
    """A link, its worker process and the firmware behind a port, with a stream of frames.

    Observations of the robot have the device's own times, on which a busy machine has no effect.
    """

    spacing = PULSE_SPACING

    def __init__(self) -> None:
        self.uno = EmulatedUno()
        self.device = replace(uno_device(), port=self.uno.port)
        self.link = WorkerLink(self.device)

    def __enter__(self) -> Self:
        self.link.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.link.close()
        self.uno.close()

    @property
    def seen(self) -> list[Seen]:
        return seen_in(self.device, self.uno.pulses())

    @property
    def now(self) -> float:
        return self.uno.stats().now_us / 1e6

    def until(self, seen: Callable[[Status], bool]) -> Status:
        """Sends frames until `seen` is true for a status, and returns this status."""
        give_up = time.perf_counter() + PATIENCE
        while not seen(status := self.link.status()):
            assert time.perf_counter() < give_up, status
            self.link.send(waving(time.perf_counter()))
            time.sleep(LOOK)
        return status

    def stream(self, seconds: float) -> None:
        """Sends frames for this time in the device's time."""
        end = self.now + seconds
        self.until(lambda _: self.now >= end)

    def arm(self) -> tuple[str, ...]:
        """Presses Arm, which also confirms the pose if asked; returns the pressed buttons."""
        needs_confirmation = self.until(lambda status: status.state is State.DISARMED).needs_confirmation
        if needs_confirmation:
            self.link.arm_confirmed()
        else:
            self.link.arm()
        self.until(lambda status: status.state is State.ARMED)
        return (CONFIRM_AND_ARM if needs_confirmation else "Arm",)

    def follows(self) -> None:
        """Checks that the robot is armed without further presses; it may have held its pose meanwhile after a
        late frame.
        """
        self.until(lambda status: status.state is State.ARMED)

    def go_back(self) -> tuple[str, ...]:
        self.link.clear_fault()
        return ("Clear Fault", *self.arm())


def armed() -> Bench:
    bench = Bench()
    bench.link.open()
    bench.arm()
    bench.stream(0.5)
    return bench


def lost_worker(sign: signal.Signals, fault: Fault, what: str) -> Outcome:
    with armed() as bench:
        began = time.perf_counter()
        worker = bench.link.worker_pid
        os.kill(worker, sign)
        since = bench.now
        status = bench.until(lambda status: status.state is State.WORKER_LOST)
        told = time.perf_counter() - began
        with contextlib.suppress(ProcessLookupError):  # the process may have been killed, or ended by Blender
            os.kill(worker, signal.SIGCONT)
        bench.stream(0.8)
        end = ending(bench, since)
        assert status.fault is bench.link.status().fault is fault
        assert end.rests_as_set, end
        assert end.rest_after <= 0.5, end  # by the device's own watchdog, in its own time
        return back(bench, what, Robot.RESTS, status.sentence, told, end)


def back(bench: Bench, what: str, robot: Robot, sentence: str, told: float | None, end: Ending) -> Outcome:
    """Recovers from the fault, and checks that the robot follows."""
    began = time.perf_counter()
    pressed = bench.go_back()
    bench.stream(0.3)
    bench.follows()
    return Outcome(what, WHERE, robot, sentence, told, end, pressed, time.perf_counter() - began)


def killed_worker() -> Outcome:
    return lost_worker(signal.SIGKILL, Fault.WORKER_DIED, "The worker is killed (kill -9)")


def stopped_worker() -> Outcome:
    return lost_worker(
        signal.SIGSTOP,
        Fault.WORKER_HUNG,
        "The worker hangs (SIGSTOP), and would go on a second later (SIGCONT)",
    )


def pulled_cable() -> Outcome:
    with armed() as bench:
        since, began = bench.now, time.perf_counter()
        bench.uno.unplug()
        status = bench.until(lambda status: status.state is State.FAULT)
        told = time.perf_counter() - began
        assert status.fault in (Fault.UNPLUGGED, Fault.PORT_UNUSABLE)
        count = len(bench.uno.pulses())
        bench.uno.plug()
        bench.stream(0.4)
        assert len(bench.uno.pulses()) == count
        end = ending(bench, since)
        return back(
            bench, "The cable is pulled, and plugged in again later", Robot.DARK, status.sentence, told, end
        )


def two_opens() -> Outcome:
    with armed() as bench:
        since, began = bench.now, time.perf_counter()
        with WorkerLink(bench.device) as second:
            bench.until(lambda _: second.status().state is State.FAULT)
            told, status = time.perf_counter() - began, second.status()
        assert status.fault is Fault.PORT_BUSY
        bench.follows()
        return Outcome(
            "The port is opened a second time",
            WHERE,
            Robot.FOLLOWS,
            status.sentence,
            told,
            ending(bench, since),
            (),
            0.0,
        )


def wrong_length() -> Outcome:
    with armed() as bench:
        since = bench.now
        with pytest.raises(AnglesError) as refused:
            bench.link.send((0.0,) * (len(bench.device.channels) - 1))
        bench.stream(0.3)
        bench.follows()
        return Outcome(
            "Blender hands over too few angles",
            WHERE,
            Robot.FOLLOWS,
            str(refused.value),
            0.0,
            ending(bench, since),
            (),
            0.0,
        )


def changed_limits() -> Outcome:
    """The robot keeps the limits of its connection until it is connected again."""
    with armed() as bench:
        since = bench.now
        narrow = with_limits(bench.device, lower=-NARROW, upper=NARROW)
        bench.until(
            lambda status: status.commanded is not None and max(map(abs, status.commanded)) > 2 * NARROW
        )
        end = ending(bench, since)
        bench.link.close()
        bench.device, bench.link = narrow, WorkerLink(narrow)
        bench.link.open()
        bench.until(lambda status: status.state is State.DISARMED)
        bench.arm()
        bench.until(lambda status: max(map(abs, status.commanded or (math.inf,))) <= NARROW)
        bench.stream(0.5)
        assert max(map(abs, bench.link.status().commanded)) <= NARROW
    said = "Port or channels have changed: disconnect and connect again to use them"
    return Outcome(
        "Limits are changed while the robot is armed", WHERE, Robot.FOLLOWS, said, None, end, (), 0.0
    )


class Blender:
    """A real Blender without a window, as the parent process of the robot's worker."""

    def __init__(self, port: str) -> None:
        command = [sys.executable, "-m", "tests.hardware.faults.parent", port]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.worker = int(self.wait_for("worker ").split()[1])

    def wait_for(self, *beginnings: str) -> str:
        """The next line that begins with one of these texts."""
        said = []
        give_up = time.perf_counter() + 2 * PATIENCE  # longer for a cold start of Blender
        while not said or not said[-1].startswith(beginnings):
            try:
                said.append(self._lines.get(timeout=max(give_up - time.perf_counter(), 0.0)).strip())
            except queue.Empty:
                raise AssertionError(f"Blender did not say {' or '.join(beginnings)}, but {said}") from None
        return said[-1]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def _read(self) -> None:
        for line in self.process.stdout:
            self._lines.put(line)
        self.process.stdout.close()


def await_device(bench: Bench, seconds: float) -> None:
    end = bench.now + seconds
    wait_until(lambda: bench.now >= end)


def paused_blender() -> Outcome:
    """Blender is stopped for a second, or until the device, which a busy machine slows down, was observed at
    rest.

    If the device were even slower, the robot would correctly be disarmed before.
    """
    bench = Bench()
    with bench.uno:
        blender = Blender(bench.uno.port)
        try:
            blender.wait_for("ARMED")
            await_device(bench, 0.5)
            os.kill(blender.process.pid, signal.SIGSTOP)
            began, since = time.perf_counter(), bench.now
            latest = began + DISARM_AFTER - 1.0
            while (
                bench.now < since + SEEN or ending(bench, since).moving or time.perf_counter() < began + 1.0
            ):
                if time.perf_counter() > latest:
                    pytest.skip(
                        f"other programs leave the emulated board no time: {bench.now - since:.2f} s of"
                        f" {latest - began:.0f}"
                    )
                time.sleep(LOOK)
            end = ending(bench, since)
            os.kill(blender.process.pid, signal.SIGCONT)
            began = time.perf_counter()
            # with a slow Blender only the second state is printed
            said = blender.wait_for("HOLDING", "ARMING").partition(" ")[2]
            blender.wait_for("ARMED")
            took = time.perf_counter() - began
        finally:
            blender.kill()
    assert not end.moving, end
    assert end.rest_after <= 0.8, end
    return Outcome("Blender is paused for a second", WHERE, Robot.ASIDE, said, None, end, (), took)


def killed_blender() -> Outcome:
    """Blender is killed; then another one connects."""
    with Bench() as bench:
        bench.link.close()
        blender = Blender(bench.uno.port)
        blender.wait_for("ARMED")
        await_device(bench, 0.5)
        began = time.perf_counter()
        blender.process.kill()
        since = bench.now
        blender.process.wait()
        wait_until(lambda: not is_running(blender.worker))
        told = time.perf_counter() - began
        await_device(bench, 0.5)
        end = ending(bench, since)
        assert not end.moving, end
        assert end.rest_after <= 0.5, end
        bench.link.open()
        began = time.perf_counter()
        pressed = ("Connect", *bench.arm())
        took = time.perf_counter() - began
    return Outcome(
        "Blender is killed (kill -9)",
        WHERE,
        Robot.RESTS,
        "(nobody is left to say anything)",
        told,
        end,
        pressed,
        took,
    )


@dataclass(frozen=True)
class SystemRow:
    """A row defined by a function, which raises AssertionError if a result differs."""

    key: str
    play: Callable[[], Outcome]
    needs_blender: bool = False

    def skip_where_it_cannot_be(self) -> None:
        if self.needs_blender and importlib.util.find_spec("bpy") is None:
            pytest.skip("no Blender in this Python: make setup")


SYSTEM = (
    SystemRow("pulled_cable", pulled_cable),
    SystemRow("two_opens", two_opens),
    SystemRow("killed_worker", killed_worker),
    SystemRow("stopped_worker", stopped_worker),
    SystemRow("paused_blender", paused_blender, needs_blender=True),
    SystemRow("killed_blender", killed_blender, needs_blender=True),
    SystemRow("wrong_length", wrong_length),
    SystemRow("changed_limits", changed_limits),
)
