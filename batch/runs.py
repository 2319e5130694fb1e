"""Blender processes that bake one file each, on this machine or a cluster, and the outcomes. Knows no
Blender.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

from ..files.plain import json_of
from ..files.reasons import ending
from .spread import cluster, first_of_dask, first_of_pool, spread, usable_cores
from .tasks import Outcome, Settings, Task

ANSWER = "limber_bake: "  # begins the line of a process's output that holds its outcome
LAST_LINES = 3  # of a crashed Blender's output, in the report


def command(launcher: list[str], task: Task, settings: Settings) -> list[str]:
    """Command line that bakes one file."""
    return [*launcher, "--one", str(task.source), str(task.output), json.dumps(asdict(settings))]


def run(
    tasks: list[Task], settings: Settings, launcher: list[str], limit: float, workers: int, scheduler: str
) -> Iterator[tuple[Task, Outcome]]:
    """Bakes files, and yields each task's outcome as it is finished.

    Args:
        tasks: Files to bake.
        settings: Settings for all files.
        launcher: First words of the command that starts a Blender with Limber.
        limit: Time limit for one file [s].
        workers: Processes at a time on this machine; 0: one per core.
        scheduler: Address of a Dask cluster to use instead; its machines must have the launcher and the files
            at the same paths. It runs plain commands, so its workers need no Limber in their Python.

    Raises:
        SpreadError: the cluster cannot be used.
    """
    if scheduler:
        with cluster(scheduler) as (client, count):
            yield from _answers(
                tasks,
                settings,
                launcher,
                limit,
                lambda *a, **k: client.submit(*a, pure=False, **k),
                first_of_dask,
                count,
            )
        return
    count = workers or usable_cores()
    pool = ThreadPoolExecutor(count)
    try:
        yield from _answers(tasks, settings, launcher, limit, pool.submit, first_of_pool, count)
    finally:
        pool.shutdown(cancel_futures=True)


def _answers(
    tasks: list[Task],
    settings: Settings,
    launcher: list[str],
    limit: float,
    submit: Callable[..., Any],
    first: Callable[[set[Any]], set[Any]],
    count: int,
) -> Iterator[tuple[Task, Outcome]]:
    """Yields each task's outcome; an exceeded time limit and a missing launcher are outcomes, too."""
    # subprocess.run itself is submitted: a cluster's workers have no Limber from which to import a function
    # of ours.
    options = {
        "capture_output": True,
        "text": True,
        "errors": "replace",
        "stdin": subprocess.DEVNULL,
        "timeout": limit,
    }

    def start(task: Task) -> Any:
        return submit(subprocess.run, command(launcher, task, settings), **options)

    for task, future in spread(tasks, start, first, count):
        yield task, _outcome(task, future)


def _outcome(task: Task, future: Any) -> Outcome:
    """Outcome that a process printed; without one it has failed, and its last lines are the reason."""
    try:
        done: subprocess.CompletedProcess[str] = future.result()
    except subprocess.TimeoutExpired as late:
        return _failed(task, f"It took longer than {late.timeout:g} s and was stopped: raise --limit")
    except OSError as error:
        return _failed(task, f"Blender cannot be started: {error}")
    said = [line.removeprefix(ANSWER) for line in done.stdout.splitlines() if line.startswith(ANSWER)]
    if said:
        try:
            return Outcome(**json_of(said[-1]))
        except (ValueError, TypeError) as error:  # something else in that Blender wrote to the line
            return _failed(task, f"Blender's answer cannot be read: {error}")
    last = "; ".join(
        [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()][-LAST_LINES:]
    )
    return _failed(task, f"Blender ended without an outcome ({ending(done.returncode)}): {last}")


def _failed(task: Task, reason: str) -> Outcome:
    return Outcome(str(task.source), str(task.output), "failed", reason)
