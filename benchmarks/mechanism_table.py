"""Measures mechanisms of the paper's sizes and of growing size: time per frame, remaining errors, and the
motion past a shoulder's singular pose.

    python -m benchmarks.mechanism_table              the table of sizes
    python -m benchmarks.mechanism_table --growth     time against bodies, up to 300
    python -m benchmarks.mechanism_table --rates      time against the frame rate
    python -m benchmarks.mechanism_table --singular   speed and error past a singular pose, by the velocity
                                                      regulariser's settings
    python -m benchmarks.mechanism_table --walk       errors of a walk: see mechanism_walk.py
    python -m benchmarks.mechanism_table --all        all of them, with pictures in build/bench/mechanism, and
                                                      `benchmarks.mechanism_peers`

Times are processor times of one core, so that other programs have no effect; on an idle machine they equal
wall-clock times.
"""

import argparse
import math
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.counting import count
from limber.solvers.mechanism.goals import RegulariserWeights
from limber.solvers.mechanism.solution import MechanismSolution
from limber.solvers.mechanism.solver import MechanismSolver

from benchmarks.mechanism_cases import every_kind, serial_arm
from benchmarks.mechanism_gallery import Case, boxer, dancer, tower, walker
from benchmarks.mechanism_walk import print_walk

ROOT = Path(__file__).resolve().parents[1]
# [ms] times in C++ on an i7-6700K; the paper gives none for its validation examples
PAPER = {"boxer": 0.14, "dancer": 0.68, "walker": 13.99}
FRAMES = 240  # number of frames of a path
RATE = 60.0  # [Hz] frame rate
# [rad/s] speed of a body: the paper's threshold, as the square of the angle per frame, 1.11e-5 (1200 Hz)
BODY_SPEED = 4.0
# weights of the state and of the velocity regulariser for the paper's boxer
STATE_WEIGHT, PAPER_WEIGHT = 2e-4, 1e-4
# weights of the velocity regulariser, at the paper's threshold
WEIGHTS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)
# [rad/s] thresholds of the velocity regulariser, at the paper's weight
THRESHOLDS = (16.0, 8.0, 2.0, 1.0, 0.5)
SINGULAR_RATES = (1200.0, 60.0)  # [Hz] frame rates: the paper's, and Blender's


def run(
    case: Case, rate: float = RATE, frames: int = FRAMES, steady: RegulariserWeights | None = None
) -> tuple[MechanismSolver, list[MechanismSolution], np.ndarray]:
    """Solves a case's frames in order; returns the solver, the solutions, and the time of each [s]."""
    solver = MechanismSolver(case.mechanism)
    solution = assemble(solver, goals=case.goals(0.0), tries=10)
    answers, seconds = [], []
    for k in range(frames):
        goals = case.goals(k / rate)
        goals = goals if steady is None else replace(goals, regulariser_weights=steady)
        began = time.process_time()
        solution = solver.solve(goals, solution.state, 1.0 / rate)
        seconds.append(time.process_time() - began)
        answers.append(solution)
    return solver, answers, np.array(seconds)


def print_sizes() -> None:
    print(
        f"{'':20s}bodies joints motors mobility  ms median  ms p99   paper ms  steps  largest residual "
        " largest goal error"
    )
    for case in (boxer(), dancer(), walker(), every_kind(), serial_arm()):
        solver, answers, seconds = run(case)
        counts = count(solver, answers[-1].state)
        mechanism = case.mechanism
        print(
            f"{case.name:20s}{len(mechanism.bodies):6d} {len(mechanism.joints):6d} {counts.actuators:6d}"
            f" {counts.mobility:8d} {1e3 * np.median(seconds):10.2f} {1e3 * np.quantile(seconds, 0.99):7.2f}"
            f" {PAPER.get(case.name, '-'):>10} {np.median([a.report.iterations for a in answers]):6.0f}"
            f" {max(a.report.residual for a in answers):17.1e}"
            f" {max(a.report.goal_error for a in answers):19.1e}"
        )


def print_growth() -> list[tuple[float, float]]:
    """Prints the table of growth; returns (number of bodies, time per frame [ms]) of each row."""
    print("bodies   ms median   ms a body")
    rows = []
    for storeys in (3, 10, 20, 33, 66, 100):
        _, _, seconds = run(tower(storeys), frames=40)
        bodies, milliseconds = 3 * storeys + 1, 1e3 * float(np.median(seconds))
        print(f"{bodies:6d} {milliseconds:11.2f} {milliseconds / bodies:11.4f}")
        rows.append((bodies, milliseconds))
    return rows


def print_rates() -> list[tuple[float, float, float]]:
    """Prints the table of frame rates; returns (frames per second, time per frame [ms], steps per frame) of
    each row.
    """
    print("frames a second   ms median   steps")
    rows = []
    for rate in (1200.0, 600.0, 240.0, 120.0, 60.0, 30.0):
        _, answers, seconds = run(dancer(), rate, frames=120)
        milliseconds, steps = (
            1e3 * float(np.median(seconds)),
            float(np.median([a.report.iterations for a in answers])),
        )
        print(f"{rate:15.0f} {milliseconds:11.2f} {steps:7.0f}")
        rows.append((rate, milliseconds, steps))
    return rows


def through_the_pole(t: float) -> tuple[float, float]:
    """Tilt and yaw [rad] of the upper arm at a time [s] on a path close past the shoulder's singular pose."""
    along, beside = 1.0 * (t - 1.0), 0.002
    return math.hypot(along, beside), math.atan2(beside, along)


def through_singular_pose(weight: float, threshold: float, rate: float) -> tuple[float, float, float]:
    """Peak speed of a joint [rad/s], mean and largest error [mm] on the path past the singular pose.

    Args:
        weight: Weight of the velocity regulariser; 0: neither it nor a state regulariser.
        threshold: Speed of a body [rad/s] above which the regulariser applies.
        rate: Frame rate [Hz].
    """
    case, frames = boxer(through_the_pole), round(2.0 * rate)
    steady = RegulariserWeights(STATE_WEIGHT if weight else 0.0, weight, threshold)
    solver, answers, _ = run(case, rate, frames, steady)
    values = np.array(
        [[solver.values(a.state, joint.name)[0] for joint in solver.mechanism.actuators] for a in answers]
    )
    targets = np.array([case.goals(k / rate).frames[0].position for k in range(len(answers))])
    elbow = np.array([(a.poses[4] @ (0.0, 0.3, 0.0, 1.0))[:3] for a in answers])
    errors = 1e3 * np.linalg.norm(elbow - targets, axis=1)
    return rate * float(np.abs(np.diff(values, axis=0)).max()), float(errors.mean()), float(errors.max())


def print_singular() -> list[tuple[float, float, float]]:
    """Prints the table of the singular pose; returns (weight, peak speed of a joint [rad/s], mean error [mm])
    at the paper's threshold and rate.
    """
    rows = []
    by_rate = "   ".join(
        f"{rate:6.0f} Hz: peak [rad/s]   error [mm]: mean   largest" for rate in SINGULAR_RATES
    )
    print(f"weight   threshold [rad/s]   {by_rate}")
    for weight, threshold in [
        (0.0, BODY_SPEED),
        *((w, BODY_SPEED) for w in WEIGHTS),
        *((PAPER_WEIGHT, t) for t in THRESHOLDS),
    ]:
        figures_by_rate = [through_singular_pose(weight, threshold, rate) for rate in SINGULAR_RATES]
        figures = "   ".join(f"{peak:26.2f}{mean:20.3f}{most:10.2f}" for peak, mean, most in figures_by_rate)
        print(f"{weight:6.0e} {threshold if weight else math.inf:19.1f}   {figures}")
        if threshold == BODY_SPEED:
            rows.append((weight, *figures_by_rate[0][:2]))
    return rows


def print_all() -> None:
    from .mechanism_figures import draw  # imported here, since the tables do not need matplotlib

    print_sizes()
    draw(print_growth(), print_rates(), print_singular())
    print_walk()
    subprocess.run(
        [sys.executable, "-m", "benchmarks.mechanism_peers"], cwd=ROOT, check=True
    )  # runs in the environment with the other libraries


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shown = {
        "growth": print_growth,
        "rates": print_rates,
        "singular": print_singular,
        "walk": print_walk,
        "all": print_all,
    }
    for name in shown:
        ask.add_argument(f"--{name}", action="store_true")
    options = vars(ask.parse_args())
    chosen = [show for name, show in shown.items() if options[name]]
    for show in chosen or [print_sizes]:
        show()


if __name__ == "__main__":
    main()
