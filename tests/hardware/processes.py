"""Looking at processes that come and go, and letting those go first that stand for a robot."""

import contextlib
import os
from pathlib import Path

FIRST = (
    -15
)  # of the niceness that a system gives: a board has a processor of its own, which nobody else keeps busy


def is_running(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (
        FileNotFoundError,
        ProcessLookupError,
    ):  # not there, or gone between the file's opening and its reading
        return False


def let_go_first(number: int) -> int:
    """A process, or a thread by its native id, runs before others of this machine, where this user may say so
    and the system can.

    Returns its niceness before; `let_go_as_before` gives it that again.
    """
    before = os.getpriority(os.PRIO_PROCESS, number)
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, number, FIRST)
    return before


def let_go_as_before(number: int, niceness: int) -> None:
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, number, niceness)
