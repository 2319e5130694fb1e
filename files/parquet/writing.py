"""Writing of a small Parquet file: one group of rows, plain, not compressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from struct import pack
from typing import Any, Literal

from .compact import Long, struct
from .compression import PLAIN as UNCOMPRESSED
from .encodings import FORMATS, PLAIN, RLE, packed, run
from .reading import DATA, MAGIC, OPTIONAL, REPEATED, REQUIRED

BYTE_ARRAY = 6  # value of the format's enumeration Type
UTF8, LIST = 0, 3  # values of the format's enumeration ConvertedType
KINDS = {"int64": 2, "float32": 4}  # values of the format's enumeration Type
CREATED_BY = "Limber"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of numbers: `rows` has a number for each row or, if `is_list`, a list; all lists are equally
    long.
    """

    name: str
    kind: Literal["int64", "float32"]
    rows: Sequence[Any]
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Texts:
    """A column of texts: `rows` has one text in each row, or a list with one."""

    name: str
    rows: Sequence[str]
    is_list: bool = False


def encode(columns: Sequence[Column | Texts], metadata: Mapping[str, str] | None = None) -> bytes:
    """The bytes of a Parquet file.

    Args:
        columns: At least one column, all with the same number of rows, one or more.
        metadata: Texts by name for the file's key-value metadata.
    """
    count = len(columns[0].rows)
    data, chunks = bytearray(MAGIC), []
    for column in columns:
        page = _page(column)
        chunks.append({2: Long(len(data)), 3: _chunk(column, len(data), len(page))})
        data += page
    schema = [{4: "schema", 5: len(columns)}, *(element for column in columns for element in _schema(column))]
    size = Long(len(data) - len(MAGIC))
    footer = {1: 2, 2: schema, 3: Long(count), 4: [{1: chunks, 2: size, 3: Long(count)}], 6: CREATED_BY}
    if metadata:
        footer[5] = [{1: name, 2: text} for name, text in metadata.items()]
    tail = struct(footer)
    return bytes(data) + tail + len(tail).to_bytes(4, "little") + MAGIC


def _schema(column: Column | Texts) -> list[dict[int, Any]]:
    """Elements of the schema. A list has the three levels of the format's LogicalTypes.md."""
    kind: dict[int, Any] = {1: KINDS[column.kind]} if isinstance(column, Column) else {1: BYTE_ARRAY, 6: UTF8}
    if not column.is_list:
        return [kind | {3: REQUIRED, 4: column.name}]
    return [
        {3: OPTIONAL, 4: column.name, 5: 1, 6: LIST},
        {3: REPEATED, 4: "list", 5: 1},
        kind | {3: OPTIONAL, 4: "element"},
    ]


def _chunk(column: Column | Texts, at: int, size: int) -> dict[int, Any]:
    """Metadata of a column whose page has `size` bytes and begins at the offset `at` [bytes] of the file."""
    kind = KINDS[column.kind] if isinstance(column, Column) else BYTE_ARRAY
    path = [column.name, "list", "element"] if column.is_list else [column.name]
    metadata: dict[int, Any] = {
        1: kind,
        2: [PLAIN, RLE],
        3: path,
        4: UNCOMPRESSED,
        5: Long(len(_flat(column))),
        6: Long(size),
        7: Long(size),
        9: Long(at),
    }
    if isinstance(column, Column) and column.kind == "int64":
        low, high = (pack("<q", end) for end in (min(column.rows), max(column.rows)))
        metadata[12] = {3: Long(0), 5: high, 6: low}
    return metadata


def _page(column: Column | Texts) -> bytes:
    """The page with all values of a column, with its header."""
    flat = _flat(column)
    if isinstance(column, Column):
        body = pack(f"<{len(flat)}{FORMATS[KINDS[column.kind]]}", *flat)
    else:
        texts = [text.encode("utf-8") for text in flat]
        body = b"".join(len(text).to_bytes(4, "little") + text for text in texts)
    if column.is_list:
        size = len(flat) // len(column.rows)
        repeats = packed([int(k % size > 0) for k in range(len(flat))])
        body = (
            b"".join(len(levels).to_bytes(4, "little") + levels for levels in (repeats, run(3, len(flat))))
            + body
        )
    header = {1: DATA, 2: len(body), 3: len(body), 5: {1: len(flat), 2: PLAIN, 3: RLE, 4: RLE}}
    return struct(header) + body


def _flat(column: Column | Texts) -> list[Any]:
    """The values of a column, those of lists one after the other."""
    if isinstance(column, Column) and column.is_list:
        return [number for row in column.rows for number in row]
    return list(column.rows)
