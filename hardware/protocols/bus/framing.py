"""The frame format of a bus protocol: instructions as bytes, statuses from bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from ..interface import ProtocolError
from ..stream import Broken, Skip, Wait, Whole
from .instructions import BROADCAST, Instruction, Ping, Read, StatusPacket, SyncRead, SyncWrite, Write

# codes of the instructions
PING, READ, WRITE, SYNC_READ, SYNC_WRITE = 0x01, 0x02, 0x03, 0x82, 0x83


class Framing(ABC):
    """A frame format; stateless.

    Attributes:
        longest: Length of the longest frame [bytes].
        highest_id: Highest id of a servo.
    """

    longest: int
    highest_id: int

    @abstractmethod
    def status_length(self, size: int) -> int:
        """Length of the longest frame of one servo's answer with `size` bytes of data [bytes]."""

    @abstractmethod
    def frame(self, servo: int, code: int, parameters: bytes) -> bytes:
        """A complete frame with this code and these parameters, of an instruction or a status. Raises
        ProtocolError.
        """

    @abstractmethod
    def numbers(self, what: str, *values: int) -> bytes:
        """Addresses or sizes encoded as bytes; `what` names them in error messages. Raises ProtocolError."""

    @abstractmethod
    def look(self, pending: bytearray, longest: int) -> Wait | Skip | Whole | Broken:
        """Classification of the first bytes received, given that no frame is longer than `longest` bytes."""

    @abstractmethod
    def status(self, frame: bytes) -> StatusPacket | None:
        """The servo's answer in a complete frame; None if the frame is no answer."""

    def encode(self, instruction: Instruction) -> bytes:
        """The frame of an instruction.

        Raises:
            ProtocolError: A field does not fit.
        """
        match instruction:
            case Ping(servo):
                return self.frame(servo, PING, b"")
            case Read(servo, start, size):
                return self.frame(servo, READ, self.numbers("address and size", start, size))
            case Write(servo, start, data):
                return self.frame(servo, WRITE, self.numbers("address", start) + data)
            case SyncRead(start, size, servos):
                return self.frame(
                    BROADCAST, SYNC_READ, self.numbers("address and size", start, size) + self._ids(servos)
                )
            case SyncWrite(start, items):
                body = b"".join(self._ids((servo,)) + data for servo, data in items)
                return self.frame(
                    BROADCAST, SYNC_WRITE, self.numbers("address and size", start, instruction.size) + body
                )

    def _ids(self, servos: Iterable[int], or_broadcast: bool = False) -> bytes:
        """Ids of servos as bytes, with `or_broadcast` also BROADCAST. Raises ProtocolError for other ids."""
        for servo in servos:
            if not 0 <= servo <= self.highest_id and not (or_broadcast and servo == BROADCAST):
                raise ProtocolError(f"Servo {servo} does not exist; ids go from 0 to {self.highest_id}")
        return bytes(servos)

    def _check_length(self, length: int) -> None:
        if length > self.longest:
            raise ProtocolError(
                f"A message of {length} bytes; at most {self.longest} fit, so address fewer servos at once"
            )
