"""Feetech STS3215 servos, simulated from Feetech's memory table."""

import math

from .bus import TOP_SPEED, TURN, Bus, Servo

LOWEST, HIGHEST, MAX_TORQUE, PHASE, GAIN, OFFSET, MODE = 9, 11, 16, 18, 21, 31, 33
WEAKENED, OVERLOAD_TIME, OVERLOAD = (
    34,
    35,
    36,
)  # remaining strength of an overloaded servo [%], after which time [10 ms], at which load [%]
GOAL, TIME, SPEED, TORQUE_LIMIT, LOCK, CURRENT = 42, 44, 46, 48, 55, 69
STEP_MODE = 3
STALL_CURRENT = 415  # in units of 6.5 mA
FULL_ANGLE = 0x10  # bit of the phase register: positions continue beyond one revolution
MIDDLE = 128  # value for the torque register: the current position becomes step 2048


class StsBus(Bus):
    """STS3215 servos on one wire.

    In position mode goals are clamped to the angle limits, unless both are 0: then several revolutions are
    possible. A speed of 0 is no limit. The offset (sign bit 11) is subtracted from the sensor's value. While
    the lock is closed, values written to the EEPROM have an effect, but are lost with power.
    """

    TORQUE = 40
    EEPROM = 40

    def factory(self, servo: Servo) -> None:
        servo.table[0:9] = bytes((3, 10, 0, 9, 3, servo.number, 0, 250, 1))
        self.put(servo, HIGHEST, TURN - 1)
        self.put(servo, MAX_TORQUE, 1000)
        servo.table[PHASE] = 12
        servo.table[GAIN : GAIN + 2] = bytes((32, 32))
        servo.table[WEAKENED : OVERLOAD + 1] = bytes((20, 200, 80))

    def start(self, servo: Servo) -> None:
        servo.table[62:64] = bytes((120, 30))
        servo.table[LOCK] = 1
        self.put(servo, TORQUE_LIMIT, self.number(servo, MAX_TORQUE))
        servo.counted_from = TURN * math.floor(servo.position / TURN)
        self.put(servo, GOAL, _signed(round(self.reading(servo)), 15))

    def reading(self, servo: Servo) -> float:
        place = servo.position - servo.counted_from
        if servo.table[OFFSET] or servo.table[OFFSET + 1]:
            place -= _magnitude(self.number(servo, OFFSET), 11)
        return (
            place
            if self._is_multi_turn(servo) or servo.table[PHASE] & FULL_ANGLE
            else (place + 0.5) % TURN - 0.5
        )

    def goal(self, servo: Servo) -> float:
        goal = _magnitude(servo.table[GOAL] | servo.table[GOAL + 1] << 8, 15)
        return (
            goal
            if self._is_multi_turn(servo)
            else min(max(goal, self.number(servo, LOWEST)), self.number(servo, HIGHEST))
        )

    def refresh(self, servo: Servo) -> None:
        self.put(servo, 56, _signed(round(self.reading(servo)), 15))
        self.put(servo, 58, _signed(round(servo.velocity), 15))
        self.put(servo, 60, _signed(self.load(servo), 10))
        servo.table[65] = servo.error
        self.put(servo, CURRENT, round(STALL_CURRENT * abs(self.load(servo)) / 1000))
        servo.table[66] = int(abs(servo.velocity) > 1.0)

    def way(self, servo: Servo, dt: float) -> float:
        speed = _magnitude(servo.table[SPEED] | servo.table[SPEED + 1] << 8, 15)
        match servo.table[MODE]:
            case 0:  # position mode
                return self._toward(servo, self.goal(servo), abs(speed) or TOP_SPEED, dt)
            case 1:  # wheel mode
                return speed * dt
            case 2:  # PWM mode
                return TOP_SPEED * _magnitude(self.number(servo, TIME), 10) / 1000.0 * dt
            case 3:  # step mode
                step = math.copysign(
                    min(abs(servo.steps_left), (abs(speed) or TOP_SPEED) * dt), servo.steps_left
                )
                servo.steps_left -= step
                return step
        return 0.0

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
                self.restart(one)
            answer += self._answer(one, data) if number != 0xFE or instruction == 0x01 else b""
        return answer

    def _write(self, number: int, start: int, data: bytes) -> None:
        servo = self.servos.get(number)
        if servo is None or servo.silent:
            return
        servo.table[start : start + len(data)] = data
        if not servo.table[LOCK]:
            servo.kept = bytes(servo.table[: self.EEPROM])
        if servo.table[MODE] == STEP_MODE and start < TORQUE_LIMIT and start + len(data) > GOAL:
            servo.steps_left = _magnitude(self.number(servo, GOAL), 15)
        if servo.table[self.TORQUE] == MIDDLE:
            self._take_for_middle(servo)
        if servo.table[5] != number:
            servo.number = servo.table[5]
            self.servos[servo.number] = self.servos.pop(number)

    def _take_for_middle(self, servo: Servo) -> None:
        offset = round(servo.position - servo.counted_from) % TURN - TURN // 2
        self.put(servo, OFFSET, _signed(max(offset, 1 - TURN // 2), 11))
        servo.kept = bytes(servo.table[: self.EEPROM])
        servo.table[self.TORQUE] = 0

    def _answer(self, number: int, data: bytes) -> bytes:
        if number not in self.servos or self.servos[number].silent:
            return b""
        body = bytes((number, len(data) + 2, self.servos[number].error)) + data
        return b"\xff\xff" + body + bytes((255 - sum(body) % 256,))

    def _is_multi_turn(self, servo: Servo) -> bool:
        return servo.table[LOWEST : HIGHEST + 2] == b"\x00\x00\x00\x00"


def _magnitude(raw: int, sign_bit: int) -> int:
    """A number whose sign is a separate bit."""
    size = raw & ((1 << sign_bit) - 1)
    return -size if raw >> sign_bit & 1 else size


def _signed(number: int, sign_bit: int) -> int:
    """The inverse of `_magnitude`."""
    return abs(number) & ((1 << sign_bit) - 1) | (1 << sign_bit if number < 0 else 0)
