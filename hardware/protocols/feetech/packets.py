"""The frames of Feetech's bus servos: an instruction or a status as bytes and back. Knows no Blender.

    FF FF id length instruction parameters... checksum        from the host
    FF FF id length error parameters... checksum              from a servo

The length counts what follows it; the checksum is the sum from the id on, all bits flipped. Nothing but the direction tells the two apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..bus.instructions import BROADCAST, BulkRead, BulkWrite, Instruction, Ping, Read, Reboot, Status, SyncRead, SyncWrite, Write
from ..interface import ProtocolError, Trouble
from ..stream import Broken, Skip, Wait, Whole

HEADER = b"\xff\xff"
HIGHEST_ID = 0xFD
LONGEST = 250  # bytes of a frame: the buffer of Feetech's own libraries
SHORTEST = 6  # bytes of a frame without parameters
AROUND_STATUS = 6  # bytes of a status around its data: header, id, length, error, checksum

PING, READ, WRITE, REBOOT, SYNC_READ, SYNC_WRITE = 0x01, 0x02, 0x03, 0x08, 0x82, 0x83


def checksum(body: bytes | bytearray) -> int:
    """Of what stands between the header and the checksum."""
    return ~sum(body) & 0xFF


class Packets:
    """The framing, see `bus.framing`."""

    longest = LONGEST

    def status_length(self, size: int) -> int:
        """Bytes of an answer with `size` bytes of data."""
        return AROUND_STATUS + size

    def shared_length(self, servos: int, size: int) -> int:
        """Feetech's servos share no frame: their answers one after the other."""
        return servos * self.status_length(size)

    def encode(self, instruction: Instruction) -> bytes:
        """The frame of an instruction.

        Raises:
            ProtocolError: A field does not fit, or these servos have no such instruction.
        """
        match instruction:
            case Ping(servo):
                return _frame(servo, PING, b"")
            case Read(servo, start, size):
                return _frame(servo, READ, _bytes("address and size", start, size))
            case Write(servo, start, data):
                return _frame(servo, WRITE, _bytes("address", start) + data)
            case Reboot(servo):
                return _frame(servo, REBOOT, b"")
            case SyncRead(start, size, servos, False):
                return _frame(BROADCAST, SYNC_READ, _bytes("address, size and ids", start, size, *servos))
            case SyncWrite(start, items):
                sizes = {len(data) for _, data in items}
                if len(sizes) != 1:
                    raise ProtocolError(f"A sync write of data of the lengths {sorted(sizes)}; all servos get the same registers")
                body = b"".join(_bytes("id", servo) + data for servo, data in items)
                return _frame(BROADCAST, SYNC_WRITE, _bytes("address and size", start, sizes.pop()) + body)
            case BulkRead() | BulkWrite() | SyncRead():
                raise ProtocolError("Feetech's servos know no bulk and no fast instructions; use the plain ones")

    def encode_status(self, status: Status) -> bytes:
        """The frame of a servo's answer."""
        return _frame(status.servo, status.error, status.data)

    def look(self, pending: bytearray, longest: int) -> Wait | Skip | Whole | Broken:
        """What the first bytes are."""
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
        return Broken(length, Trouble.DAMAGED, f"A message with the checksum {pending[length - 1]:#04x}; its bytes give {expected:#04x}")

    def instruction(self, frame: bytes) -> Instruction | None:
        """What a whole frame orders."""
        servo, code, parameters = frame[2], frame[4], frame[5:-1]
        match code:
            case 0x01 if not parameters:
                return Ping(servo)
            case 0x02 if len(parameters) == 2:
                return Read(servo, *parameters)
            case 0x03 if len(parameters) > 1:
                return Write(servo, parameters[0], parameters[1:])
            case 0x08 if not parameters:
                return Reboot(servo)
            case 0x82 if len(parameters) > 2:
                return SyncRead(parameters[0], parameters[1], tuple(parameters[2:]))
            case 0x83 if len(parameters) > 2:
                return _sync_write(parameters)
        return None

    def statuses(self, frame: bytes, size: int) -> Sequence[Status] | None:
        """The answer in a whole frame."""
        return (Status(frame[2], frame[4], frame[5:-1]),)

    def rescue(self, pending: bytes, servos: Sequence[int], size: int) -> Sequence[Status]:
        """Answers share no frame, so none is cut off behind others."""
        return ()


def _sync_write(parameters: bytes) -> SyncWrite | None:
    start, size, body = parameters[0], parameters[1], parameters[2:]
    if not size or len(body) % (size + 1):
        return None
    return SyncWrite(start, tuple((body[at], body[at + 1 : at + 1 + size]) for at in range(0, len(body), size + 1)))


def _frame(servo: int, code: int, parameters: bytes) -> bytes:
    if not 0 <= servo <= HIGHEST_ID and servo != BROADCAST:
        raise ProtocolError(f"Servo {servo} does not exist; ids go from 0 to {HIGHEST_ID}")
    if SHORTEST + len(parameters) > LONGEST:
        raise ProtocolError(f"A message of {SHORTEST + len(parameters)} bytes; at most {LONGEST} fit, so address fewer servos at once")
    body = _bytes("code", servo, len(parameters) + 2, code) + parameters
    return HEADER + body + bytes((checksum(body),))


def _bytes(what: str, *values: int) -> bytes:
    if not all(0 <= value <= 0xFF for value in values):
        raise ProtocolError(f"{what}: {', '.join(map(str, values))}; each is one byte, 0 to 255")
    return bytes(values)
