"""The host's side of the robot link: sends joint values to the worker process and reads its status. The host
is Blender or the player; where this folder says "Blender", the same holds for the player.

No call blocks on the port or the worker; `open` takes the time of a process start.
"""

from __future__ import annotations

import atexit
import math
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path

from ..files.plain import printable
from ..files.reasons import ending
from ..motion import Kinematic
from . import clock
from .device import Device
from .errors import AnglesError, WorkerError
from .frame_thinning import FrameThinning
from .memory import SharedMemory
from .messages import Orders, Report, Request
from .mixing import Mixing
from .pyserial import pyserial_folder
from .safety import Command, Fault, State
from .sentences import BLENDER, HostWords, sentence
from .shutdown import CLOSE_GRACE, shut_down, shut_down_in_background
from .status import Status

START_GRACE = 10.0  # [s] silence of a connecting worker that counts as hung; slow ports take seconds to open
HUNG_AFTER = 1.0  # [s] silence of a connected worker that counts as hung: a hundred of its periods
# [s] most that one read adds to the worker's silence: a longer gap between reads is a delay of Blender's own
LOOK = 0.25

# flags for Windows: no console window, and a priority above other programs', since a late worker is of no use
_CREATION = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "ABOVE_NORMAL_PRIORITY_CLASS", 0)
_PACKAGE = Path(__file__).resolve().parents[1]
_ENTRY = Path(__file__).resolve().parent / "worker" / "entry.py"
# names of the fields that `Report` and `Status` share
_SHARED = [field.name for field in fields(Status) if field.name not in ("state", "sentence", "fault")]


class WorkerLink:
    """The link from the host to one robot; to be used from one thread, except for `stop`. `send`,
    `send_again`, `status` and commands are heartbeats: after 5 s without any the worker disarms the robot.

    Args:
        device: The robot.
        python: The interpreter that runs the worker: the host's own.
        host: Words for the host in sentences.

    Raises:
        DeviceError: The channels do not determine the joints' values, or joint limits and channel ranges do
            not overlap.
    """

    def __init__(self, device: Device, python: str = sys.executable, host: HostWords = BLENDER) -> None:
        Mixing(device)
        self.device = device
        self._python, self._host = python, host
        self._memory: SharedMemory | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._last_words = ""  # last line of the error output of a worker that has ended
        self._worker_beat = -1
        self._silence = 0.0  # [s] time for which the worker has been silent
        self._looked_at = 0.0
        self._lost: Fault | None = None
        self._beat = 0
        self._frame = 0
        self._stamp = 0.0
        self._plays = False
        self._step = self._due = self._announced = 0.0
        self._thinning = FrameThinning()
        self._motion = (Kinematic(0.0),) * len(device.joints)
        self._stops = 0
        self._disarmed_because = ""
        # (state, fault, detail, needs_confirmation, is_reached) from which `_sentence` was made
        self._sentence_inputs: tuple[object, ...] = ()
        self._sentence = ""
        # number of the worker's reports when Stop or Disarm was given; once there are more, the worker has
        # had a step since
        self._reports_at_end = -1
        self._lock = threading.Lock()  # held while the memory is closed, and while Stop is written to it

    @property
    def worker_pid(self) -> int | None:
        """The worker's process id; None while closed."""
        return None if self._process is None else self._process.pid

    def open(self) -> None:
        """Start the worker, which connects to the device; nothing moves. No effect if a worker runs already;
        a lost one is replaced.

        Raises:
            WorkerError: The memory map cannot be made, or the process cannot be started.
        """
        if self._process is not None:
            if not self._worker_fault(self._report()):
                return
            self.close()
        self._stops = self._frame = 0
        self._last_words = ""
        self._memory = SharedMemory.create(self.device)
        self._write()
        try:
            self._process = subprocess.Popen(
                [self._python, "-I", str(_ENTRY), str(_PACKAGE), str(self._memory.path), pyserial_folder()],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                creationflags=_CREATION,
            )
        except OSError as error:
            self._memory.close()
            self._memory = None
            raise WorkerError(
                f"The process for the robot cannot be started with {self._python} ({error}); check that this"
                " program is there and may be started"
            ) from error
        self._lost, self._silence, self._looked_at = None, 0.0, clock.now()
        self._reports_at_end = -1
        self._worker_beat = -1
        atexit.register(self._close_at_exit)

    def unit(self, due: float) -> float:
        """Unit of time [s] of the velocities in a frame that announces the next one in `due` [s]: the time
        that the previous frame announced, or `due` if it announced none; 0 if neither is known.
        """
        return self._due or due

    def send(self, frame: Sequence[float | Kinematic], plays: bool = False, due: float = 0.0) -> None:
        """Send the newest joint values (joints,), each in its joint's unit. Values that the worker has not
        read yet are replaced, and of frames that come faster than it reads some are not sent.

        A joint whose value has a velocity and an acceleration follows with less delay. No effect while
        closed.

        Args:
            frame: The values, or states with velocity and acceleration per `unit(due)`.
            plays: Whether Blender plays: then this is a frame of a motion even if nothing has moved, and
                another will follow. Otherwise values equal to the last ones are a heartbeat.
            due: Time [s] until the next frame; 0 if not known.

        Raises:
            AnglesError: Not one value per joint.
        """
        self._check_length(frame)
        stamp = clock.now()
        announced = self._thinning.take(stamp, due)
        if announced is None:
            return
        motion = tuple(value if isinstance(value, Kinematic) else Kinematic(value) for value in frame)
        if plays or motion != self._motion:
            self._stamp, self._step, self._motion = stamp, self.unit(due), motion
        self._plays, self._due, self._announced = plays, due, announced
        self.send_again()

    def send_again(self) -> None:
        """Send the newest joint values again, as a heartbeat between two frames."""
        self._frame += 1
        self._write()

    def arm(self) -> None:
        """Arm the robot: it moves slowly from its current pose to the newest values. A robot whose pose is
        not known waits for `confirm_pose`.
        """
        self._give(Command.ARM)

    def arm_confirmed(self) -> None:
        """Arm a robot that does not measure, with the user's confirmation that it is at the newest values.
        See `Status.needs_confirmation`.
        """
        self._give(Command.ARM_CONFIRMED)

    def confirm_pose(self) -> None:
        """Confirm that the robot is at the newest values sent, and start following from there."""
        self._give(Command.CONFIRM_POSE)

    def confirm_joint(self, joint: int) -> None:
        """Confirm that one joint is at its newest value; after the last one the robot starts. See
        `Status.confirmed`. Raises AnglesError if there is no such joint.
        """
        self._give(Command.CONFIRM_JOINT, Request(target=self._joint(joint)))

    def jog(self, joint: int, amount: float, free: bool = False) -> None:
        """Move one joint slowly by `amount` [the joint's unit], and hold it until `disarm`; other channels
        get no goals. With `free` only the servo's range applies and not the joint's, whose zero and limits
        are not known yet. Raises AnglesError if there is no such joint, or the amount is not finite.
        """
        if not math.isfinite(amount):
            raise AnglesError(f"A jog of {amount}; give a finite number")
        self._give(Command.JOG, Request(target=self._joint(joint), amount=amount, free=free))

    def wiggle(self, channel: int) -> None:
        """Rotate one servo by about 5 degrees and back, twice, so that the user can identify it; then
        disarm. Raises AnglesError if there is no such channel.
        """
        if not 0 <= channel < len(self.device.channels):
            raise AnglesError(
                f"There is no channel {channel}; the device has {len(self.device.channels)}, counted from 0"
            )
        self._give(Command.WIGGLE, Request(target=channel))

    def test(self, joint: int, low: float | None = None, high: float | None = None) -> None:
        """Move one joint slowly to `low`, to `high` and back, then disarm; None means a value near that end
        of the joint's range. Raises AnglesError if there is no such joint.
        """
        span = (math.nan if low is None else low, math.nan if high is None else high)
        self._give(Command.TEST, Request(target=self._joint(joint), span=span))

    def park(self, values: Sequence[float]) -> None:
        """Move slowly to the joint values `values` (joints,), then disarm. Raises AnglesError if there is not
        one finite value per joint.
        """
        if not all(map(math.isfinite, values)):
            raise AnglesError(f"A pose to park in with {', '.join(map(str, values))}; give finite numbers")
        self._check_length(values)
        self._give(Command.PARK, Request(values=tuple(values)))

    def release(self, channels: Iterable[int] | None = None) -> None:
        """Switch the torque of channels' servos off until `disarm`, even if they are set to hold, and read
        their positions; None or empty: all channels. Limber's own firmware can only release all.
        """
        self._give(Command.RELEASE, Request(channels=frozenset(channels or ())))

    def disarm(self, reason: str = "") -> None:
        """Slow down and disarm the robot; until the next command, `Status.sentence` tells the reason."""
        self._give(Command.DISARM)
        self._note_end()
        self._disarmed_because = reason

    def stop(self) -> None:
        """Emergency stop in any open state, from any thread; latched until `clear_fault` or `reconnect`."""
        with self._lock:
            if self._memory is not None:
                self._stops += 1
                self._memory.press_stop(self._stops)
                self._note_end()

    def clear_fault(self) -> None:
        """Clear a fault: the robot is then disarmed. A lost connection or worker is started again."""
        if self._process is None or self._worker_fault(self._report()):
            self.reconnect()
        else:
            self._give(Command.CLEAR_FAULT)

    def reconnect(self) -> None:
        """Disarm, close the port and open it again; a worker that is lost or closed is started."""
        if self._process is None or self._worker_fault(self._report()):
            self.open()
        else:
            self._give(Command.RECONNECT)

    def status(self) -> Status:
        """Current status of the link and the robot; the call is a heartbeat."""
        self._write()
        return self.read_status()

    def read_status(self) -> Status:
        """Current status, without counting as a heartbeat, for use after a frame was sent."""
        if self._memory is None:
            return self._describe(State.CLOSED, Fault.NONE, "")
        report = self._report()
        lost = self._worker_fault(report)
        if lost is not None:
            return self._describe(State.WORKER_LOST, lost, self._last_words, report)
        if report is None:
            return self._describe(State.CONNECTING, Fault.NONE, "")
        detail = report.detail or (self._disarmed_because if report.state is State.DISARMED else "")
        return self._describe(report.state, report.fault, detail, report)

    def close(self) -> None:
        """Disarm the robot and end the worker, without blocking; a worker that hangs is killed in the
        background.

        Only a process that hangs in a driver may outlive this.
        """
        self._end(shut_down_in_background)

    def __enter__(self) -> WorkerLink:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _close_at_exit(self) -> None:
        """Close while Blender exits; this blocks, since no thread can be started then."""
        self._end(shut_down)

    def _end(self, shut_down_worker: Callable[[subprocess.Popen[bytes], float], None]) -> None:
        """End a worker that does not hang by `shut_down_worker(process, grace)`, and close the memory."""
        atexit.unregister(self._close_at_exit)
        is_ended = self._lost is Fault.WORKER_HUNG
        with self._lock:
            process, memory = self._process, self._memory
            self._process = self._memory = None
        if process is not None and not is_ended:
            shut_down_worker(process, CLOSE_GRACE)
        if memory is not None:
            memory.close()

    def _check_length(self, values: Sequence[object]) -> None:
        if len(values) != len(self._motion):
            raise AnglesError(
                f"{len(values)} values for {len(self._motion)} joints; give one for each, in the joints'"
                " order"
            )

    def _joint(self, joint: int) -> int:
        """The index `joint`; raises AnglesError if no joint has it."""
        if not 0 <= joint < len(self._motion):
            raise AnglesError(
                f"There is no joint {joint}; the device has {len(self._motion)}, counted from 0"
            )
        return joint

    def _give(self, command: Command, request: Request | None = None) -> None:
        """Give the worker a command with the arguments in `request`. No effect while closed or, except for
        Disarm, before the worker's first step after Stop or Disarm.
        """
        if (
            self._memory is not None
            and command is not Command.DISARM
            and self._reports_at_end == self._memory.reports
        ):
            return  # Stop and Disarm take precedence over commands given before the worker had a step
        self._disarmed_because = ""
        if self._memory is not None:
            self._memory.write_request(
                replace(request or Request(), command=command, stops=self._stops & 0xFFFFFFFF)
            )
            self._write()

    def _write(self) -> None:
        if self._memory is None:
            return
        self._beat += 1
        self._memory.write_orders(
            Orders(
                self._beat, self._frame, self._stamp, self._plays, self._step, self._announced, self._motion
            )
        )

    def _report(self) -> Report | None:
        return None if self._memory is None else self._memory.read_report()

    def _note_end(self) -> None:
        """Record that Stop or Disarm was given, after which earlier commands have no effect."""
        if self._memory is not None:
            self._reports_at_end = self._memory.reports

    def _worker_fault(self, report: Report | None) -> Fault | None:
        """The fault if the worker is lost; None while it runs or is closed. A worker stays lost until
        `open`: one that hangs is ended, so that it cannot move the robot when it continues.
        """
        if self._process is not None and self._lost is None:
            self._lost = self._why_lost(self._process, report)
            if self._lost is Fault.WORKER_HUNG:
                shut_down_in_background(self._process, 0.0)
        return None if self._process is None else self._lost

    def _why_lost(self, process: subprocess.Popen[bytes], report: Report | None) -> Fault | None:
        code = process.poll()
        if code is not None:
            if not self._last_words:
                self._last_words = _last_line(process) or ending(code)
            return Fault.WORKER_DIED
        beat = -1 if report is None else report.beat
        time, before = clock.now(), self._looked_at
        self._silence = self._silence + min(time - before, LOOK) if beat == self._worker_beat else 0.0
        self._worker_beat, self._looked_at = beat, time
        connecting = report is None or report.state is State.CONNECTING
        grace = START_GRACE if connecting else HUNG_AFTER
        return Fault.WORKER_HUNG if self._silence > grace else None

    def _describe(self, state: State, fault: Fault, detail: str, report: Report | None = None) -> Status:
        needs_confirmation = report is not None and report.needs_confirmation
        # the last report of a lost worker may be out of date
        is_reached = report is not None and report.is_reached and state is not State.WORKER_LOST
        if (inputs := (state, fault, detail, needs_confirmation, is_reached)) != self._sentence_inputs:
            said = sentence(state, fault, detail, self.device, needs_confirmation, self._host, is_reached)
            self._sentence_inputs, self._sentence = inputs, printable(said)
        if report is None:
            return Status(state, self._sentence, fault)
        shared = {name: getattr(report, name) for name in _SHARED} | {"is_reached": is_reached}
        if report.warnings:
            shared["warnings"] = tuple(map(printable, report.warnings))
        return Status(state=state, sentence=self._sentence, fault=fault, **shared)


def _last_line(process: subprocess.Popen[bytes]) -> str:
    """The last line of the error output of a process that has ended; "" if it has printed none."""
    assert process.stderr is not None
    lines = process.stderr.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""
