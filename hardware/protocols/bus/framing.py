"""What a bus protocol must say of its bytes so that `BusCodec` and `BusDecoder` can use it. Knows no Blender."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..stream import Broken, Skip, Wait, Whole
from .instructions import Instruction, Status


class Framing(Protocol):
    """Instructions and statuses as bytes and back; all of it free of state."""

    @property
    def longest(self) -> int:
        """Bytes of the longest frame."""

    def status_length(self, size: int) -> int:
        """Bytes of the longest frame of one servo's answer with `size` bytes of data."""

    def shared_length(self, servos: int, size: int) -> int:
        """Bytes of a frame that several servos share, `size` bytes of data each."""

    def encode(self, instruction: Instruction) -> bytes:
        """The frame of an instruction. Raises ProtocolError."""

    def encode_status(self, status: Status) -> bytes:
        """The frame of a servo's answer. Raises ProtocolError."""

    def look(self, pending: bytearray, longest: int) -> Wait | Skip | Whole | Broken:
        """What the first bytes are, where no frame is longer than `longest` bytes."""

    def instruction(self, frame: bytes) -> Instruction | None:
        """What a whole frame orders; None where it is a status or no instruction that is known."""

    def statuses(self, frame: bytes, size: int) -> Sequence[Status] | None:
        """The answers in a whole frame, each with `size` bytes of data where several share it; None where it holds none."""

    def rescue(self, pending: bytes, servos: Sequence[int], size: int) -> Sequence[Status]:
        """The whole answers at the beginning of a shared frame that ended too early, because a servo in the middle was silent."""
