"""Tests a model whose targets exceed its joints' limits and couplings: whether these hold, errors, and time.

    python -m benchmarks.whole_body.at_limits --urdf FILE [FILE ...] [--beyond 10] [--seeds 3] [--keep FOLDER]

Each joint swings over a share of its range and of `--beyond` degrees more to both sides, with an amplitude of
.3 to 1 of that range by the seed, at a walk's frequency, so that some joints are at their limits most of the
time; the cables of iCub's shoulders (`table`) are exceeded too. Limits are the file's own. Errors are those
of orientations after the first second. With --keep, targets and results are written as files of
`benchmarks.whole_body`.
"""

import argparse
import math
import os
from pathlib import Path

import numpy as np
from limber.robots import reading
from limber.robots.tree import build_tree
from limber.solvers.kinematics.se3 import logarithm
from limber.solvers.whole_body.law import Law

from . import robot
from .__main__ import answer, follower
from .motions import DT, motion
from .table import couplings_for, tracked_links

LATE = round(1.0 / DT)  # number of frames until the body has arrived
COLUMNS = ("model", "seed", "joints held", "couplings held", "error, deg: mean", "p95", "max")
COLUMNS += ("beyond limits, rad", "beyond couplings", "median, ms", "p99")
AT = 1e-9  # [rad, or a coupling's unit] distance within which a value counts as at a bound


def line_for(path: Path, beyond: float, steps: int, seed: int, keep: Path | None) -> str:
    """Line of the table for a model and a seed; targets and results are written to the folder `keep`."""
    tree = build_tree(reading.read(path))
    body = robot.body(tree, further=couplings_for(tree))
    links = tracked_links(tree)
    arrays = motion(body, links, tree.root, "walking", steps, seed, beyond)
    answered = answer(follower(body, arrays, Law()), arrays)
    joints, couplings = answered["joints"], body.couplings
    rotations = [
        body.placed(body.forward(angles, base), body.link_indices(links))[:, :3, :3]
        for base, angles in zip(answered["base_rotation"], joints, strict=True)
    ]
    missed = np.degrees(
        np.linalg.norm(logarithm(np.array(rotations).swapaxes(-1, -2) @ arrays["rotation"]), axis=-1)
    )[LATE:]
    over = max(0.0, float((body.lower - joints).max()), float((joints - body.upper).max()))
    at = joints @ couplings.matrix.T
    joints_at_limits = ((joints < body.lower + AT) | (joints > body.upper - AT)).sum(1).mean()
    cables = (
        ((at < couplings.lower + AT) | (at > couplings.upper - AT)).sum(1).mean() if len(couplings) else 0.0
    )
    over_coupled = max(
        0.0, float((couplings.lower - at).max(initial=0.0)), float((at - couplings.upper).max(initial=0.0))
    )
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        np.savez(
            keep / f"{path.stem}_{seed}_in.npz",
            **{name: value for name, value in arrays.items() if name != "joints"},
        )
        np.savez(keep / f"{path.stem}_{seed}_out.npz", **answered)
    errors = f"{missed.mean():.2f} | {np.quantile(missed, 0.95):.2f} | {missed.max():.2f}"
    half, most = 1e3 * np.quantile(answered["seconds"], (0.5, 0.99))
    return (
        f"| {path.stem} | {seed} | {joints_at_limits:.1f} | {cables:.1f} | {errors} | {over:.1e}"
        f" | {over_coupled:.1e} | {half:.3f} | {most:.3f} |"
    )


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--urdf", type=Path, nargs="+", required=True)
    ask.add_argument("--beyond", type=float, default=10.0, help="[deg] (default 10)")
    ask.add_argument("--seeds", type=int, default=3)
    ask.add_argument("--steps", type=int, default=360, help="frames of 1/60 s (default 360)")
    ask.add_argument("--keep", type=Path, help="folder for the files")
    options = ask.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    for path in options.urdf:
        for seed in range(options.seeds):
            print(line_for(path, math.radians(options.beyond), options.steps, seed, options.keep), flush=True)


if __name__ == "__main__":
    main()
