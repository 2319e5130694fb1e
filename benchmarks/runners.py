"""Runs jobs in processes of this machine, or on a Dask cluster."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from limber.batch.workers import WorkersError, cluster, usable_cores

from .jobs import Answer, Job, Progress, code_digest, do, keep, missing

Done = Iterator[tuple[Job, Answer]]

AHEAD = 4  # number of running or queued jobs per worker; there may be millions in all


def local(jobs: Iterable[Job], workers: int = 0) -> Done:
    """Runs jobs in `workers` processes, 0: one for each usable core; yields results as they arrive."""
    count = workers or usable_cores()
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        yield from _checked(jobs, lambda job: pool.submit(do, job), first_of_pool, count)


def complete(jobs: Iterable[Job], total: int, folder: Path, scheduler: str = "", workers: int = 0) -> None:
    """Runs the jobs that have no stored result in the folder, in local processes or on the cluster at the
    address `scheduler`, and stores their results there. `total`: number of all jobs, for the progress.

    Raises:
        WorkersError: The scheduler or its workers cannot be used.
    """
    folder.mkdir(parents=True, exist_ok=True)
    progress = Progress(total)
    todo = missing(jobs, folder, progress)
    first = next(iter(todo), None)  # no processes are started if nothing is left to do
    if first is None:
        return
    todo = chain([first], todo)
    for job, answer in dask(todo, scheduler) if scheduler else local(todo, workers):
        keep(folder, job, answer)
        progress.step()


def dask(jobs: Iterable[Job], scheduler: str) -> Done:
    """Runs jobs on the Dask cluster with this scheduler's address; yields results as they arrive. Its workers
    must have been started in this checkout or a copy of it.

    Raises:
        WorkersError: Dask is not installed, no scheduler answers, it has no workers, or they have other code.
    """
    with cluster(scheduler) as (client, count):
        yield from _checked(jobs, lambda job: client.submit(do, job, pure=False), first_of_dask, count)


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


def _checked(
    jobs: Iterable[Job], submit: Callable[[Job], Any], first: Callable[[set[Any]], set[Any]], workers: int
) -> Done:
    """Yields jobs with their results, in the order in which they finish.

    Raises:
        WorkersError: A worker has other code than this checkout.
    """
    waiting = iter(jobs)
    running: dict[Any, Job] = {}
    while True:
        for job in islice(waiting, AHEAD * workers - len(running)):
            running[submit(job)] = job
        if not running:
            return
        for future in first(set(running)):
            digest, answer = future.result()
            if digest != code_digest():
                raise WorkersError(
                    "a worker has other code than this checkout: start workers in it or a copy, and change no"
                    " code meanwhile"
                )
            yield running.pop(future), answer
