"""Where jobs are done: in processes of this machine, or on a Dask cluster."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from .jobs import Answer, Job, Progress, code_digest, do, keep, missing

AHEAD = 4  # jobs that each worker may have in hand or waiting: a full sweep has millions
PATIENCE = "10s"  # for a scheduler to answer

Done = Iterator[tuple[Job, Answer]]


class RunnerError(RuntimeError):
    """Jobs cannot be done there; the message says why and what mends it."""


def local(jobs: Iterable[Job], workers: int = 0) -> Done:
    """In as many processes as this one may use cores, or as asked; answers as they come."""
    count = workers or usable_cores()
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        yield from _flow(jobs, lambda job: pool.submit(do, job), _first, count)


def complete(jobs: Iterable[Job], total: int, folder: Path, scheduler: str = "", workers: int = 0) -> None:
    """Does what has no kept answer in the folder yet, on all local cores, so many, or the cluster of that address.

    Raises:
        RunnerError: The scheduler or its workers cannot be used.
    """
    folder.mkdir(parents=True, exist_ok=True)
    progress = Progress(total)
    todo = missing(jobs, folder, progress)
    first = next(iter(todo), None)  # no processes for nothing
    if first is None:
        return
    todo = chain([first], todo)
    for job, answer in dask(todo, scheduler) if scheduler else local(todo, workers):
        keep(folder, job, answer)
        progress.step()


def usable_cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _first(futures: set[Future[Any]]) -> set[Future[Any]]:
    return wait(futures, return_when=FIRST_COMPLETED).done


def dask(jobs: Iterable[Job], scheduler: str) -> Done:
    """On the cluster of that address. Its workers must have been started in this checkout, or a copy of it.

    Raises:
        RunnerError: no Dask here, no scheduler there, no workers, or workers with other code.
    """
    try:
        import distributed
    except ImportError as error:
        raise RunnerError("a scheduler needs Dask: pip install distributed") from error
    try:
        client = distributed.Client(scheduler, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise RunnerError(f"no Dask scheduler answers at {scheduler}: {error}") from error
    with client:
        count = len(client.scheduler_info(n_workers=-1)["workers"])
        if not count:
            raise RunnerError(f"the scheduler at {scheduler} has no workers: start some in this checkout")
        yield from _flow(jobs, lambda job: client.submit(do, job, pure=False), _first_of_dask, count)


def _first_of_dask(futures: set[Any]) -> set[Any]:
    import distributed

    done: set[Any] = distributed.wait(futures, return_when="FIRST_COMPLETED").done
    return done


def _flow(jobs: Iterable[Job], submit: Callable[[Job], Any], first: Callable[[set[Any]], set[Any]], workers: int) -> Done:
    """Answers as they come, with a few jobs at a time under way."""
    waiting = iter(jobs)
    running: dict[Any, Job] = {}
    while True:
        for job in islice(waiting, AHEAD * workers - len(running)):
            running[submit(job)] = job
        if not running:
            return
        for future in first(set(running)):
            job = running.pop(future)
            digest, answer = future.result()
            if digest != code_digest():
                raise RunnerError("a worker has other code than this checkout: start workers in it or a copy, and change no code meanwhile")
            yield job, answer
