"""Units of work of benchmarks: they travel to another process or machine as they are, and give the same bits
wherever they are done.

Answers are kept as files, each written whole or not at all, so that a run that was broken off goes on where
it was.
"""

import hashlib
import os
import sys
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "sweep"
# the one field that differs from run to run: processor time, which other programs do not lengthen much
TIMES = "seconds"
SHOW_EVERY = 2.0  # [s] between lines of progress
# What answers depend on, beside solvers/.
SOURCES = ("chunks", "jobs", "paper", "two_priority", "walks")
Answer = dict[str, np.ndarray]


class Job(Protocol):
    """Of a module of its own, not of a command's: other processes must find its class by name."""

    @property
    def file(self) -> str:
        """A name that no other job of the same folder has."""
        ...

    def solve(self) -> Answer:
        """Arrays by name."""
        ...


def do(job: Job) -> tuple[str, Answer]:
    """The digest of the code that did it, and the answer."""
    return code_digest(), job.solve()


@cache
def code_digest() -> str:
    """Of the code that answers depend on."""
    solvers = [path for suffix in ("py", "c", "h") for path in (ROOT / "solvers").rglob(f"*.{suffix}")]
    files = sorted(solvers) + [ROOT / "benchmarks" / f"{name}.py" for name in SOURCES]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def folder_for(root: Path, settings: str) -> Path:
    """Where answers are kept: a folder of its own for every text of settings and every version of
    the code.
    """
    return root / hashlib.sha256(f"{settings}{code_digest()}".encode()).hexdigest()[:16]


def keep(folder: Path, job: Job, answer: Answer) -> None:
    """Writes the answer's file in one move: a run that is killed leaves no half of one."""
    unfinished = folder / f"{job.file}.{os.getpid()}.part"
    with unfinished.open("wb") as file:
        np.savez(file, **answer)
    unfinished.replace(folder / job.file)


def kept(folder: Path, job: Job) -> Answer:
    """The answer that was kept."""
    with np.load(folder / job.file) as file:
        return dict(file)


def missing(jobs: Iterable[Job], folder: Path, progress: "Progress") -> Iterable[Job]:
    """Those without a kept answer; the others count as done."""
    have = {path.name for path in folder.glob("*.npz")}
    for job in jobs:
        if job.file in have:
            progress.found()
        else:
            yield job


class Progress:
    """A line now and then on standard error."""

    def __init__(self, total: int) -> None:
        self.total, self.there, self.done = total, 0, 0
        self.began = self.shown = time.monotonic()

    def found(self) -> None:
        """A job was done before."""
        self.there += 1

    def step(self) -> None:
        """A job is done."""
        self.done += 1
        time_now = time.monotonic()
        if time_now - self.shown > SHOW_EVERY:
            self.shown = time_now
            left = (time_now - self.began) / self.done * (self.total - self.there - self.done)
            before = f" ({self.there} were there already)" if self.there else ""
            print(
                f"  {self.there + self.done} of {self.total}{before}, about {left:.0f} s left",
                file=sys.stderr,
                flush=True,
            )
