"""The servos' side of both bus protocols: what their frames order, and the frames of their answers."""

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
    """Dynamixel's frames, both ways."""

    def encode_status(self, status: StatusPacket) -> bytes:
        """The frame of a servo's answer."""
        return self.frame(status.servo, dynamixel.STATUS, bytes((status.error,)) + status.data)

    def instruction(self, frame: bytes) -> Instruction | None:
        """What a whole frame orders; None where it is a status or no instruction that a host of
        ours sends.
        """
        servo, code, body = frame[4], frame[7], dynamixel.unstuff(frame[8:-2])
        return _instruction(servo, code, body, 2)


class FeetechDevice(feetech.FeetechPackets):
    """Feetech's frames, both ways."""

    def encode_status(self, status: StatusPacket) -> bytes:
        """The frame of a servo's answer."""
        return self.frame(status.servo, status.error, status.data)

    def instruction(self, frame: bytes) -> Instruction | None:
        """What a whole frame orders; None where it is no instruction that a host of ours sends."""
        return _instruction(frame[2], frame[4], frame[5:-1], 1)


def _instruction(servo: int, code: int, body: bytes, width: int) -> Instruction | None:
    """An instruction whose addresses and sizes have `width` bytes, low one first."""
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
