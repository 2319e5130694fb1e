"""The interface of a bus protocol's frame format, as `BusCodec` and `BusDecoder` use it. Knows no Blender."""

from __future__ import annotations

from typing import Protocol

from ..stream import Broken, Skip, Wait, Whole
from .instructions import Instruction, Status


class Framing(Protocol):
    """Encodes instructions and decodes statuses; stateless."""

    @property
    def longest(self) -> int:
        """Length of the longest frame [bytes]."""

    def status_length(self, size: int) -> int:
        """Length of the longest frame of one servo's answer with `size` bytes of data [bytes]."""

    def encode(self, instruction: Instruction) -> bytes:
        """The frame of an instruction. Raises ProtocolError."""

    def look(self, pending: bytearray, longest: int) -> Wait | Skip | Whole | Broken:
        """What the first bytes are, given that no frame is longer than `longest` bytes."""

    def status(self, frame: bytes) -> Status | None:
        """The answer in a complete frame; None where it holds none."""
