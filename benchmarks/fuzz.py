"""Tests every solver on random, mostly difficult skeletons and goals for crashes, exceeded limits and wrong
reports.

    python -m benchmarks.fuzz [--count 10000] [--seed 0] [--solvers ccd,erik] [--frames 1] [--jobs 2]

Each case is a skeleton with a goal: 1 to 40 joints with random axes, rest transforms and limits, some of them
prismatic; links without length, joints that cannot move, straight chains, trees with several ends; targets of
every kind, in reach or out of it, behind, at the end's own position, at the root. Each solver that supports a
case solves it from scratch, again, and then for a slightly moved target from the last solution. The tests use
cases of the same recipes. It prints a line for each fault, with the command that reproduces it, and the
largest excess over a limit.
"""

import argparse
import math
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from limber.solvers.erik.parameters import Hyperparameters
from limber.solvers.gaze import GazeSolution, GazeSolver, end_errors
from limber.solvers.goals import GazeGoal
from limber.solvers.kinematics.skeleton import Skeleton
from limber.solvers.table import SOLVERS, make_solver, unavailable

from benchmarks.fuzz_cases import Case, any_recipe, make

SHOW_EVERY = 5.0  # [s] time between two lines of progress
CHUNK = 8  # number of cases that a process takes at a time
HELD = 1e-12  # [rad, m] excess over a limit that counts as rounding
# [rad, or fraction of the reach] largest error that a converged solution may have; the last tenth is rounding
MET = 1.1e-6
# solver -> its own criterion: ERIK has converged if the weighted sum of the paper's errors is below this
THRESHOLDS = {"erik": Hyperparameters().threshold}


class Tried(NamedTuple):
    """Result of one solver on one case."""

    faults: list[str]
    excess: float  # [rad, m] largest excess over a limit
    seconds: float  # [s] processor time of all its solves


def available(name: str, case: Case) -> bool:
    """Whether a solver supports a case."""
    return not unavailable(name, case.skeleton, [type(end_goal.aim) for end_goal in case.goal.ends])


def attempt(
    name: str, case: Case, frames: int = 1, make_it: Callable[[Skeleton], GazeSolver] | None = None
) -> Tried:
    """Solves a case from scratch, then for a number of frames while the target moves away and back. Each
    solve is made twice, and must give the same result. `make_it` makes the solver, by default the one named
    `name`.
    """
    skeleton, goal, moved_goal = case
    began = time.process_time()
    make_it = make_it or partial(make_solver, name)
    solver = make_it(skeleton)
    posture = goal.posture.copy()
    last = solver.solve(goal)
    faults = faults_of(name, skeleton, goal, last)
    faults += _differences("solved twice", last, make_it(skeleton).solve(goal))
    excess = _excess(skeleton, last)
    for frame in range(1, frames + 1):
        angles, goal_of_frame = last.angles.copy(), (goal, moved_goal)[frame % 2]
        solution = solver.solve(goal_of_frame, angles, last.memory)
        faults += [f"frame {frame}: {fault}" for fault in faults_of(name, skeleton, goal_of_frame, solution)]
        faults += _differences(
            f"frame {frame}, solved twice", solution, solver.solve(goal_of_frame, angles, last.memory)
        )
        if not (np.array_equal(posture, goal.posture) and np.array_equal(angles, last.angles)):
            faults.append(f"frame {frame}: the posture or the start was changed in place")
        excess, last = max(excess, _excess(skeleton, solution)), solution
    return Tried(faults, excess, time.process_time() - began)


def _excess(skeleton: Skeleton, solution: GazeSolution) -> float:
    over = np.maximum(np.array(skeleton.lower) - solution.angles, solution.angles - np.array(skeleton.upper))
    return float(np.max(over, initial=0.0))


def _differences(when: str, first: GazeSolution, second: GazeSolution) -> list[str]:
    same = np.array_equal(first.angles, second.angles) and (first.iterations, first.converged) == (
        second.iterations,
        second.converged,
    )
    return [] if same else [f"{when}, it answers otherwise"]


def faults_of(name: str, skeleton: Skeleton, goal: GazeGoal, solution: GazeSolution) -> list[str]:
    """Faults of a solution, as texts."""
    faults = []
    if solution.angles.shape != (len(skeleton),) or not np.isfinite(solution.angles).all():
        return [f"the angles are {solution.angles}"]
    figures = [
        solution.aim_error,
        solution.orientation_error,
        solution.posture_error,
        solution.shape_deviation,
    ]
    figures += [part for way in solution.measured.errors for part in way]
    if not all(map(math.isfinite, figures)):
        faults.append(f"a figure is not finite: {figures}")
    if _excess(skeleton, solution) > HELD:
        faults.append(f"limits are exceeded by {_excess(skeleton, solution):.2g}")
    if len(solution.measured.errors) != len(goal.ends):
        faults.append(f"{len(solution.measured.errors)} misses for {len(goal.ends)} goals")
    if not solution.converged and not solution.reason:
        faults.append("it has not converged, and gives no reason")
    if solution.converged and solution.reason:
        faults.append(f"it has converged, and gives a reason: {solution.reason}")
    if solution.converged and not _met(name, skeleton, goal, solution):
        faults.append(f"it says that it has converged, and misses {solution.measured.errors}")
    return faults


def _met(name: str, skeleton: Skeleton, goal: GazeGoal, solution: GazeSolution) -> bool:
    missed = end_errors(skeleton, goal, skeleton.forward(solution.angles.tolist()))
    if name in THRESHOLDS:
        return solution.orientation_error + solution.posture_error <= THRESHOLDS[name] + MET
    return all(way.whole <= MET and way.distance <= MET * skeleton.reach for way in missed)


class Tally:
    """Results of a run by solver."""

    def __init__(self, names: Sequence[str]) -> None:
        self.solved, self.faulty = Counter[str](), Counter[str]()
        self.excess, self.slowest = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)

    def add(self, name: str, tried: Tried) -> None:
        self.solved[name] += 1
        self.faulty[name] += bool(tried.faults)
        self.excess[name] = max(self.excess[name], tried.excess)
        self.slowest[name] = max(self.slowest[name], tried.seconds)

    def lines(self) -> list[str]:
        head = f"{'solver':16} {'cases':>7} {'faulty':>7} {'limits exceeded':>16} {'slowest s':>10}"
        return [head, *(self._line(name) for name in self.excess)]

    def _line(self, name: str) -> str:
        figures = (
            f"{self.solved[name]:7} {self.faulty[name]:7} {self.excess[name]:16.2g}"
            f" {self.slowest[name]:10.2f}"
        )
        return f"{name:16} {figures}"


def try_all(seed: int, names: Sequence[str], frames: int) -> list[tuple[str, Tried]]:
    """(solver, result) for each of these solvers that supports the case of a seed."""
    case = make(any_recipe(random.Random(seed)))
    return [(name, _caught(name, case, frames)) for name in names if available(name, case)]


def _caught(name: str, case: Case, frames: int) -> Tried:
    try:
        return attempt(name, case, frames)
    except Exception as error:  # any other exception is the fault that the fuzzer looks for
        return Tried([f"{type(error).__name__}: {error}"], 0.0, 0.0)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument(
        "--count", type=int, default=10000, help="cases (default 10000: an hour of processor time)"
    )
    ask.add_argument("--seed", type=int, default=0, help="of the first case; the others count on from it")
    ask.add_argument("--frames", type=int, default=1, help="that follow the first one (default 1)")
    ask.add_argument("--solvers", default=",".join(SOLVERS), help="names, with commas (default all)")
    ask.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="processes (default: as many as there are cores)",
    )
    options = ask.parse_args()
    names = options.solvers.split(",")
    seeds = range(options.seed, options.seed + options.count)
    tally, shown = Tally(names), time.perf_counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        results = pool.map(partial(try_all, names=names, frames=options.frames), seeds, chunksize=CHUNK)
        for seed, tries in zip(seeds, results, strict=True):
            for name, tried in tries:
                tally.add(name, tried)
                again = (
                    f"python -m benchmarks.fuzz --count 1 --seed {seed} --frames {options.frames} --solvers"
                    f" {name}"
                )
                for fault in tried.faults:
                    print(f"{name}: {fault}  ({again})", flush=True)
            if time.perf_counter() - shown > SHOW_EVERY:
                shown = time.perf_counter()
                print(f"  {seed - options.seed + 1} of {options.count} cases", file=sys.stderr, flush=True)
    print("\n".join(tally.lines()))
    if tally.faulty.total():
        sys.exit(f"{tally.faulty.total()} answers are faulty")


if __name__ == "__main__":
    main()
