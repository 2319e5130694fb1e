"""Frames of Dynamixel's protocol 2.0: encoding and decoding, with byte stuffing.

    FF FF FD 00 id length(2) instruction parameters... CRC(2)         from the host
    FF FF FD 00 id length(2) 55 error data... CRC(2)                  from a servo

Numbers have their low byte first. The length counts the bytes after it. The CRC covers all bytes before it.
If FF FF FD occurs between length and CRC, another FD follows it (stuffing; included in length and CRC), so
that headers occur only at the beginning of a frame.
"""

from __future__ import annotations

from ..bus.framing import Framing
from ..bus.instructions import StatusPacket
from ..interface import ProblemKind, ProtocolError
from ..stream import Broken, Skip, Wait, Whole

MARK = b"\xff\xff\xfd"
HEADER = MARK + b"\x00"
HIGHEST_ID = 0xFC
LONGEST = 1024  # [bytes] longest frame: the buffer of ROBOTIS' own libraries
HEAD = 7  # [bytes] beginning of a frame, up to the end of the length field
SHORTEST = HEAD + 3  # [bytes] shortest frame: with an instruction and a CRC
AROUND_STATUS = HEAD + 4  # [bytes] status without its data: head, instruction, error, CRC
BODY = 8  # index of an instruction's parameters, or of a status' error

STATUS = 0x55  # instruction code of a servo's answer


def _crc_table() -> tuple[int, ...]:
    """CRC-16 of each byte value: polynomial 0x8005, not reflected."""
    values = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x8005 if crc & 0x8000 else crc << 1) & 0xFFFF
        values.append(crc)
    return tuple(values)


_CRC = _crc_table()


def crc16(data: bytes | bytearray) -> int:
    """The CRC of the protocol: 0xFEE8 for b"123456789"."""
    crc = 0
    for byte in data:
        crc = (crc << 8 & 0xFFFF) ^ _CRC[crc >> 8 ^ byte]
    return crc


def stuff(body: bytes) -> bytes:
    """Body of a frame with byte stuffing, so that it contains no header."""
    return body.replace(MARK, MARK + b"\xfd")


def unstuff(body: bytes) -> bytes:
    """Body of a frame without its byte stuffing: the inverse of `stuff`."""
    return body.replace(MARK + b"\xfd", MARK)


class DynamixelPackets(Framing):
    """Dynamixel's implementation of `bus.framing.Framing`."""

    longest = LONGEST
    highest_id = HIGHEST_ID

    def status_length(self, size: int) -> int:
        """Length of the longest answer with `size` bytes of data, every third of which may be stuffed
        [bytes].
        """
        return AROUND_STATUS + size + (size + 1) // 3

    def frame(self, servo: int, code: int, parameters: bytes) -> bytes:
        body = stuff(bytes((code,)) + parameters)
        self._check_length(SHORTEST - 1 + len(body))
        start = HEADER + self._ids((servo,), or_broadcast=True) + (len(body) + 2).to_bytes(2, "little") + body
        return start + crc16(start).to_bytes(2, "little")

    def numbers(self, what: str, *values: int) -> bytes:
        if not all(0 <= value <= 0xFFFF for value in values):
            raise ProtocolError(f"{what}: {', '.join(map(str, values))}; each is 0 to 65535")
        return b"".join(value.to_bytes(2, "little") for value in values)

    def look(self, pending: bytearray, longest: int) -> Wait | Skip | Whole | Broken:
        """Classification of the first bytes received. A header inside a frame shows that the frame was cut
        off there.
        """
        begins = min(len(pending), len(HEADER))
        if pending[:begins] != HEADER[:begins]:
            return Skip(_next_header(pending))
        if len(pending) < HEAD:
            return Wait()
        length = HEAD + int.from_bytes(pending[5:7], "little")
        if not SHORTEST <= length <= longest or pending[4] in (0xFD, 0xFF):
            return Skip(1)
        cut = pending.find(HEADER, HEAD, length - 2)
        if cut > 0:
            return Broken(cut, ProblemKind.DAMAGED, f"A message of {length} bytes that ended after {cut}")
        if len(pending) < length:
            return Wait()
        received_crc = int.from_bytes(pending[length - 2 : length], "little")
        expected = crc16(pending[: length - 2])
        if received_crc == expected:
            return Whole(length)
        return Broken(
            length,
            ProblemKind.DAMAGED,
            f"A message with the CRC {received_crc:#06x}; its bytes give {expected:#06x}",
        )

    def status(self, frame: bytes) -> StatusPacket | None:
        """The servo's answer in a complete frame; None if the frame is no answer."""
        body = unstuff(frame[BODY:-2])
        return StatusPacket(frame[4], body[0], body[1:]) if frame[7] == STATUS and body else None


def _next_header(pending: bytearray) -> int:
    """Index, at least 1, of the next header, or of the beginning of one at the end of the bytes; their number
    if there is neither.
    """
    at = pending.find(HEADER, 1)
    if at > 0:
        return at
    for length in (3, 2, 1):
        if len(pending) > length and pending.endswith(HEADER[:length]):
            return len(pending) - length
    return len(pending)
