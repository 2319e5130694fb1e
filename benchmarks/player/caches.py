"""What a pause costs a loop that has nothing of the player: a yardstick for ticks in real time. Their data
and instructions come from memory again if the processor's caches have lost them since the last tick.
"""

import random
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .ticks import on_one_core

LISTS = 8000  # number of lists that a walk reads: half a megabyte, about as much as a tick
WALKS = 200  # number of walks


class Walked(NamedTuple):
    """Median processor time [ms] of a walk over the lists: in a row, and each after a sleep or after a loop
    that computes for as long and needs almost no memory.
    """

    in_a_row: float
    after_sleep: float
    after_loop: float

    def __str__(self) -> str:
        return (
            f"a walk over {LISTS} lists takes {self.in_a_row:.2f} ms in a row, {self.after_sleep:.2f} ms after"
            f" sleeping, {self.after_loop:.2f} ms after computing for as long"
        )


def walked(pause: float) -> Walked:
    """Walks over lists in random order on one core, with pauses of this length [s] and without."""
    lists = [[float(number)] for number in range(LISTS)]
    random.Random(1).shuffle(lists)
    with on_one_core():
        return Walked(
            *(
                _walk(lists, between)
                for between in (_nothing, lambda: time.sleep(pause), lambda: _loop(pause))
            )
        )


def _walk(lists: list[list[float]], between: Callable[[], object]) -> float:
    """Median processor time [ms] of `WALKS` walks, each of which reads the length of every list; `between` is
    called before each.
    """
    times = []
    for _ in range(WALKS):
        between()
        begun = time.thread_time()
        sum(map(len, lists))
        times.append(time.thread_time() - begun)
    return 1e3 * float(np.median(times))


def _nothing() -> None:
    """No pause."""


def _loop(seconds: float) -> None:
    """Computes for `seconds`."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
