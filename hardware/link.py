"""Blender's side of the robot: hands angles to the worker process and says how the robot is. Knows no Blender.

No call waits for the port. `open` takes the time of a process start, `close` at most CLOSE_GRACE and KILL_GRACE.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .calibration import angle_range
from .device import Device
from .errors import AnglesError, WorkerError
from .memory import SharedMemory
from .messages import Orders, Report
from .safety import Fault, State, Wish
from .sentences import sentence
from .status import Status

START_GRACE = 10.0  # [s] a cold start of Python on a slow disk, or a wireless port that takes its time to open
HUNG_AFTER = 1.0  # [s] a hundred missed turns of the worker: no scheduler is that late
KILL_GRACE = 1.0  # [s] the system ends a killed process at once, but for one in a driver's call: that one ends when the driver lets it
CLOSE_GRACE = 0.5  # [s] the worker disarms and ends within a few turns; Blender must not wait longer for a hung one

# Windows: no console window, and before programs of ordinary priority, since it is on time or of no use
_CREATION = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "ABOVE_NORMAL_PRIORITY_CLASS", 0)
_PACKAGE = Path(__file__).resolve().parents[1]
_ENTRY = Path(__file__).resolve().parent / "worker" / "entry.py"


class Link:
    """A device's link, used from one thread.

    `send` and `status` are signs of life: where neither is called for 5 s while the robot is armed, the worker disarms it.

    Args:
        device: The robot.
        python: The interpreter that runs the worker: Blender's own.

    Raises:
        DeviceError: A channel's joint and servo have no angle in common.
    """

    def __init__(self, device: Device, python: str = sys.executable) -> None:
        for channel in device.channels:
            angle_range(channel)
        self.device = device
        self._python = python
        self._memory: SharedMemory | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._last_words = ""
        self._started = 0.0
        self._worker_beat = -1
        self._worker_seen = 0.0
        self._beat = 0
        self._frame = 0
        self._stamp = 0.0
        self._angles = (0.0,) * len(device.channels)
        self._wish = Wish.NOTHING
        self._wish_number = 0
        self._wish_stops = 0
        self._stops = 0

    @property
    def worker_pid(self) -> int | None:
        """The worker's process id; None while closed."""
        return None if self._process is None else self._process.pid

    def open(self) -> None:
        """Start the worker, which connects. Connecting moves nothing. Nothing happens where it is open already.

        Raises:
            WorkerError: The memory map cannot be made, or the process cannot be started.
        """
        if self._process is not None:
            if not self._is_lost(self._report()):
                return
            self.close()
        self._wish = Wish.NOTHING
        self._wish_number = self._wish_stops = self._stops = self._frame = 0
        self._last_words = ""
        self._memory = SharedMemory.create(self.device)
        self._write()
        try:
            self._process = subprocess.Popen(
                [self._python, "-I", str(_ENTRY), str(_PACKAGE), str(self._memory.path), _pyserial_folder()],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                creationflags=_CREATION,
            )
        except OSError as error:
            self._memory.close()
            self._memory = None
            raise WorkerError(f"The process for the robot cannot be started with {self._python} ({error}); reinstall Blender") from error
        self._started = self._worker_seen = time.perf_counter()
        self._worker_beat = -1
        atexit.register(self.close)

    def send(self, angles: Sequence[float]) -> None:
        """Hand over the newest angles (channels,) [rad]. Older ones that the worker has not read are forgotten. Closed: nothing happens.

        Raises:
            AnglesError: Not one angle per channel.
        """
        if len(angles) != len(self._angles):
            raise AnglesError(f"{len(angles)} angles for {len(self._angles)} channels; give one for each, in the channels' order")
        self._angles = tuple(angles)
        self._frame += 1
        self._stamp = time.perf_counter()
        self._write()

    def arm(self) -> None:
        """Let the robot move: slowly from where it is, or, where it cannot tell, after `confirm_pose`."""
        self._make(Wish.ARM)

    def confirm_pose(self) -> None:
        """The robot is where the newest angles say: start there."""
        self._make(Wish.CONFIRM_POSE)

    def disarm(self) -> None:
        """Let the robot move no more."""
        self._make(Wish.DISARM)

    def stop(self) -> None:
        """Stop at once, whatever the state. Latches until `clear_fault`."""
        self._stops += 1
        if self._memory is not None:
            self._memory.press_stop(self._stops)

    def clear_fault(self) -> None:
        """Take note of a fault: the robot is disarmed then, and connected anew where the fault broke the connection."""
        if self._process is None or self._is_lost(self._report()):
            self.reconnect()
        else:
            self._make(Wish.CLEAR_FAULT)

    def reconnect(self) -> None:
        """Disarm, close the port and open it again; start a new worker where it was lost."""
        if self._process is None or self._is_lost(self._report()):
            self.open()
        else:
            self._make(Wish.RECONNECT)

    def status(self) -> Status:
        """How the robot is, now."""
        if self._memory is None:
            return self._describe(State.CLOSED, Fault.NONE, "")
        self._write()
        report = self._report()
        lost = self._is_lost(report)
        if lost is not None:
            return self._describe(State.WORKER_LOST, lost, self._last_words, report)
        if report is None:
            return self._describe(State.CONNECTING, Fault.NONE, "")
        return self._describe(report.state, report.fault, report.detail, report)

    def close(self) -> None:
        """Disarm the robot and end the worker; kill it where it hangs. Nothing is left behind but a process that no system can end yet."""
        atexit.unregister(self.close)
        process, memory = self._process, self._memory
        self._process = self._memory = None
        if process is not None:
            with contextlib.suppress(OSError):  # closing flushes; the worker may be gone
                process.stdin.close()  # type: ignore[union-attr]  # the worker disarms and ends when its input does
            try:
                process.wait(CLOSE_GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(KILL_GRACE)
            process.stderr.close()  # type: ignore[union-attr]
        if memory is not None:
            memory.close()

    def __enter__(self) -> Link:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _make(self, wish: Wish) -> None:
        self._wish = wish
        self._wish_number += 1
        self._wish_stops = self._stops
        self._write()

    def _write(self) -> None:
        if self._memory is None:
            return
        self._beat += 1
        self._memory.write_orders(
            Orders(self._beat, self._frame, self._stamp, self._wish_number, self._wish, self._wish_stops, self._angles)
        )

    def _report(self) -> Report | None:
        return None if self._memory is None else self._memory.read_report()

    def _is_lost(self, report: Report | None) -> Fault | None:
        """How the worker was lost; None while it lives."""
        if self._process is None:
            return None
        code = self._process.poll()
        if code is not None:
            if not self._last_words:
                self._last_words = _last_line(self._process) or f"exit status {code}"
            return Fault.WORKER_DIED
        now = time.perf_counter()
        beat = -1 if report is None else report.beat
        if beat != self._worker_beat:
            self._worker_beat = beat
            self._worker_seen = now
        connecting = report is None or report.state is State.CONNECTING
        grace = START_GRACE if connecting else HUNG_AFTER
        return Fault.WORKER_HUNG if now - self._worker_seen > grace else None

    def _describe(self, state: State, fault: Fault, detail: str, report: Report | None = None) -> Status:
        text = sentence(state, fault, detail, self.device)
        if report is None:
            return Status(state, text, fault)
        return Status(
            state=state,
            sentence=text,
            fault=fault,
            commanded=report.commanded,
            reported=report.reported,
            sent=report.sent,
            acknowledged=report.acknowledged,
            lost=report.lost,
            refused=report.refused,
            clamped=report.clamped,
            late_ms_p50=report.late_ms_p50,
            late_ms_p99=report.late_ms_p99,
            ack_ms_p50=report.ack_ms_p50,
        )


def _last_line(process: subprocess.Popen[bytes]) -> str:
    """The last line of what a process that ended wrote to its error output."""
    assert process.stderr is not None
    lines = process.stderr.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


def _pyserial_folder() -> str:
    """Where pyserial lies (in Blender: unpacked from the extension's wheel), for the worker; empty where it is missing."""
    spec = importlib.util.find_spec("serial")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    return folders[0] if folders else ""
