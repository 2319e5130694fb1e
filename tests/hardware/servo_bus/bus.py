"""Common parts of all simulated bus servos: a table of registers, a horn that rotates, and a shared wire."""

import math
from dataclasses import dataclass, field

TOP_SPEED = 5000.0  # [steps/s] 73 rpm: speed of a servo without a limit
STEP = 0.005  # [s] time step of the simulation
TURN = 4096  # [steps] of one revolution
FULL_LOAD = 400.0  # [steps] distance to the goal at which a servo uses its full force


@dataclass
class Servo:
    """A servo: a table of registers, and a horn that rotates while it has torque.

    Attributes:
        number: The servo's id.
        position: Position of its horn [steps], counted over several revolutions.
        table: Its registers as they are read.
        kept: Registers of its EEPROM as they are after a power failure.
        counted_from: The horn's position [steps] at which the servo's own count of revolutions began; a whole
            number of revolutions.
        velocity: Velocity of the horn [steps/s].
        behind: Distance from its position to its goal [steps]; 0 without a goal.
        steps_left: Remaining steps of a relative move (Feetech's step mode).
        profile_speed: Speed [steps/s] of a move with a given duration (Dynamixel's time-based profile).
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
    silent: bool = False  # whether its cable is disconnected
    refuses: bool = False  # whether it answers reads only with an error
    stuck: bool = False  # whether an obstacle blocks the horn
    pushes: int | None = None  # [thousandths] load that it reports, whatever its horn does
    error: int = 0  # error of its hardware that it reports
    heard_at: float = 0.0
    moves: list[float] = field(default_factory=list)  # all positions that the horn has had


class Bus:
    """Servos on one wire.

    Attributes:
        servos: Servos by id.
        forgets_after: Silence on the line [s] after which servos drop an incomplete message; infinite: they
            wait for its end permanently.
    """

    TORQUE: int  # address of the register that switches the torque on
    EEPROM: int  # number of bytes of the table that survive a loss of power

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
        """Writes the EEPROM's content of a new servo."""
        raise NotImplementedError

    def start(self, servo: Servo) -> None:
        """Writes the RAM's content after the power was switched on; the EEPROM is set already."""
        raise NotImplementedError

    def reading(self, servo: Servo) -> float:
        """Position [steps] that the servo reports."""
        raise NotImplementedError

    def goal(self, servo: Servo) -> float:
        """Goal [steps] in the servo's own count, in a mode with positions."""
        raise NotImplementedError

    def refresh(self, servo: Servo) -> None:
        """Writes measured values into the table, before it is read."""
        raise NotImplementedError

    def way(self, servo: Servo, dt: float) -> float:
        """Rotation [steps] of the horn that the motor makes in `dt` [s] with torque."""
        raise NotImplementedError

    def next_frame(self) -> bytes | None:
        """Removes the next complete, undamaged frame from the pending bytes."""
        raise NotImplementedError

    def obey(self, frame: bytes) -> bytes:
        raise NotImplementedError

    def advance(self, dt: float) -> None:
        """Rotates the horns for `dt` [s]: without mass each follows its motor exactly."""
        for servo in self.servos.values():
            self._turn(servo, dt)

    def on_time(self, servo: Servo) -> None:
        """Lets a servo act by itself as time passes."""

    def restart(self, number: int) -> None:
        """The power of a servo fails briefly: it loses its RAM, its count of revolutions, and its current
        motion.
        """
        servo = self.servos[number]
        servo.table[:] = servo.kept + bytes(len(servo.table) - len(servo.kept))
        servo.steps_left, servo.profile_speed, servo.error = 0.0, math.inf, 0
        self.start(servo)
        self.refresh(servo)

    def hear(self, data: bytes, now: float) -> bytes:
        """The servos' answers to `data`, which arrived at `now` [s]."""
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
        """Writes a number into the table, low byte first."""
        servo.table[at : at + size] = value.to_bytes(size, "little", signed=value < 0)

    def _made(self, number: int, place: float) -> Servo:
        servo = Servo(number, place)
        self.factory(servo)
        servo.kept = bytes(servo.table[: self.EEPROM])
        self.start(servo)
        servo.counted_from = 0.0  # it had power while it was rotated
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
        """Load of a servo, in thousandths."""
        if servo.pushes is not None:
            return servo.pushes
        return round(max(-1000.0, min(1000.0, 1000.0 * servo.behind / FULL_LOAD)))

    def _toward(self, servo: Servo, goal: float, speed: float, dt: float) -> float:
        """Movement toward a goal, with a speed limit [steps/s]."""
        servo.behind = goal - self.reading(servo)
        return min(max(servo.behind, -speed * dt), speed * dt)
