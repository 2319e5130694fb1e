"""Finds frames in a stream of bytes that comes in any pieces, and goes on behind damage. Knows no Blender."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .interface import KEPT, Problem, ProblemKind


@dataclass(frozen=True, slots=True)
class Wait:
    """The bytes may begin a frame; more must come."""


@dataclass(frozen=True, slots=True)
class Skip:
    """The first `count` bytes, at least 1, begin no frame."""

    count: int


@dataclass(frozen=True, slots=True)
class Whole:
    """The first `length` bytes are a frame."""

    length: int


@dataclass(frozen=True, slots=True)
class Broken:
    """The first `length` bytes look like a frame and are none; `text` says why."""

    length: int
    kind: ProblemKind
    text: str


Look = Callable[[bytearray], Wait | Skip | Whole | Broken]


class Stream:
    """Cuts frames out of bytes.

    A look at the first bytes says what they are. Behind a broken frame the search goes on from its second byte, so that a good frame behind
    a bad one is not lost. Noise is told once, when the frame behind it has come or the line is silent; so what is told does not depend
    on how the bytes were cut.

    Args:
        look: Says what the first of at least one byte are; must depend on nothing else but what stays until `give_up`.
    """

    def __init__(self, look: Look) -> None:
        self.pending = bytearray()
        self._look = look
        self._noise = bytearray()  # the first of it
        self._noise_count = 0
        self.dropped = 0  # bytes that belonged to no whole frame
        self._told = 0  # of the pending bytes, so many were told of as a broken frame

    def feed(self, data: bytes) -> list[bytes | Problem]:
        """Frames and problems that `data` completes, in order."""
        self.pending += data
        found: list[bytes | Problem] = []
        while self.pending:
            match self._look(self.pending):
                case Wait():
                    break
                case Skip(count):
                    self._drop(count)
                case Whole(length):
                    found += self._tell_noise()
                    found.append(bytes(self.pending[:length]))
                    del self.pending[:length]
                    self._told = max(0, self._told - length)
                case Broken(length, kind, text):
                    found += self._tell_noise()
                    found.append(Problem(kind, text, bytes(self.pending[: min(length, KEPT)])))
                    self._told = max(self._told, length)
                    self._drop(1)
        return found

    def give_up(self) -> list[bytes | Problem]:
        """The line is silent: what is pending is no frame; frames that hide in it are found."""
        found: list[bytes | Problem] = []
        while self.pending:
            self._drop(1)
            found += self.feed(b"")
        return found + self._tell_noise()

    def forget(self) -> None:
        """Drop all that is pending, untold."""
        self.pending.clear()
        self._noise.clear()
        self._noise_count = self._told = 0

    def _drop(self, count: int) -> None:
        count = min(count, len(self.pending))
        self.dropped += count
        told = min(self._told, count)
        self._noise += self.pending[told : min(count, told + KEPT)]
        del self._noise[KEPT:]
        self._noise_count += count - told
        self._told -= told
        del self.pending[:count]

    def _tell_noise(self) -> list[bytes | Problem]:
        count, data = self._noise_count, bytes(self._noise)
        self._noise.clear()
        self._noise_count = 0
        return [Problem(ProblemKind.NOISE, f"{count} bytes that belong to no message", data)] if count else []
