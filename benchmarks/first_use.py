"""Measures the first use of the compiled kernel after installing: time to load its library, and time of a
first solve.

    python -m benchmarks.first_use [--times 20]

Each measurement uses a new process and a copy of the library that was never loaded before. Python, numpy and
Limber's modules are loaded already, as in a Blender whose extension is switched on; the chain is the ERIK
paper's skeleton C. Prints the median and the largest time of the loading, of the first solve, which also
builds the solver, of a later one, and of loading and first solve together.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from limber.solvers.goals import GazeGoal, Point
from limber.solvers.kernel import library
from limber.solvers.table import make_solver

from .contestants import DEFAULT
from .paper import skeleton_of

ROOT = Path(__file__).resolve().parents[1]
TARGET = (0.4, 0.7, 0.9)  # [m] position of the target


class Times(NamedTuple):
    """Processor times of one process [ms]."""

    loading: float
    first: float  # construction of the solver and first solve
    later: float


def measured() -> Times:
    """Times measured in this process, which has not loaded the library yet."""
    skeleton = skeleton_of("C")
    goal = GazeGoal(Point(TARGET), np.zeros(len(skeleton)))
    moments = [time.process_time()]

    def passed() -> None:
        moments.append(time.process_time())

    if library.kernel() is None:
        raise SystemExit("there is no compiled kernel: python scripts/build_kernel.py")
    passed()
    solver = make_solver(DEFAULT, skeleton)
    solver.solve(goal)
    passed()
    solver.solve(goal)
    passed()
    return Times(*(1e3 * np.diff(moments)).tolist())


def measured_alone(path: Path) -> Times:
    """Times measured in a new process, with a copy of the library at `path`."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(path, folder)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.first_use", "--here"],
            env=os.environ | {library.CHOICE: copy},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    return Times(*map(float, done.stdout.split()))


def table(rows: list[Times]) -> list[str]:
    """Lines of a Markdown table."""
    lines = ["| | median, ms | largest, ms |", "|---|---|---|"]
    total = [(row.loading + row.first,) for row in rows]
    names = ("loading the library", "the first solve", "a later solve", "first use: loading and first solve")
    for name, values in zip(names, np.hstack([rows, total]).T, strict=True):
        lines.append(f"| {name} | {np.median(values):.2f} | {values.max():.2f} |")
    return lines


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--times", type=int, default=20, help="processes (default 20)")
    ask.add_argument("--here", action="store_true", help="only the times of this process")
    options = ask.parse_args()
    if options.here:
        print(*measured())
        return
    paths = library.candidates()
    if not paths:
        raise SystemExit("there is no compiled kernel: python scripts/build_kernel.py")
    print("\n".join(table([measured_alone(paths[0]) for _ in range(options.times)])))


if __name__ == "__main__":
    main()
