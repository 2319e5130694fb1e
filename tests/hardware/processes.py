"""Checks whether processes run, and gives processes that stand for a robot a higher priority."""

import contextlib
import os
from pathlib import Path

FIRST = -15  # niceness relative to the default: a board has its own processor, which no other program uses


def is_running(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (
        FileNotFoundError,
        ProcessLookupError,
    ):  # it does not exist, or ended between opening and reading the file
        return False


def let_go_first(number: int) -> int:
    """Gives a process, or a thread by its native id, a higher priority, if this user may do so and the system
    supports it.

    Returns its earlier niceness, which `let_go_as_before` restores.
    """
    before = os.getpriority(os.PRIO_PROCESS, number)
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, number, FIRST)
    return before


def let_go_as_before(number: int, niceness: int) -> None:
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, number, niceness)
