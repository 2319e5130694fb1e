"""Jobs distributed over processes of this machine or workers of a Dask cluster, a few per worker at a time.
Knows no Blender.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import contextmanager
from itertools import islice
from typing import Any

AHEAD = 4  # number of running or queued jobs per worker; there may be millions in all
TIMEOUT = "10s"  # timeout for a scheduler's answer


class SpreadError(RuntimeError):
    """Jobs cannot be distributed; the message gives the reason and the remedy."""


def usable_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def first_of_pool(futures: set[Any]) -> set[Any]:
    """Waits until at least one of these futures of `concurrent.futures` is done; returns those that are
    done.
    """
    return wait(futures, return_when=FIRST_COMPLETED).done


def first_of_dask(futures: set[Any]) -> set[Any]:
    """Waits until at least one of these futures of a Dask cluster is done; returns those that are done."""
    import distributed

    done: set[Any] = distributed.wait(futures, return_when="FIRST_COMPLETED").done
    return done


def spread(
    jobs: Iterable[Any], submit: Callable[[Any], Any], first: Callable[[set[Any]], set[Any]], workers: int
) -> Iterator[tuple[Any, Any]]:
    """Yields each job with its finished future, in the order in which they finish."""
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
    """Context manager whose value is (Dask client for an address, number of its workers).

    Raises:
        SpreadError: Dask is not installed, no scheduler answers, or it has no workers.
    """
    try:
        import distributed
    except ImportError as error:
        raise SpreadError("a scheduler needs Dask: pip install distributed") from error
    try:
        client = distributed.Client(scheduler, timeout=TIMEOUT)
    except (OSError, ValueError) as error:
        raise SpreadError(f"no Dask scheduler answers at {scheduler}: {error}") from error
    with client:
        count = len(client.scheduler_info(n_workers=-1)["workers"])
        if not count:
            raise SpreadError(f"the scheduler at {scheduler} has no workers: start some")
        yield client, count
