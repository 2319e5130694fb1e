"""Values and levels in a Parquet page: plain, runs and packed bits, indices of a dictionary.

Source: apache/parquet-format, Encodings.md.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Sequence
from typing import Any

from .compact import CompactReader, varint
from .errors import ParquetError

PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY = 0, 2, 3, 8  # values of the format's enumeration Encoding
# the format's enumeration Type (INT32, INT64, FLOAT, DOUBLE) -> code for `struct`
FORMATS = {1: "i", 2: "q", 4: "f", 5: "d"}
# the format's enumeration Type -> type code of an array of decoded numbers
ARRAYS = {kind: "d" if letter in "fd" else "q" for kind, letter in FORMATS.items()}
WIDEST = 32  # largest width [bits] of an index or level


def plain(kind: int, data: bytes, count: int) -> array[float]:
    """Decode `count` numbers in plain encoding; `kind` is the number of their Parquet type."""
    letter = FORMATS[kind]
    size = struct.calcsize(f"<{letter}")
    if not 0 <= count * size <= len(data):
        raise ParquetError(
            f"a page has {len(data) // size} numbers, and {count} are announced: it is damaged"
        )
    numbers: array[Any] = array(letter, data[: count * size])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers if letter == ARRAYS[kind] else array(ARRAYS[kind], numbers)


def indices(data: bytes, count: int) -> list[int]:
    """Decode `count` indices into a dictionary: the first byte has their width in bits, then runs follow."""
    return runs(CompactReader(data, 1), data[0] if data else 0, count)


def runs(reader: CompactReader, width: int, count: int) -> list[int]:
    """Decode `count` numbers of `width` bits from runs of equal numbers and packed groups of eight."""
    if width > WIDEST:
        raise ParquetError(f"a page has numbers of {width} bits: it is damaged")
    numbers: list[int] = []
    mask, shifts = (1 << width) - 1, range(0, 8 * width, width) if width else (0,) * 8
    while len(numbers) < count:
        head = reader.varint()
        if not head & 1:
            value = int.from_bytes(reader.take((width + 7) // 8), "little")
            numbers += [value] * min(head >> 1, count - len(numbers))
            if not head:
                raise ParquetError("a page has a run of no length: it is damaged")
            continue
        groups = min(head >> 1, (count - len(numbers) + 7) // 8)
        if not groups:
            raise ParquetError("a page has no packed numbers where some are announced: it is damaged")
        for _ in range(groups):
            group_bits = int.from_bytes(reader.take(width), "little")
            numbers += [group_bits >> shift & mask for shift in shifts]
    return numbers[:count]


def packed(values: Sequence[int]) -> bytes:
    """Encode numbers of one bit each as packed groups of eight, in the form that `runs` reads."""
    groups = [values[k : k + 8] for k in range(0, len(values), 8)]
    return varint(len(groups) << 1 | 1) + bytes(
        sum(value << k for k, value in enumerate(group)) for group in groups
    )


def run(value: int, count: int) -> bytes:
    """Encode a number of at most 8 bits, `count` times."""
    return varint(count << 1) + bytes((value,))
