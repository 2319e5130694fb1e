"""Units of work of benchmarks, which can be sent to other processes or machines and give the same bits
everywhere.

Results are stored as files, each written whole or not at all, so that an interrupted run continues where it
stopped.
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
# the only field that differs from run to run: processor time, which other programs hardly lengthen
TIMES = "seconds"
SHOW_EVERY = 2.0  # [s] time between two lines of progress
# modules on which results depend, in addition to solvers/
SOURCES = ("chunks", "jobs", "paper", "two_priority", "walks")
Answer = dict[str, np.ndarray]


class Job(Protocol):
    """Interface of a unit of work. Its class must be in an importable module and not in a command's, since
    other processes find it by name.
    """

    @property
    def file(self) -> str:
        """Name of the job's file, unique among the jobs of a folder."""
        ...

    def solve(self) -> Answer:
        """Does the work; returns arrays by name."""
        ...


def do(job: Job) -> tuple[str, Answer]:
    """Digest of the code that did a job, and its result."""
    return code_digest(), job.solve()


@cache
def code_digest() -> str:
    """Digest of the code on which results depend."""
    solvers = [path for suffix in ("py", "c", "h") for path in (ROOT / "solvers").rglob(f"*.{suffix}")]
    files = sorted(solvers) + [ROOT / "benchmarks" / f"{name}.py" for name in SOURCES]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def folder_for(root: Path, settings: str) -> Path:
    """Folder of stored results: one for each text of settings and each version of the code."""
    return root / hashlib.sha256(f"{settings}{code_digest()}".encode()).hexdigest()[:16]


def keep(folder: Path, job: Job, answer: Answer) -> None:
    """Writes a job's result to its file atomically, so that a killed run leaves no incomplete file."""
    unfinished = folder / f"{job.file}.{os.getpid()}.part"
    with unfinished.open("wb") as file:
        np.savez(file, **answer)
    unfinished.replace(folder / job.file)


def kept(folder: Path, job: Job) -> Answer:
    """The stored result of a job."""
    with np.load(folder / job.file) as file:
        return dict(file)


def missing(jobs: Iterable[Job], folder: Path, progress: "Progress") -> Iterable[Job]:
    """Jobs without a stored result; the others are counted as done."""
    have = {path.name for path in folder.glob("*.npz")}
    for job in jobs:
        if job.file in have:
            progress.found()
        else:
            yield job


class Progress:
    """Prints a line of progress on standard error at intervals."""

    def __init__(self, total: int) -> None:
        self.total, self.there, self.done = total, 0, 0
        self.began = self.shown = time.monotonic()

    def found(self) -> None:
        """Counts a job with a stored result."""
        self.there += 1

    def step(self) -> None:
        """Counts a job that was done in this run."""
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
