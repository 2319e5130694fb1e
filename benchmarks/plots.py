"""Pictures of the benchmarks: the quantities of the ERIK paper's Figures 10 to 13, all solvers side by side,
and the race beside peers.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

from .contestants import ENTRIES, OWN
from .jobs import Answer
from .paper import BODIES, FILTER, TABLE_9, THRESHOLD
from .peers import Row
from .tables import WITHOUT_POSTURE, Glance, comparable

mpl.use("Agg")  # no screen
from matplotlib import pyplot as plt
from matplotlib.ticker import NullFormatter

Results = Mapping[tuple[str, str], Answer]
ERRORS = ("combined", "orientation", "posture")
# kind of error -> right end of its axis: at least three thresholds
WIDEST = {"combined": 0.16, "orientation": 0.12, "posture": 0.12}
COLORS = {
    "erik": "#d95f02",
    "expressive": "#1b9e77",
    "ccd": "#7570b3",
    "dls400": "#e7298a",
    "dls100": "#a6761d",
    "dls400_bold": "#666666",
}
SHOWN = ("erik", "ccd", "dls400", "expressive")  # in the histograms, if there are results
DOTS = 110  # resolution [dots per inch]


def error(answer: Answer, what: str) -> np.ndarray:
    """Errors (pairs,) without unit: "orientation", "posture", or "combined", the sum of both."""
    return answer["orientation"] + answer["posture"] if what == "combined" else answer[what]


def distributions(results: Results, path: Path) -> None:
    """Draws what the paper's Figure 12 counts: the share of pairs with an error up to each size, skeleton by
    skeleton, and the largest error.
    """
    names = [name for name in BODIES if any(key[0] == name for key in results)]
    solvers = [solver for solver in SHOWN if all((name, solver) in results for name in names)]
    figure, axes = plt.subplots(
        len(names), 3, figsize=(11, 1.55 * len(names) + 0.9), squeeze=False, sharex="col", sharey=True
    )
    for row, name in zip(axes, names, strict=True):
        for plot, what in zip(row, ERRORS, strict=True):
            for solver in solvers:
                cumulative(plot, error(results[name, solver], what), WIDEST[what], solver, COLORS[solver])
            plot.axvline(THRESHOLD, color="0.4", ls="--", lw=0.9)
        row[0].set_ylabel(f"{name}: {BODIES[name].axes}", fontsize=9)
    axes[0, 0].set_yticks([0.0, 0.5, 1.0], ["0", "50 %", "100 %"])
    for plot, what in zip(axes[0], ERRORS, strict=True):
        plot.set_title(f"{what} error", fontsize=10)
    axes[0, 2].legend(fontsize=8, loc="lower right")
    figure.suptitle(
        "Share of pairs with an error up to this; dashed: the threshold; dots: the largest error (at the"
        " right end: or more)",
        fontsize=10,
    )
    finish(figure, path)


def cumulative(plot: Any, values: np.ndarray, widest: float, label: str, color: Any) -> None:
    """Draws the share of pairs with errors up to each size, from the errors (pairs,) in `values`."""
    ordered = np.sort(values)
    plot.step(
        [0.0, *ordered, 10.0],
        [0.0, *(np.arange(len(ordered)) + 1.0) / len(ordered), 1.0],
        where="post",
        color=color,
        label=label,
        lw=1.5,
    )
    plot.plot(min(ordered[-1], widest), 1.0, marker="o", color=color, ms=4, clip_on=False)
    plot.set_xlim(-0.02 * widest, widest)


def normals(curves: Mapping[str, tuple[Answer, Any]], title: str, path: Path) -> None:
    """Draws normal curves of the three errors, as in the paper's Figures 11 and 13; `curves`: label ->
    (results, colour).
    """
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6))
    for plot, what in zip(axes, ERRORS, strict=True):
        at = np.linspace(0.0, WIDEST[what], 400)
        for label, (answer, color) in curves.items():
            values = error(answer, what)
            _normal(plot, at, values.mean(), values.std(), label, color, "-")
        plot.axvline(THRESHOLD, color="0.4", ls="--", lw=0.9)
        plot.set_title(f"{what} error")
        plot.set_yticks([])
    axes[2].legend(fontsize=8)
    figure.suptitle(title, fontsize=10)
    finish(figure, path)


def _normal(
    plot: Any, at: np.ndarray, mean: float, deviation: float, label: str, color: Any, style: str
) -> None:
    """Draws a normal curve at the errors `at` (n,), scaled to a height of 1: errors that are all zero would
    otherwise hide the other curves.
    """
    spread = max(deviation, 1e-4)
    plot.plot(
        at,
        np.exp(-0.5 * ((at - mean) / spread) ** 2),
        color=color,
        ls=style,
        label=f"{label}: {mean:.3f} ({deviation:.3f})",
        lw=1.4,
    )


def dls(results: Results, path: Path, name: str = "C") -> None:
    """Draws the paper's Figures 10 and 13, for its skeleton C: the orientation alone, then all errors with
    the posture's task; the paper's curves are dotted.
    """
    figure, axes = plt.subplots(2, 2, figsize=(12, 7.5))
    alone = results[name, WITHOUT_POSTURE]["orientation"]
    alone = alone[alone <= FILTER * THRESHOLD]
    cumulative(
        axes[0, 0], results[name, "erik"]["orientation"], WIDEST["orientation"], "erik", COLORS["erik"]
    )
    cumulative(axes[0, 0], alone, WIDEST["orientation"], "dls100 without posture", COLORS["dls100"])
    axes[0, 0].set_title("orientation error, share of pairs up to it (Figure 10)", fontsize=10)
    axes[0, 0].legend(fontsize=8)
    for plot, what in zip(axes.flat[1:], ("orientation", "combined", "posture"), strict=True):
        at = np.linspace(0.0, 2.0 * WIDEST[what], 400)
        for solver in ("erik", "dls100", "dls400", "dls400_bold"):
            values = error(comparable(results, name, solver), what)
            _normal(plot, at, values.mean(), values.std(), solver, COLORS[solver], "-")
        for solver in ("erik", "dls400"):
            _normal(plot, at, *getattr(TABLE_9[name, solver], what), f"{solver}, paper", COLORS[solver], ":")
        plot.set_title(f"{what} error, normal curves: mean (s.d.) (Figure 13)", fontsize=10)
        plot.set_yticks([])
        plot.legend(fontsize=8)
    for plot in axes.flat:
        plot.axvline(THRESHOLD, color="0.4", ls="--", lw=0.9)
    figure.suptitle(
        f"Skeleton {name}: two-priority DLS, filtered as in the paper, and ERIK; dotted: as printed in"
        " Table 9",
        fontsize=10,
    )
    finish(figure, path)


def skeletons(results: Results, path: Path, solver: str = "erik") -> None:
    """Draws the paper's Figure 11: errors of one solver on skeletons B to G."""
    names = [name for name in BODIES if name != "A" and (name, solver) in results]
    colors = plt.get_cmap("tab10").colors
    curves = {name: (results[name, solver], colors[k]) for k, name in enumerate(names)}
    normals(curves, f"{solver} on each skeleton, normal curves: mean (s.d.) (Figure 11)", path)


def glance(rows: Sequence[Glance], path: Path) -> None:
    """Draws an overview of every solver: visible quality of motion, and time."""
    panels = (
        ("aim exact, % of poses", [100.0 * row.exact for row in rows], "{:.0f}", False),
        ("shape lost, degrees, poses", [row.shape for row in rows], "{:.0f}", False),
        ("ms a pose", [row.milliseconds for row in rows], "{:.2g}", True),
        ("aim off > 1 degree, % of frames", [100.0 * row.off for row in rows], "{:.1f}", False),
        ("pops, % of frames", [100.0 * row.pops for row in rows], "{:.2g}", False),
        ("ms a frame", [row.frame for row in rows], "{:.2g}", True),
    )
    figure, axes = plt.subplots(2, 3, figsize=(13, 0.62 * len(rows) + 2.2), sharey=True)
    for plot, (title, values, form, is_log) in zip(axes.flat, panels, strict=True):
        bars(plot, [row.label for row in rows], values, form, is_log, [0])
        plot.set_title(title, fontsize=10)
    figure.suptitle(
        "Poses from scratch, skeletons B to G, targets anywhere (above); along gaze paths, frame by frame"
        " (below)",
        fontsize=10,
    )
    finish(figure, path)


def race(rows: Sequence[Row], path: Path) -> None:
    """Draws the times [ms] of all libraries for their common task."""
    chains = sorted({row.chain for row in rows})
    figure, axes = plt.subplots(
        1, len(chains), figsize=(13, 0.27 * len(rows) / len(chains) + 1.0), sharey=True, squeeze=False
    )
    for plot, chain in zip(axes[0], chains, strict=True):
        row_by_name = {row.name: row for row in rows if row.chain == chain}
        names = [name for name in ENTRIES if name in row_by_name]
        labels = [ENTRIES[name].label for name in names]
        ours = [k for k, name in enumerate(names) if name in OWN]
        bars(plot, labels, [row_by_name[name].milliseconds for name in names], "{:.3g}", True, ours)
        plot.set_title(
            f"{len(BODIES[chain].axes)} joints: ms until the aim holds to 1e-3 rad (green: Limber's)",
            fontsize=10,
        )
    finish(figure, path)


def bars(
    plot: Any, labels: Sequence[str], values: Sequence[float], form: str, is_log: bool, ours: Sequence[int]
) -> None:
    """Draws horizontal bars with their values, the first on top; those of Limber, with the indices `ours`, in
    green.
    """
    heights = np.arange(len(values))[::-1]
    plot.barh(
        heights, values, color=[COLORS["expressive"] if k in ours else "#9aa5b1" for k in range(len(values))]
    )
    plot.set_yticks(heights, labels, fontsize=8)
    if is_log:
        plot.set_xscale("log")
        plot.set_xlim(right=4.0 * max(values))
        plot.xaxis.set_minor_formatter(NullFormatter())
    else:
        plot.set_xlim(0.0, 1.18 * max(*values, 1e-9))
    for height, value in zip(heights, values, strict=True):
        plot.annotate(
            form.format(value),
            (max(value, 0.0), height),
            (3, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    plot.spines[["top", "right"]].set_visible(False)


def finish(figure: Any, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=DOTS)
    plt.close(figure)
