"""Where chunks of a sweep are solved: in processes of this machine, or on a Dask cluster."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from typing import Any

from .chunks import Answer, Chunk, code_digest, solve_chunk

AHEAD = 4  # chunks that each worker may have in hand or waiting: a full sweep has millions
PATIENCE = "10s"  # for a scheduler to answer
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
Done = Iterator[tuple[Chunk, Answer]]


class RunnerError(RuntimeError):
    """Chunks cannot be solved there; the message says why and what mends it."""


def local(chunks: Iterable[Chunk], workers: int = 0) -> Done:
    """In as many processes as this one may use cores, or as asked; answers as they come."""
    count = workers or usable_cores()
    os.environ.update(ONE_THREAD)  # for the processes, which start anew: the cores are taken already
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        yield from _flow(chunks, lambda chunk: pool.submit(solve_chunk, chunk), _first, count)


def usable_cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _first(futures: set[Future[Any]]) -> set[Future[Any]]:
    return wait(futures, return_when=FIRST_COMPLETED).done


def dask(chunks: Iterable[Chunk], scheduler: str) -> Done:
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
        yield from _flow(chunks, lambda chunk: client.submit(solve_chunk, chunk, pure=False), _first_of_dask, count)


def _first_of_dask(futures: set[Any]) -> set[Any]:
    import distributed

    done: set[Any] = distributed.wait(futures, return_when="FIRST_COMPLETED").done
    return done


def _flow(chunks: Iterable[Chunk], submit: Callable[[Chunk], Any], first: Callable[[set[Any]], set[Any]], workers: int) -> Done:
    """Answers as they come, with a few chunks at a time under way."""
    waiting = iter(chunks)
    running: dict[Any, Chunk] = {}
    while True:
        for chunk in islice(waiting, AHEAD * workers - len(running)):
            running[submit(chunk)] = chunk
        if not running:
            return
        for future in first(set(running)):
            chunk = running.pop(future)
            digest, answer = future.result()
            if digest != code_digest():
                raise RunnerError("a worker runs other code than this checkout: start the workers in it, or in a copy of it")
            yield chunk, answer
