"""Compares Limber with other libraries on a file of whole-body targets: errors and times with one step per
frame, in turns in one process.

    python -m benchmarks.whole_body.peers --urdf FILE --targets IN.npz [--steps 200] [--hold LINK ...]

All follow the same orientations and base position from joints at zero, with position limits and, if IN has
one, the velocity limit. Times are medians of the processor time of a step with everything that a frame needs,
on one core; errors are those after the first second. With `--hold`, libraries with hard position constraints
keep links, such as feet, at their positions in the first frame, and the base's target stays constant. The
libraries run in .venv-bench (`python -m benchmarks.environment`); unavailable ones are named.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np

from .libraries import CONTESTANTS, NO_LIMIT, Arrays

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-bench" / "bin" / "python"


def degrees_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Angles (k,) [deg] between rotations (k, 3, 3)."""
    from limber.solvers.kinematics.se3 import logarithm

    return np.degrees(np.linalg.norm(logarithm(a.swapaxes(1, 2) @ b), axis=-1))


def entrants(urdf: Path, arrays: Arrays, held_links: Sequence[str]) -> tuple[list, list[str]]:
    """The contestants, which hold these links, and a sentence for each unavailable one."""
    velocity = float(arrays["joint_velocity_limit"]) if "joint_velocity_limit" in arrays else NO_LIMIT
    running, missing = [], []
    for kind in CONTESTANTS:
        if held_links and not hasattr(kind, "hold"):
            missing.append(f"left out: {kind.label}: it holds no links here")
            continue
        try:
            running.append(kind(urdf, arrays, velocity))
        except (ImportError, ValueError, RuntimeError) as error:
            missing.append(f"left out: {kind.label}: {error}")
            continue
        if held_links:
            running[-1].hold(held_links)
    return running, missing


def race(urdf: Path, arrays: Arrays, steps: int, rounds: int, held_links: Sequence[str] = ()) -> list[str]:
    """Runs the comparison; returns a Markdown table's lines, then a sentence for each library left out."""
    if held_links:
        arrays = {
            **arrays,
            "base_position": np.tile(arrays["base_position"][:1], (len(arrays["rotation"]), 1)),
        }
        arrays["base_velocity"] = np.zeros_like(arrays["base_position"])
    running, missing = entrants(urdf, arrays, held_links)
    times = {each.label: [] for each in running}
    errors = {each.label: [] for each in running}
    late = round(1.0 / float(arrays["dt"]))
    for round_index in range(rounds):
        for each in running:
            each.reset()
            for k in range(min(steps, len(arrays["rotation"]))):
                began = time.process_time()
                each.step(k)
                times[each.label].append(time.process_time() - began)
                if round_index == 0 and k >= late:
                    errors[each.label].append(degrees_between(each.rotations(), arrays["rotation"][k]))
    lines = ["| | step, ms | mean error, deg | p95 |", "|---|---|---|---|"]
    for label, step_times in times.items():
        missed = np.array(errors[label]) if errors[label] else np.full(1, np.nan)
        lines.append(
            f"| {label} | {1e3 * median(step_times):.3f} | {missed.mean():.3f}"
            f" | {np.quantile(missed, 0.95):.3f} |"
        )
    return lines + missing


def beside_peers(module: str) -> None:
    """Runs a module in the environment with the other libraries, and exits with its status; does nothing if
    there is no such environment, or this process already runs in it.
    """
    if PYTHON.exists() and Path(sys.prefix).resolve() != PYTHON.parents[1].resolve():
        sys.exit(subprocess.run([str(PYTHON), "-m", module, *sys.argv[1:]], cwd=ROOT, check=False).returncode)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--urdf", type=Path, required=True)
    ask.add_argument("--targets", type=Path, required=True)
    ask.add_argument("--steps", type=int, default=200, help="frames of a round (default 200)")
    ask.add_argument("--rounds", type=int, default=3)
    ask.add_argument("--hold", nargs="*", default=[], metavar="LINK", help="links that stay where they are")
    options = ask.parse_args()
    beside_peers("benchmarks.whole_body.peers")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with np.load(options.targets) as file:
        arrays = dict(file)
    print("\n".join(race(options.urdf, arrays, options.steps, options.rounds, options.hold)))


if __name__ == "__main__":
    main()
