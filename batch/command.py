"""Common parts of the batch commands: options, the processes' command line, progress, and the summary."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import bpy

from . import shares
from .crews import crew
from .records import FAILED, Records, TaskRecord
from .tasks import FileTask, part_of, shard

LIMIT = 3600.0  # [s] default time limit for one file
FAILURES, NOTHING_STARTED, INTERRUPTED = 1, 2, 130  # exit codes
SHARE = "--work-on-share"  # first argument of a process that works on a share
# program for Python with the Blender module, which has no command line of its own; its arguments: the add-on,
# the command's module, and the command's arguments
IN_PYTHON = (
    "import bpy, addon_utils, importlib, sys; addon_utils.enable(sys.argv[1]);"
    " sys.exit(importlib.import_module(sys.argv[1] + '.batch.' + sys.argv[2]).main(sys.argv[3:]))"
)


@dataclass(frozen=True)
class Batch:
    """A batch of one command.

    Attributes:
        name: Name of the command.
        tasks: All tasks of all shards.
        records: Records of the tasks.
        settings: Settings of the processes, as JSON values.
        sentence: Function from a task's record to a line on its result.
    """

    name: str
    tasks: Sequence[FileTask]
    records: Records
    settings: Mapping[str, Any]
    sentence: Callable[[TaskRecord], str]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of all batch commands."""
    parser.add_argument(
        "--workers", type=int, default=0, help="Blender processes at a time (default: one a core)"
    )
    parser.add_argument(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="of a Dask cluster to work on, which has this Blender and these paths",
    )
    parser.add_argument(
        "--shard",
        type=_shard,
        default=(1, 1),
        metavar="K/N",
        help="only the k-th of n shards of the files, for a farm that runs the command n times",
    )
    parser.add_argument(
        "--blender", default="", metavar="PATH", help="the Blender to start (default: this one)"
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=LIMIT,
        metavar="SECONDS",
        help="time limit for one file (default %(default)g)",
    )
    parser.add_argument("--again", action="store_true", help="also what is done already")


def _shard(text: str) -> tuple[int, int]:
    try:
        return part_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def launcher(name: str, module: str, blender: str) -> list[str]:
    """First words of the command line that runs a batch command in another Blender or, where Blender is a
    module of Python, in another Python.

    Args:
        name: Name of the command.
        module: Module of this package that has its `main`.
        blender: Path of the Blender executable; "": the Blender that runs this.
    """
    if blender or bpy.app.binary_path:
        return [blender or bpy.app.binary_path, "--command", name]
    return [sys.executable, "-c", IN_PYTHON, __package__.rpartition(".")[0], module]


def run(batch: Batch, command: list[str], options: argparse.Namespace) -> list[tuple[FileTask, TaskRecord]]:
    """Runs the tasks of this shard that are not done yet, and prints a line for each; returns the shard's
    tasks with their records. States of tasks done in an earlier run end in "already".

    Args:
        batch: The batch.
        command: First words of the command line of a process; see `launcher`.
        options: The options of `add_options`.

    Raises:
        WorkersError: the cluster cannot be used.
        OSError: the records cannot be written.
        KeyboardInterrupt: the user, or the farm, stopped it.
    """
    tasks = shard(batch.tasks, options.shard)
    todo = [task for task in tasks if options.again or not batch.records.is_done(task)]
    done_count = len(tasks) - len(todo)
    if done_count:
        print(f"{batch.name}: {done_count} of {len(tasks)} files are done already", flush=True)
    if todo:
        _work(batch, todo, command, options, (done_count, len(tasks)))
    done_now = set(todo)
    ended = [(task, record) for task in tasks if (record := batch.records.read(task)) is not None]
    for task, record in ended:
        record.state += "" if task in done_now else " already"
    return ended


def _work(
    batch: Batch,
    todo: Sequence[FileTask],
    command: list[str],
    options: argparse.Namespace,
    counts: tuple[int, int],
) -> None:
    """Runs the tasks `todo`, and prints a line for each; `counts`: number of tasks done before, and of all
    tasks.
    """
    began, (count, total) = time.monotonic(), counts

    def job(tasks: list[FileTask]) -> str:
        return shares.job_text(tasks, batch.records, batch.settings, options.limit)

    with crew(options.scheduler, options.workers) as processes:
        ended = shares.carry_out(todo, batch.records, processes, [*command, SHARE], job)
        for number, (task, record) in enumerate(ended, 1):
            left = (time.monotonic() - began) / number * (len(todo) - number)
            line = f"[{count + number}/{total}] {task.source.name}: {batch.sentence(record)}"
            print(line + (f"; about {left:.0f} s left" if number < len(todo) else ""), flush=True)


def until_interrupted(name: str, job: Callable[[], int]) -> int:
    """Exit code of a job. Ctrl-C, and the signal by which render farms stop a job, end it with a message and
    the code INTERRUPTED.
    """

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return job()
    except KeyboardInterrupt:
        print(f"{name}: stopped. The same command goes on where it stopped", file=sys.stderr)
        return INTERRUPTED
    finally:
        for number, handler in before.items():
            # None is Blender's own handler, which Python cannot install again
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def sum_up(name: str, ended: Sequence[tuple[FileTask, TaskRecord]]) -> int:
    """Prints counts and failures, the most important last; returns the exit code."""
    states = [record.state for _, record in ended]
    counts = {
        state: states.count(state)
        for state in sorted(set(states), key=lambda state: (state == FAILED, state))
    }
    print(f"{name}: " + ", ".join(f"{count} {state}" for state, count in counts.items()))
    for task, record in ended:
        if record.state == FAILED:
            print(f"failed: {task.source}: {record.reason}", file=sys.stderr)
    return FAILURES if FAILED in counts else 0
