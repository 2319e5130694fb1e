"""A log in the shared memory, in one direction, of which all messages are read, and not only the newest. If
more than `LOGGED` wait, the reader learns that some are lost, and receives none of them.
"""

from __future__ import annotations

import struct
import zlib

# number of stored messages: more than a person or a script gives in a step of the worker
LOGGED = 16

_COUNTER = struct.Struct("<Q")
_CHECK = struct.Struct("<I")


class MessageLog:
    """A log of the last `LOGGED` messages, each of which is read once, in order, unless it is overwritten
    before that.

    One process writes, another reads; neither ever waits. A message has its number and a checksum over both:
    one that is still being written is read by the next call.

    Args:
        memory: The whole shared memory, writable.
        offset: Start of the log in the memory [bytes].
        size: Length of every message [bytes].
    """

    def __init__(self, memory: memoryview, offset: int, size: int) -> None:
        self._memory = memory
        self._offset = offset
        self._body = _COUNTER.size + size
        self._slot = self._body + _CHECK.size
        self._written = 0
        self._seen = 0

    @staticmethod
    def length(size: int) -> int:
        """Size in memory of a log for messages of `size` bytes [bytes]."""
        return LOGGED * (_COUNTER.size + size + _CHECK.size)

    def write(self, message: bytes) -> None:
        """Append `message` (size,)."""
        self._written += 1
        body = _COUNTER.pack(self._written) + message
        if len(body) != self._body:
            raise ValueError(f"a message of {len(message)} bytes in a log for {self._body - _COUNTER.size}")
        start = self._start(self._written)
        self._memory[start : start + self._slot] = body + _CHECK.pack(zlib.crc32(body))

    def read(self) -> list[bytes] | None:
        """Messages since the last call, oldest first; None if some were overwritten before they were read.
        The others are then dropped too.
        """
        messages: list[bytes] = []
        while (entry := self._at(self._seen + 1)) is not None:
            number, message = entry
            if number > self._seen + 1:
                entries = (self._at(k) for k in range(LOGGED))
                self._seen = max(entry[0] for entry in entries if entry is not None)
                return None
            self._seen = number
            messages.append(message)
        return messages

    def _start(self, number: int) -> int:
        return self._offset + number % LOGGED * self._slot

    def _at(self, number: int) -> tuple[int, bytes] | None:
        """(number, content) of the message that is in the slot of message `number`, which may be a later one;
        None if it is being written, or older.
        """
        start = self._start(number)
        stored: int = _COUNTER.unpack_from(self._memory, start)[0]
        if stored < number:
            return None
        slot = bytes(self._memory[start : start + self._slot])
        body = slot[: self._body]
        return (
            (stored, body[_COUNTER.size :]) if slot[self._body :] == _CHECK.pack(zlib.crc32(body)) else None
        )
