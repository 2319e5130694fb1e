"""Blender's side of a background job: a separate process that scans ports, changes a servo, or reads a
user's file.

No call blocks: a thread reads the process's output, `events` returns it. The process ends when Blender does.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

from ..files.reasons import ending
from .errors import WorkerError
from .job_events import Ended, JobEvent, from_line
from .pyserial import pyserial_folder

_PACKAGE = Path(__file__).resolve().parents[1]
_ENTRY = Path(__file__).resolve().parent / "background_job_entry.py"
_CREATION = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # flag for no console window on Windows; 0 elsewhere


class BackgroundJob:
    """A running background job.

    Args:
        task: Name of the task: one of `background_job_entry.TASKS`.
        arguments: The task's arguments, encodable as JSON.
        patience: Time without an event after which the job counts as hung and is ended [s].
        python: Path of the Python interpreter: Blender's own.

    Raises:
        WorkerError: The process cannot be started.
    """

    def __init__(
        self, task: str, arguments: dict[str, Any], patience: float, python: str = sys.executable
    ) -> None:
        self._heard: deque[JobEvent] = deque()
        self._lock = threading.Lock()
        self._over = False
        self._patience = patience
        self._until = time.monotonic() + patience
        try:
            self._process = subprocess.Popen(
                [python, "-I", str(_ENTRY), str(_PACKAGE), pyserial_folder(), task, json.dumps(arguments)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                creationflags=_CREATION,
            )
        except OSError as error:
            raise WorkerError(
                f"The background process cannot be started with {python} ({error}); reinstall Blender"
            ) from error
        atexit.register(self.cancel)
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def over(self) -> bool:
        """Whether the process has ended and all its events have been returned."""
        return self._over and not self._heard

    def events(self) -> list[JobEvent]:
        """The events since the last call, oldest first; ends a hung job. A job's last event is `Ended`."""
        if not self._over and time.monotonic() > self._until:
            self._end(
                Ended(
                    failed=(
                        f"Nothing was heard for {self._patience:.0f} s: unplug the device, plug it in again"
                        " and repeat"
                    )
                )
            )
        with self._lock:
            heard = list(self._heard)
            self._heard.clear()
        return heard

    def cancel(self) -> None:
        """End the process at once; `events` still returns those that have arrived, and then `Ended`."""
        self._end(Ended(text="Cancelled"))

    def _end(self, event: Ended) -> None:
        with self._lock:
            if not self._over:
                self._over = True
                self._heard.append(event)
        atexit.unregister(self.cancel)
        with contextlib.suppress(OSError):
            self._process.kill()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        for line in self._process.stdout:
            try:
                event = from_line(line)
            except ValueError:
                # no event: libraries print to the same output
                continue
            self._until = time.monotonic() + self._patience
            if isinstance(event, Ended):
                self._end(event)
                break
            with self._lock:
                # after `cancel`, `Ended` must remain the last event
                if not self._over:
                    self._heard.append(event)
        # a process that ends without `Ended` has crashed: the last line of its traceback says why
        lines = self._process.stderr.read().strip().splitlines()
        self._process.wait()
        self._end(
            Ended(
                failed=(
                    "The background process ended:"
                    f" {lines[-1] if lines else ending(self._process.returncode)}"
                )
            )
        )
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
