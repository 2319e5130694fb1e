"""Simulated time for a Blender without a window: timers fire, and processes that Blender starts continue,
when the simulated time reaches the time for which they wait.

So a frame runs the same code however busy the computer is. `SteppedTime` must be created before the extension
is registered, because modules keep the functions that they import from `time`.
"""

import json
import math
import os
import secrets
import subprocess
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, Listener
from pathlib import Path

import bpy

from .tracing import Calls, Tracer
from .worker import ADDRESS, ROOT

WRAPPER = Path(__file__).with_name("worker.py")
BEGINNING = 1000.0  # [s] simulated time at the start

Timer = Callable[[], float | None]


class Timers:
    """Replacement for `bpy.app.timers`, which do not fire without a window."""

    def __init__(self, time: "SteppedTime") -> None:
        self._time = time
        self.due: dict[Timer, float] = {}  # [s] time at which each timer is due

    def register(self, function: Timer, *, first_interval: float = 0.0, persistent: bool = False) -> None:
        self.due[function] = self._time.now + first_interval

    def unregister(self, function: Timer) -> None:
        del self.due[function]

    def is_registered(self, function: Timer) -> bool:
        return function in self.due

    def fire(self, function: Timer) -> None:
        """Calls a timer's function, which is due again after the interval that it returns."""
        interval = function()
        if interval is None:
            self.due.pop(function, None)
        else:
            self.due[function] = self._time.now + interval


class App:
    """Replacement for `bpy.app`, which reports a Blender with a window."""

    background = False

    def __init__(self, timers: Timers) -> None:
        self._app, self.timers = bpy.app, timers

    def __getattr__(self, name: str):
        return getattr(self._app, name)


class SteppedTime:
    """Simulated time in this process, and in the scripts of the project that it starts.

    Attributes:
        now: Simulated time [s].
        timers: Replacement for Blender's timers.
        tracer: Tracer of this process.
    """

    def __init__(self) -> None:
        self.now = BEGINNING
        self.timers = Timers(self)
        self.tracer = Tracer(ROOT)
        self._key = secrets.token_bytes(16)
        self._listener = Listener(authkey=self._key)
        self._workers: dict[Connection, float] = {}  # [s] time at which each worker ends its sleep
        bpy.app = App(self.timers)
        time.perf_counter = time.monotonic = lambda: self.now
        time.clock_gettime = lambda _: self.now
        subprocess.Popen = self._popen()

    def _popen(self) -> type[subprocess.Popen]:
        start = self._start

        class Popen(subprocess.Popen):
            """Starts scripts of the project through the wrapper."""

            def __init__(self, command, *rest, **options) -> None:
                script = next((index for index, word in enumerate(command) if _is_script(word)), None)
                if script is None:
                    super().__init__(command, *rest, **options)
                else:
                    start(
                        lambda: super(Popen, self).__init__(
                            [*command[:script], str(WRAPPER), *command[script:]], *rest, **options
                        )
                    )

        return Popen

    def _start(self, begin: Callable[[], None]) -> None:
        """Starts a process and waits until it sleeps for the first time."""
        os.environ[ADDRESS] = json.dumps((self._listener.address, self._key.hex(), self.now))
        begin()
        connection = self._listener.accept()
        self._workers[connection], _ = connection.recv()

    def pass_by(self, seconds: float) -> None:
        """Advances the time by `seconds` [s]: timers fire and processes continue, each at its time."""
        until = self.now + seconds
        while True:
            due, who = min(
                ((due, who) for who, due in (*self._workers.items(), *self.timers.due.items())),
                key=lambda timer: timer[0],
            )
            if due > until:
                break
            self.now = max(due, self.now)
            if isinstance(who, Connection):
                self._turn(who, is_traced=False)
            else:
                self.timers.fire(who)
        self.now = until

    def trace_workers(self, seconds: float) -> Calls:
        """Advances the processes alone by `seconds` [s]; returns the calls in them."""
        until = self.now + seconds
        calls: Calls = {}
        for worker in list(self._workers):
            while self._workers.get(worker, math.inf) <= until:
                self.now = self._workers[worker]
                for function, count in self._turn(worker, is_traced=True).items():
                    calls[function] = calls.get(function, 0) + count
        self.now = until
        return calls

    def _turn(self, worker: Connection, is_traced: bool) -> Calls:
        try:
            worker.send((self.now, is_traced))
            self._workers[worker], calls = worker.recv()
        except (BrokenPipeError, EOFError, ConnectionResetError):  # the process has ended
            del self._workers[worker]
            return {}
        return calls or {}

    def end(self) -> None:
        """Ends the simulation of time for the processes, which continue in real time."""
        for worker in self._workers:
            worker.close()
        self._workers.clear()


def _is_script(word: object) -> bool:
    """Whether a word of a command is a Python file of the checkout, and not of an environment inside it."""
    path = Path(str(word))
    return (
        path.suffix == ".py"
        and path.is_relative_to(ROOT)
        and not path.relative_to(ROOT).parts[0].startswith(".")
    )
