"""Jobs spread over processes of this machine or the workers of a Dask cluster, a few at a time under way. Knows no Blender."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import contextmanager
from itertools import islice
from typing import Any

AHEAD = 4  # jobs that each worker may have in hand or waiting: a sweep may have millions
PATIENCE = "10s"  # for a scheduler to answer


class SpreadError(RuntimeError):
    """Jobs cannot be done there; the message says why and what mends it."""


def usable_cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def first_of_pool(futures: set[Any]) -> set[Any]:
    """Waits for futures of `concurrent.futures`; those that are done."""
    return wait(futures, return_when=FIRST_COMPLETED).done


def first_of_dask(futures: set[Any]) -> set[Any]:
    """The same for a cluster's."""
    import distributed

    done: set[Any] = distributed.wait(futures, return_when="FIRST_COMPLETED").done
    return done


def spread(
    jobs: Iterable[Any], submit: Callable[[Any], Any], first: Callable[[set[Any]], set[Any]], workers: int
) -> Iterator[tuple[Any, Any]]:
    """Futures as they are done, each with its job."""
    waiting = iter(jobs)
    running: dict[Any, Any] = {}
    while True:
        for job in islice(waiting, AHEAD * workers - len(running)):
            running[submit(job)] = job
        if not running:
            return
        for future in first(set(running)):
            yield running.pop(future), future


@contextmanager
def cluster(scheduler: str) -> Iterator[tuple[Any, int]]:
    """The Dask client of that address, and how many workers it has.

    Raises:
        SpreadError: no Dask here, no scheduler there, or no workers.
    """
    try:
        import distributed
    except ImportError as error:
        raise SpreadError("a scheduler needs Dask: pip install distributed") from error
    try:
        client = distributed.Client(scheduler, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise SpreadError(f"no Dask scheduler answers at {scheduler}: {error}") from error
    with client:
        count = len(client.scheduler_info(n_workers=-1)["workers"])
        if not count:
            raise SpreadError(f"the scheduler at {scheduler} has no workers: start some")
        yield client, count
