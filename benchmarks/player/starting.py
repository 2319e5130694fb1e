"""Measures start and memory of `limber play`: a process from its start to its first tick."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from .lamp import ROOT

COMMAND = (
    "import sys; sys.path.insert(0, {!r}); from checkout import load_limber; load_limber();"
    " from limber.player.command import main; sys.exit(main(sys.argv[1:]))"
)


class Start(NamedTuple):
    """Wall-clock time and processor time [s] of a player's process from its start to its end, and its peak
    memory [MB].
    """

    wall: float
    processor: float
    memory: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} s ({self.processor:.2f} s of a processor), {self.memory:.0f} MB"


def started(path: Path, seconds: float = 0.0, *options: str) -> Start:
    """Runs a player without a robot for some time [s], or for one tick if 0, and measures it. Raises
    SystemExit if it fails.
    """
    command = [sys.executable, "-c", COMMAND.format(str(ROOT)), "play", str(path), "--no-robot"]
    begun = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--seconds", f"{seconds:g}", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"limber play ended with {process.returncode}")
    wall = time.perf_counter() - begun
    return Start(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024.0)
