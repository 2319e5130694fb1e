"""Feetech STS and Dynamixel X servos as their manuals describe them: bytes in, bytes out, at times that they are told.

Independent of Limber's codecs on purpose: nothing here is imported from the extension, so that both would have to be wrong in the same way.
"""

import math
from dataclasses import dataclass, field

TOP_SPEED = 3000.0  # [steps/s] 45 rpm
STEP = 0.005  # [s] of the simulation


@dataclass
class Servo:
    """One servo: a table of registers, and a horn that turns toward its goal while it has torque."""

    number: int
    position: float
    table: bytearray = field(default_factory=lambda: bytearray(256))
    silent: bool = False  # its cable is off
    refuses: bool = False  # it answers reads with an error and nothing else
    stuck: bool = False  # something blocks the horn
    error: int = 0  # what it says of its own hardware
    heard_at: float = 0.0
    moves: list[float] = field(default_factory=list)  # every position that the horn has had


class Bus:
    """Servos on one wire.

    Attributes:
        servos: By id.
        forgets_after: Silence on the line after which servos drop a message that has begun [s]; infinite: they wait for its end for ever.
    """

    TORQUE: int

    def __init__(self, places: dict[int, float]) -> None:
        self.servos = {number: self.make(number, place) for number, place in places.items()}
        self.now = 0.0
        self.forgets_after = math.inf
        self._heard_at = 0.0
        self._pending = bytearray()

    def make(self, number: int, place: float) -> Servo:
        raise NotImplementedError

    def goal(self, servo: Servo) -> float:
        raise NotImplementedError

    def refresh(self, servo: Servo) -> None:
        """Write what is measured into the table."""
        raise NotImplementedError

    def speed(self, servo: Servo) -> float:
        raise NotImplementedError

    def next_frame(self) -> bytes | None:
        """The next whole, undamaged frame, cut off the pending bytes."""
        raise NotImplementedError

    def obey(self, frame: bytes) -> bytes:
        raise NotImplementedError

    def on_time(self, servo: Servo) -> None:
        """What a servo does by itself as time passes."""

    def hear(self, data: bytes, now: float) -> bytes:
        """What the servos answer to `data`, which came at `now` [s]."""
        while self.now < now:
            dt = min(STEP, now - self.now)
            self.now += dt
            for servo in self.servos.values():
                self.on_time(servo)
                self._turn(servo, dt)
        for servo in self.servos.values():
            self.refresh(servo)
        if self.now - self._heard_at > self.forgets_after:
            self._pending.clear()
        if data:
            self._heard_at = self.now
        self._pending += data
        said = b""
        while (frame := self.next_frame()) is not None:
            for servo in self.servos.values():
                servo.heard_at = self.now
            said += self.obey(frame)
        return said

    def has_torque(self, number: int) -> bool:
        return self.servos[number].table[self.TORQUE] == 1

    def _turn(self, servo: Servo, dt: float) -> None:
        if servo.table[self.TORQUE] == 1 and not servo.stuck:
            way = self.goal(servo) - servo.position
            most = min(TOP_SPEED, self.speed(servo)) * dt
            servo.position += math.copysign(min(abs(way), most), way)
        if not servo.moves or servo.moves[-1] != servo.position:
            servo.moves.append(servo.position)


class StsBus(Bus):
    """Feetech STS3215 servos."""

    TORQUE = 40

    def make(self, number: int, place: float) -> Servo:
        servo = Servo(number, place)
        servo.table[0:9] = bytes((3, 10, 0, 9, 3, number, 0, 250, 1))
        servo.table[55] = 1
        servo.table[62:64] = bytes((120, 30))
        self.refresh(servo)
        return servo

    def goal(self, servo: Servo) -> float:
        raw = servo.table[42] | servo.table[43] << 8
        return -(raw & 0x7FFF) if raw & 0x8000 else raw

    def speed(self, servo: Servo) -> float:
        return servo.table[46] | (servo.table[47] & 0x7F) << 8 or math.inf

    def refresh(self, servo: Servo) -> None:
        steps = round(servo.position)
        raw = abs(steps) | (0x8000 if steps < 0 else 0)
        servo.table[56], servo.table[57] = raw & 0xFF, raw >> 8
        servo.table[65] = servo.error

    def next_frame(self) -> bytes | None:
        while len(self._pending) >= 6:
            length = self._pending[3]
            if self._pending[:2] != b"\xff\xff" or self._pending[2] == 0xFF or length < 2:
                del self._pending[0]
                continue
            if len(self._pending) < 4 + length:
                return None
            frame = bytes(self._pending[: 4 + length])
            if (sum(frame[2:-1]) + frame[-1]) % 256 == 255:
                del self._pending[: len(frame)]
                return frame
            del self._pending[0]
        return None

    def obey(self, frame: bytes) -> bytes:
        number, instruction, rest = frame[2], frame[4], frame[5:-1]
        if instruction == 0x83:
            start, size = rest[0], rest[1]
            for at in range(2, len(rest), size + 1):
                self._write(rest[at], start, rest[at + 1 : at + 1 + size])
            return b""
        if instruction == 0x82:
            return b"".join(self._answer(one, self._read(one, rest[0], rest[1])) for one in rest[2:])
        answer = b""
        for one in [number] if number != 0xFE else list(self.servos):
            data = b""
            if instruction == 0x02:
                data = self._read(one, rest[0], rest[1])
            elif instruction == 0x03:
                self._write(one, rest[0], rest[1:])
            elif instruction == 0x08 and one in self.servos:
                self.servos[one].table[self.TORQUE] = 0
            answer += self._answer(one, data) if number != 0xFE else b""
        return answer

    def _read(self, number: int, start: int, size: int) -> bytes:
        return bytes(self.servos[number].table[start : start + size]) if number in self.servos else b""

    def _write(self, number: int, start: int, data: bytes) -> None:
        servo = self.servos.get(number)
        if servo is None or servo.silent or (start < 40 and servo.table[55]):
            return
        servo.table[start : start + len(data)] = data
        if servo.table[self.TORQUE] == 128:
            servo.position, servo.table[self.TORQUE] = 2048.0, 0
        if servo.table[5] != number:
            servo.number = servo.table[5]
            self.servos[servo.number] = self.servos.pop(number)

    def _answer(self, number: int, data: bytes) -> bytes:
        if number not in self.servos or self.servos[number].silent:
            return b""
        body = bytes((number, len(data) + 2, self.servos[number].error)) + data
        return b"\xff\xff" + body + bytes((255 - sum(body) % 256,))


class DynamixelBus(Bus):
    """Dynamixel XL330-M288 servos."""

    TORQUE = 64

    def make(self, number: int, place: float) -> Servo:
        servo = Servo(number, place)
        servo.table[0:2], servo.table[6:8] = (1200).to_bytes(2, "little"), bytes((46, number))
        servo.table[11] = 3
        servo.table[144:147] = bytes((120, 0, 30))
        self.refresh(servo)
        return servo

    def goal(self, servo: Servo) -> float:
        return int.from_bytes(servo.table[116:120], "little", signed=True)

    def speed(self, servo: Servo) -> float:
        return int.from_bytes(servo.table[112:116], "little") * 0.229 * 4096 / 60 or math.inf

    def refresh(self, servo: Servo) -> None:
        servo.table[132:136] = round(servo.position).to_bytes(4, "little", signed=True)
        servo.table[70] = servo.error

    def on_time(self, servo: Servo) -> None:
        limit = servo.table[98]
        if 0 < limit < 128 and servo.table[self.TORQUE] == 1 and self.now - servo.heard_at > limit * 0.02:
            servo.table[98] = 0xFF
            servo.table[116:120] = round(servo.position).to_bytes(4, "little", signed=True)

    def next_frame(self) -> bytes | None:
        while len(self._pending) >= 10:
            length = 7 + int.from_bytes(self._pending[5:7], "little")
            if self._pending[:4] != b"\xff\xff\xfd\x00" or length > 1024:
                del self._pending[0]
                continue
            if len(self._pending) < length:
                return None
            frame = bytes(self._pending[:length])
            if _crc(frame[:-2]) == int.from_bytes(frame[-2:], "little"):
                del self._pending[:length]
                return frame
            del self._pending[0]
        return None

    def obey(self, frame: bytes) -> bytes:
        number, instruction, rest = frame[4], frame[7], _unstuffed(frame[7:-2])[1:]
        word = lambda at: int.from_bytes(rest[at : at + 2], "little")  # noqa: E731
        if instruction == 0x83:
            start, size = word(0), word(2)
            for at in range(4, len(rest), size + 1):
                self._write(rest[at], start, rest[at + 1 : at + 1 + size])
            return b""
        if instruction == 0x82:
            return b"".join(self._answer(one, self._read(one, word(0), word(2))) for one in rest[4:])
        if instruction == 0x8A:
            return self._shared(rest[4:], word(0), word(2))
        answer = b""
        for one in [number] if number != 0xFE else sorted(self.servos):
            if one not in self.servos:
                continue
            data, code = b"", 0
            if instruction == 0x01:
                data = bytes(self.servos[one].table[0:2]) + bytes(self.servos[one].table[6:7])
            elif instruction == 0x02:
                data = self._read(one, word(0), word(2))
            elif instruction == 0x03:
                code = self._write(one, word(0), rest[2:])
            elif instruction == 0x08:
                servo = self.servos[one]
                servo.table[64:132] = bytes(68)
                servo.error = 0
            else:
                code = 2
            answer += self._answer(one, data, code) if number != 0xFE or instruction == 0x01 else b""
        return answer

    def _read(self, number: int, start: int, size: int) -> bytes:
        return bytes(self.servos[number].table[start : start + size]) if number in self.servos else b""

    def _write(self, number: int, start: int, data: bytes) -> int:
        servo = self.servos.get(number)
        if servo is None or servo.silent:
            return 0
        if start < 64 and servo.table[self.TORQUE]:
            return 7
        if start == 116:
            if servo.table[98] == 0xFF:
                return 7
            if servo.table[11] == 3 and not 0 <= int.from_bytes(data, "little", signed=True) <= 4095:
                return 6
        servo.table[start : start + len(data)] = data
        if servo.table[7] != number:
            servo.number = servo.table[7]
            self.servos[servo.number] = self.servos.pop(number)
        return 0

    def _answer(self, number: int, data: bytes, code: int = 0) -> bytes:
        if number not in self.servos or self.servos[number].silent:
            return b""
        code = 1 if self.servos[number].refuses and data else code
        body = _stuffed(bytes((0x55, self._error(number) | code)) + (b"" if code else data))
        frame = b"\xff\xff\xfd\x00" + bytes((number,)) + (len(body) + 2).to_bytes(2, "little") + body
        return frame + _crc(frame).to_bytes(2, "little")

    def _shared(self, numbers: bytes, start: int, size: int) -> bytes:
        """A fast sync read's answer; behind a silent servo no other one speaks."""
        frame = b"\xff\xff\xfd\x00\xfe" + (1 + len(numbers) * (size + 4)).to_bytes(2, "little") + b"\x55"
        for at, number in enumerate(numbers):
            if number not in self.servos or self.servos[number].silent:
                return frame if at else b""
            frame += bytes((self._error(number), number)) + self._read(number, start, size)
            frame += _crc(frame).to_bytes(2, "little")
        return frame

    def _error(self, number: int) -> int:
        return 0x80 if self.servos[number].error else 0


def _crc_of_byte(byte: int) -> int:
    """Bit by bit."""
    crc = 0
    for bit in range(7, -1, -1):
        high = crc >> 15 & 1 ^ byte >> bit & 1
        crc = crc << 1 & 0xFFFF ^ (0x8005 if high else 0)
    return crc


_CRC = [_crc_of_byte(byte) for byte in range(256)]


def _crc(data: bytes) -> int:
    crc = 0
    for byte in data:
        crc = crc << 8 & 0xFFFF ^ _CRC[crc >> 8 ^ byte]
    return crc


def _stuffed(body: bytes) -> bytes:
    out = bytearray()
    for byte in body:
        out.append(byte)
        if out[-3:] == b"\xff\xff\xfd":
            out.append(0xFD)
    return bytes(out)


def _unstuffed(body: bytes) -> bytes:
    out, at = bytearray(), 0
    while at < len(body):
        out.append(body[at])
        at += 2 if out[-3:] == b"\xff\xff\xfd" and body[at + 1 : at + 2] == b"\xfd" else 1
    return bytes(out)
