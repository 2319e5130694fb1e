"""Runs gaze solvers on files of posture-target pairs, gaze paths and real rigs' chains; writes angles and
time of each solve and, except for paths, iterations and errors.

    python -m benchmarks.gaze --pairs IN.npz --solver NAME --out OUT.npz
    python -m benchmarks.gaze --paths IN.npz --solver NAME --out OUT.npz
    python -m benchmarks.gaze --rig IN.npz --solver NAME --out OUT.npz

IN of --pairs and --paths is a chain of unit links along +Y, whose joint k rotates about axes[k] (0 X, 1 Y, 2
Z) of its own frame, within lo and hi (n,) [rad], with posture (m, n) and target_wxyz (m, 4); for --paths they
are (p, n) and (p, t, 4), with fps [1/s]. A target rolled by pi about its own Y counts as equal to it. IN of
--rig has axis (n, 3), rest_wxyz (n, 4), rest_offset (n, 3), tool_wxyz (4,), tool_offset (3,), lo, hi (n,),
posture (m, n) and one of target_wxyz (m, 4), target_direction (m, 3), target_point (m, 3). Pairs are solved
from scratch, each independently; the frames of a path in order, each from the last solution and memory.
"""

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.gaze import GazeSolution, GazeSolver
from limber.solvers.goals import Aim, Direction, GazeError, GazeGoal, Orientation, Point
from limber.solvers.kinematics.skeleton import Joint, Skeleton, SkeletonError
from limber.solvers.table import make_solver

Arrays = Mapping[str, np.ndarray]
SHOW_EVERY = 1.0  # [s] time between two lines of progress


def unit_chain(arrays: Arrays) -> Skeleton:
    """The chain of a file for --pairs or --paths."""
    axes = np.eye(3)[arrays["axes"]]
    joints = [
        Joint(
            f"joint {k}",
            k - 1,
            (1.0, 0.0, 0.0, 0.0),
            (0.0, 1.0 if k else 0.0, 0.0),
            tuple(axis.tolist()),
            float(lower),
            float(upper),
        )
        for k, (axis, lower, upper) in enumerate(zip(axes, arrays["lo"], arrays["hi"], strict=True))
    ]
    return Skeleton(tuple(joints))


def rig_chain(arrays: Arrays) -> Skeleton:
    """The chain of a file for --rig."""
    rows = zip(
        arrays["rest_wxyz"], arrays["rest_offset"], arrays["axis"], arrays["lo"], arrays["hi"], strict=True
    )
    joints = [
        Joint(
            f"joint {k}",
            k - 1,
            tuple(rest.tolist()),
            tuple(offset.tolist()),
            tuple(axis.tolist()),
            float(lower),
            float(upper),
        )
        for k, (rest, offset, axis, lower, upper) in enumerate(rows)
    ]
    return Skeleton(tuple(joints), tuple(arrays["tool_wxyz"].tolist()), tuple(arrays["tool_offset"].tolist()))


def aims_of(arrays: Arrays) -> list[Aim]:
    """Aims of a file for --pairs or --rig, of the kind of its targets; a file without targets ends the
    program.
    """
    for name, kind in (
        ("target_wxyz", Orientation),
        ("target_direction", Direction),
        ("target_point", Point),
    ):
        if name in arrays:
            return [kind(tuple(row.tolist())) for row in arrays[name]]
    sys.exit("the file has none of target_wxyz, target_direction, target_point")


class Progress:
    """Prints a line of progress on standard error at intervals."""

    def __init__(self, total: int, what: str) -> None:
        self.total, self.what, self.done, self.shown = total, what, 0, time.perf_counter()

    def step(self) -> None:
        self.done += 1
        if time.perf_counter() - self.shown > SHOW_EVERY:
            self.shown = time.perf_counter()
            print(f"  {self.done} of {self.total} {self.what}", file=sys.stderr, flush=True)


def timed(
    solver: GazeSolver, goal: GazeGoal, start: np.ndarray | None = None, memory: object = None, **frame: float
) -> tuple[GazeSolution, float]:
    """(solution, duration [s]) of a solve; arguments as of `GazeSolver.solve`."""
    began = time.perf_counter()
    solution = solver.solve(goal, start, memory, **frame)
    return solution, time.perf_counter() - began


def answer_pairs(arrays: Arrays, solver: GazeSolver) -> dict[str, np.ndarray]:
    """Output of --pairs and --rig: each row is solved from scratch."""
    aims, posture = aims_of(arrays), arrays["posture"]
    progress = Progress(len(aims), "pairs")
    rows = []
    for aim, angles in zip(aims, posture, strict=True):
        rows.append(timed(solver, GazeGoal(aim, angles)))
        progress.step()
    orientation = np.array([solution.orientation_error for solution, _ in rows])
    posture_errors = np.array([solution.posture_error for solution, _ in rows])
    return {
        "angles": np.array([solution.angles for solution, _ in rows]).reshape(posture.shape),
        "seconds": np.array([seconds for _, seconds in rows]),
        "iterations": np.array([solution.iterations for solution, _ in rows]),
        "orientation_error": orientation,
        "posture_error": posture_errors,
        "combined_error": orientation + posture_errors,
    }


def answer_paths(arrays: Arrays, solver: GazeSolver, **frame: float) -> dict[str, np.ndarray]:
    """Output of --paths: each path's frames solved in order, with the solver's memory; `frame`: further
    arguments of each solve, such as its duration.
    """
    targets, posture = arrays["target_wxyz"], arrays["posture"]
    angles, seconds = np.zeros((*targets.shape[:2], posture.shape[1])), np.zeros(targets.shape[:2])
    progress = Progress(seconds.size, "frames")
    for p, path in enumerate(targets):
        start, memory = None, None
        for t, target in enumerate(path):
            solution, seconds[p, t] = timed(
                solver, GazeGoal(Orientation(tuple(target.tolist())), posture[p]), start, memory, **frame
            )
            angles[p, t], start, memory = solution.angles, solution.angles, solution.memory
            progress.step()
    return {"angles": angles, "seconds": seconds}


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kind = ask.add_mutually_exclusive_group(required=True)
    for name in ("pairs", "paths", "rig"):
        kind.add_argument(f"--{name}", metavar="IN.npz", type=Path)
    ask.add_argument("--solver", default="expressive")
    ask.add_argument(
        "--measure",
        choices=["links", "bones"],
        default="links",
        help="what Expressive keeps: links' directions, bones' rotations",
    )
    ask.add_argument("--out", type=Path, required=True)
    arguments = ask.parse_args()
    with np.load(arguments.pairs or arguments.paths or arguments.rig) as file:
        arrays = dict(file)
    try:
        options = ExpressiveOptions(measure=arguments.measure) if arguments.solver == "expressive" else None
        solver = make_solver(
            arguments.solver, rig_chain(arrays) if arguments.rig else unit_chain(arrays), options
        )
        frame = {"dt": 1.0 / float(arrays["fps"])} if arguments.paths else {}
        answer = answer_paths(arrays, solver, **frame) if arguments.paths else answer_pairs(arrays, solver)
    except (GazeError, SkeletonError) as error:
        sys.exit(str(error))
    np.savez(arguments.out, **answer)
    print(
        f"{arguments.solver}: {answer['seconds'].size} solves,"
        f" median {1e3 * np.median(answer['seconds']):.3g} ms -> {arguments.out}"
    )


if __name__ == "__main__":
    main()
