"""Times in tables that are written as dates or times of day: "2025-01-01T12:00:00.040", "12:00:00.040"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from .csv_rows import is_number

# date in the format of some tools for ROS bags: "2023/09/22/18:55:55.484"
DATE = re.compile(r"(\d{4})/(\d{2})/(\d{2})[/ T](.+)")
MIDNIGHT = "1970-01-01T"  # put before a time of day, which then counts from midnight


def with_seconds(rows: list[list[str]], clocks: Sequence[int]) -> list[list[str]]:
    """A table in which dates and times of day are converted to seconds, in the columns with the indices
    `clocks`. Other cells are unchanged, and so is a table whose first row below the heading has numbers
    there.
    """
    if len(rows) < 2 or all(is_number(rows[1][k]) for k in clocks):
        return rows
    table = [list(row) for row in rows]
    for row in table[1:]:
        for k in clocks:
            row[k] = _seconds(row[k].strip())
    return table


def _seconds(cell: str) -> str:
    """Seconds since 1970 for the text of a date, since midnight for a time of day; other texts unchanged."""
    cell_as_iso = DATE.sub(r"\1-\2-\3T\4", cell)
    for text in (cell_as_iso, MIDNIGHT + cell) if ":" in cell else ():
        try:
            date = datetime.fromisoformat(text)
        except ValueError:
            continue
        return repr((date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp())
    return cell
