"""Compares Limber with other libraries on one task: aiming while keeping a posture, for 200 reachable
targets, from zero, to 1e-3 rad.

    python -m benchmarks.peers [--tasks 200] [--rounds 3] [--only NAME ...] [--json OUT.json]

Targets are the end's orientations in random poses within limits, postures are random within half of each
joint's range; slow solvers get fewer of them. The chains have 5 and 8 joints (skeletons E and G of the ERIK
paper). Differential solvers step from zero until the aim is met, with a small weight on the posture. Each
solver runs in a separate process with one BLAS thread; all are pinned to one core and run in turns: one pass
over the tasks in each round. Times are processor times, which other programs hardly affect. `make bench`
installs the libraries into .venv-bench (requirements/bench.txt); unavailable ones are named.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import IO

import numpy as np
from limber.solvers.gaze import aim_error, shape_deviation
from limber.solvers.goals import GazeGoal, Orientation

from .contestants import ENTRIES, TOLERANCE, Task, make
from .paper import BODIES, skeleton_of

ROOT = Path(__file__).resolve().parents[1]
CHAINS = "EG"
TASKS, ROUNDS = 200, 3  # number of tasks, and how often each is timed
WARM_UP = 5  # number of first tasks that are not measured: they fill caches and initialise libraries
HALF = 0.5  # share of each joint's range for postures

READY, SKIPPED = "ready", "skipped"


@dataclass(frozen=True)
class Row:
    """Result of one contestant on one chain."""

    name: str
    chain: str
    milliseconds: float  # time of a task [ms]: median over tasks, then over rounds
    steps: float  # mean number of steps of a task
    success: float  # share of the tasks whose aim is met within limits
    shape: float  # [degrees] mean shape deviation from the posture over the tasks whose aim is met


def tasks_of(chain: str, count: int) -> list[Task]:
    """The tasks of a chain, the same in every process."""
    body, skeleton = BODIES[chain], skeleton_of(chain)
    draw = np.random.default_rng(ord(chain))
    poses = draw.uniform(-body.reach, body.reach, (count, len(skeleton)))
    postures = HALF * draw.uniform(-body.reach, body.reach, (count, len(skeleton)))
    targets = [Orientation(skeleton.forward(pose.tolist()).tool_rotation) for pose in poses]
    return [
        Task(GazeGoal(target, posture, symmetric=False))
        for target, posture in zip(targets, postures, strict=True)
    ]


class Course:
    """Runs one contestant on the tasks of one chain."""

    def __init__(self, name: str, chain: str, count: int) -> None:
        self.name, self.chain = name, chain
        self.contestant = make(name, BODIES[chain])
        self.tasks = tasks_of(chain, min(count, ENTRIES[name].tasks))
        for task in self.tasks[:WARM_UP]:
            self.contestant.prepare(task)
            self.contestant.solve()

    def run(self) -> Row:
        """Runs all tasks once; returns the figures."""
        skeleton, reach = skeleton_of(self.chain), BODIES[self.chain].reach
        seconds, steps, are_met, shapes = [], [], [], []
        for task in self.tasks:
            self.contestant.prepare(task)
            began = time.process_time()
            steps.append(self.contestant.solve())
            seconds.append(time.process_time() - began)
            angles = self.contestant.angles()
            inside = bool(np.all(np.abs(angles) <= reach + TOLERANCE))
            are_met.append(inside and aim_error(task.goal, skeleton.forward(angles.tolist())) <= TOLERANCE)
            if are_met[-1]:
                shapes.append(shape_deviation(skeleton, angles, task.goal.posture))
        shape = float(np.degrees(np.mean(shapes))) if shapes else float("nan")
        return Row(
            self.name,
            self.chain,
            1e3 * median(seconds),
            float(np.mean(steps)),
            float(np.mean(are_met)),
            shape,
        )


def serve(name: str, chain: str, count: int) -> None:
    """Runs as one contestant's process: prints a line that says that it is ready, or why not, and then a row
    for each line on its input.
    """
    try:
        course = Course(name, chain, count)
    except ImportError as error:
        print(SKIPPED, error, flush=True)
        return
    print(READY, name, flush=True)
    for _ in sys.stdin:
        print(json.dumps(asdict(course.run())), flush=True)


class Racer:
    """A contestant's process, pinned to the same core as this one; `missing` says why it cannot run."""

    def __init__(self, name: str, chain: str, count: int) -> None:
        self.name, self.missing = name, ""
        python = ROOT / ENTRIES[name].environment / "bin" / "python"
        if not python.exists():
            self.missing = f"there is no {ENTRIES[name].environment}, which `make bench` makes"
            return
        command = [str(python), "-m", "benchmarks.peers", "--serve", name, chain, "--tasks", str(count)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, cwd=ROOT, text=True, **pipes)
        word, _, rest = next(
            (line for line in self._lines(self.process.stdout) if line.startswith((READY, SKIPPED))), ""
        ).partition(" ")
        if word != READY:
            self.missing = rest.strip() or f"it ended: {self.process.stderr.read().strip().splitlines()[-1:]}"

    @staticmethod
    def _lines(pipe: IO[str]) -> Iterator[str]:
        """Lines until the process ends; some are printed by libraries."""
        return iter(pipe.readline, "")

    def row(self) -> Row:
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return Row(
            **json.loads(next(line for line in self._lines(self.process.stdout) if line.startswith("{")))
        )

    def close(self) -> None:
        if hasattr(self, "process"):
            self.process.communicate()


def race(chain: str, names: Sequence[str], count: int, rounds: int) -> tuple[list[Row], dict[str, str]]:
    """Rows of the available contestants, and the reasons why others are unavailable."""
    racers = [Racer(name, chain, count) for name in names]
    missing = {racer.name: racer.missing for racer in racers if racer.missing}
    running = [racer for racer in racers if not racer.missing]
    answers: dict[str, list[Row]] = {racer.name: [] for racer in running}
    for round_index in range(rounds):
        print(f"  {chain}: round {round_index + 1} of {rounds}", file=sys.stderr, flush=True)
        for racer in running:
            answers[racer.name].append(racer.row())
    for racer in racers:
        racer.close()
    return [
        Row(
            name, chain, median(row.milliseconds for row in rows_of_contestant), *_rest(rows_of_contestant[0])
        )
        for name, rows_of_contestant in answers.items()
    ], missing


def _rest(row: Row) -> tuple[float, float, float]:
    """Figures of a row that are the same in every round."""
    return row.steps, row.success, row.shape


def table(rows: Sequence[Row]) -> list[str]:
    """Lines of a Markdown table with a row for each contestant and the chains side by side."""
    chains = sorted({row.chain for row in rows})
    titles = " | ".join(
        f"{chain}, {len(BODIES[chain].axes)} joints: ms | steps | success | shape, deg" for chain in chains
    )
    lines = [f"| solver | what is timed | {titles} |", "|---|---|" + "---|---|---|---|" * len(chains)]
    for name, entry in ENTRIES.items():
        row_by_chain = {row.chain: row for row in rows if row.name == name}
        if row_by_chain:
            cells = " | ".join(
                _cells(row_by_chain[chain]) if chain in row_by_chain else "- | - | - | -" for chain in chains
            )
            lines.append(f"| {entry.label} | {entry.what} | {cells} |")
    return lines


def _cells(row: Row) -> str:
    return f"{row.milliseconds:.3f} | {row.steps:.1f} | {row.success:.1%} | {row.shape:.1f}"


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--tasks", type=int, default=TASKS, help="for each chain (default 200)")
    ask.add_argument("--rounds", type=int, default=ROUNDS, help="of which medians are taken (default 3)")
    ask.add_argument(
        "--only", nargs="+", metavar="NAME", choices=ENTRIES, default=list(ENTRIES), help=", ".join(ENTRIES)
    )
    ask.add_argument("--json", type=Path, metavar="OUT.json", help="keep the figures")
    ask.add_argument(
        "--serve", nargs=2, metavar=("NAME", "CHAIN"), help=argparse.SUPPRESS
    )  # command line of a contestant's own process
    options = ask.parse_args()
    if options.serve:
        serve(*options.serve, options.tasks)
        return
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rows, missing = [], {}
    for chain in CHAINS:
        raced, without = race(chain, options.only, options.tasks, options.rounds)
        rows += raced
        missing |= without
    print("\n".join(table(rows)))
    for name, why in missing.items():
        print(f"left out: {ENTRIES[name].label}: {why}")
    if options.json:
        options.json.write_text(
            json.dumps({"rows": [asdict(row) for row in rows], "missing": missing}, indent=1)
        )


if __name__ == "__main__":
    main()
