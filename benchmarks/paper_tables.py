"""Computes Tables 8 and 9 of the ERIK paper and its main figures with Limber's solvers, on the paper's own
postures, and prints the paper's figures beside them.

    python -m benchmarks.paper_tables [--pairs 200] [--skeletons ABCDEFG] [--grid facing]
    python -m benchmarks.paper_tables --solvers "erik as_published=True ccd_error=0.06" ...
        ERIK with other settings

The paper's own figures are in the line below the row *ERIK, as published*. Pairs are chosen, solved and
stored as in `benchmarks.sweep`.
"""

import sys

import numpy as np
from limber.batch.workers import WorkersError
from limber.solvers.goals import GazeError

from .chunks import PUBLISHED
from .jobs import TIMES
from .sweep import PAIRS, Sweep, add_sample, arguments, asked_skeletons, gather, run
from .tables import WITHOUT_POSTURE, Results, comparable, table_8, table_9

GRID = "facing"  # the paper's own postures, and targets of nested grids
# the methods that the paper compares, and CCD, which it surveys
OF_THE_PAPER = (PUBLISHED, "erik", "ccd", "dls100", "dls200", "dls400", "dls400_bold")
PAPER_ROWS = (*OF_THE_PAPER, "expressive", "erik_exact")
FIVE_LINKS, EIGHT_LINKS, COMPARED = "CDE", "G", "C"  # skeletons of the main figures in section 5


def headlines(results: Results) -> list[str]:
    """Lines of a table with the paper's figures of speed (section 5) and Limber's; a row without results of
    its skeletons or solvers is left out; [] if all are.
    """
    lines = ["| headline | the paper | ERIK, as published | ERIK | Expressive |", "|---|---|---|---|---|"]
    solvers = (PUBLISHED, "erik", "expressive")

    def milliseconds(name: str, solver: str) -> np.ndarray:
        return 1e3 * comparable(results, name, solver)[TIMES]

    def row(headline: str, paper: str, names: str, needs: tuple[str, ...], value) -> None:
        if all((name, solver) in results for name in names for solver in (*solvers, *needs)):
            lines.append(f"| {headline} | {paper} | {' | '.join(value(solver) for solver in solvers)} |")

    def rate(names: str, statistic):
        return lambda solver: (
            f"{1e3 / statistic(np.concatenate([milliseconds(name, solver) for name in names])):,.0f} Hz"
        )

    row("solutions a second, 5 links (C, D, E), mean", "30 Hz", FIVE_LINKS, (), rate(FIVE_LINKS, np.mean))
    row("solutions a second, 8 links (G), mean", "14 Hz", EIGHT_LINKS, (), rate(EIGHT_LINKS, np.mean))
    row("the same, slowest", "1.3 Hz", EIGHT_LINKS, (), rate(EIGHT_LINKS, np.max))
    for steps, papers in ((100, 167 / 37), (200, 298 / 37), (400, 678 / 37)):
        dls = f"dls{steps}"
        row(
            f"times faster than DLS, {steps} steps (C), means",
            f"{papers:.1f}",
            COMPARED,
            (dls, WITHOUT_POSTURE),
            lambda solver, dls=dls: (
                f"{milliseconds(COMPARED, dls).mean() / milliseconds(COMPARED, solver).mean():.1f}"
            ),
        )
    return lines if len(lines) > 2 else []


def main() -> None:
    ask = arguments(__doc__)
    add_sample(ask, PAIRS, GRID)
    ask.add_argument(
        "--solvers",
        nargs="+",
        metavar="NAME",
        default=[*PAPER_ROWS, WITHOUT_POSTURE],
        help="default: %(default)s",
    )
    options = ask.parse_args()
    names = asked_skeletons(ask, options.skeletons)
    sweep = Sweep(options.pairs, options.seed, grids=options.grid)
    try:
        results = gather(
            sweep,
            run(sweep, names, options.solvers, options.folder, options.scheduler, options.workers),
            names,
            options.solvers,
        )
    except (WorkersError, GazeError) as error:
        sys.exit(str(error))
    shown = [solver for solver in options.solvers if solver != WITHOUT_POSTURE]
    print(
        "\n\n".join(
            "\n".join(table)
            for table in (table_8(results, shown), table_9(results, shown), headlines(results))
            if table
        )
    )


if __name__ == "__main__":
    main()
