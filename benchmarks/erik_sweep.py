"""Evaluates the settings that the ERIK paper does not give: the solver's defaults, and each of these settings
with other values, one at a time.

    python -m benchmarks.erik_sweep [--pairs 60] [--skeletons BCDEFG] [--grid facing] [--scheduler ADDRESS]

Pairs are chosen, solved and stored as in `benchmarks.sweep`. "Combined" is the paper's weighted sum of
errors.
"""

import math
import sys
from collections.abc import Sequence

import numpy as np
from limber.batch.workers import WorkersError
from limber.solvers.erik.parameters import Hyperparameters

from .chunks import ERIK_WITH
from .jobs import TIMES, Answer
from .paper import TABLE_8, THRESHOLD
from .sweep import Sweep, add_sample, arguments, asked_skeletons, gather, run

TRIED: dict[str, Sequence[object]] = {
    "loop": ["posture", "published"],
    "disturbance": [math.radians(angle) for angle in (0.1, 0.5, 1.0, 2.0, 5.0)],
    "max_iterations": [2, 4, 10, 20],
    "max_bwcd_iterations": [1, 3, 10, 30],
    "max_ccd_iterations": [5, 20, 60],
    "ccd_error": [6.4e-3, 6.4e-4, 6.4e-5, 2e-6],
    "progress": [1e-4, 1e-3, 1e-2],
    "avoid_edges_from_iteration": [1, 2, 3],
    "avoid_edges": [True, False],
    "non_convergence_offset_trick": [True, False],
    "non_convergence_ccd_trick": [True, False],
}


def figures(answers: Sequence[Answer]) -> list[float]:
    """Means over skeletons of each one's mean combined and orientation errors, share of orientation errors up
    to the threshold, mean number of iterations, and median time [ms].
    """
    rows = [
        (
            np.mean(a["orientation"] + a["posture"]),
            np.mean(a["orientation"]),
            np.mean(a["orientation"] <= THRESHOLD),
            np.mean(a["iterations"]),
            1e3 * np.median(a[TIMES]),
        )
        for a in answers
    ]
    return [float(value) for value in np.mean(rows, axis=0)]


def line(label: str, answers: Sequence[Answer]) -> str:
    combined, orientation, within, iterations, milliseconds = figures(answers)
    return (
        f"{label:34} {combined:9.4f} {orientation:12.5f} {within:7.1%} {iterations:11.2f} {milliseconds:7.2f}"
    )


def shown(value: object) -> str:
    """A value of a setting as text for the table."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def main() -> None:
    ask = arguments(__doc__)
    ask.set_defaults(skeletons="BCDEFG")
    add_sample(ask, 60)
    options = ask.parse_args()
    names = asked_skeletons(ask, options.skeletons)
    tried = [(field, value) for field, values in TRIED.items() for value in values]
    solvers = ["erik", *(f"{ERIK_WITH}{field}={value!r}" for field, value in tried)]
    sweep = Sweep(options.pairs, options.seed, grids=options.grid)
    try:
        results = gather(
            sweep,
            run(sweep, names, solvers, options.folder, options.scheduler, options.workers),
            names,
            solvers,
        )
    except WorkersError as error:
        sys.exit(str(error))
    print(f"{'':34} {'combined':>9} {'orientation':>12} {'<=.04':>7} {'iterations':>11} {'ms':>7}")
    for name in names:
        paper = TABLE_8[name, "erik"]
        of_paper = f"  paper: {paper.iterations[2]} iterations, {paper.milliseconds[2]} ms"
        print(line(name, [results[name, "erik"]]) + of_paper)
    print(f"\nOne value changed, mean over {''.join(names)}; * marks the default")
    for (field, value), solver in zip(tried, solvers[1:], strict=True):
        default = getattr(Hyperparameters(), field)
        mark = "*" if value == default else " "
        print(line(f"{mark} {field} {shown(value)}", [results[name, solver] for name in names]))


if __name__ == "__main__":
    main()
