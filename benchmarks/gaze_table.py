"""ERIK and ERIK with exact aim side by side: on pairs of the paper's skeletons A to G, and on the chains of real rigs.

    python -m benchmarks.gaze_table [--pairs 40] [--rigs FOLDER]

Pairs are `erik_sweep`'s, made here. FOLDER holds files as `benchmarks.gaze --rig` takes them, one for each rig and kind of target, of which
the first pairs are solved. Shape is the paper's posture error, aim the angle by which the end misses.
"""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from limber.solvers.goals import GazeGoal
from limber.solvers.skeleton import Skeleton
from limber.solvers.table import make_solver

from benchmarks.erik_sweep import PAPER, pairs_of, skeleton_of
from benchmarks.gaze import aims_of, rig_chain, timed

SOLVERS = ("erik", "erik_exact")


def rows(label: str, chain: Skeleton, goals: Sequence[GazeGoal]) -> list[str]:
    """A line of the table for each solver."""
    lines = []
    for name in SOLVERS:
        solver = make_solver(name, chain)
        answers = [timed(solver, goal) for goal in goals]
        aim = np.degrees([solution.orientation_error for solution, _ in answers])
        shape = np.array([solution.posture_error for solution, _ in answers])
        seconds = np.array([taken for _, taken in answers])
        lines.append(
            f"{label:28} {name:12} {len(chain.joints):6} {len(goals):6} {np.median(aim):11.2g} {aim.max():11.2g} {shape.mean():8.4f}"
            f" {1e3 * np.median(seconds):8.2f}"
        )
    return lines


def rig_rows(path: Path, count: int) -> list[str]:
    """The lines of a rig's file."""
    with np.load(path) as file:
        given = dict(file)
    goals = [GazeGoal(aim, posture) for aim, posture in zip(aims_of(given)[:count], given["posture"], strict=False)]
    return rows(path.stem, rig_chain(given), goals)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--pairs", type=int, default=40, help="for each skeleton and file (default 40)")
    ask.add_argument("--rigs", type=Path, help="folder with chains of rigs (.npz)")
    asked = ask.parse_args()
    print(f"{'':28} {'solver':12} {'joints':>6} {'pairs':>6} {'aim p50 deg':>11} {'aim max deg':>11} {'shape':>8} {'ms p50':>8}")
    for name, (_, reach, _, _) in PAPER.items():
        label = f"{name}, joints +-{math.degrees(reach):.0f} deg"
        print("\n".join(rows(label, skeleton_of(name), pairs_of(name, asked.pairs))), flush=True)
    files = sorted(asked.rigs.glob("*.npz")) if asked.rigs else []
    for path in files:
        print("\n".join(rig_rows(path, asked.pairs)), flush=True)
    if not files:
        print(f"No chains of rigs (*.npz) in {asked.rigs or 'no folder'}: give one with --rigs (make bench RIGS=FOLDER)")


if __name__ == "__main__":
    main()
