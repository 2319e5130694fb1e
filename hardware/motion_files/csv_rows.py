"""Rows of CSV files, written and read."""

import csv
import io
import math
import re
from collections.abc import Iterable

from ...files.plain import shown
from .json_files import text_of
from .recording import MOST_NUMBERS, MotionFileError

COMMENTS = re.compile(r"\A(?:#.*\n)+(?=[^\n]*[,;\t])")  # lines before the heading
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*")
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # begin of what spreadsheets save as Unicode text


def csv_of(rows: Iterable[Iterable[str]]) -> bytes:
    """CSV file of these rows of cells."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")


def rows_of(data: bytes) -> list[list[str]]:
    """Rows of a CSV file, each as long as the first; empty ones are left out.

    Raises:
        MotionFileError: The file is no CSV table.
    """
    text = text_of(data.decode("utf-16", "replace").encode() if data[:2] in UTF_16 else data)
    if "\0" in text:
        raise MotionFileError("it has a zero character: it is no text, choose another file")
    text = COMMENTS.sub("", text)
    try:
        first = text.partition("\n")[0]
        mark = max(",;\t", key=first.count)
        rows = [
            row
            for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark)
            if any(cell.strip() for cell in row)
        ]
    except csv.Error as error:
        raise MotionFileError(f"it is no table ({error}): it is damaged, or not a CSV file") from error
    if not rows or len(rows[0]) < 2:
        raise MotionFileError("its first line is no heading: write the names of the columns, the time first")
    if len(rows) * len(rows[0]) > MOST_NUMBERS:
        raise MotionFileError(
            f"it has {len(rows) * len(rows[0])} numbers, more than {MOST_NUMBERS}: import it in parts"
        )
    _square(rows)
    return rows if mark == "," else [rows[0], *([*map(_with_point, row)] for row in rows[1:])]


def _square(rows: list[list[str]]) -> None:
    """Takes empty cells from the ends of rows that are longer than the first.

    Raises:
        MotionFileError: A row still has another length than the first.
    """
    for k, row in enumerate(rows):
        while len(row) > len(rows[0]) and not row[-1].strip():  # a separator at the line's end
            row.pop()
        if len(row) != len(rows[0]):
            raise MotionFileError(
                f"row {k}: it has {len(row)} columns, and the heading {len(rows[0])}: the file is damaged"
                " there"
            )


def _with_point(cell: str) -> str:
    """A number with a point where it has a comma, as spreadsheets of many countries write it."""
    return cell.replace(",", ".") if DECIMAL_COMMA.fullmatch(cell) else cell


def numbers_of(rows: list[list[str]]) -> list[list[float]]:
    """The numbers below the heading of a table.

    Raises:
        MotionFileError: A cell has no number.
    """
    number_rows = []
    for k, row in enumerate(rows[1:], 1):
        try:
            numbers = [float(cell) for cell in row]
        except ValueError:
            numbers = []
        if not numbers or not all(map(math.isfinite, numbers)):
            wrong = next(c for c, cell in enumerate(row) if not _is_number(cell))
            remedy = (
                "write decimals with a point"
                if _is_number(row[wrong].replace(",", "."))
                else "correct it, or choose another file"
            )
            raise MotionFileError(
                f"row {k}, column '{rows[0][wrong][:40]}': expected a number, found {shown(row[wrong])}:"
                f" {remedy}"
            )
        number_rows.append(numbers)
    return number_rows


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False
