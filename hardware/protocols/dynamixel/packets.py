"""The frames of Dynamixel's protocol 2.0: instructions and statuses as bytes and back, with byte stuffing both ways. Knows no Blender.

    FF FF FD 00 id length(2) instruction parameters... CRC(2)         from the host
    FF FF FD 00 id length(2) 55 error data... CRC(2)                  from a servo
    FF FF FD 00 FE length(2) 55 (error id data... CRC(2)) ...         from several servos: fast sync read

Numbers have their low byte first. The length counts what follows it. The CRC covers all before it. Where FF FF FD turns up between length
and CRC another FD follows it (stuffing; length and CRC count it), so that a header begins a frame and nothing else does. A shared frame is
not stuffed, and each servo's CRC covers all before it, the other servos' answers too.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..bus.instructions import BROADCAST, BulkRead, BulkWrite, Instruction, Ping, Read, Reboot, Status, SyncRead, SyncWrite, Write
from ..interface import ProtocolError, Trouble
from ..stream import Broken, Skip, Wait, Whole

MARK = b"\xff\xff\xfd"
HEADER = MARK + b"\x00"
HIGHEST_ID = 0xFC
LONGEST = 1024  # bytes of a frame: the buffer of ROBOTIS' own libraries
HEAD = 7  # bytes up to the length's end
SHORTEST = HEAD + 3  # an instruction and a CRC
AROUND_STATUS = HEAD + 4  # bytes of a status around its data: instruction, error, CRC
AROUND_SHARE = 4  # bytes around one servo's data in a shared frame: error, id, CRC
BODY = 8  # where an instruction's parameters, or a status' error, begin

PING, READ, WRITE, REBOOT, STATUS = 0x01, 0x02, 0x03, 0x08, 0x55
SYNC_READ, SYNC_WRITE, FAST_SYNC_READ, BULK_READ, BULK_WRITE = 0x82, 0x83, 0x8A, 0x92, 0x93


def _table() -> tuple[int, ...]:
    """CRC-16 of each byte: polynomial 0x8005, nothing reflected."""
    values = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x8005 if crc & 0x8000 else crc << 1) & 0xFFFF
        values.append(crc)
    return tuple(values)


_CRC = _table()


def crc16(data: bytes | bytearray) -> int:
    """The CRC of the protocol: 0xFEE8 for b"123456789"."""
    crc = 0
    for byte in data:
        crc = (crc << 8 & 0xFFFF) ^ _CRC[crc >> 8 ^ byte]
    return crc


def stuff(body: bytes) -> bytes:
    """What stands between length and CRC, so that no header is in it."""
    return body.replace(MARK, MARK + b"\xfd")


def unstuff(body: bytes) -> bytes:
    """The inverse of `stuff`."""
    return body.replace(MARK + b"\xfd", MARK)


class Packets:
    """The framing, see `bus.framing`."""

    longest = LONGEST

    def status_length(self, size: int) -> int:
        """Bytes of the longest answer with `size` bytes of data: every third of them may be stuffed."""
        return AROUND_STATUS + size + (size + 1) // 3

    def shared_length(self, servos: int, size: int) -> int:
        """Bytes of a frame that several servos share."""
        return BODY + servos * (size + AROUND_SHARE)

    def encode(self, instruction: Instruction) -> bytes:
        """The frame of an instruction.

        Raises:
            ProtocolError: A field does not fit.
        """
        match instruction:
            case Ping(servo):
                return _frame(servo, PING, b"")
            case Read(servo, start, size):
                return _frame(servo, READ, _words("address and size", start, size))
            case Write(servo, start, data):
                return _frame(servo, WRITE, _words("address", start) + data)
            case Reboot(servo):
                return _frame(servo, REBOOT, b"")
            case SyncRead(start, size, servos, fast):
                ids = b"".join(_id(servo) for servo in servos)
                return _frame(BROADCAST, FAST_SYNC_READ if fast else SYNC_READ, _words("address and size", start, size) + ids)
            case SyncWrite(start, items):
                sizes = {len(data) for _, data in items}
                if len(sizes) != 1:
                    raise ProtocolError(f"A sync write of data of the lengths {sorted(sizes)}; all servos get the same registers")
                body = b"".join(_id(servo) + data for servo, data in items)
                return _frame(BROADCAST, SYNC_WRITE, _words("address and size", start, sizes.pop()) + body)
            case BulkRead(reads):
                return _frame(BROADCAST, BULK_READ, b"".join(_id(servo) + _words("address and size", *span) for servo, *span in reads))
            case BulkWrite(writes):
                parts = [_id(servo) + _words("address and size", start, len(data)) + data for servo, start, data in writes]
                return _frame(BROADCAST, BULK_WRITE, b"".join(parts))

    def encode_status(self, status: Status) -> bytes:
        """The frame of a servo's answer."""
        return _frame(status.servo, STATUS, _byte("error", status.error) + status.data)

    def encode_shared(self, statuses: Sequence[Status]) -> bytes:
        """The frame that several servos share, all with as many bytes of data."""
        length = self.shared_length(len(statuses), len(statuses[0].data)) - HEAD
        frame = HEADER + _byte("id", BROADCAST) + length.to_bytes(2, "little") + _byte("instruction", STATUS)
        for status in statuses:
            frame += _byte("error", status.error) + _id(status.servo) + status.data
            frame += crc16(frame).to_bytes(2, "little")
        return frame

    def look(self, pending: bytearray, longest: int) -> Wait | Skip | Whole | Broken:
        """What the first bytes are. Where a header stands in the middle of a frame, the frame was cut off there."""
        begins = min(len(pending), len(HEADER))
        if pending[:begins] != HEADER[:begins]:
            return Skip(_next_header(pending))
        if len(pending) < HEAD:
            return Wait()
        length = HEAD + int.from_bytes(pending[5:7], "little")
        if not SHORTEST <= length <= longest or pending[4] in (0xFD, 0xFF):
            return Skip(1)
        if len(pending) > BODY - 1 and not (pending[4] == BROADCAST and pending[7] == STATUS):  # a shared frame is not stuffed
            cut = pending.find(HEADER, HEAD, length - 2)
            if cut > 0:
                return Broken(cut, Trouble.DAMAGED, f"A message of {length} bytes that ended after {cut}")
        if len(pending) < length:
            return Wait()
        found = int.from_bytes(pending[length - 2 : length], "little")
        expected = crc16(pending[: length - 2])
        if found == expected:
            return Whole(length)
        return Broken(length, Trouble.DAMAGED, f"A message with the CRC {found:#06x}; its bytes give {expected:#06x}")

    def instruction(self, frame: bytes) -> Instruction | None:
        """What a whole frame orders."""
        servo, code, body = frame[4], frame[7], unstuff(frame[BODY:-2])
        match code:
            case 0x01 if not body:
                return Ping(servo)
            case 0x02 if len(body) == 4:
                return Read(servo, _word(body, 0), _word(body, 2))
            case 0x03 if len(body) > 2:
                return Write(servo, _word(body, 0), body[2:])
            case 0x08 if not body:
                return Reboot(servo)
            case 0x82 | 0x8A if len(body) > 4:
                return SyncRead(_word(body, 0), _word(body, 2), tuple(body[4:]), code == FAST_SYNC_READ)
            case 0x83 if len(body) > 4:
                return _sync_write(body)
            case 0x92 if body and not len(body) % 5:
                return BulkRead(tuple((body[at], _word(body, at + 1), _word(body, at + 3)) for at in range(0, len(body), 5)))
            case 0x93:
                return _bulk_write(body)
        return None

    def statuses(self, frame: bytes, size: int) -> Sequence[Status] | None:
        """The answers in a whole frame."""
        if frame[7] != STATUS:
            return None
        if frame[4] == BROADCAST:
            shares = _shares(frame, size)
            return shares if shares and self.shared_length(len(shares), size) == len(frame) else None
        body = unstuff(frame[BODY:-2])
        return (Status(frame[4], body[0], body[1:]),) if body else None

    def rescue(self, pending: bytes, servos: Sequence[int], size: int) -> Sequence[Status]:
        """The answers at the beginning of a shared frame that are whole and come from whom was asked, in that order."""
        if pending[:5] != HEADER + bytes((BROADCAST,)) or pending[7:8] != bytes((STATUS,)):
            return ()
        if HEAD + int.from_bytes(pending[5:7], "little") != self.shared_length(len(servos), size):
            return ()
        shares = _shares(pending, size)
        agree = 0
        while agree < min(len(shares), len(servos)) and shares[agree].servo == servos[agree]:
            agree += 1
        return shares[:agree]


def _shares(frame: bytes, size: int) -> list[Status]:
    """The answers in a shared frame, up to the first whose CRC is wrong."""
    shares = []
    at = BODY
    while at + AROUND_SHARE + size <= len(frame):
        end = at + 2 + size
        if crc16(frame[:end]) != _word(frame, end):
            break
        shares.append(Status(frame[at + 1], frame[at], frame[at + 2 : end]))
        at = end + 2
    return shares


def _next_header(pending: bytearray) -> int:
    """Where, from the second byte on, a header begins, or may begin at the end."""
    at = pending.find(HEADER, 1)
    if at > 0:
        return at
    for length in (3, 2, 1):
        if len(pending) > length and pending.endswith(HEADER[:length]):
            return len(pending) - length
    return len(pending)


def _sync_write(body: bytes) -> SyncWrite | None:
    start, size, rest = _word(body, 0), _word(body, 2), body[4:]
    if not size or len(rest) % (size + 1):
        return None
    return SyncWrite(start, tuple((rest[at], rest[at + 1 : at + 1 + size]) for at in range(0, len(rest), size + 1)))


def _bulk_write(body: bytes) -> BulkWrite | None:
    items = []
    while body:
        if len(body) < 5 or len(body) < 5 + _word(body, 3):
            return None
        end = 5 + _word(body, 3)
        items.append((body[0], _word(body, 1), body[5:end]))
        body = body[end:]
    return BulkWrite(tuple(items)) if items else None


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")


def _frame(servo: int, instruction: int, parameters: bytes) -> bytes:
    body = stuff(bytes((instruction,)) + parameters)
    if SHORTEST - 1 + len(body) > LONGEST:
        raise ProtocolError(f"A message of {SHORTEST - 1 + len(body)} bytes; at most {LONGEST} fit, so address fewer servos at once")
    frame = HEADER + _id(servo, broadcast=True) + (len(body) + 2).to_bytes(2, "little") + body
    return frame + crc16(frame).to_bytes(2, "little")


def _id(servo: int, broadcast: bool = False) -> bytes:
    if not 0 <= servo <= HIGHEST_ID and not (broadcast and servo == BROADCAST):
        raise ProtocolError(f"Servo {servo} does not exist; ids go from 0 to {HIGHEST_ID}")
    return bytes((servo,))


def _byte(what: str, value: int) -> bytes:
    if not 0 <= value <= 0xFF:
        raise ProtocolError(f"{what}: {value}; it is one byte, 0 to 255")
    return bytes((value,))


def _words(what: str, *values: int) -> bytes:
    if not all(0 <= value <= 0xFFFF for value in values):
        raise ProtocolError(f"{what}: {', '.join(map(str, values))}; each is 0 to 65535")
    return b"".join(value.to_bytes(2, "little") for value in values)
