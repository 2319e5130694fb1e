"""Compares main figures of two papers with Limber's: Buss (2009), Schumacher et al. (2021).

    python -m benchmarks.headlines [--frames 600] [--rounds 5]

Buss: microseconds of one update, for his Y and double-Y shapes; the fastest of several rounds. Schumacher:
largest errors of the dancer, for a mechanism of the same size with a different motion, since the paper's
files are not published; its walker is in `mechanism_walk`. docs/headlines.md lists the commands for other
papers.
"""

import argparse

import numpy as np
from limber.solvers.kinematics.rotations import to_matrix
from limber.solvers.kinematics.se3 import frame_array, logarithm
from limber.solvers.mechanism.goals import RegulariserWeights

from .jacobian import track
from .mechanism_gallery import Case, dancer
from .mechanism_table import FRAMES, RATE, run

# [microseconds] time of an update in C++ on a Pentium of 2.8 GHz. `dls_clamped` is the paper's DLS'; its time
# of DLS is "very close to" that.
BUSS = {
    ("Y", "transpose"): 1.1,
    ("Y", "dls_clamped"): 2.2,
    ("double-Y", "transpose"): 6.5,
    ("double-Y", "dls_clamped"): 18.5,
}
DANCER_WEIGHT = 1e-6  # weight of the paper's state regulariser


def microseconds(shape: str, method: str, frames: int, rounds: int) -> float:
    """Time [microseconds] of one update of a method: the fastest of `rounds` rounds of `frames` frames."""
    return min(1e6 / track(shape, method, 0.0, frames).rate for _ in range(rounds))


def errors(case: Case, weight: float) -> tuple[float, float]:
    """Largest errors of the frames' positions [mm] and rotations [rad], for a weight of the state
    regulariser.
    """
    solver, answers, _ = run(case, steady=RegulariserWeights(weight))
    distance = angle = 0.0
    for frame, answer in enumerate(answers):
        poses = solver.poses(answer.state)
        for goal in case.goals(frame / RATE).frames:
            end = poses[solver.mechanism.body_index[goal.body]] @ frame_array(goal.on_body)
            if goal.position is not None:
                distance = max(distance, float(np.linalg.norm(end[:3, 3] - goal.position)))
            if goal.rotation is not None:
                away = logarithm((np.array(to_matrix(goal.rotation)).T @ end[:3, :3])[None])[0]
                angle = max(angle, float(np.linalg.norm(away)))
    return 1e3 * distance, angle


def rows(frames: int, rounds: int) -> list[str]:
    """Lines of the tables in Markdown; `frames` and `rounds` as for `microseconds`."""
    lines = ["| an update, microseconds | Buss, C++ | Limber |", "|---|---|---|"]
    for (shape, method), papers in BUSS.items():
        lines.append(
            f"| {shape}, `{method}` | {papers} | {microseconds(shape, method, frames, rounds):.0f} |"
        )
    lines += ["", "| largest error | the paper | its regulariser's weight | none |", "|---|---|---|---|"]
    with_weight, without = (errors(dancer(), weight) for weight in (DANCER_WEIGHT, 0.0))
    lines.append(f"| dancer, position, mm | 2.46e-5 | {with_weight[0]:.1e} | {without[0]:.1e} |")
    lines.append(f"| dancer, rotation, rad | 1.22e-5 | {with_weight[1]:.1e} | {without[1]:.1e} |")
    return [*lines, "", f"{FRAMES} frames at {RATE:g} Hz."]


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument(
        "--frames", type=int, default=600, help="of tracking, at 60 a second (default %(default)s)"
    )
    ask.add_argument("--rounds", type=int, default=5, help="of tracking (default %(default)s)")
    options = ask.parse_args()
    print("\n".join(rows(options.frames, options.rounds)))


if __name__ == "__main__":
    main()
