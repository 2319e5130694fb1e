"""Thrift's compact protocol, in which a Parquet file stores its metadata.

A structure is read as a dict from field numbers to values: booleans, numbers, bytes, lists and structures.

Source: Apache Thrift, doc/specs/thrift-compact-protocol.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import ParquetError

# codes of the types in Thrift's compact protocol
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
DEEPEST = 12  # largest nesting of structures and lists that is read; Parquet's own metadata have six levels
LONGEST_VARINT = 10  # largest number of bytes of a varint of 64 bits


class CompactReader:
    """Reads consecutive values in Thrift's compact protocol from bytes.

    Attributes:
        at: Position of the next byte.

    Raises:
        ParquetError: The bytes end early, or are no structure in Thrift's compact protocol.
    """

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Read a structure: values by field number."""
        fields: dict[int, Any] = {}
        field = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            field = field + step if step else self._signed()
            fields[field] = kind == TRUE if kind in (TRUE, FALSE) else self._value(kind, depth)
        return fields

    def varint(self) -> int:
        """Read an unsigned number."""
        value = 0
        for k in range(LONGEST_VARINT):
            byte = self._byte()
            value |= (byte & 0x7F) << 7 * k
            if byte < 0x80 and value < 1 << 64:
                return value
        raise ParquetError("a number in it is longer than 64 bits: it is damaged")

    def take(self, count: int) -> bytes:
        """Read the next `count` bytes."""
        if count < 0 or self.at + count > len(self.data):
            raise ParquetError("it ends early: it is cut off or damaged")
        self.at += count
        return self.data[self.at - count : self.at]

    def _byte(self) -> int:
        return self.take(1)[0]

    def _signed(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def _value(self, kind: int, depth: int) -> Any:
        if depth > DEEPEST:
            raise ParquetError(
                f"its metadata are nested deeper than {DEEPEST} structures and lists: it is damaged"
            )
        # a boolean in a list has a byte of its own; that of a field is in the field's type
        if kind in (TRUE, FALSE):
            return self._byte() == TRUE
        if kind in (BYTE, I16, I32, I64):
            return self._byte() if kind == BYTE else self._signed()
        if kind == DOUBLE:
            return self.take(8)
        if kind == BINARY:
            return self.take(self.varint())
        if kind in (LIST, SET):
            # the first byte has the count in its upper four bits; 15: the count follows as a varint
            head = self._byte()
            count = self.varint() if head >> 4 == 15 else head >> 4
            return [self._value(head & 15, depth + 1) for _ in self._counted(count)]
        if kind == STRUCT:
            return self.struct(depth + 1)
        raise ParquetError(f"its metadata has a value of the kind {kind}: it is damaged")

    def _counted(self, count: int) -> range:
        """range(count) for a list's elements; raises ParquetError if there are more than remaining bytes,
        since each has at least one.
        """
        if count > len(self.data) - self.at:
            raise ParquetError("a list in its metadata is longer than the file: it is damaged")
        return range(count)


@dataclass(frozen=True, slots=True)
class Long:
    """An integer to be written as i64; plain integers are written as i32."""

    value: int


def struct(fields: Mapping[int, Any]) -> bytes:
    """Encode a structure; fields that are None are left out."""
    encoded, last = bytearray(), 0
    for field, value in sorted(fields.items()):
        if value is None:
            continue
        kind = (TRUE if value else FALSE) if isinstance(value, bool) else _kind(value)
        encoded.append((field - last) << 4 | kind)
        encoded += b"" if isinstance(value, bool) else _encoded(value)
        last = field
    return bytes(encoded + b"\0")


def varint(value: int) -> bytes:
    """An unsigned number as bytes of 7 bits each, the lowest first (ULEB128)."""
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*encoded, value))


def _kind(value: Any) -> int:
    if isinstance(value, Mapping):
        return STRUCT
    return {int: I32, Long: I64, bytes: BINARY, str: BINARY, list: LIST}[type(value)]


def _encoded(value: Any) -> bytes:
    if isinstance(value, Mapping):
        return struct(value)
    if isinstance(value, list):
        return _list(value)
    if isinstance(value, str | bytes):
        data = value.encode("utf-8") if isinstance(value, str) else value
        return varint(len(data)) + data
    number = value.value if isinstance(value, Long) else value
    return varint(number << 1 if number >= 0 else -2 * number - 1)


def _list(values: list[Any]) -> bytes:
    kind = _kind(values[0]) if values else STRUCT
    head = (
        bytes((len(values) << 4 | kind,)) if len(values) < 15 else bytes((0xF0 | kind,)) + varint(len(values))
    )
    return head + b"".join(map(_encoded, values))
