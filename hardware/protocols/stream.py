"""Finds frames in a stream of bytes that arrives in pieces, and recovers after damage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .interface import KEPT, Problem, ProblemKind


@dataclass(frozen=True, slots=True)
class Wait:
    """The bytes may be the beginning of a frame; more are needed."""


@dataclass(frozen=True, slots=True)
class Skip:
    """The first `count` bytes, at least 1, are not the beginning of a frame."""

    count: int


@dataclass(frozen=True, slots=True)
class Whole:
    """The first `length` bytes are a valid frame."""

    length: int


@dataclass(frozen=True, slots=True)
class Broken:
    """The first `length` bytes look like a frame but are invalid; `text` says why."""

    length: int
    kind: ProblemKind
    text: str


Look = Callable[[bytearray], Wait | Skip | Whole | Broken]


class Stream:
    """Splits a stream of bytes into frames.

    A function classifies the first bytes. After an invalid frame the search continues from its second byte,
    so that a valid frame after it is not lost. Noise is reported once, before the frame that follows it or at
    a timeout, so that reports do not depend on how the bytes were split.

    Args:
        look: Classifies the beginning of at least one byte; until `give_up` it must give the same result for
            the same bytes.
    """

    def __init__(self, look: Look) -> None:
        self.pending = bytearray()
        self._look = look
        self._noise = bytearray()  # first bytes of the noise not reported yet
        self._noise_count = 0
        self.dropped = 0  # number of bytes that belonged to no valid frame
        self._reported = 0  # number of pending bytes that were already reported as an invalid frame

    def feed(self, data: bytes) -> list[bytes | Problem]:
        """Frames and problems that `data` completes, in order."""
        self.pending += data
        frames: list[bytes | Problem] = []
        while self.pending:
            match self._look(self.pending):
                case Wait():
                    break
                case Skip(count):
                    self._drop(count)
                case Whole(length):
                    frames += self._tell_noise()
                    frames.append(bytes(self.pending[:length]))
                    del self.pending[:length]
                    self._reported = max(0, self._reported - length)
                case Broken(length, kind, text):
                    frames += self._tell_noise()
                    frames.append(Problem(kind, text, bytes(self.pending[: min(length, KEPT)])))
                    self._reported = max(self._reported, length)
                    self._drop(1)
        return frames

    def give_up(self) -> list[bytes | Problem]:
        """Handle a timeout: pending bytes are no frame; frames found inside them are returned."""
        frames: list[bytes | Problem] = []
        while self.pending:
            self._drop(1)
            frames += self.feed(b"")
        return frames + self._tell_noise()

    def forget(self) -> None:
        """Drop all pending bytes without reporting them."""
        self.pending.clear()
        self._noise.clear()
        self._noise_count = self._reported = 0

    def _drop(self, count: int) -> None:
        count = min(count, len(self.pending))
        self.dropped += count
        already_reported = min(self._reported, count)
        self._noise += self.pending[already_reported : min(count, already_reported + KEPT)]
        del self._noise[KEPT:]
        self._noise_count += count - already_reported
        self._reported -= already_reported
        del self.pending[:count]

    def _tell_noise(self) -> list[bytes | Problem]:
        count, data = self._noise_count, bytes(self._noise)
        self._noise.clear()
        self._noise_count = 0
        return [Problem(ProblemKind.NOISE, f"{count} bytes that belong to no message", data)] if count else []
