"""Statistics of a LeRobot dataset's features, by which LeRobot normalises values in training."""

from __future__ import annotations

import math
from collections.abc import Sequence

QUANTILES = (1, 10, 50, 90, 99)  # [%] quantiles in a dataset's statistics


def statistics(rows: Sequence[Sequence[float]]) -> dict[str, list[float]]:
    """Statistics of a table, by their names in meta/stats.json: smallest value, largest value, mean, standard
    deviation and quantiles, each with a number for each column, and the number of rows.
    """
    columns = [sorted(column) for column in zip(*rows, strict=True)]
    means = [math.fsum(column) / len(column) for column in columns]
    spreads = [
        math.sqrt(math.fsum((value - mean) ** 2 for value in column) / len(column))
        for column, mean in zip(columns, means, strict=True)
    ]
    column_statistics = {
        "min": [column[0] for column in columns],
        "max": [column[-1] for column in columns],
        "mean": means,
        "std": spreads,
        "count": [len(rows)],
    }
    return column_statistics | {
        f"q{percent:02d}": [_quantile(column, percent / 100.0) for column in columns] for percent in QUANTILES
    }


def _quantile(ascending: Sequence[float], share: float) -> float:
    """The quantile at `share` (0 to 1), interpolated linearly between the two nearest values."""
    position = share * (len(ascending) - 1)
    below = int(position)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (position - below) * (ascending[above] - ascending[below])
