"""Runs background jobs for tests: in a separate process on a real port, or in this process, on a line whose
other end answers immediately.
"""

import itertools
import time
from importlib import import_module
from types import SimpleNamespace
from typing import ClassVar, Self

import serial
from limber.hardware.background_job_entry import TASKS
from limber.hardware.errors import HardwareError
from limber.hardware.job_events import Ended, Found, JobEvent
from limber.hardware.virtual_robot import VirtualRobot

from tests.hardware.boards import Board
from tests.hardware.pty_robot import PtyRobot
from tests.hardware.servo_bus import Bus, StsBus


def served(bus: Bus) -> PtyRobot:
    """Servos behind a real port, served by a thread of this process: for jobs that need no answer in time."""
    bus.now = time.perf_counter()
    return PtyRobot(bus)


class Wired:
    """A simulated robot behind a port that only jobs of this process find: `with Wired(bus) as robot:
    told(..., port=robot.port)`.

    Its answer is complete when the job reads it. A thread behind a real port would be too late on a busy
    machine, since a scan waits 20 ms.

    Attributes:
        port: Name of the port.
    """

    _numbers = itertools.count()
    _plugged: ClassVar[dict[str, "Wired"]] = {}

    def __init__(self, robot: Bus | Board | VirtualRobot) -> None:
        self._robot = robot
        self._said = b""
        self.port = f"wire{next(self._numbers)}"
        if isinstance(robot, Bus):
            robot.now = time.perf_counter()

    @classmethod
    def open(cls, port: str, *rate: int, **options: object) -> "Wired | serial.Serial":
        """Opens the port of that name, instead of pyserial."""
        return cls._plugged[port] if port in cls._plugged else serial.Serial(port, *rate, **options)

    def read(self, most: int) -> bytes:
        said, self._said = self._said[:most], self._said[most:]
        return said

    def write(self, data: bytes) -> None:
        self._said += self._robot.hear(data, time.perf_counter())

    def close(self) -> None:
        self._said = b""

    def __enter__(self) -> Self:
        self._plugged[self.port] = self
        return self

    def __exit__(self, *_: object) -> None:
        del self._plugged[self.port]


class Late(Wired):
    """A port that delivers all but the first few answers late, by a clock that only advances while a job
    waits.

    Args:
        robot: The robot that answers.
        delay: Delay of an answer [s].
        at_once: Number of answers that are not late.
    """

    def __init__(self, robot: Bus, delay: float, at_once: int = 0) -> None:
        super().__init__(robot)
        self.now = robot.now
        self._delay, self._at_once = delay, at_once
        self._due = 0.0

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def read(self, most: int) -> bytes:
        return super().read(most) if self.now >= self._due else b""

    def write(self, data: bytes) -> None:
        self._said += self._robot.hear(data, self.now)
        self._due = self.now + (0.0 if self._at_once > 0 else self._delay)
        self._at_once -= 1


PYSERIAL = SimpleNamespace(Serial=Wired.open, SerialTimeoutException=serial.SerialTimeoutException)


def told(task: str, **arguments) -> list[JobEvent]:
    """The events of a job that is run in this process, since starting a process takes long."""
    news: list[JobEvent] = []
    try:
        news.extend(import_module(f"limber.hardware.{TASKS[task]}").run(arguments, PYSERIAL))
    except HardwareError as error:
        return [*news, Ended(failed=str(error))]
    return [*news, Ended()]


def scan(port: str, protocol: str, rates=(1_000_000,), ids=(0, 20), by=told) -> list[JobEvent]:
    return by(
        "scan", ports=[port], protocols=[protocol], baudrates=list(rates), lowest=ids[0], highest=ids[1]
    )


def found(news: list[JobEvent]) -> list[Found]:
    return [item for item in news if isinstance(item, Found)]


class Twins(StsBus):
    """Servos of which each shares its id with another one: every command is answered twice."""

    def _answer(self, number: int, data: bytes) -> bytes:
        return 2 * super()._answer(number, data)
