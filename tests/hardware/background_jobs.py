"""Errands as tests go on them: to simulated servos behind real ports, in the test's own process where none of its own is needed."""

import time
from importlib import import_module

import serial
from limber.hardware.background_job_entry import TASKS
from limber.hardware.errors import HardwareError
from limber.hardware.job_events import Ended, Found, JobEvent

from tests.hardware.pty_robot import PtyRobot
from tests.hardware.servo_bus import Bus, StsBus


def served(bus: Bus) -> PtyRobot:
    bus.now = time.perf_counter()
    return PtyRobot(bus)


def told(task: str, **arguments) -> list[JobEvent]:
    """The events of a job, run here: a process takes its time to start."""
    news: list[JobEvent] = []
    try:
        news.extend(import_module(f"limber.hardware.{TASKS[task]}").run(arguments, serial))
    except HardwareError as error:
        return [*news, Ended(failed=str(error))]
    return [*news, Ended()]


def scan(port: str, protocol: str, rates=(1_000_000,), ids=(0, 20), by=told) -> list[JobEvent]:
    return by("scan", ports=[port], protocols=[protocol], baudrates=list(rates), lowest=ids[0], highest=ids[1])


def found(news: list[JobEvent]) -> list[Found]:
    return [item for item in news if isinstance(item, Found)]


class Twins(StsBus):
    """Servos that share their ids with others: each is answered twice."""

    def _answer(self, number: int, data: bytes) -> bytes:
        return 2 * super()._answer(number, data)
