"""Crews that work on a batch's shares: Blender processes on this machine, or workers of a Dask cluster."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, Protocol

from .workers import cluster, usable_cores

Ended = subprocess.CompletedProcess[str]
# number of tasks in a share on a cluster: enough to make Blender's start negligible, few enough to lose
# little on cancelling
ON_CLUSTER = 16


class Crew(Protocol):
    """Runs commands in processes.

    Attributes:
        count: Number of simultaneous processes.
        largest: Largest number of tasks in a share; 0: the tasks are divided evenly among the processes.
    """

    count: int
    largest: int

    def submit(self, command: list[str], text: str) -> Any:
        """Starts a process that gets a text as its input; returns its future."""

    def first(self, futures: set[Any], seconds: float) -> set[Any]:
        """Waits until one of these futures is completed, for at most `seconds` [s]; returns the completed
        ones.
        """

    def stop(self) -> None:
        """Ends all processes that are not finished."""


class LocalCrew:
    """Processes of this machine.

    Args:
        count: Number of processes at a time; 0: one for each core.
    """

    largest = 0

    def __init__(self, count: int) -> None:
        self.count = count or usable_cores()
        self._pool = ThreadPoolExecutor(self.count)
        self._running: set[subprocess.Popen[str]] = set()
        self._is_stopped = False

    def submit(self, command: list[str], text: str) -> Future[Ended]:
        return self._pool.submit(self._run, command, text)

    def _run(self, command: list[str], text: str) -> Ended:
        if self._is_stopped:
            return subprocess.CompletedProcess(command, -signal.SIGTERM, "", "")
        pipe = subprocess.PIPE
        # a separate session (not on Windows), so that Ctrl-C reaches only this process, which then stops the
        # others in order
        with subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, errors="replace", start_new_session=True
        ) as process:
            self._running.add(process)
            try:
                stdout, stderr = process.communicate(text)
            finally:
                self._running.discard(process)
        return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)

    def first(self, futures: set[Any], seconds: float) -> set[Any]:
        return wait(futures, seconds, FIRST_COMPLETED).done

    def stop(self) -> None:
        self._is_stopped = True
        for process in list(self._running):
            process.terminate()
        self._pool.shutdown(cancel_futures=True)


class DaskCrew:
    """Workers of a Dask cluster. They run plain commands, so they need no Limber in their Python."""

    largest = ON_CLUSTER

    def __init__(self, client: Any, count: int) -> None:
        self._client, self.count = client, count
        self._futures: set[Any] = set()

    def submit(self, command: list[str], text: str) -> Any:
        options = {"input": text, "capture_output": True, "text": True, "errors": "replace"}
        future = self._client.submit(subprocess.run, command, pure=False, **options)
        self._futures.add(future)
        return future

    def first(self, futures: set[Any], seconds: float) -> set[Any]:
        import distributed

        try:
            done: set[Any] = distributed.wait(futures, timeout=seconds, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            return set()
        return done

    def stop(self) -> None:
        self._client.cancel(list(self._futures))


@contextmanager
def crew(scheduler: str, workers: int) -> Iterator[Crew]:
    """Context manager whose value is a crew: the cluster at the address `scheduler`, or without an address
    `workers` processes on this machine. The crew is stopped at the end.

    Raises:
        WorkersError: the cluster cannot be used.
    """
    if not scheduler:
        local = LocalCrew(workers)
        try:
            yield local
        finally:
            local.stop()
        return
    with cluster(scheduler) as (client, count):
        on_cluster = DaskCrew(client, count)
        try:
            yield on_cluster
        finally:
            on_cluster.stop()
