"""Results of a sweep as Markdown tables: an overview of the solvers, a summary, and the ERIK paper's Tables 8
and 9 with the paper's own numbers.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from limber.solvers.table import SOLVERS

from .chunks import ERIK_WITH, PUBLISHED
from .jobs import TIMES, Answer
from .paper import FILTER, TABLE_8, TABLE_9, THRESHOLD
from .two_priority import BOLD, VARIANTS
from .walks import Figures

EXACT = np.radians(0.01)  # [rad] aim error up to which an aim counts as exact
WITHOUT_POSTURE = "dls100_nopost"
BOLDER = "_bold"  # suffix of the name of a solver's variant with longer steps
Results = Mapping[tuple[str, str], Answer]


@dataclass(frozen=True)
class Glance:
    """Main figures of one solver, as means over skeletons without A, which cannot look at half of the
    sphere.
    """

    label: str
    exact: float  # share of pairs whose aim is exact
    combined: float  # the paper's combined error
    shape: float  # [deg] shape deviation
    milliseconds: float  # [ms] time of a pair from scratch, mean of medians
    off: float  # share of a path's frames with an aim error of more than a degree
    pops: float  # share of frames with a jump of a joint
    walked: float  # [deg] shape deviation along paths
    jolt: float  # [deg/s2] acceleration of joints along local paths
    frame: float  # [ms] time of a frame, mean of medians


def glances(results: Results, walked: Mapping[tuple[str, str, str], Figures]) -> list[Glance]:
    """A row for each solver with results of pairs and of paths, in the table's order; pairs of skeleton A do
    not count.
    """
    rows = []
    for solver, info in SOLVERS.items():
        pairs = [answer for (name, other), answer in results.items() if other == solver and name != "A"]
        walks = [figures for (_, _, other), figures in walked.items() if other == solver]
        local = [
            figures for (kind, _, other), figures in walked.items() if other == solver and kind == "local"
        ]
        if not pairs or not walks:
            continue
        values = (
            [np.mean(a["aim"] <= EXACT) for a in pairs],
            [np.mean(a["orientation"] + a["posture"]) for a in pairs],
            [np.degrees(np.mean(a["shape"])) for a in pairs],
            [1e3 * np.median(a[TIMES]) for a in pairs],
            [f.off for f in walks],
            [f.pops for f in walks],
            [f.shape for f in walks],
            [f.jolt for f in local],
            [f.milliseconds for f in walks],
        )
        rows.append(Glance(info.label, *(float(np.mean(value)) for value in values)))
    return rows


def row_name(solver: str) -> str:
    """Name of a solver in tables: as in the panels; for ERIK with its other settings; for the paper's DLS
    with its number of steps.
    """
    if solver.startswith(ERIK_WITH):
        changes = solver.removeprefix(ERIK_WITH).split()
        return ", ".join(
            [row_name("erik"), *(change.removesuffix("=True").replace("_", " ") for change in changes)]
        )
    if solver not in VARIANTS:
        return SOLVERS[solver].label
    steps, with_posture, largest = VARIANTS[solver]
    return (
        f"DLS, {steps}"
        f" steps{' of .75 rad' if largest == BOLD else ''}{'' if with_posture else ', without posture'}"
    )


def glance_table(rows: Sequence[Glance]) -> list[str]:
    lines = [
        (
            "| solver | aim exact | combined error | shape, deg | ms a pose | frames off > 1 deg | pops |"
            " shape on paths, deg | jolt, deg/s2 | ms a frame |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        lines.append(
            f"| {r.label} | {r.exact:.1%} | {r.combined:.4f} | {r.shape:.1f} | {r.milliseconds:.2f} |"
            f" {r.off:.1%} | {r.pops:.2%} | {r.walked:.1f} | {r.jolt:,.0f} | {r.frame:.2f} |"
        )
    return lines


def comparable(results: Results, name: str, solver: str) -> Answer:
    """Results of a solver; for the paper's DLS, of the pairs that it can meet without the posture, as the
    paper filters them.
    """
    answer = results[name, solver]
    if solver not in VARIANTS:
        return answer
    can_be_met = results[name, WITHOUT_POSTURE]["orientation"] <= FILTER * THRESHOLD
    return {field: values[can_be_met] for field, values in answer.items()}


def summary_table(results: Results) -> list[str]:
    """A line for each skeleton and solver: errors, aim, shape, iterations, times."""
    lines = [
        (
            "| skeleton | solver | pairs | combined | orientation | posture | combined <= .04 | aim <= .01"
            " deg | shape, deg | iterations | ms, median |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, solver in results:
        a = results[name, solver]
        combined = a["orientation"] + a["posture"]
        cells = [
            name,
            row_name(solver),
            f"{len(combined)}",
            f"{combined.mean():.4f}",
            f"{a['orientation'].mean():.4f}",
            f"{a['posture'].mean():.4f}",
            f"{np.mean(combined <= THRESHOLD):.1%}",
            f"{np.mean(a['aim'] <= EXACT):.1%}",
            f"{np.degrees(a['shape'].mean()):.1f}",
            f"{a['iterations'].mean():.2f}",
            f"{1e3 * np.median(a[TIMES]):.2f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _lines(results: Results, solvers: Collection[str]) -> list[tuple[str, str]]:
    """(skeleton, solver) of each line: the given solvers among all results, in that order."""
    return [(name, solver) for name, solver in results if solver in solvers]


def printed_as(solver: str) -> str:
    """Name of a solver in the paper's tables; "" for ERIK with Limber's defaults, since ERIK is compared as
    published. Solvers that the paper does not have keep their names.
    """
    return {PUBLISHED: "erik", "erik": ""}.get(solver, solver.removesuffix(BOLDER))


def table_8(results: Results, solvers: Collection[str]) -> list[str]:
    """Iterations and milliseconds of these solvers: least, most, mean and standard deviation, with the
    paper's values in the next line.

    `results` are all results, including those that determine which pairs the paper leaves out. The paper does
    not print the share of pairs that need more than one iteration; its mean m and deviation s say that it is
    at least (m - 1)^2 / (s^2 + (m - 1)^2).
    """
    lines = [
        (
            "| skeleton | solver | samples | iterations min / max / mean / s.d. | more than one | ms min /"
            " max / mean / s.d. |"
        ),
        "|---|---|---|---|---|---|",
    ]
    for name, solver in _lines(results, solvers):
        a = comparable(results, name, solver)
        iterations, milliseconds = a["iterations"], 1e3 * a[TIMES]
        more = f"{np.mean(iterations > 1):.1%}" if len(iterations) else "-"
        lines.append(
            f"| {name} | {row_name(solver)} | {len(iterations)} | {_spread(iterations)} | {more} |"
            f" {_spread(milliseconds)} |"
        )
        paper = TABLE_8.get((name, printed_as(solver)))
        if paper and not solver.endswith(BOLDER):
            counts, times = (
                " / ".join(f"{value:g}" for value in values)
                for values in (paper.iterations, paper.milliseconds)
            )
            above, deviation = paper.iterations[2] - 1.0, paper.iterations[3]
            least = above**2 / (deviation**2 + above**2)
            lines.append(
                f"| | *paper* | *{paper.samples:,}* | *{counts}* | *at least {least:.1%}* | *{times}* |"
            )
    return lines


def table_9(results: Results, solvers: Collection[str]) -> list[str]:
    """Errors of these solvers: mean and standard deviation, with the paper's values, if any, in the next
    line. `results` as in `table_8`.
    """
    lines = [
        "| skeleton | solver | samples | combined (s.d.) | orientation (s.d.) | posture (s.d.) |",
        "|---|---|---|---|---|---|",
    ]
    for name, solver in _lines(results, solvers):
        a = comparable(results, name, solver)
        errors = (a["orientation"] + a["posture"], a["orientation"], a["posture"])
        cells = [f"{error.mean():.4f} ({error.std():.4f})" if len(error) else "-" for error in errors]
        lines.append(f"| {name} | {row_name(solver)} | {len(errors[0])} | {' | '.join(cells)} |")
        printed = TABLE_9.get((name, printed_as(solver)))
        if printed:
            cells = [f"*{mean:.4f} ({deviation:.4f})*" for mean, deviation in printed]
            lines.append(f"| | *paper* | | {' | '.join(cells)} |")
    return lines


def _spread(values: np.ndarray) -> str:
    if not len(values):
        return "-"
    return f"{values.min():.3g} / {values.max():.3g} / {values.mean():.2f} / {values.std():.2f}"
