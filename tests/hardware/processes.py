"""Looking at processes that come and go, and letting those go first that stand for a robot."""

import contextlib
import os
from pathlib import Path

FIRST = -15  # of the niceness that a system gives: a board has a processor of its own, which nobody else keeps busy


def is_running(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # not there, or gone between the file's opening and its reading
        return False


def let_go_first(number: int) -> None:
    """A process, or a thread by its native id, runs before others of this machine, where this user may say so and the system can."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, number, FIRST)
