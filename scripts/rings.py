"""Assigns tests to rings, which run in different environments; `runner.py` runs them on all cores and counts
the results.

    python scripts/rings.py            the usual rings
    python scripts/rings.py blender    one ring or several: lint, plain, blender, installed, window, newest

Several files of tests share a process, since each start takes time: a second for Python with its libraries,
three for a Blender.
"""

import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from runner import CASES, ROOT, Job, Ring, run_all

RESULTS = ROOT / "build" / "tests"
# number of processes beyond the number of cores, since windows wait for redraws and files
MORE_THAN_CORES = 1
WAITING_AT_ONCE = 2  # number of processes, in addition, of the rings in WAITING
PLAIN_FOLDERS = (
    "house",
    "files",
    "motion",
    "solvers",
    "character",
    "robots",
    "hardware",
    "inputs",
    "player",
    "batch",
    "benchmarks",
    "demo",
    "makers",
)
BLENDERS = {
    ".venv": "the newest Blender for Python 3.11",
    ".venv-4.2": "Blender 4.2",
    ".venv-newest": "the newest Blender",
}
NEWEST = ".venv-newest"
ALL_CASES = "1:0"
# environment -> cases of each test in `tests/blender` that run: every n-th, starting from an index. Blender's
# versions seldom differ from case to case. In an environment with only some cases, only tests with that mark
# run; see tests/cases.py.
SOME_CASES = {".venv": ALL_CASES, ".venv-4.2": "6:0", NEWEST: "6:1"}
MARK = "every_blender"
# environment -> number of Blender's threads in `tests/blender`. More threads cost a fifth more processor
# time, and other processes keep the cores busy anyway; in the newest Blender and in windows Blender chooses
# the number.
THREADS = {".venv": "1", ".venv-4.2": "1", NEWEST: ""}
# folders of plain tests that mostly wait for processes and ports, for seven minutes in all
WAITING = ("hardware", "player", "makers")
WINDOWS = ("newer", "older")  # windows of scripts/window.sh; the first one that is available runs all scripts
WINDOW_MARK = "every_window"  # mark of files that run in every window
SHARED = 20  # number of files of tests in a process
SHARED_WAITING = 16  # the same of folders in WAITING, whose processes take one to three minutes
# number of files of tests in a process with a window: all, since each process takes 5 s to start
SHARED_WINDOW = 40
# number of files of tests in a process with a Blender, two minutes each; each process takes 5 s to start
SHARED_BLENDER = 80
SHARED_SOME_CASES = 200  # the same where only some cases of marked tests run


def python(environment: str) -> str:
    return str(ROOT / environment / "bin" / "python")


def job(environment: str, title: str, paths: list[Path]) -> Job:
    """Job that runs files of tests in one process."""
    results = RESULTS / (re.sub(r"[^\w.-]", "_", f"{environment.lstrip('.')}-{title}") + ".xml")
    options = ("-q", "--no-header", f"--junitxml={results}")
    names = tuple(path.relative_to(ROOT).as_posix() for path in paths)
    return Job(
        title,
        (python(environment), "-m", "pytest", *options),
        names,
        results,
        asked_cases(environment),
    )


def asked_cases(environment: str) -> str:
    return os.environ.get(CASES) or SOME_CASES[environment]


def shared_jobs(environment: str, folder: str, paths: list[Path], most: int) -> tuple[Job, ...]:
    """Jobs that run the files of a folder in processes of at most `most` files. Neighbouring files are
    similar, also in their duration, so they are distributed over different processes.
    """
    shares = math.ceil(len(paths) / most)
    titles = [
        f"tests/{folder}" + (f" {share + 1} of {shares}" if shares > 1 else "") for share in range(shares)
    ]
    return tuple(job(environment, title, paths[share::shares]) for share, title in enumerate(titles))


def files(folder: str) -> list[Path]:
    return sorted((ROOT / "tests" / folder).rglob("test_*.py"))


def lint() -> Iterator[Ring]:
    checks = {
        "ruff check": ("ruff", "check", "."),
        "ruff format": ("ruff", "format", "--check", "."),
        "mypy": ("mypy",),
    }
    yield Ring(
        "lint",
        tuple(Job(title, (python(".venv"), "-m", *command)) for title, command in checks.items()),
        rank=0,  # first, since its findings are the quickest to correct
    )


def plain() -> Iterator[Ring]:
    for folder in PLAIN_FOLDERS:
        waits = folder in WAITING
        jobs = shared_jobs(".venv", folder, files(folder), SHARED_WAITING if waits else SHARED)
        yield Ring(f"tests/{folder}", jobs, waits=waits)


def in_blender(folder: str, environment: str) -> Ring:
    title = f"tests/{folder} in {BLENDERS[environment]}"
    if environment == NEWEST and not (ROOT / NEWEST / "ready").exists():
        return Ring(title, missing=f"no {NEWEST} here; `make setup` makes it where there is a Python 3.13")
    paths, most = files(folder), SHARED_BLENDER
    if folder == "blender" and asked_cases(environment) != ALL_CASES:
        paths = [path for path in paths if MARK in path.read_text(encoding="utf-8")]
        most = SHARED_SOME_CASES
    jobs = shared_jobs(environment, folder, paths, most)
    if folder == "blender":
        jobs = tuple(replace(job, threads=THREADS[environment]) for job in jobs)
    return Ring(title, jobs, rank=1)


def blender() -> Iterator[Ring]:
    for environment in (".venv", ".venv-4.2"):
        yield in_blender("blender", environment)


def newest() -> Iterator[Ring]:
    yield in_blender("blender", NEWEST)


def installed() -> Iterator[Ring]:
    for environment in BLENDERS:
        yield in_blender("installed", environment)


def window_jobs(window: str, is_main: bool) -> tuple[Job, ...]:
    """Jobs that run tests/window in the Blender called `window` (see WINDOWS): all files if `is_main`, else
    those with WINDOW_MARK.

    A job takes consecutive files, other than in `shared_jobs`: the tests with a virtual robot have
    neighbouring names and must not run at the same time, since slow redraws hold the robot up.
    """
    paths = [path for path in files("window") if is_main or WINDOW_MARK in path.read_text(encoding="utf-8")]
    shares = [paths[first : first + SHARED_WINDOW] for first in range(0, len(paths), SHARED_WINDOW)]
    titles = (f"tests/window, {window}, {number} of {len(shares)}" for number in range(1, len(shares) + 1))
    return tuple(
        replace(job(".venv", title, share), window=window)
        for title, share in zip(titles, shares, strict=True)
    )


def window() -> Iterator[Ring]:
    is_main = True
    for name in WINDOWS:
        answer = subprocess.run(
            [ROOT / "scripts" / "window.sh", "available", name], capture_output=True, text=True, check=False
        )
        if answer.returncode == 0:
            yield Ring(
                f"tests/window in a window of Blender {answer.stdout.strip()}",
                window_jobs(name, is_main),
                rank=0,
            )
            is_main = False
        else:
            yield Ring(f"tests/window in the {name} window", missing=answer.stderr.strip())


RINGS: dict[str, Callable[[], Iterator[Ring]]] = {
    "lint": lint,
    "plain": plain,
    "blender": blender,
    "installed": installed,
    "window": window,
    "newest": newest,
}
# without `newest`, which repeats these tests in one more Blender
USUAL = ("lint", "plain", "blender", "installed", "window")


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in RINGS]
    if unknown:
        print(f"no ring {', '.join(unknown)}: there are {', '.join(RINGS)}", file=sys.stderr)
        return 2
    began = time.monotonic()
    RESULTS.mkdir(parents=True, exist_ok=True)
    rings = [ring for name in names or USUAL for ring in RINGS[name]()]
    total = run_all(rings, (os.cpu_count() or 1) + MORE_THAN_CORES, WAITING_AT_ONCE)
    print(f"\n== All rings ({time.monotonic() - began:.0f} s, {total.processor:.0f} s of a processor)")
    for reason in total.reasons:
        print(f"skipped: {reason}")
    if total.passed + total.failed == 0:
        print("no test ran", file=sys.stderr)
        return 1
    print(total.sentence)
    return int(total.failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
