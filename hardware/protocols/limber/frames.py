"""Frames of Limber's own protocol: length, sequence number and CRC around a message. Knows no Blender."""

from binascii import crc_hqx

from ..interface import Problem, ProblemKind
from ..stream import Broken, Skip, Stream, Wait, Whole
from .messages import Frame, Message, ProtocolError
from .payloads import decode_payload, encode_payload, whole

START = 0xA5
KIND_AT, SEQUENCE_AT = 3, 4
HEADER = 5  # bytes before the payload: start, length, its complement, kind, sequence
TRAILER = 2  # bytes after it: the CRC
MAX_PAYLOAD = 112  # bytes: a report with both lists for 24 channels is 105


def crc16(data: bytes) -> int:
    """CRC-16/IBM-3740 (polynomial 0x1021, initial 0xFFFF, not reflected): 0x29B1 for b"123456789"."""
    return crc_hqx(data, 0xFFFF)


def encode(message: Message, sequence: int = 0) -> bytes:
    """The frame of a message.

    Raises:
        ProtocolError: a field does not fit its size on the wire.
    """
    return encode_raw(*encode_payload(message), sequence)


def encode_raw(kind: int, payload: bytes, sequence: int = 0) -> bytes:
    """A frame around any payload, for tests and later versions.

    Raises:
        ProtocolError: `kind` or `sequence` is no byte, or `payload` is longer than MAX_PAYLOAD.
    """
    if len(payload) > MAX_PAYLOAD:
        raise ProtocolError(f"a payload of {len(payload)} bytes; at most {MAX_PAYLOAD} fit a frame")
    body = bytes((len(payload), len(payload) ^ 0xFF, whole("kind", kind, 0xFF), whole("sequence", sequence, 0xFF))) + payload
    return bytes((START,)) + body + crc16(body).to_bytes(TRAILER, "big")


def look(pending: bytearray) -> Wait | Skip | Whole | Broken:
    """What the first bytes are: part of a frame, a frame, a damaged one, or none."""
    start = pending.find(START)
    if start:
        return Skip(len(pending) if start < 0 else start)
    if len(pending) < 3:
        return Wait()
    payload = pending[1]
    if payload > MAX_PAYLOAD or pending[2] != payload ^ 0xFF:
        return Skip(1)
    length = HEADER + payload + TRAILER
    if len(pending) < length:
        return Wait()
    if crc16(bytes(pending[1:length])):  # the CRC over a body and its own CRC is 0
        return Broken(length, ProblemKind.DAMAGED, f"A message of {length} bytes whose CRC is wrong")
    return Whole(length)


class Decoder:
    """Decodes frames from a stream of bytes, in either direction; never raises and never keeps more than one frame's length.

    After noise or a damaged frame it looks for a frame from the very next byte on, so a good frame behind a bad one is not lost.
    """

    def __init__(self) -> None:
        self._stream = Stream(look)
        self.bad_frames = 0  # frames with a good header and a bad CRC

    @property
    def noise(self) -> int:
        """Number of bytes that belonged to no frame."""
        return self._stream.dropped

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that `data` completes, in order."""
        return self._frames(self._stream.feed(data))

    def give_up(self) -> list[Frame]:
        """Call at a timeout: returns frames hidden in the pending bytes, and drops the rest."""
        return self._frames(self._stream.give_up())

    def _frames(self, found: list[bytes | Problem]) -> list[Frame]:
        self.bad_frames += sum(isinstance(item, Problem) and item.kind is ProblemKind.DAMAGED for item in found)
        whole = (item for item in found if isinstance(item, bytes))
        return [Frame(item[SEQUENCE_AT], decode_payload(item[KIND_AT], item[HEADER:-TRAILER])) for item in whole]
