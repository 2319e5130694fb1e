"""Workers of a batch: this machine's cores, or those of a Dask cluster. Independent of Blender."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

TIMEOUT = "10s"  # timeout for a scheduler's answer


class WorkersError(RuntimeError):
    """The workers cannot be used; the message gives the reason and the remedy."""


def usable_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def cluster(scheduler: str) -> Iterator[tuple[Any, int]]:
    """Context manager whose value is (Dask client for an address, number of its workers).

    Raises:
        WorkersError: Dask is not installed, no scheduler answers, or it has no workers.
    """
    try:
        import distributed
    except ImportError as error:
        raise WorkersError("a scheduler needs Dask: pip install distributed") from error
    try:
        client = distributed.Client(scheduler, timeout=TIMEOUT)
    except (OSError, ValueError) as error:
        raise WorkersError(f"no Dask scheduler answers at {scheduler}: {error}") from error
    with client:
        count = len(client.scheduler_info(n_workers=-1)["workers"])
        if not count:
            raise WorkersError(f"the scheduler at {scheduler} has no workers: start some")
        yield client, count
