"""Figures that two papers print of themselves, beside ours: Buss (2009), Schumacher et al. (2021).

    python -m benchmarks.headlines [--frames 600] [--rounds 5]

Buss: microseconds of one update, on his Y and double-Y; the fastest of some rounds. Schumacher: largest errors while the dancer dances and
the walker walks, on mechanisms of the same sizes with motions of our own, since the paper's files are not published. The other papers'
headlines have commands of their own: docs/headlines.md.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from limber.solvers.kinematics.rotations import to_matrix
from limber.solvers.kinematics.se3 import frame_array, logarithm
from limber.solvers.mechanism.goals import FrameGoal, Goals, RegulariserWeights

from .jacobian import track
from .mechanism_gallery import Case, dancer, walker
from .mechanism_table import FRAMES, RATE, run

BUSS = {  # [microseconds] of an update in C++ on a Pentium of 2.8 GHz; "dls" is "very close to" DLS'
    ("Y", "transpose"): 1.1,
    ("Y", "dls_clamped"): 2.2,
    ("double-Y", "transpose"): 6.5,
    ("double-Y", "dls_clamped"): 18.5,
}
DANCER_WEIGHT, NAIVE_WEIGHT = 1e-6, 1e-2  # of the paper's state regulariser


def microseconds(shape: str, method: str, frames: int, rounds: int) -> float:
    """Time of one update of a method, the fastest of some rounds."""
    return min(1e6 / track(shape, method, 0.0, frames).rate for _ in range(rounds))


def errors(case: Case, steady: RegulariserWeights) -> tuple[float, float, float]:
    """Largest error of the frames' positions [mm] and rotations [rad], and of the centre of mass [mm]; along axes with a weight."""
    solver, answers, _ = run(case, steady=steady)
    bodies = solver.mechanism.bodies
    masses = np.array([body.mass for body in bodies])
    distance = angle = centre = 0.0
    for frame, answer in enumerate(answers):
        goals, poses = case.goals(frame / RATE), solver.poses(answer.state)
        for goal in goals.frames:
            end = poses[solver.mechanism.body_index[goal.body]] @ frame_array(goal.on_body)
            if goal.position is not None:
                distance = max(distance, float(np.linalg.norm((end[:3, 3] - goal.position) * (np.array(goal.position_weight) > 0.0))))
            if goal.rotation is not None:
                turn = logarithm((np.array(to_matrix(goal.rotation)).T @ end[:3, :3])[None])[0]
                angle = max(angle, float(np.linalg.norm(turn * (np.array(goal.rotation_weight) > 0.0))))
        if goals.centre is not None:
            centres = np.array([(pose @ np.array((*body.centre, 1.0)))[:3] for pose, body in zip(poses, bodies, strict=True)])
            left = (masses @ centres / masses.sum() - goals.centre.position) * (np.array(goals.centre.weight) > 0.0)
            centre = max(centre, float(np.linalg.norm(left)))
    return 1e3 * distance, angle, 1e3 * centre


def naively(case: Case) -> Case:
    """The same without a goal for the centre of mass, and with every frame's whole pose, as the paper tries first."""

    def goals(t: float) -> Goals:
        frames = case.goals(t).frames
        return Goals(tuple(FrameGoal(frame.body, frame.on_body, frame.position, frame.rotation) for frame in frames))

    return replace(case, goals=goals)


def rows(frames: int, rounds: int) -> list[str]:
    """The tables, as Markdown."""
    lines = ["| an update, microseconds | Buss, C++ | Limber |", "|---|---|---|"]
    for (shape, method), papers in BUSS.items():
        lines.append(f"| {shape}, `{method}` | {papers} | {microseconds(shape, method, frames, rounds):.0f} |")
    lines += ["", "| largest error | the paper | its regulariser's weight | none |", "|---|---|---|---|"]
    steady: Callable[[float], RegulariserWeights] = RegulariserWeights
    of_dancer = [errors(dancer(), steady(weight)) for weight in (DANCER_WEIGHT, 0.0)]
    lines.append(f"| dancer, position, mm | 2.46e-5 | {' | '.join(f'{distance:.1e}' for distance, _, _ in of_dancer)} |")
    lines.append(f"| dancer, rotation, rad | 1.22e-5 | {' | '.join(f'{angle:.1e}' for _, angle, _ in of_dancer)} |")
    naive = [errors(naively(walker()), steady(weight))[0] for weight in (NAIVE_WEIGHT, 0.0)]
    lines.append(f"| walker, feet and pelvis alone, mm | .51 | {' | '.join(f'{distance:.2g}' for distance in naive)} |")
    balanced = [errors(walker(), steady(weight)) for weight in (NAIVE_WEIGHT, 0.0)]
    lines.append(f"| walker with its centre of mass: frames, mm | 1.11 | {' | '.join(f'{distance:.2g}' for distance, _, _ in balanced)} |")
    lines.append(f"| the same: centre of mass, mm | 1.30 | {' | '.join(f'{centre:.2g}' for _, _, centre in balanced)} |")
    return [*lines, "", f"{FRAMES} frames at {RATE:g} Hz."]


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--frames", type=int, default=600, help="of tracking, at 60 a second (default %(default)s)")
    ask.add_argument("--rounds", type=int, default=5, help="of tracking (default %(default)s)")
    asked = ask.parse_args()
    print("\n".join(rows(asked.frames, asked.rounds)))


if __name__ == "__main__":
    main()
