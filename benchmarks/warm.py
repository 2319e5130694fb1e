"""Solves gaze paths with every solver, each frame from the last solution, at 60 frames per second, for the
ERIK paper's skeletons.

    python -m benchmarks.warm [--paths 6] [--skeletons CEFG] [--solvers erik expressive ...] [--scheduler
    ADDRESS]

Local paths stay within a cone about the posture's view, the others go in all directions; the same number
gives the same path and posture for every solver. A pop is a step of a joint by more than 15 degrees in a
frame, the jolt is the 99th percentile of the joints' acceleration. Results are stored and distributed as in
`benchmarks.sweep`.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from limber.batch.workers import WorkersError
from limber.solvers.goals import GazeError

from .jobs import folder_for, kept
from .runners import complete
from .sweep import arguments, asked_skeletons, solvers_for_orientations
from .tables import row_name
from .walks import KINDS, Figures, Walk, figures

PATHS = 6  # default number of paths of each kind for each skeleton
SKELETONS = "CEFG"


def walks(names: Sequence[str], solvers: Sequence[str], count: int) -> Iterator[Walk]:
    return (
        Walk(name, kind, solver, number)
        for kind, name, solver, number in product(KINDS, names, solvers, range(count))
    )


def run(
    names: Sequence[str],
    solvers: Sequence[str],
    count: int,
    root: Path,
    scheduler: str = "",
    workers: int = 0,
) -> dict[tuple[str, str, str], Figures]:
    """Figures by kind of path, skeleton and solver. Raises the errors of `runners.complete` and of the
    solvers.
    """
    folder = folder_for(root, "paths")
    complete(
        walks(names, solvers, count),
        len(KINDS) * len(names) * len(solvers) * count,
        folder,
        scheduler,
        workers,
    )
    return {
        (kind, name, solver): figures(
            [kept(folder, Walk(name, kind, solver, number)) for number in range(count)]
        )
        for kind, name, solver in product(KINDS, names, solvers)
    }


def table(rows: Mapping[tuple[str, str, str], Figures]) -> list[str]:
    lines = [
        (
            "| path | skeleton | solver | aim, deg | off > 1 deg | pops | shape, deg | jolt p99, deg/s2 | ms,"
            " median | ms, p99 |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (kind, name, solver), f in rows.items():
        lines.append(
            f"| {kind} | {name} | {row_name(solver)} | {f.aim:.2f} | {f.off:.1%} | {f.pops:.2%} |"
            f" {f.shape:.1f} | {f.jolt:,.0f} | {f.milliseconds:.2f} | {f.worst:.2f} |"
        )
    return lines


def main() -> None:
    ask = arguments(__doc__)
    ask.set_defaults(skeletons=SKELETONS)
    ask.add_argument(
        "--paths", type=int, default=PATHS, help="of each kind for each skeleton (default %(default)s)"
    )
    ask.add_argument(
        "--solvers",
        nargs="+",
        metavar="NAME",
        default=solvers_for_orientations(),
        help="default: %(default)s",
    )
    options = ask.parse_args()
    names = asked_skeletons(ask, options.skeletons)
    try:
        rows = run(names, options.solvers, options.paths, options.folder, options.scheduler, options.workers)
    except (WorkersError, GazeError) as error:
        sys.exit(str(error))
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
