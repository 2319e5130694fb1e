"""Pictures of mechanisms: time against the number of bodies and against the frame rate, and the effect of a
speed regulariser at a singular pose.
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")  # renders without a screen
from matplotlib import pyplot as plt

FOLDER = Path("build/bench/mechanism")
DOTS = 110  # resolution [dots per inch]


def draw(
    growth: list[tuple[float, float]],
    rates: list[tuple[float, float, float]],
    singular: list[tuple[float, float, float]],
    folder: Path = FOLDER,
) -> None:
    """Draws growth.png, rates.png and singular.png from the rows that `mechanism_table` returns."""
    folder.mkdir(parents=True, exist_ok=True)
    _growth(growth, folder / "growth.png")
    _rates(rates, folder / "rates.png")
    _singular(singular, folder / "singular.png")


def _growth(rows: list[tuple[float, float]], path: Path) -> None:
    bodies, milliseconds = np.array(rows).T
    figure, plot = plt.subplots(figsize=(6, 4))
    plot.plot(bodies, milliseconds, "o-", color="#1b9e77", label="a tower of parallelograms")
    plot.plot(
        bodies, milliseconds[-1] / bodies[-1] * bodies, "--", color="0.6", label="in proportion to the bodies"
    )
    plot.set(xlabel="bodies", ylabel="ms a frame, median", xlim=(0, None), ylim=(0, None))
    plot.legend()
    _finish(figure, path)


def _rates(rows: list[tuple[float, float, float]], path: Path) -> None:
    """Draws Limber's times per frame as in the paper's Figure 6 c; `rows` as from `print_rates`."""
    rate, milliseconds, steps = np.array(rows).T
    figure, plot = plt.subplots(figsize=(6, 4))
    plot.semilogx(rate, milliseconds, "o-", color="#1b9e77")
    plot.set(
        xlabel="frames a second",
        ylabel="ms a frame, median",
        ylim=(0, None),
        title="Dancer: slower frames need more steps",
    )
    for x, y, count in zip(rate, milliseconds, steps, strict=True):
        plot.annotate(
            f"{count:g} steps", (x, y), xytext=(0, 7), textcoords="offset points", ha="center", fontsize=8
        )
    _finish(figure, path)


def _singular(rows: list[tuple[float, float, float]], path: Path) -> None:
    """Draws Limber's figures of the paper's Figure 7, as a curve over the weight; `rows` as from
    `print_singular`.
    """
    figure, plot = plt.subplots(figsize=(6, 4))
    _, peak, mean = np.array(rows).T
    plot.loglog(np.maximum(mean, 1e-6), peak, "o-", color="#d95f02")
    for weight, y, x in rows:
        plot.annotate(
            f"{weight:.0e}" if weight else "none",
            (max(x, 1e-6), y),
            xytext=(5, 4),
            textcoords="offset points",
            fontsize=8,
        )
    plot.set(
        xlabel="mean error [mm]",
        ylabel="fastest joint [rad/s]",
        title="Boxer's shoulder through its singular pose, by speed weight",
    )
    _finish(figure, path)


def _finish(figure: plt.Figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=DOTS)
    plt.close(figure)
    print(f"-> {path}")
