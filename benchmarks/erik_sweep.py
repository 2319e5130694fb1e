"""ERIK on the paper's skeletons: its defaults beside the paper's figures, and what each value that the paper does not print changes.

    python -m benchmarks.erik_sweep [--pairs 60] [--skeletons BCDEFG]

Pairs are drawn from the paper's own sweeps (section 4.0.3): postures with every joint but a root or end twister on a regular grid over its
range, targets Ry(h) Rx(v) Ry(t) on a grid over -pi..pi. The same seed gives the same pairs. Combined is the paper's weighted sum of errors.
"""

import argparse
import itertools
import math
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import NamedTuple

import numpy as np
from limber.solvers.erik.parameters import Hyperparameters
from limber.solvers.erik.solver import Erik
from limber.solvers.goals import GazeGoal, Orientation
from limber.solvers.rotations import X, Y, Z, about, multiply
from limber.solvers.skeleton import Joint, Skeleton

AXES = {"X": X, "Y": Y, "Z": Z}
# Table 5: axes root to end, and the range of every joint [rad]; Table 8: mean iterations and time [ms] of the paper's ERIK.
PAPER = {
    "A": ("YXY", math.pi / 2, 4.14, 45),
    "B": ("YXZY", math.pi, 3.42, 45),
    "C": ("YXXZY", math.pi / 2, 2.31, 37),
    "D": ("YXZXY", math.pi, 2.02, 36),
    "E": ("YXZXY", math.pi / 2, 1.93, 28),
    "F": ("YXXZXY", math.pi / 2, 1.61, 35),
    "G": ("YXZXYXZY", math.pi / 2, 1.35, 74),
}
POSTURE_STEPS, TARGET_STEPS = 9, 25  # values over a range

# What the paper leaves open, and what is tried for each.
TRIED: dict[str, Sequence[object]] = {
    "disturbance": [math.radians(angle) for angle in (0.1, 0.5, 1.0, 2.0, 5.0)],
    "max_iterations": [2, 4, 10, 20],
    "max_bwcd_iterations": [1, 3, 10, 30],
    "max_ccd_iterations": [5, 20, 60],
    "ccd_precision": [1e-5, 1e-7, 1e-9, 1e-12],
    "progress": [1e-4, 1e-3, 1e-2],
    "avoid_edges_from_iteration": [1, 2, 3],
    "avoid_edges": [True, False],
    "non_convergence_offset_trick": [True, False],
    "non_convergence_ccd_trick": [True, False],
}


class Score(NamedTuple):
    """Means over pairs; errors without unit as in the paper, `milliseconds` the median of a solve."""

    combined: float
    orientation: float
    within: float  # share of orientation errors up to .04
    iterations: float
    milliseconds: float


def skeleton_of(name: str) -> Skeleton:
    """The paper's skeleton of that letter (Table 5): unit links along +Y."""
    axes, reach, _, _ = PAPER[name]
    return Skeleton(
        tuple(
            Joint(f"{axis}{k}", k - 1, (1.0, 0.0, 0.0, 0.0), (0.0, 1.0 if k else 0.0, 0.0), AXES[axis], -reach, reach)
            for k, axis in enumerate(axes)
        )
    )


def pairs_of(name: str, count: int, seed: int = 0) -> list[GazeGoal]:
    """Posture-target pairs of one skeleton."""
    axes, reach, _, _ = PAPER[name]
    draw = random.Random(f"{name}{seed}")
    postures = np.linspace(-reach, reach, POSTURE_STEPS).tolist()
    targets = np.linspace(-math.pi, math.pi, TARGET_STEPS).tolist()
    goals = []
    for _ in range(count):
        posture = [0.0 if axis == "Y" and k in (0, len(axes) - 1) else draw.choice(postures) for k, axis in enumerate(axes)]
        h, v, t = (draw.choice(targets) for _ in range(3))
        goals.append(GazeGoal(Orientation(multiply(multiply(about(Y, h), about(X, v)), about(Y, t))), np.array(posture)))
    return goals


def score(name: str, goals: Sequence[GazeGoal], hyper: Hyperparameters) -> Score:
    """How plain ERIK does on the goals, each solved from scratch."""
    solver = Erik(skeleton_of(name), hyper)
    solutions, seconds = [], []
    for goal in goals:
        began = time.perf_counter()
        solutions.append(solver.solve(goal))
        seconds.append(time.perf_counter() - began)
    return Score(
        fmean(solution.orientation_error + solution.posture_error for solution in solutions),
        fmean(solution.orientation_error for solution in solutions),
        fmean(solution.orientation_error <= 0.04 for solution in solutions),
        fmean(solution.iterations for solution in solutions),
        1e3 * median(seconds),
    )


def line(label: str, result: Score) -> str:
    """A line of the table."""
    return (
        f"{label:34} {result.combined:9.4f} {result.orientation:12.5f} {result.within:7.1%} {result.iterations:11.2f}"
        f" {result.milliseconds:7.2f}"
    )


def shown(value: object) -> str:
    """A tried value as the table has it."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--pairs", type=int, default=60, help="for each skeleton (default 60; 1000 takes some minutes)")
    ask.add_argument("--skeletons", default="BCDEFG", help="letters of Table 5 (default BCDEFG)")
    asked = ask.parse_args()
    names = asked.skeletons.upper()
    goals = {name: pairs_of(name, asked.pairs) for name in names}
    print(f"{'':34} {'combined':>9} {'orientation':>12} {'<=.04':>7} {'iterations':>11} {'ms':>7}")
    default = Hyperparameters()
    for name in names:
        _, _, iterations, milliseconds = PAPER[name]
        print(line(f"{name}", score(name, goals[name], default)), f"  paper: {iterations} iterations, {milliseconds} ms")
    print(f"\nOne value changed, mean over {names}; * marks the default")
    for field, value in itertools.chain.from_iterable(([(field, value) for value in values] for field, values in TRIED.items())):
        results = [score(name, goals[name], replace(default, **{field: value})) for name in names]
        mark = "*" if math.isclose(float(value), float(getattr(default, field))) else " "  # type: ignore[arg-type]
        print(line(f"{mark} {field} {shown(value)}", Score(*(fmean(column) for column in zip(*results, strict=True)))))


if __name__ == "__main__":
    main()
