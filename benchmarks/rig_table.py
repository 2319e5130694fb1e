"""Compares every solver on the chains of real rigs: aim, shape and time.

    python -m benchmarks.rig_table FOLDER [--pairs 40]

FOLDER contains files for `benchmarks.gaze --rig`, one for each rig and kind of target. Their first pairs are
solved, each from scratch. The line of a solver that does not support a rig gives the reason.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from limber.solvers.goals import GazeGoal
from limber.solvers.kinematics.skeleton import Skeleton
from limber.solvers.table import SOLVERS, make_solver, unavailable

from .gaze import aims_of, rig_chain, timed

HEADER = [
    (
        "| rig | joints | pairs | solver | aim p50, deg | aim max, deg | aim <= .01 deg | shape, deg | ms,"
        " median |"
    ),
    "|---|---|---|---|---|---|---|---|---|",
]
EXACT_DEG = 0.01  # [deg] aim error up to which an aim counts as exact


def rows(label: str, chain: Skeleton, goals: Sequence[GazeGoal]) -> list[str]:
    """Lines of the table for one rig, one for each solver."""
    lines = []
    for name in SOLVERS:
        begin = f"| {label} | {len(chain.joints)} | {len(goals)} | {name}"
        trouble = unavailable(name, chain, {type(goal.aim) for goal in goals})
        if trouble:
            lines.append(f"{begin} | {trouble} | | | | |")
            continue
        solver = make_solver(name, chain)
        answers = [timed(solver, goal) for goal in goals]
        aim = np.degrees([solution.aim_error for solution, _ in answers])
        shape = np.degrees([solution.shape_deviation for solution, _ in answers])
        seconds = np.array([taken for _, taken in answers])
        lines.append(
            f"{begin} | {np.median(aim):.2g} | {aim.max():.2g} | {np.mean(aim <= EXACT_DEG):.1%} |"
            f" {shape.mean():.1f} | {1e3 * np.median(seconds):.2f} |"
        )
    return lines


def rig_rows(path: Path, count: int) -> list[str]:
    """Lines of the table for a rig's file, of which the first `count` goals are used."""
    with np.load(path) as file:
        arrays = dict(file)
    goals = [
        GazeGoal(aim, posture)
        for aim, posture in zip(aims_of(arrays)[:count], arrays["posture"], strict=False)
    ]
    return rows(path.stem, rig_chain(arrays), goals)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("rigs", type=Path, metavar="FOLDER", help="with chains of rigs (.npz)")
    ask.add_argument("--pairs", type=int, default=40, help="for each file (default 40)")
    options = ask.parse_args()
    files = sorted(options.rigs.glob("*.npz"))
    if not files:
        sys.exit(f"no chains of rigs (*.npz) in {options.rigs}: name another folder (make bench RIGS=FOLDER)")
    print("\n".join(HEADER))
    for path in files:
        print("\n".join(rig_rows(path, options.pairs)), flush=True)


if __name__ == "__main__":
    main()
