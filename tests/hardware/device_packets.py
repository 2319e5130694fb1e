"""The servos' side of both bus protocols: decoding of instructions, and frames of answers."""

from limber.hardware.protocols.bus.instructions import (
    Instruction,
    Ping,
    Read,
    StatusPacket,
    SyncRead,
    SyncWrite,
    Write,
)
from limber.hardware.protocols.dynamixel import packets as dynamixel
from limber.hardware.protocols.feetech import packets as feetech


class DynamixelDevice(dynamixel.DynamixelPackets):
    """Encoder and decoder of a Dynamixel servo's frames."""

    def encode_status(self, status: StatusPacket) -> bytes:
        """The frame of a servo's answer."""
        return self.frame(status.servo, dynamixel.STATUS, bytes((status.error,)) + status.data)

    def instruction(self, frame: bytes) -> Instruction | None:
        """Instruction of a complete frame; None for a status, or an instruction that Limber never sends."""
        servo, code, body = frame[4], frame[7], dynamixel.unstuff(frame[8:-2])
        return _instruction(servo, code, body, 2)


class FeetechDevice(feetech.FeetechPackets):
    """Encoder and decoder of a Feetech servo's frames."""

    def encode_status(self, status: StatusPacket) -> bytes:
        """The frame of a servo's answer."""
        return self.frame(status.servo, status.error, status.data)

    def instruction(self, frame: bytes) -> Instruction | None:
        """Instruction of a complete frame; None for an instruction that Limber never sends."""
        return _instruction(frame[2], frame[4], frame[5:-1], 1)


def _instruction(servo: int, code: int, body: bytes, width: int) -> Instruction | None:
    """An instruction whose addresses and sizes have `width` bytes, the low byte first."""
    start, size, rest = (
        int.from_bytes(body[:width], "little"),
        int.from_bytes(body[width : 2 * width], "little"),
        body[2 * width :],
    )
    match code:
        case 0x01 if not body:
            return Ping(servo)
        case 0x02 if len(body) == 2 * width:
            return Read(servo, start, size)
        case 0x03 if len(body) > width:
            return Write(servo, start, body[width:])
        case 0x82 if rest:
            return SyncRead(start, size, tuple(rest))
        case 0x83 if rest and size and not len(rest) % (size + 1):
            return SyncWrite(
                start, tuple((rest[at], rest[at + 1 : at + 1 + size]) for at in range(0, len(rest), size + 1))
            )
    return None
