"""What every protocol is to Limber: bytes for what the robot shall do, messages from what it says, and what it can. Knows no Blender.

A codec makes bytes and a decoder reads them; neither knows a port, a clock or a thread. Positions are whole numbers in the protocol's own
unit (`Units`); `scale.Scale` turns them into angles. docs/protocols.md says what each protocol can and cannot do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from ..errors import HardwareError
from .servo_state import Expected, Forgotten, Held, Settings


class ProtocolError(HardwareError, ValueError):
    """What the wire cannot carry, or a protocol cannot do; the text names the servo or the field, and what may be."""


class Quantity(Enum):
    """What a device can tell of a servo; the value is its name in messages."""

    POSITION = "position"
    VELOCITY = "velocity"
    LOAD = "load"
    CURRENT = "current"
    VOLTAGE = "voltage"
    TEMPERATURE = "temperature"


class Check(Enum):
    """What finds damage on the way: the value says how much of it."""

    NONE = "nothing: a damaged frame may move a servo"
    SUM8 = "one flipped bit, and 13 of 14 pairs of them"
    CRC7 = "up to two flipped bits in a frame of 15 bytes"
    CRC16 = "up to two flipped bits in any frame, and all but 1 in 65536 of other damage"


class Silence(Enum):
    """What becomes of a servo when nothing more is heard from the host."""

    HOLD = "goes to its last goal and holds it"
    WATCHDOG = "stops as its watchdog was told"
    UNKNOWN = "does what its maker decided"


@dataclass(frozen=True, slots=True)
class Units:
    """What a raw position is.

    Attributes:
        name: Of one unit, in the plural.
        lowest: Lowest raw position that may be sent.
        highest: Highest raw position that may be sent.
        per_turn: Units in a full turn of the servo; None where the servo decides (a pulse).
        microsecond: Units in a microsecond of pulse; None where positions are no pulses.
    """

    name: str
    lowest: int
    highest: int
    per_turn: float | None = None
    microsecond: float | None = None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a protocol can do, so that nothing is asked of a robot that it cannot do, and the user is told what it cannot.

    Attributes:
        title: For the user.
        units: Of positions.
        servos: Ids that a servo may have.
        max_channels: Servos that one connection can move.
        baudrates: That its devices offer [bit/s], the usual one first.
        reads: Quantities that can be read back; the worth of one raw unit is in `worth`.
        measures: Whether the position that is read is where the servo is, and not just where it was sent: who cannot tell is armed only
            after the user has confirmed the pose.
        worth: Of one raw unit: volts, degrees Celsius, share of the greatest load, amperes, raw positions per second.
        commands_checked: What guards the way to the device.
        answers_checked: What guards the way back.
        acknowledges: Whether single orders are answered.
        one_at_a_time: Whether the next question must wait for the answer: servos on a bus share one wire.
        releases: Whether a servo can be made limp by an order.
        watchdog: Shortest and longest time of the device's own watchdog that can be set [s]; None where there is none to set.
        on_silence: What a servo does when the line goes silent.
        limits_speed: Whether the device itself can be given a greatest speed.
        limits_acceleration: The same for the acceleration.
        changes_id: Whether a servo can be given another id.
        remark: What the user must know besides, as a sentence; may be empty.
    """

    title: str
    units: Units
    servos: range
    max_channels: int
    baudrates: tuple[int, ...]
    reads: frozenset[Quantity]
    measures: bool
    worth: Mapping[Quantity, float]
    commands_checked: Check
    answers_checked: Check
    acknowledges: bool
    one_at_a_time: bool
    releases: bool
    watchdog: tuple[float, float] | None
    on_silence: Silence
    limits_speed: bool
    limits_acceleration: bool
    changes_id: bool = False
    remark: str = ""


class Asked(Enum):
    """What an answer is for."""

    IDENTITY = "identity"
    DONE = "an order"
    VALUES = "values"
    ERRORS = "errors"
    SETTINGS = "settings"
    HELD = "what was written"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that is to come.

    Attributes:
        servo: Who gives it; None: the device as a whole.
        asked: What for.
        size: Bytes of content.
        start: Address of the first of them, where a protocol has addresses.
        quantities: What is in them, for VALUES.
        expected: What must be in them, for HELD.
    """

    servo: int | None
    asked: Asked
    size: int = 0
    start: int = 0
    quantities: tuple[Quantity, ...] = ()
    expected: tuple[Expected, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """Bytes to send together, and what comes back.

    Attributes:
        data: To send.
        answers: That the device gives, in order.
        answer_bytes: Their length on the wire.
        shared: Whether they come in a single frame.
        anyone: Whether any number of servos may answer, each for itself, until the line is silent.
    """

    data: bytes
    answers: tuple[Answer, ...] = ()
    answer_bytes: int = 0
    shared: bool = False
    anyone: bool = False


@dataclass(frozen=True, slots=True)
class Identified:
    """A servo, or a device where `servo` is None, said what it is; `model` is its number where it has one."""

    servo: int | None
    model: int | None
    name: str
    firmware: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """A servo said a quantity, in raw units."""

    servo: int
    quantity: Quantity
    raw: int


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """An order arrived and was obeyed."""

    servo: int | None


@dataclass(frozen=True, slots=True)
class Complaint:
    """The device says that something is wrong with it, or with an order; `text` goes into a sentence about the servo."""

    servo: int | None
    text: str


class Trouble(Enum):
    """What is wrong with bytes that came, or did not."""

    NOISE = "bytes that belong to no message"
    DAMAGED = "a message that was damaged on the way"
    MALFORMED = "a message that cannot be"
    UNEXPECTED = "an answer that nobody waited for"
    MISSING = "an answer that did not come"


@dataclass(frozen=True, slots=True)
class Problem:
    """Bytes that could not be used, or an answer that is missing.

    Attributes:
        trouble: What is wrong.
        text: A sentence about it, with what was expected and what came.
        data: The bytes, the first `KEPT` of them.
        servo: Whom it concerns, where that is known.
    """

    trouble: Trouble
    text: str
    data: bytes = b""
    servo: int | None = None


KEPT = 32  # bytes of noise that a problem shows: enough to recognise another protocol

Message = Identified | Measured | Acknowledged | Complaint | Settings | Forgotten | Problem


class Decoder(Protocol):
    """Reads what a device says, in pieces of any size; never raises and never keeps more than one longest message."""

    @property
    def waiting(self) -> bool:
        """Whether answers are still to come."""

    def expect(self, exchange: Exchange) -> None:
        """`exchange` is being sent: from here on its answers count, and no older ones."""

    def feed(self, data: bytes) -> list[Message]:
        """What `data` completes, in order."""

    def give_up(self) -> list[Message]:
        """The line stays silent: what is pending is no message, answers that did not come are missing."""


class WithoutRegisters:
    """What a codec has in place of questions about registers, where the device has none that can be read."""

    def settings(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """It cannot tell."""
        return ()

    def verify(self, held: Mapping[int, Held]) -> tuple[Exchange, ...]:
        """It cannot tell."""
        return ()


class Codec(Protocol):
    """Makes bytes of what a robot shall do. What the protocol cannot do, or the wire cannot carry, is a ProtocolError."""

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""

    def decoder(self) -> Decoder:
        """A fresh decoder for one connection."""

    def identify(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Ask who is there; changes nothing. Where servos cannot be asked, the device is."""

    def settings(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Ask servos how they are set; changes nothing. Nothing is asked where they cannot tell."""

    def verify(self, held: Mapping[int, Held]) -> tuple[Exchange, ...]:
        """Ask servos whether they still hold what they were told: who does not, is `Forgotten`. Nothing where they cannot tell."""

    def limit(self, servo: int, speed: float, acceleration: float | None = None) -> tuple[Exchange, ...]:
        """Let the device itself move `servo` no faster [units/s, units/s2]."""

    def arm(self, at: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Let servos move. `at` is where each is now: its first goal, so that it stays there.

        Each exchange must be answered before the next one is sent: a servo that missed its goal must not get torque.
        """

    def disarm(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Make servos limp."""

    def write(self, goals: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Give servos their goals, in as few bytes as can be."""

    def read(self, quantities: Collection[Quantity], servos: Collection[int]) -> tuple[Exchange, ...]:
        """Ask servos for quantities."""

    def check(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Ask what is wrong with servos or device: complaints follow, if anything is. Where no answer would say, nothing is asked."""

    def stop(self, hold: Mapping[int, int], release: Collection[int]) -> tuple[Exchange, ...]:
        """End motion at once: servos in `hold` stay at the given position, those in `release` become limp. Waits for no answer."""

    def watchdog(self, servos: Collection[int], seconds: float | None) -> tuple[Exchange, ...]:
        """Let the device stop servos that hear nothing for so long; None switches its watchdog off, and clears it where it has tripped."""
