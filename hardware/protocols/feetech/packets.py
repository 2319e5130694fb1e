"""Frames of Feetech's bus servos: encoding and decoding.

    FF FF id length instruction parameters... checksum        from the host
    FF FF id length error parameters... checksum              from a servo

The length counts the bytes after it; the checksum is the sum of the bytes from the id on, with all bits
inverted. Only the direction distinguishes instructions from answers.
"""

from __future__ import annotations

from ..bus.framing import Framing
from ..bus.instructions import StatusPacket
from ..interface import ProblemKind, ProtocolError
from ..stream import Broken, Skip, Wait, Whole

HEADER = b"\xff\xff"
HIGHEST_ID = 0xFD
LONGEST = 250  # [bytes] longest frame: the buffer of Feetech's own libraries
SHORTEST = 6  # [bytes] frame without parameters
AROUND_STATUS = 6  # [bytes] status without its data: header, id, length, error, checksum


def checksum(body: bytes | bytearray) -> int:
    """Checksum over the bytes between header and checksum."""
    return ~sum(body) & 0xFF


class FeetechPackets(Framing):
    """Feetech's implementation of `bus.framing.Framing`."""

    longest = LONGEST
    highest_id = HIGHEST_ID

    def status_length(self, size: int) -> int:
        """Length of an answer with `size` bytes of data [bytes]."""
        return AROUND_STATUS + size

    def frame(self, servo: int, code: int, parameters: bytes) -> bytes:
        self._check_length(SHORTEST + len(parameters))
        body = (
            self._ids((servo,), or_broadcast=True)
            + self.numbers("code", len(parameters) + 2, code)
            + parameters
        )
        return HEADER + body + bytes((checksum(body),))

    def numbers(self, what: str, *values: int) -> bytes:
        if not all(0 <= value <= 0xFF for value in values):
            raise ProtocolError(f"{what}: {', '.join(map(str, values))}; each is one byte, 0 to 255")
        return bytes(values)

    def look(self, pending: bytearray, longest: int) -> Wait | Skip | Whole | Broken:
        """Classification of the first bytes received: part of a frame, a frame, a damaged frame, or none."""
        start = pending.find(HEADER)
        if start != 0:
            keep = start < 0 and pending[-1] == HEADER[0]
            return Wait() if keep and len(pending) == 1 else Skip(start if start > 0 else len(pending) - keep)
        if len(pending) > 2 and pending[2] == 0xFF:
            return Skip(1)  # the header begins one byte later
        if len(pending) > 3 and not SHORTEST <= pending[3] + 4 <= longest:
            return Skip(1)
        if len(pending) < 4 or len(pending) < pending[3] + 4:
            return Wait()
        length = pending[3] + 4
        expected = checksum(pending[2 : length - 1])
        if pending[length - 1] == expected:
            return Whole(length)
        return Broken(
            length,
            ProblemKind.DAMAGED,
            f"A message with the checksum {pending[length - 1]:#04x}; its bytes give {expected:#04x}",
        )

    def status(self, frame: bytes) -> StatusPacket | None:
        """The servo's answer in a complete frame; None if the frame is no answer."""
        return StatusPacket(frame[2], frame[4], frame[5:-1])
