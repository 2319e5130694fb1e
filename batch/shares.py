"""Shares of a batch: a share is a list of tasks that one process does one after another, so that a crash
costs at most one task.
"""

from __future__ import annotations

import faulthandler
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from math import ceil
from pathlib import Path
from typing import Any, TextIO

from ..files.reasons import ending
from .crews import Crew
from .records import FAILED, STARTED, Records, TaskRecord
from .tasks import FileTask

POLL = 0.5  # [s] time between two reads of the records
LAST_LINES = 3  # number of output lines of a crashed Blender shown in the report
TIMED_OUT = "Timeout ("  # beginning of Python's message when a time limit ends a process

Do = Callable[[FileTask], TaskRecord]


def job_text(tasks: Sequence[FileTask], records: Records, settings: Mapping[str, Any], limit: float) -> str:
    """Input of a process that works on a share, as text."""
    listed = [[task.name, str(task.source), str(task.output)] for task in tasks]
    job = {"tasks": listed, "records": str(records.folder), "settings": settings, "limit": limit}
    return json.dumps(job)


def work(stream: TextIO, begin: Callable[[Mapping[str, Any]], AbstractContextManager[Do]]) -> None:
    """Works on a share in this process: on each unfinished task, in order. The process is ended if a task
    exceeds the time limit; if the parent process has ended, no further task is begun.

    Args:
        stream: The share, as `job_text` writes it.
        begin: Function from the settings to a context manager, whose value is the function that does one
            task.
    """
    job = json.loads(stream.read())
    records = Records(Path(job["records"]), job["settings"])
    parent = os.getppid()
    with begin(job["settings"]) as do:
        for name, source, output in job["tasks"]:
            if os.getppid() != parent:
                return
            _work_on(FileTask(name, Path(source), Path(output)), records, do, job["limit"])


def _work_on(task: FileTask, records: Records, do: Do, limit: float) -> None:
    if records.is_ended(task):  # finished in an earlier try of this share
        return
    read = records.fingerprint(task)
    records.write(task, TaskRecord(STARTED))
    faulthandler.dump_traceback_later(limit, exit=True)
    record = do(task)
    faulthandler.cancel_dump_traceback_later()
    record.fingerprint = read if task.output != task.source else records.fingerprint(task)
    records.write(task, record)


def carry_out(
    tasks: Sequence[FileTask],
    records: Records,
    crew: Crew,
    command: list[str],
    job: Callable[[list[FileTask]], str],
) -> Iterator[tuple[FileTask, TaskRecord]]:
    """Lets a crew work on tasks, divided into shares; yields each task when it is finished, with its record.
    If a process ends early, another one continues its share.

    Args:
        tasks: The tasks.
        records: Their records; earlier ones are removed.
        crew: The processes.
        command: Command line of a process that works on a share.
        job: Function from tasks to the input of a process.

    Raises:
        OSError: the records cannot be written.
    """
    for task in tasks:
        records.remove(task)
    running = {crew.submit(command, job(part)): part for part in _parts(tasks, crew)}
    while running:
        for future in crew.first(set(running), POLL):
            rest = _record_failures(running[future], future, records)
            yield from _ended(running[future], records)
            del running[future]
            if rest:
                running[crew.submit(command, job(rest))] = rest
        for part in running.values():
            yield from _ended(part, records)


def _parts(tasks: Sequence[FileTask], crew: Crew) -> list[list[FileTask]]:
    """The tasks divided into shares for a crew."""
    count = min(crew.count, len(tasks))
    if crew.largest:
        count = max(count, ceil(len(tasks) / crew.largest))
    return [list(tasks[number::count]) for number in range(count)]


def _ended(part: list[FileTask], records: Records) -> Iterator[tuple[FileTask, TaskRecord]]:
    """Removes the finished tasks at the beginning of a share, and yields them with their records."""
    while part and (record := records.read(part[0])) is not None and record.state != STARTED:
        yield part.pop(0), record


def _record_failures(part: Sequence[FileTask], future: Any, records: Records) -> list[FileTask]:
    """Records the failure of the task at which a share's process has ended, or of all its unfinished tasks if
    none was begun; returns the tasks that remain to be done.
    """
    unfinished = [task for task in part if not records.is_ended(task)]
    if not unfinished:
        return []
    error = future.exception()
    reason = f"Blender cannot be started: {error}" if error is not None else _reason(future.result())
    first = records.read(unfinished[0])
    # if no task was begun, all have failed
    failed = unfinished[:1] if first is not None and error is None else unfinished
    for task in failed:
        records.write(task, TaskRecord(FAILED, reason, records.fingerprint(task)))
    return unfinished[len(failed) :]


def _reason(ended: Any) -> str:
    """Why a process that has ended did not finish its task, as a sentence."""
    lines = [line.strip() for line in (ended.stdout + ended.stderr).splitlines() if line.strip()]
    if any(line.startswith(TIMED_OUT) for line in lines):
        return "It took longer than the time limit and was stopped: raise --limit"
    last_lines = "; ".join(lines[-LAST_LINES:])
    return f"Blender ended without an outcome ({ending(ended.returncode)}): {last_lines}"
