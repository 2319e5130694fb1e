"""Reading of numbers from a Parquet file, a column and some rows at a time.

A column has a number in each row, or a list of equally many. Pages outside of the requested rows are not
decompressed.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from .compact import CompactReader
from .compression import PLAIN as UNCOMPRESSED
from .compression import decompressed
from .encodings import ARRAYS, FORMATS, PLAIN, PLAIN_DICTIONARY, RLE_DICTIONARY, indices, plain, runs
from .errors import ParquetError

MAGIC = b"PAR1"
LONGEST_FOOTER = 5_000_000  # [bytes] largest metadata that are read: enough for thousands of episodes
LARGEST_PAGE = 64_000_000  # [bytes] largest page that is read; usual ones have 1 MB
# [bytes] largest size of a page for each of its numbers: eight for the number, the rest for levels and
# indices
MOST_FOR_NUMBER = 16
MOST_BESIDE = 1000  # [bytes] largest size of a page in addition to its numbers
# largest number of a dictionary's entries; writers change to plain encoding far below it
MOST_IN_DICTIONARY = 1_000_000
LARGEST_COLUMN = 200_000_000  # [bytes] largest size of a column in a group of rows
# largest number of values in a page; 20,000 are usual, but a run of equal ones takes few bytes at any length
MOST_IN_PAGE = 10_000_000
# largest depth of a column's numbers below its element in the schema: a list has a repeated group, and in it
# the numbers. Columns with as many repetition levels, lists of lists, are not read
MOST_LEVELS = 2
DATA, DICTIONARY, DATA_V2 = 0, 2, 3  # values of the format's enumeration PageType
REQUIRED, OPTIONAL, REPEATED = 0, 1, 2  # values of the format's enumeration FieldRepetitionType


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A column of numbers.

    Attributes:
        kind: Value of the format's enumeration Type.
        repeats: Highest repetition level.
        defines: Highest definition level.
    """

    kind: int
    repeats: int
    defines: int


class ParquetTable:
    """A Parquet file. Rows come in groups, which are read one at a time.

    Args:
        file: The open file.

    Attributes:
        names: Names of the columns that have numbers.
        groups: Number of rows of each group.

    Raises:
        ParquetError: The file is no Parquet file, or damaged.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        metadata = _footer(file)
        schema = _items(metadata, 2)
        self._leaves = dict(_leaves(schema))
        self._groups = [_RowGroup(group, self._leaves) for group in _items(metadata, 4)]
        # several columns of the same bytes would be decoded repeatedly
        if sum(group.size for group in self._groups) > file.seek(0, 2):
            raise ParquetError("its columns announce more bytes than it has: it is damaged")
        self.names = tuple(self._leaves)
        self.groups = tuple(group.rows for group in self._groups)

    def bounds(self, group: int, name: str) -> tuple[int, int] | None:
        """Lowest and highest whole number in a column of a group; None if the column has no whole numbers, or
        the file does not give these two. Raises ParquetError if there is no such column.
        """
        chunk = self._groups[group].chunk(name)
        stored = [_field(chunk.get(12, {}), k, bytes, b"") for k in (6, 5)]
        letter = FORMATS.get(self._leaves[name].kind, "")
        if letter not in ("i", "q") or any(len(bound) != struct.calcsize(letter) for bound in stored):
            return None
        low, high = (struct.unpack(f"<{letter}", bound)[0] for bound in stored)
        return low, high

    def width(self, group: int, name: str) -> int:
        """Number of values that a column has in each row of a group; raises ParquetError as `column`."""
        return self._groups[group].per_row(name)

    def column(self, group: int, name: str, first: int = 0, end: int | None = None) -> array[float]:
        """Numbers of a column in the row group with index `group`, `width` for each row, from the row `first`
        up to, and without, the row `end` (None: all from `first` on).

        Raises:
            ParquetError: There is no such column of numbers, or the rows cannot be read: unsupported
                compression or encoding, a missing number, lists of different lengths, or damage.
        """
        row_group = self._groups[group]
        end = row_group.rows if end is None else end
        size = row_group.per_row(name)
        column_numbers: array[Any] = array(ARRAYS[self._leaves[name].kind])
        for skipped, numbers in self._pages(row_group, name, first * size, end * size):
            column_numbers += numbers[max(first * size - skipped, 0) : max(end * size - skipped, 0)]
        if len(column_numbers) != (end - first) * size:
            raise ParquetError(
                f"column '{name}' has {len(column_numbers)} numbers, and {(end - first) * size} are"
                " announced: it is damaged"
            )
        return column_numbers

    def _pages(self, group: _RowGroup, name: str, first: int, end: int) -> Iterator[tuple[int, array[float]]]:
        """(number of values before the page, values of the page) for each page of a column with values in
        `first` to `end`.
        """
        leaf, chunk, size = self._leaves[name], group.chunk(name), group.per_row(name)
        codec, count = _field(chunk, 4, int), _field(chunk, 5, int)
        reader = CompactReader(self._bytes(chunk))
        dictionary: array[float] | None = None
        before = 0
        while before < min(count, end):
            header = reader.struct()
            kind, page_size, compressed_size = (_field(header, k, int) for k in (1, 2, 3))
            if not 0 <= page_size <= LARGEST_PAGE:
                raise ParquetError(
                    f"a page of '{name}' announces {page_size} bytes, and {LARGEST_PAGE} can be read: it is"
                    " damaged"
                )
            data = reader.take(compressed_size)
            # a column has at most one dictionary in a group of rows, before the pages that refer to it
            if kind == DICTIONARY:
                page_count = _field(_field(header, 7, dict), 1, int)
                if dictionary is not None or not 0 <= page_count <= MOST_IN_DICTIONARY:
                    raise ParquetError(
                        f"column '{name}' has two dictionaries, or one of {page_count} numbers: it is damaged"
                    )
                _check_size(page_size, page_count, name)
                dictionary = plain(leaf.kind, decompressed(codec, data, page_size), page_count)
                continue
            # index pages, and kinds of later versions of the format, contain no values
            if kind not in (DATA, DATA_V2):
                continue
            page = _field(header, 5 if kind == DATA else 8, dict)
            page_count = _field(page, 1, int)
            if not 0 < page_count <= min(count - before, MOST_IN_PAGE):
                raise ParquetError(
                    f"a page of '{name}' announces {page_count} numbers of {count - before}: it is damaged, or too"
                    " large"
                )
            _check_size(page_size, page_count, name)
            if before + page_count > first:
                levels, body, encoding = (_split if kind == DATA else _split_v2)(
                    page, codec, data, page_size, leaf
                )
                _check_levels(levels, leaf, page_count, before, size, name)
                yield before, _values(encoding, leaf.kind, body, page_count, dictionary)
            before += page_count

    def _bytes(self, chunk: dict[int, Any]) -> bytes:
        """Bytes of all pages of a column in one group, from the column's metadata."""
        begin = _field(chunk, 9, int)
        if 0 < (dictionary := _field(chunk, 11, int, 0)) < begin:
            begin = dictionary
        size = _field(chunk, 7, int)
        if not 0 <= size <= LARGEST_COLUMN or begin < 0:
            raise ParquetError(
                f"a column announces {size} bytes, and {LARGEST_COLUMN} can be read: it is damaged, or too"
                " large"
            )
        self._file.seek(begin)
        data = self._file.read(size)
        if len(data) != size:
            raise ParquetError("it ends early: it is cut off or damaged")
        return data


class _RowGroup:
    """A group of rows: `rows` is the number of its rows, `size` the size of its columns [bytes]."""

    def __init__(self, plain: object, leaves: dict[str, _Leaf]) -> None:
        if not isinstance(plain, dict):
            raise ParquetError("its metadata has a group of rows that is none: it is damaged")
        self.rows = _field(plain, 3, int)
        self._leaves = leaves
        self._chunks = {}
        self.size = 0
        for column_chunk in _items(plain, 1):
            chunk = _field(column_chunk, 3, dict)
            self.size += max(_field(chunk, 7, int, 0), 0)
            path = [part for part in _items(chunk, 3) if isinstance(part, bytes)]
            self._chunks[path[0].decode("utf-8", "replace") if path else ""] = chunk

    def chunk(self, name: str) -> dict[int, Any]:
        """Metadata of the column with this name; raises ParquetError if there is none."""
        if name not in self._leaves or name not in self._chunks:
            raise ParquetError(f"it has no column '{name}' of numbers: it has {', '.join(self._leaves)}")
        chunk: dict[int, Any] = self._chunks[name]
        return chunk

    def per_row(self, name: str) -> int:
        """Number of numbers that a column has in each row; raises ParquetError if rows differ."""
        count = _field(self.chunk(name), 5, int)
        if self.rows <= 0 or count <= 0 or count % self.rows:
            raise ParquetError(
                f"column '{name}' has {count} numbers in {self.rows} rows: expected equally many in each"
            )
        return int(count // self.rows)


def _footer(file: BinaryIO) -> dict[int, Any]:
    """The metadata at the end of a Parquet file."""
    end = file.seek(0, 2)
    if end < 12:
        raise ParquetError("it has no end of a Parquet file: it is cut off, or none")
    file.seek(end - 8)
    tail = file.read(8)
    size = int.from_bytes(tail[:4], "little")
    if tail[4:] != MAGIC:
        raise ParquetError(
            "it has no end of a Parquet file: it is cut off, or none (a file of Git LFS is a pointer until it"
            " is pulled)"
        )
    if size > min(end - 12, LONGEST_FOOTER):
        raise ParquetError(
            f"its metadata announce {size} bytes, and {min(end - 12, LONGEST_FOOTER)} can be read: it is"
            " damaged"
        )
    file.seek(end - 8 - size)
    return CompactReader(file.read(size)).struct()


def _leaves(schema: list[Any]) -> Iterator[tuple[str, _Leaf]]:
    """Columns of numbers by name: plain ones, and lists of numbers."""
    if not schema or not all(isinstance(element, dict) for element in schema):
        raise ParquetError("its metadata have no schema: it is damaged")
    at = 1
    while at < len(schema):
        name, repeats, defines, depth = _field(schema[at], 4, bytes).decode("utf-8", "replace"), 0, 0, 0
        is_list = True
        # a list is a chain of elements with one child each, and has the name of the outermost; each repeated
        # element adds a repetition level, each optional or repeated one a definition level
        while True:
            repetition, children = _field(schema[at], 3, int, REQUIRED), _field(schema[at], 5, int, 0)
            repeats, defines = repeats + (repetition == REPEATED), defines + (repetition != REQUIRED)
            if children != 1 or at + 1 >= len(schema):
                break
            at, depth = at + 1, depth + 1
        # a structure with several fields is no list, and its descendants are no columns of the table
        if children:
            at = _last_descendant(schema, at)
            is_list = False
        kind = _field(schema[at], 1, int, -1) if at < len(schema) else -1
        if is_list and kind in FORMATS and repeats < MOST_LEVELS and depth <= MOST_LEVELS:
            yield name, _Leaf(kind, repeats, defines)
        at += 1


def _last_descendant(schema: list[Any], at: int) -> int:
    """Index of the last descendant of the schema element with the index `at`; schemas are flattened depth
    first.
    """
    remaining = _field(schema[at], 5, int, 0)
    while remaining > 0 and at + 1 < len(schema):
        at += 1
        remaining += _field(schema[at], 5, int, 0) - 1
    return at


def _split(
    page: dict[int, Any], codec: int, data: bytes, size: int, leaf: _Leaf
) -> tuple[tuple[list[int], list[int]], bytes, int]:
    """((repetition levels, definition levels), encoded values, value of the format's enumeration Encoding) of
    a page of version 1.
    """
    reader, count = CompactReader(decompressed(codec, data, size)), _field(page, 1, int)
    levels = []
    for highest in (leaf.repeats, leaf.defines):
        level_reader = (
            CompactReader(reader.take(int.from_bytes(reader.take(4), "little"))) if highest else None
        )
        levels.append(runs(level_reader, highest.bit_length(), count) if level_reader is not None else [])
    return (levels[0], levels[1]), reader.data[reader.at :], _field(page, 2, int)


def _split_v2(
    page: dict[int, Any], codec: int, data: bytes, size: int, leaf: _Leaf
) -> tuple[tuple[list[int], list[int]], bytes, int]:
    """As `_split`, for a page of version 2, whose levels are never compressed."""
    reader, count = CompactReader(data), _field(page, 1, int)
    levels, lengths = [], [_field(page, k, int, 0) for k in (6, 5)]
    for highest, length in zip((leaf.repeats, leaf.defines), lengths, strict=True):
        level_reader = CompactReader(reader.take(length))
        levels.append(runs(level_reader, highest.bit_length(), count) if highest else [])
    page_codec = codec if page.get(7, True) is not False else UNCOMPRESSED
    body = decompressed(page_codec, data[reader.at :], size - sum(lengths)) if len(data) > reader.at else b""
    return (levels[0], levels[1]), body, _field(page, 4, int)


def _check_levels(
    levels: tuple[list[int], list[int]], leaf: _Leaf, count: int, before: int, size: int, name: str
) -> None:
    """Check the levels of a page: no number is missing, and each row has the same count of numbers.

    Args:
        levels: Repetition levels and definition levels of the page's `count` numbers. The highest
            definition level marks a number that exists; repetition level 0 marks the first number of a
            row.
        leaf: The column.
        count: Number of numbers in the page.
        before: Number of numbers of the column in earlier pages.
        size: Expected count of numbers in a row.
        name: Name of the column, for messages.

    Raises:
        ParquetError: A number is missing, or rows have different counts of numbers.
    """
    if leaf.defines and levels[1].count(leaf.defines) != count:
        raise ParquetError(f"column '{name}' has rows without a number: it is damaged, or no motion")
    first_in_row = levels[0][-before % size :: size]
    if leaf.repeats and not first_in_row.count(0) == len(first_in_row) == levels[0].count(0):
        raise ParquetError(f"column '{name}' has lists of different lengths: expected {size} numbers in each")


def _check_size(size: int, count: int, name: str) -> None:
    """Raise if a page announces more bytes than its numbers can have, before it is decompressed."""
    if size > MOST_FOR_NUMBER * count + MOST_BESIDE:
        raise ParquetError(f"a page of '{name}' announces {size} bytes for {count} numbers: it is damaged")


def _values(
    encoding: int, kind: int, data: bytes, count: int, dictionary: array[float] | None
) -> array[float]:
    """The `count` numbers of a page, from their encoded values; `kind` as in `_Leaf`."""
    if encoding == PLAIN:
        return plain(kind, data, count)
    if encoding not in (PLAIN_DICTIONARY, RLE_DICTIONARY):
        raise ParquetError(
            f"its numbers have the encoding {encoding}: write it with plain or dictionary encoding"
        )
    entry_indices = indices(data, count)
    if dictionary is None or max(entry_indices) >= len(dictionary):
        raise ParquetError("a page refers to numbers that its dictionary does not have: it is damaged")
    return array(dictionary.typecode, map(dictionary.__getitem__, entry_indices))


_NONE: Any = object()


def _field(fields: Any, number: int, kind: type, default: Any = _NONE) -> Any:
    """A field of metadata by its number; `default` if it is missing. Raises ParquetError if it is not of the
    type `kind`, or if it is missing and there is no default.
    """
    value = fields.get(number, default) if isinstance(fields, dict) else default
    if (
        value is _NONE
        or (not isinstance(value, kind) and value is not default)
        or (kind is int and isinstance(value, bool))
    ):
        raise ParquetError(f"its metadata lack field {number}: it is damaged")
    return value


def _items(fields: dict[int, Any], number: int) -> list[Any]:
    """A field of metadata with a list; raises ParquetError as `_field`."""
    entries: list[Any] = _field(fields, number, list)
    return entries
