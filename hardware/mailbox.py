"""A mailbox in shared memory: messages of fixed length, of which the newest counts."""

from __future__ import annotations

import struct
import zlib

_COUNTER = struct.Struct("<Q")
_CHECK = struct.Struct("<I")
_READS = (
    4  # times a reader tries: a writer that overtakes it once takes some 10 us, at most 200 times a second
)


class Mailbox:
    """A single-message mailbox.

    One process writes, another reads; neither ever waits. Two slots alternate, so the newest message stays
    readable while the next is written. A slot carries its sequence number and a checksum over everything: a
    torn read is noticed whatever the machine's memory order, and read again.

    Args:
        memory: The whole shared memory, writable.
        offset: Start of the mailbox in the memory [bytes].
        size: Length of every message [bytes].
    """

    def __init__(self, memory: memoryview, offset: int, size: int) -> None:
        slot = _COUNTER.size + size + _CHECK.size
        self._memory = memory
        self._counter = offset
        self._slots = (offset + _COUNTER.size, offset + _COUNTER.size + slot)
        self._body = _COUNTER.size + size
        self._slot = slot
        self._size = size
        self._written = 0
        self._seen = 0
        self._newest: bytes | None = None

    @staticmethod
    def length(size: int) -> int:
        """Size in memory of a mailbox for messages of `size` bytes [bytes]."""
        return _COUNTER.size + 2 * (_COUNTER.size + size + _CHECK.size)

    @property
    def count(self) -> int:
        """Number of messages that were written."""
        return int(_COUNTER.unpack_from(self._memory, self._counter)[0])

    def write(self, message: bytes) -> None:
        """Replace the message by `message` (size,)."""
        if len(message) != self._size:
            raise ValueError(f"a message of {len(message)} bytes in a mailbox for {self._size}")
        self._written += 1
        body = _COUNTER.pack(self._written) + message
        start = self._slots[self._written & 1]
        self._memory[start : start + self._slot] = body + _CHECK.pack(zlib.crc32(body))
        self._memory[self._counter : self._counter + _COUNTER.size] = body[: _COUNTER.size]

    def read(self) -> bytes | None:
        """The newest complete message; None before the first. If the writer was faster in every attempt, the
        last message read.
        """
        for _ in range(_READS):
            counter = bytes(self._memory[self._counter : self._counter + _COUNTER.size])
            number = _COUNTER.unpack(counter)[0]
            if number == self._seen:
                return self._newest
            start = self._slots[number & 1]
            slot = bytes(self._memory[start : start + self._slot])
            body = slot[: self._body]
            if slot[: _COUNTER.size] == counter and slot[self._body :] == _CHECK.pack(zlib.crc32(body)):
                self._seen = number
                self._newest = body[_COUNTER.size :]
                return self._newest
        return self._newest
