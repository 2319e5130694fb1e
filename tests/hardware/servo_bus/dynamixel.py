"""Dynamixel XL330-M288 servos, simulated from ROBOTIS' control table."""

import math

from .bus import TOP_SPEED, TURN, Bus, Servo
from .dynamixel_line import crc, frame_of, stuffed, unstuffed

DRIVE_MODE, MODE, OFFSET, PWM_LIMIT, CURRENT_LIMIT, SPEED_LIMIT, HIGHEST, LOWEST, STARTUP = (
    10,
    11,
    20,
    36,
    38,
    44,
    48,
    52,
    60,
)
WATCHDOG, PWM, CURRENT, VELOCITY, PROFILE_ACCELERATION, PROFILE_VELOCITY, GOAL = (
    98,
    100,
    102,
    104,
    108,
    112,
    116,
)
GAIN, USUAL_GAIN = 84, 400  # register of the position controller's gain, and its usual value
VELOCITY_MODE, POSITION_MODE, PWM_MODE = 1, 3, 16
TAKE_POSITIONS = (POSITION_MODE, 4, 5)  # modes with positions; current mode, 0, has none
TIME_BASED, TORQUE_BY_GOAL = 0x04, 0x08  # bits of the drive mode
GOALS = (PWM, CURRENT, VELOCITY, GOAL)
SPEED_UNIT = 0.229 * TURN / 60  # [steps/s]
FARTHEST_OFFSET = 1024  # largest effective offset [steps] in position mode: a larger one is ignored
FARTHEST = 256 * TURN - 1
TRIPPED = 0xFF
NONE = bytes(4)
RANGE, LIMIT, ACCESS = 4, 6, 7  # error codes


class DynamixelBus(Bus):
    """XL330-M288 servos on one wire.

    In position mode the servo's count returns to a single revolution whenever its torque is switched on;
    goals beyond the position limits are refused. A profile velocity of 0 is no limit. A watchdog that trips
    sets it to 0.
    """

    TORQUE = 64
    EEPROM = 64

    def factory(self, servo: Servo) -> None:
        servo.table[0:2], servo.table[6:8] = (1200).to_bytes(2, "little"), bytes((46, servo.number))
        servo.table[MODE] = POSITION_MODE
        self.put(servo, PWM_LIMIT, 885)
        self.put(servo, CURRENT_LIMIT, 1750)
        self.put(servo, SPEED_LIMIT, 445, 4)
        self.put(servo, HIGHEST, TURN - 1, 4)

    def start(self, servo: Servo) -> None:
        servo.table[144:147] = bytes((120, 0, 30))
        self.put(servo, GAIN, USUAL_GAIN)
        self.put(servo, PWM, self.number(servo, PWM_LIMIT))
        self.put(servo, CURRENT, self.number(servo, CURRENT_LIMIT))
        self._count_anew(servo)
        self.put(servo, GOAL, round(self.reading(servo)), 4)
        servo.table[self.TORQUE] = servo.table[STARTUP] & 1

    def reading(self, servo: Servo) -> float:
        return servo.position - servo.counted_from + self._offset(servo)

    def goal(self, servo: Servo) -> float:
        return int.from_bytes(servo.table[GOAL : GOAL + 4], "little", signed=True)

    def refresh(self, servo: Servo) -> None:
        self.put(servo, 126, self.load(servo))
        self.put(servo, 128, round(servo.velocity / SPEED_UNIT), 4)
        self.put(servo, 132, round(self.reading(servo)), 4)
        servo.table[70] = servo.error
        servo.table[122] = int(abs(servo.velocity) > SPEED_UNIT)

    def way(self, servo: Servo, dt: float) -> float:
        if (mode := servo.table[MODE]) not in TAKE_POSITIONS:
            return self._spin(servo, mode) * dt
        if servo.table[WATCHDOG] == TRIPPED or self.goal(servo) == self.reading(servo):
            return 0.0
        speed = SPEED_UNIT * self.number(servo, PROFILE_VELOCITY, 4) or math.inf
        return self._toward(
            servo,
            self.goal(servo),
            servo.profile_speed if servo.table[DRIVE_MODE] & TIME_BASED else speed,
            dt,
        )

    def _spin(self, servo: Servo, mode: int) -> float:
        """Speed of continuous rotation [steps/s]."""
        if mode == VELOCITY_MODE:
            return SPEED_UNIT * self.number(servo, VELOCITY, 4, signed=True)
        goal, most = (PWM, PWM_LIMIT) if mode == PWM_MODE else (CURRENT, CURRENT_LIMIT)
        return TOP_SPEED * self.number(servo, goal, signed=True) / self.number(servo, most)

    def on_time(self, servo: Servo) -> None:
        limit = servo.table[WATCHDOG]
        if 0 < limit < 128 and servo.table[self.TORQUE] == 1 and self.now - servo.heard_at > limit * 0.02:
            servo.table[WATCHDOG] = TRIPPED
            self.put(servo, GOAL, round(self.reading(servo)), 4)
            servo.table[PROFILE_ACCELERATION:GOAL] = bytes(8)
            self.put(servo, VELOCITY, 0, 4)

    def next_frame(self) -> bytes | None:
        while len(self._pending) >= 10:
            length = 7 + int.from_bytes(self._pending[5:7], "little")
            if self._pending[:4] != b"\xff\xff\xfd\x00" or length > 1024:
                del self._pending[0]
                continue
            if len(self._pending) < length:
                return None
            frame = bytes(self._pending[:length])
            if crc(frame[:-2]) == int.from_bytes(frame[-2:], "little"):
                del self._pending[:length]
                return frame
            del self._pending[0]
        return None

    def obey(self, frame: bytes) -> bytes:  # noqa: C901 (a case for each instruction of the bus)
        number, instruction, rest = frame[4], frame[7], unstuffed(frame[7:-2])[1:]
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
                self.restart(one)
            else:
                code = 2
            answer += self._answer(one, data, code) if number != 0xFE or instruction == 0x01 else b""
        return answer

    def _write(self, number: int, start: int, data: bytes) -> int:
        servo = self.servos.get(number)
        if servo is None or servo.silent:
            return 0
        if refusal := self._refusal(servo, start, data):
            return refusal
        had_torque = servo.table[self.TORQUE] == 1
        servo.table[start : start + len(data)] = data
        servo.kept = bytes(servo.table[: self.EEPROM])
        if start == GOAL:
            self._take_goal(servo)
        if servo.table[MODE] == POSITION_MODE and (start == MODE or servo.table[self.TORQUE] > had_torque):
            self._count_anew(servo)
        if servo.table[7] != number:
            servo.number = servo.table[7]
            self.servos[servo.number] = self.servos.pop(number)
        return 0

    def _refusal(self, servo: Servo, start: int, data: bytes) -> int:
        value = int.from_bytes(data, "little", signed=True)
        if start < self.EEPROM and servo.table[self.TORQUE]:
            return ACCESS
        if start in GOALS and servo.table[WATCHDOG] == TRIPPED:
            return RANGE
        if start == VELOCITY and abs(value) > self.number(servo, SPEED_LIMIT, 4):
            return LIMIT
        if start == GOAL:
            lowest, highest = -FARTHEST, FARTHEST
            if servo.table[MODE] == POSITION_MODE:
                lowest, highest = self.number(servo, LOWEST, 4), self.number(servo, HIGHEST, 4)
            return 0 if lowest <= value <= highest else LIMIT
        return 0

    def _take_goal(self, servo: Servo) -> None:
        """Begins a new move to a new goal."""
        if servo.table[DRIVE_MODE] & TORQUE_BY_GOAL:
            servo.table[self.TORQUE] = 1
        takes = 1e-3 * self.number(servo, PROFILE_VELOCITY, 4)  # [s] duration of moves with a given duration
        servo.profile_speed = abs(self.goal(servo) - self.reading(servo)) / takes if takes else math.inf

    def _count_anew(self, servo: Servo) -> None:
        """Returns the count to a single revolution."""
        servo.counted_from = TURN * math.floor(servo.position / TURN)

    def _offset(self, servo: Servo) -> int:
        if servo.table[OFFSET : OFFSET + 4] == NONE:
            return 0
        offset = self.number(servo, OFFSET, 4, signed=True)
        return 0 if servo.table[MODE] == POSITION_MODE and abs(offset) > FARTHEST_OFFSET else offset

    def _answer(self, number: int, data: bytes, code: int = 0) -> bytes:
        if number not in self.servos or self.servos[number].silent:
            return b""
        code = 1 if self.servos[number].refuses and data else code
        return frame_of(number, stuffed(bytes((0x55, self._error(number) | code)) + (b"" if code else data)))

    def _shared(self, numbers: bytes, start: int, size: int) -> bytes:
        """Answer to a fast sync read; after a silent servo no other one answers."""
        frame = b"\xff\xff\xfd\x00\xfe" + (1 + len(numbers) * (size + 4)).to_bytes(2, "little") + b"\x55"
        for at, number in enumerate(numbers):
            if number not in self.servos or self.servos[number].silent:
                return frame if at else b""
            frame += bytes((self._error(number), number)) + self._read(number, start, size)
            frame += crc(frame).to_bytes(2, "little")
        return frame

    def _error(self, number: int) -> int:
        return 0x80 if self.servos[number].error else 0
