"""Frames of Limber's own protocol: a message wrapped in length, sequence number and CRC, and found again among noise. Knows no Blender."""

from binascii import crc_hqx

from .messages import Frame, Message, ProtocolError
from .payloads import decode_payload, encode_payload, whole

START = 0xA5
HEADER = 5  # bytes before the payload: start, length, its complement, kind, sequence
TRAILER = 2  # bytes after it: the CRC
MAX_PAYLOAD = 112  # bytes: a report with both lists for 24 channels is 105


def crc16(data: bytes) -> int:
    """CRC-16/IBM-3740 (polynomial 0x1021, initial 0xFFFF, not reflected): 0x29B1 for b"123456789"."""
    return crc_hqx(data, 0xFFFF)


def encode(message: Message, sequence: int = 0) -> bytes:
    """One frame.

    Raises:
        ProtocolError: a field does not fit its place on the wire.
    """
    return encode_raw(*encode_payload(message), sequence)


def encode_raw(kind: int, payload: bytes, sequence: int = 0) -> bytes:
    """One frame around any payload: for tests and for versions to come.

    Raises:
        ProtocolError: `kind` or `sequence` is no byte, or `payload` is longer than MAX_PAYLOAD.
    """
    if len(payload) > MAX_PAYLOAD:
        raise ProtocolError(f"a payload of {len(payload)} bytes; at most {MAX_PAYLOAD} fit a frame")
    body = bytes((len(payload), len(payload) ^ 0xFF, whole("kind", kind, 0xFF), whole("sequence", sequence, 0xFF))) + payload
    return bytes((START,)) + body + crc16(body).to_bytes(TRAILER, "big")


class Decoder:
    """Finds frames in a stream of bytes, in either direction; never raises and never keeps more than one frame's length.

    After noise or a damaged frame it looks for a frame from the very next byte on, so a good frame behind a bad one is not lost.
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        self.noise = 0  # bytes that belonged to no frame
        self.bad_frames = 0  # frames with a good header and a bad CRC

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that `data` completes, in order."""
        self._pending += data
        frames = []
        while (length := self._frame_length()) and len(self._pending) >= length:
            candidate = bytes(self._pending[:length])
            if crc16(candidate[1:]) == 0:  # the CRC over a body and its own CRC
                frames.append(Frame(candidate[4], decode_payload(candidate[3], candidate[HEADER:-TRAILER])))
                del self._pending[:length]
            else:
                self.bad_frames += 1
                self._skip(1)
        return frames

    def give_up(self) -> list[Frame]:
        """Tells the decoder that the line has fallen silent, so that what is pending is no frame; returns frames hidden in it."""
        frames = []
        while self._pending:
            self._skip(1)
            frames += self.feed(b"")
        return frames

    def _frame_length(self) -> int:
        """The length of the frame that the pending bytes begin with, 0 while it is not known; drops what begins no frame."""
        while self._pending:
            start = self._pending.find(START)
            self._skip(len(self._pending) if start < 0 else start)
            if len(self._pending) < 3:
                return 0
            length = self._pending[1]
            if length <= MAX_PAYLOAD and self._pending[2] == length ^ 0xFF:
                return HEADER + length + TRAILER
            self._skip(1)
        return 0

    def _skip(self, count: int) -> None:
        self.noise += count
        del self._pending[:count]
