"""What all simulated bus servos have in common: a table of registers, a horn that turns, and a wire that they
share.
"""

import math
from dataclasses import dataclass, field

TOP_SPEED = 5000.0  # [steps/s] 73 rpm: what a servo does that is told no limit
STEP = 0.005  # [s] of the simulation
TURN = 4096  # steps
FULL_LOAD = 400.0  # [steps] behind its goal, at which a servo pushes with all that it has


@dataclass
class Servo:
    """One servo: a table of registers, and a horn that turns while it has torque.

    Attributes:
        number: Its id.
        position: Where its horn is [steps], counted on over full turns.
        table: Its registers, as they are read.
        kept: Those of its EEPROM as they come back after a power failure.
        counted_from: The horn's position at which the servo's own count of turns began [steps]; a whole
            number of turns.
        velocity: Of the horn [steps/s].
        behind: How far its goal is from where it is [steps]; 0 where it has none.
        steps_left: Of a relative move (Feetech's step mode).
        profile_speed: Of a move that is to take a given time (Dynamixel's time-based profile) [steps/s].
    """

    number: int
    position: float
    table: bytearray = field(default_factory=lambda: bytearray(256))
    kept: bytes = b""
    counted_from: float = 0.0
    velocity: float = 0.0
    behind: float = 0.0
    steps_left: float = 0.0
    profile_speed: float = math.inf
    silent: bool = False  # its cable is off
    refuses: bool = False  # it answers reads with an error and nothing else
    stuck: bool = False  # something blocks the horn
    pushes: int | None = None  # a load that it tells, whatever its horn does [thousandths]
    error: int = 0  # what it says of its own hardware
    heard_at: float = 0.0
    moves: list[float] = field(default_factory=list)  # every position that the horn has had


class Bus:
    """Servos on one wire.

    Attributes:
        servos: By id.
        forgets_after: Silence on the line after which servos drop a message that has begun [s]; infinite:
            they wait for its end for ever.
    """

    TORQUE: int  # address of the register that gives torque
    EEPROM: int  # bytes of the table that outlive power

    def __init__(self, places: dict[int, float]) -> None:
        self.servos = {number: self._made(number, place) for number, place in places.items()}
        self.now = 0.0
        self.forgets_after = math.inf
        self._heard_at = 0.0
        self._pending = bytearray()

    def _read(self, number: int, start: int, size: int) -> bytes:
        servo = self.servos.get(number)
        if servo is None:
            return b""
        self.refresh(servo)
        return bytes(servo.table[start : start + size])

    def factory(self, servo: Servo) -> None:
        """Write what is in the EEPROM of a new servo."""
        raise NotImplementedError

    def start(self, servo: Servo) -> None:
        """Write what is in the RAM right after the power came on. The EEPROM is there already."""
        raise NotImplementedError

    def reading(self, servo: Servo) -> float:
        """Where the servo says that it is [steps]."""
        raise NotImplementedError

    def goal(self, servo: Servo) -> float:
        """Where it is to be, as it says it [steps], where it takes positions."""
        raise NotImplementedError

    def refresh(self, servo: Servo) -> None:
        """Write what is measured into the table: before it is read."""
        raise NotImplementedError

    def way(self, servo: Servo, dt: float) -> float:
        """How far the motor wants to turn the horn in `dt` [s], torque being on [steps]."""
        raise NotImplementedError

    def next_frame(self) -> bytes | None:
        """The next whole, undamaged frame, cut off the pending bytes."""
        raise NotImplementedError

    def obey(self, frame: bytes) -> bytes:
        raise NotImplementedError

    def advance(self, dt: float) -> None:
        """Turn the horns for `dt` [s]: without mass each goes where its motor wants it."""
        for servo in self.servos.values():
            self._turn(servo, dt)

    def on_time(self, servo: Servo) -> None:
        """What a servo does by itself as time passes."""

    def restart(self, number: int) -> None:
        """The power of a servo fails for a moment: it forgets its RAM, its turns, and what it was about to
        do.
        """
        servo = self.servos[number]
        servo.table[:] = servo.kept + bytes(len(servo.table) - len(servo.kept))
        servo.steps_left, servo.profile_speed, servo.error = 0.0, math.inf, 0
        self.start(servo)
        self.refresh(servo)

    def hear(self, data: bytes, now: float) -> bytes:
        """What the servos answer to `data`, which came at `now` [s]."""
        while self.now < now:
            dt = min(STEP, now - self.now)
            self.now += dt
            for servo in self.servos.values():
                self.on_time(servo)
            self.advance(dt)
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

    def number(self, servo: Servo, at: int, size: int = 2, signed: bool = False) -> int:
        """A number in the table, low byte first."""
        return int.from_bytes(servo.table[at : at + size], "little", signed=signed)

    def put(self, servo: Servo, at: int, value: int, size: int = 2) -> None:
        """Write a number into the table, low byte first."""
        servo.table[at : at + size] = value.to_bytes(size, "little", signed=value < 0)

    def _made(self, number: int, place: float) -> Servo:
        servo = Servo(number, place)
        self.factory(servo)
        servo.kept = bytes(servo.table[: self.EEPROM])
        self.start(servo)
        servo.counted_from = 0.0  # it had power while it was turned there
        self.refresh(servo)
        return servo

    def _turn(self, servo: Servo, dt: float) -> None:
        servo.velocity = servo.behind = 0.0
        if servo.table[self.TORQUE] == 1 and (way := self.way(servo, dt)) and not servo.stuck:
            most = TOP_SPEED * dt
            way = min(max(way, -most), most)
            servo.position += way
            servo.velocity = way / dt
        if not servo.moves or servo.moves[-1] != servo.position:
            servo.moves.append(servo.position)

    def load(self, servo: Servo) -> int:
        """How hard it pushes, in thousandths."""
        if servo.pushes is not None:
            return servo.pushes
        return round(max(-1000.0, min(1000.0, 1000.0 * servo.behind / FULL_LOAD)))

    def _toward(self, servo: Servo, goal: float, speed: float, dt: float) -> float:
        """The way to a goal at no more than a speed [steps/s]."""
        servo.behind = goal - self.reading(servo)
        return min(max(servo.behind, -speed * dt), speed * dt)
