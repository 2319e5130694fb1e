"""The worker and a virtual robot in simulated time: no processes, no waiting, reproducible runs."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from limber.hardware.device import VIRTUAL_PORT, Device
from limber.hardware.frame_thinning import FrameThinning
from limber.hardware.memory import SharedMemory
from limber.hardware.messages import Orders, Report, Request
from limber.hardware.safety import FOLLOWING, Command, Fault, State
from limber.hardware.transport import TransportError
from limber.hardware.virtual_robot import VirtualRobot, VirtualTransport, on_board
from limber.hardware.worker.core import PERIOD, Worker
from limber.motion import Kinematic, Limits

from tests.hardware.devices import direct, one_to_one

LIMITS = Limits(-1.5, 1.5, math.pi, 5 * math.pi, 50 * math.pi)
FRAME = 1 / 60  # [s] duration of a frame
COMMANDED = (
    *FOLLOWING,
    State.BRAKING,
)  # states in which the robot follows Blender, or comes to rest afterwards


def make_device(channels: int = 3, port: str = VIRTUAL_PORT, **settings) -> Device:
    return one_to_one(port, [direct(f"joint {k}", k, LIMITS, **settings) for k in range(channels)])


class Cable:
    """A transport whose faults a test switches on."""

    def __init__(self, transport: VirtualTransport) -> None:
        self._transport = transport
        self.frozen = False  # whether the device neither receives nor sends
        self.deaf = False  # whether the device receives nothing
        self.unplugged = False
        self.spoil: Callable[[bytes], bytes] = lambda data: data  # changes bytes in either direction
        self.written = b""

    def read(self) -> bytes:
        self._check()
        return b"" if self.frozen else self.spoil(self._transport.read())

    def write(self, data: bytes) -> bool:
        self._check()
        self.written += data
        if not (self.frozen or self.deaf):
            self._transport.write(self.spoil(data))
        return True

    def close(self) -> None:
        self._transport.close()

    def _check(self) -> None:
        if self.unplugged:
            raise TransportError(Fault.UNPLUGGED, "[Errno 5] Input/output error")


class Simulation:
    """Blender, the worker and a robot on one simulated clock."""

    def __init__(self, device: Device, robot: VirtualRobot | None = None) -> None:
        self.device = device
        self.now = 1000.0
        self.robot = robot or VirtualRobot.for_device(on_board(device), self.now)
        self.cable: Cable | None = None
        self.missing: Fault | None = None  # reason why the port cannot be opened
        self.told_while_opening: Report | None = None  # the newest report when the port was opened
        self.memory = SharedMemory.create(device)
        self.worker = Worker(self.memory, self._connect, self.now)
        self.commands: list[
            tuple[float, ...]
        ] = []  # commanded values at each cycle while the robot was driven
        self.positions: list[tuple[float, ...]] = []  # positions of its servos
        self._beat = self._frame = self._stops = 0
        self._stamp = self._next_frame = 0.0
        self._plays = False
        # [s] unit of time of the newest frame's velocities; announced by Blender and by the link
        self._step = self._due = self._announced = 0.0
        self._thinning = FrameThinning()
        self._motion = (Kinematic(0.0),) * len(device.joints)

    def close(self) -> None:
        self.memory.close()

    def _connect(self, device: Device, now: float) -> Cable:
        self.told_while_opening = self.memory.read_report()
        if self.missing is not None:
            raise TransportError(self.missing, "as the test wants it")
        self.cable = Cable(VirtualTransport(self.robot, lambda: self.now))
        return self.cable

    # Actions of Blender.

    def send(
        self, angles: Sequence[float], stamp: float | None = None, plays: bool = False, due: float = 0.0
    ) -> None:
        announced = self._thinning.take(self.now if stamp is None else stamp, due)
        if announced is None:
            return
        motion = tuple(one if isinstance(one, Kinematic) else Kinematic(one) for one in angles)
        if stamp is not None or motion != self._motion:  # equal values are a heartbeat
            stamp = self.now if stamp is None else stamp
            if stamp != self._stamp:
                self._step = self._due or due
            self._stamp = stamp
        self._motion, self._plays, self._due, self._announced = motion, plays, due, announced
        self.send_again()

    def send_again(self) -> None:
        """Sends the newest angles again, as a heartbeat between two frames."""
        self._frame += 1
        self._write()

    def command(self, command: Command, stops: int | None = None, **about) -> None:
        """Sends a command; `stops`: number of presses of Stop at that time, if it differs from the current
        one.
        """
        self.memory.write_request(Request(command, stops=self._stops if stops is None else stops, **about))
        self._write()

    def stop(self) -> None:
        self._stops += 1
        self.memory.press_stop(self._stops)

    def live(self) -> None:
        """Sends a heartbeat without angles."""
        self._write()

    def _write(self) -> None:
        self._beat += 1
        self.memory.write_orders(
            Orders(
                self._beat, self._frame, self._stamp, self._plays, self._step, self._announced, self._motion
            )
        )

    # Passing of time.

    def run(
        self,
        seconds: float,
        pose: Callable[[float], Sequence[float]] | None = None,
        until: State | None = None,
    ) -> Report:
        """Runs cycles for `seconds`, with frames of `pose(time)` at 60 Hz if given; ends early in the state
        `until`. Returns the last report.
        """
        report, end = None, self.now + seconds
        while self.now < end - 1e-9:
            self.now += PERIOD
            if pose is not None and self.now >= self._next_frame:
                self._next_frame = max(self._next_frame, self.now - PERIOD)
                self.send(pose(self._next_frame), self._next_frame)
                self._next_frame += FRAME
            self.worker.step(self.now)
            report = self.report
            if report.state in COMMANDED and report.commanded is not None:
                self.commands.append(report.commanded)
            self.positions.append(self.robot.positions[: len(self.device.channels)])
            if report.state is until:
                break
        return report or self.report

    def sleep(self, seconds: float) -> None:
        """The computer sleeps: neither Blender nor the worker runs, while the clock that both read
        advances.
        """
        self.now += seconds

    @property
    def velocity_unit(self) -> float:
        """Unit of time [s] of the newest frame's velocities; 0: not known."""
        return self._step

    @property
    def report(self) -> Report:
        report = self.memory.read_report()
        assert report is not None
        return report

    @property
    def state(self) -> State:
        return self.report.state

    def arm(self, pose: Callable[[float], Sequence[float]]) -> None:
        """Connects and arms until the robot follows `pose(time)`."""
        assert self.run(2.0, pose, until=State.DISARMED).state is State.DISARMED
        self.command(Command.ARM)
        self.run(0.1, pose)
        if self.state is State.CONFIRM_POSE:
            self.command(Command.CONFIRM_POSE)
        assert self.run(20.0, pose, until=State.ARMED).state is State.ARMED


def still(*angles: float) -> Callable[[float], Sequence[float]]:
    """A constant pose."""
    return lambda time: angles


POSE = still(0.4, -0.3, 0.2)


def waving(time: float) -> tuple[float, ...]:
    """Smooth motion of three joints, far within their limits."""
    return tuple(0.5 * math.sin(2.0 * time + k) for k in range(3))


def speeds(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    """Differences between successive rows per second."""
    return [
        [(b - a) / PERIOD for a, b in zip(before, after, strict=True)] for before, after in pairwise(rows)
    ]


def largest(rows: Sequence[Sequence[float]]) -> float:
    """The largest magnitude in any row."""
    return max(abs(value) for row in rows for value in row)
