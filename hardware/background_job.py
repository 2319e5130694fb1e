"""Blender's side of an errand: a process of its own that looks for servos, changes one, or reads a user's file. Knows no Blender.

No call waits: a thread takes in what the process says, `news` hands it on. The process ends when Blender does.
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

from .errors import WorkerError
from .job_events import Ended, JobEvent, from_line
from .pyserial import pyserial_folder

_PACKAGE = Path(__file__).resolve().parents[1]
_ENTRY = Path(__file__).resolve().parent / "errand_entry.py"
_CREATION = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows


class BackgroundJob:
    """A process on an errand.

    Args:
        task: Its name: one of `errand_entry.TASKS`.
        arguments: Of the task, as JSON can hold them.
        patience: Time after which it is ended as hanging [s].
        python: The interpreter: Blender's own.

    Raises:
        WorkerError: It cannot be started.
    """

    def __init__(self, task: str, arguments: dict[str, Any], patience: float, python: str = sys.executable) -> None:
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
            raise WorkerError(f"The process for the errand cannot be started with {python} ({error}); reinstall Blender") from error
        atexit.register(self.cancel)
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def over(self) -> bool:
        """Whether it has ended and all its news were handed on."""
        return self._over and not self._heard

    def news(self) -> list[JobEvent]:
        """What came since the last call; the last of all is `Ended`."""
        if not self._over and time.monotonic() > self._until:
            self._end(Ended(failed=f"Nothing was heard for {self._patience:.0f} s: unplug the device, plug it in again and repeat"))
        with self._lock:
            heard = list(self._heard)
            self._heard.clear()
        return heard

    def cancel(self) -> None:
        """End it at once; nothing more is told but that it has ended."""
        self._end(Ended(text="Cancelled"))

    def _end(self, news: Ended) -> None:
        with self._lock:
            if not self._over:
                self._over = True
                self._heard.append(news)
        atexit.unregister(self.cancel)
        with contextlib.suppress(OSError):
            self._process.kill()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        for line in self._process.stdout:
            try:
                news = from_line(line)
            except ValueError:
                continue
            self._until = time.monotonic() + self._patience
            if isinstance(news, Ended):
                self._end(news)
                break
            with self._lock:
                if not self._over:
                    self._heard.append(news)
        words = self._process.stderr.read().strip().splitlines()
        self._process.wait()
        self._end(Ended(failed=f"The process for the errand ended: {words[-1] if words else f'exit status {self._process.returncode}'}"))
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
