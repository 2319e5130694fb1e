"""Tables written as JSON: a list of objects, one for each row, or an object with a list for each column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .recording import MOST_NUMBERS, MotionFileError


def is_table(json_value: object) -> bool:
    """Whether a JSON value is a table of at least two columns."""
    if isinstance(json_value, list):
        first = json_value[0] if json_value else None
        return isinstance(first, Mapping) and len(first) > 1 and all(map(_is_cell, first.values()))
    return (
        isinstance(json_value, Mapping)
        and len(json_value) > 1
        and all(isinstance(cells, list) and all(map(_is_cell, cells)) for cells in json_value.values())
    )


def rows_of(table: Any) -> list[list[str]]:
    """Rows of a table, the heading first, as in a CSV file.

    Raises:
        MotionFileError: Rows have different columns, columns different lengths, or there are too many cells.
    """
    if isinstance(table, list):
        heading = list(table[0])
        rows = []
        for number, row in enumerate(table, 1):
            if not isinstance(row, Mapping) or row.keys() != table[0].keys():
                raise MotionFileError(f"row {number} has other fields than the first: give all rows the same")
            rows.append([str(row[name]) for name in heading])
    else:
        heading, columns = list(table), list(table.values())
        if len(lengths := {len(column) for column in columns}) > 1:
            raise MotionFileError(
                f"its columns have from {min(lengths)} to {max(lengths)} values: give all as many"
            )
        rows = [[str(cell) for cell in row] for row in zip(*columns, strict=True)]
    if len(rows) * len(heading) > MOST_NUMBERS:
        raise MotionFileError(
            f"it has {len(rows) * len(heading)} numbers, more than {MOST_NUMBERS}: import it in parts"
        )
    return [heading, *rows]


def _is_cell(value: object) -> bool:
    return isinstance(value, str | int | float | None)
