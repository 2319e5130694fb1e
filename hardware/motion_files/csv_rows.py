"""Rows of tables of text, as spreadsheets and programs write them: separators, comments, encodings and
decimal commas.
"""

import csv
import math
import re

from ...files.plain import shown
from .json_files import text_of
from .recording import MOST_NUMBERS, MotionFileError

UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # beginnings of texts that spreadsheets save as Unicode
COMMENTS = ("#", "//", "%")  # beginnings of comment lines
SEPARATOR = re.compile(r"sep=(.)", re.IGNORECASE)  # the first line of spreadsheets that name their separator
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*")


def rows_of(data: bytes) -> list[list[str]]:
    """Rows of a CSV file, the heading first, all of the same length and with decimal points; empty rows and
    comments are left out.

    Raises:
        MotionFileError: The file is no text of a table of at least two columns, or has more than MOST_NUMBERS
            cells.
    """
    text = text_of(_as_utf_8(data))
    if "\0" in text:
        raise MotionFileError("it has a zero character: it is no text, choose another file")
    lines, separator = _lines(text)
    try:
        rows = [
            row
            for row in csv.reader(lines, delimiter=separator, skipinitialspace=separator == " ")
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
    _make_rectangular(rows)
    # a comma that does not separate columns is a decimal comma
    return rows if separator == "," else [rows[0], *([*map(with_point, row)] for row in rows[1:])]


def _make_rectangular(rows: list[list[str]]) -> None:
    """Remove empty cells from the ends of the heading, and of rows that are longer.

    Raises:
        MotionFileError: A row still has another length than the first.
    """
    while len(rows[0]) > 2 and not rows[0][-1].strip():  # a separator at the end of the heading
        rows[0].pop()
    for k, row in enumerate(rows):
        while len(row) > len(rows[0]) and not row[-1].strip():  # a separator at the end of the line
            row.pop()
        if len(row) != len(rows[0]):
            raise MotionFileError(
                f"row {k}: it has {len(row)} columns, and the heading {len(rows[0])}: the file is damaged"
                " there"
            )


def _as_utf_8(data: bytes) -> bytes:
    """A text file converted to UTF-8 if it is UTF-16, with or without a byte order mark."""
    if data[:2] in UTF_16:
        return data.decode("utf-16", "replace").encode()
    for code, zeros in (("utf-16-le", data[1:200:2]), ("utf-16-be", data[:200:2])):
        if zeros and not any(zeros):
            return data.decode(code, "replace").encode()
    return data


def _lines(text: str) -> tuple[list[str], str]:
    """(lines of a table without comments, separator of its columns)."""
    lines = [line for line in text.splitlines(keepends=True) if line.strip()]
    named = SEPARATOR.fullmatch(lines[0].rstrip("\r\n")) if lines else None
    if named:
        del lines[0]
    table = [line for line in lines if not line.lstrip().startswith(COMMENTS)]
    if not table:
        return [], ","
    above, separator = lines[: lines.index(table[0])], named[1] if named else _separator_of(table)
    if not named and separator not in table[0] and len(table[0].split()) > 1:
        separator = " "
        table = [" ".join(line.split()) + "\n" for line in table]
    heading = _heading_above(table[0], above, separator)
    return [heading, *table] if heading else table, separator


def _separator_of(table: list[str]) -> str:
    """Separator of a table's columns: preferably a character that occurs equally often in the first line
    and in the next.
    """
    counts = {mark: [line.count(mark) for line in table[:2]] for mark in ",;\t|"}
    return max(counts, key=lambda mark: (counts[mark][0] == counts[mark][-1] > 0, counts[mark][0]))


def _heading_above(first: str, above: list[str], separator: str) -> str:
    """The last of the comments `above` a table, if it is the heading of the numbers in the table's first
    line, as in files of NumPy; "" if that line is a heading itself, or if the comment has another number
    of names. `separator`: that of the columns.
    """
    cells = first.split(separator)
    if not above or not any(is_number(with_point(cell)) for cell in cells):
        return ""
    comment = above[-1].strip().lstrip("#/% ")
    splits = (comment.split(candidate) for candidate in (separator, None))
    return next((separator.join(names) + "\n" for names in splits if len(names) == len(cells)), "")


def with_point(cell: str) -> str:
    """A number with a decimal point instead of a comma, which spreadsheets use in many countries; other cells
    unchanged.
    """
    return cell.replace(",", ".") if DECIMAL_COMMA.fullmatch(cell) else cell


def numbers_of(rows: list[list[str]]) -> list[list[float]]:
    """The numbers below the heading of a table.

    Raises:
        MotionFileError: A cell is not a number.
    """
    number_rows = []
    for k, row in enumerate(rows[1:], 1):
        try:
            numbers = [float(cell) for cell in row]
        except ValueError:
            numbers = []
        if not numbers or not all(map(math.isfinite, numbers)):
            wrong = next(c for c, cell in enumerate(row) if not is_number(cell))
            remedy = (
                "write decimals with a point"
                if is_number(row[wrong].replace(",", "."))
                else "correct it, or choose another file"
            )
            raise MotionFileError(
                f"row {k}, column '{rows[0][wrong][:40]}': expected a number, found {shown(row[wrong])}:"
                f" {remedy}"
            )
        number_rows.append(numbers)
    return number_rows


def is_number(cell: str) -> bool:
    """Whether a cell is a finite number with a decimal point."""
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False
