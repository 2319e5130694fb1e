"""Runs a script of the project step by step, with the tracer: `python -I worker.py SCRIPT [ARGUMENT ...]`. It
needs only the standard library.

The hardware worker sleeps between two cycles. Here a sleep of its main thread waits for the process at the
address in LIMBER_STEPS. That process decides when the script continues, at what time, and whether calls are
traced up to the next sleep; it receives these calls. When it closes the connection, the script continues in
real time.
"""

import importlib.util
import json
import os
import runpy
import sys
import threading
import time
from multiprocessing.connection import Client
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ADDRESS = (  # environment variable: JSON of the address, its key in hexadecimal digits, and the time [s]
    "LIMBER_STEPS"
)


def load_tracing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("frame_path_tracing", HERE / "tracing.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class SteppedTime:
    """Replaces the clock and the sleep of this process."""

    def __init__(self, address: str, key: str, start_time: float) -> None:
        self._connection = Client(address, authkey=bytes.fromhex(key))
        self._tracer = load_tracing().Tracer(ROOT)
        self._now = start_time
        # [s] simulated time minus the system's, since the connection was closed; None while it is open
        self._offset: float | None = None
        self._trace = self._calls = None
        self._sleep, self._clock = time.sleep, time.perf_counter
        time.sleep = self.sleep
        time.perf_counter = time.monotonic = self.now
        time.clock_gettime = lambda _: self.now()

    def now(self) -> float:
        """Simulated time [s]."""
        return self._now if self._offset is None else self._clock() + self._offset

    def sleep(self, seconds: float) -> None:
        if self._offset is not None or threading.current_thread() is not threading.main_thread():
            self._sleep(seconds)
            return
        self._end_trace()
        try:
            self._connection.send((self._now + seconds, self._calls))
            self._now, is_traced = self._connection.recv()
        except (EOFError, OSError):
            self._offset = self._now - self._clock()
            return
        if is_traced:
            self._trace = self._tracer.on()
            self._calls = self._trace.__enter__()

    def _end_trace(self) -> None:
        if self._trace is None:
            self._calls = None
        else:
            self._trace.__exit__(None, None, None)
            self._trace = None


if __name__ == "__main__":
    SteppedTime(*json.loads(os.environ[ADDRESS]))
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
