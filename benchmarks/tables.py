"""Figures of a sweep as Markdown tables: the ERIK paper's Tables 8 and 9, with the paper's own numbers beside them."""

from collections.abc import Mapping

import numpy as np

from .jobs import TIMES, Answer
from .paper import FILTER, TABLE_8, TABLE_9, THRESHOLD
from .two_priority import VARIANTS

EXACT = np.radians(0.01)  # an aim that nobody could tell from exact
WITHOUT_POSTURE = "dls100_nopost"
Results = Mapping[tuple[str, str], Answer]


def comparable(results: Results, name: str, solver: str) -> Answer:
    """A solver's answers; of the paper's DLS, those for pairs that it can meet without the posture, as the paper filters them."""
    answer = results[name, solver]
    if solver not in VARIANTS or (name, WITHOUT_POSTURE) not in results:
        return answer
    met = results[name, WITHOUT_POSTURE]["orientation"] <= FILTER * THRESHOLD
    return {field: values[met] for field, values in answer.items()}


def summary_table(results: Results) -> list[str]:
    """A line for each skeleton and solver: errors, aim, shape, iterations, times."""
    lines = [
        "| skeleton | solver | pairs | combined | orientation | posture | combined <= .04 | aim <= .01 deg | shape, deg | iterations"
        " | ms, median |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, solver in results:
        a = results[name, solver]
        combined = a["orientation"] + a["posture"]
        cells = [
            name,
            solver,
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


def table_8(results: Results) -> list[str]:
    """Iterations and milliseconds: least, most, mean and standard deviation, the paper's in the line below."""
    lines = ["| skeleton | solver | samples | iterations min / max / mean / s.d. | ms min / max / mean / s.d. |", "|---|---|---|---|---|"]
    for name, solver in results:
        a = comparable(results, name, solver)
        iterations, milliseconds = a["iterations"], 1e3 * a[TIMES]
        lines.append(f"| {name} | {solver} | {len(iterations)} | {_spread(iterations)} | {_spread(milliseconds)} |")
        if (name, solver) in TABLE_8:
            paper = TABLE_8[name, solver]
            spreads = (" / ".join(f"{value:g}" for value in values) for values in (paper.iterations, paper.milliseconds))
            lines.append(f"| | *paper* | *{paper.samples:,}* | {' | '.join(f'*{spread}*' for spread in spreads)} |")
    return lines


def table_9(results: Results) -> list[str]:
    """Errors: mean and standard deviation, the paper's in the line below where it has any."""
    lines = ["| skeleton | solver | samples | combined (s.d.) | orientation (s.d.) | posture (s.d.) |", "|---|---|---|---|---|---|"]
    for name, solver in results:
        a = comparable(results, name, solver)
        errors = (a["orientation"] + a["posture"], a["orientation"], a["posture"])
        cells = [f"{error.mean():.4f} ({error.std():.4f})" if len(error) else "-" for error in errors]
        lines.append(f"| {name} | {solver} | {len(errors[0])} | {' | '.join(cells)} |")
        if (name, solver) in TABLE_9:
            cells = [f"*{mean:.4f} ({deviation:.4f})*" for mean, deviation in TABLE_9[name, solver]]
            lines.append(f"| | *paper* | | {' | '.join(cells)} |")
    return lines


def _spread(values: np.ndarray) -> str:
    if not len(values):
        return "-"
    return f"{values.min():.3g} / {values.max():.3g} / {values.mean():.2f} / {values.std():.2f}"
