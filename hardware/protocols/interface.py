"""The common interface of all protocols: codecs, decoders, messages, capabilities.

Codecs and decoders use no port, clock or thread. Positions are integers in the protocol's own
unit (`Units`). docs/protocols.md says what each protocol can and cannot do.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Protocol

from ..errors import HardwareError
from .servo_state import Expected, GoalMeaning, LostSetting, StoredSettings, VolatileSettings


class ProtocolError(HardwareError, ValueError):
    """A protocol, its settings or its file cannot be used, it does not support something, or a value cannot
    be encoded; the message says which.
    """


class Quantity(StrEnum):
    """A quantity that servos can report; the value is its name in messages."""

    POSITION = "position"
    VELOCITY = "velocity"
    LOAD = "load"
    CURRENT = "current"
    VOLTAGE = "voltage"
    TEMPERATURE = "temperature"


class Check(Enum):
    """Detection of transmission errors by a device; the value says which errors."""

    NONE = "nothing: a damaged frame may move a servo"
    SUM8 = "one flipped bit, and 13 of 14 pairs of them"
    CRC7 = "up to two flipped bits in a frame of 15 bytes"
    CRC16 = "up to two flipped bits in any frame, and all but 1 in 65536 of other damage"


class Silence(Enum):
    """Behaviour of a servo when it receives no more commands."""

    HOLD = "goes to its last goal and holds it"
    WATCHDOG = "stops when its watchdog times out"
    UNKNOWN = "does what its maker decided"


@dataclass(frozen=True, slots=True)
class Units:
    """Unit and range of raw positions.

    Attributes:
        name: Name of the unit, in the plural.
        lowest: Lowest allowed raw position.
        highest: Highest allowed raw position.
        per_revolution: Units per revolution of the servo; None if it depends on the servo (pulses).
        microsecond: Units per microsecond of pulse; None if positions are not pulses.
    """

    name: str
    lowest: int
    highest: int
    per_revolution: float | None = None
    microsecond: float | None = None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a protocol and its devices support.

    Attributes:
        title: Name of the protocol for the user.
        units: Unit and range of raw positions.
        servos: Valid servo ids.
        baudrates: Baud rates of its devices [bit/s], the factory setting first; empty for a device on a
            network.
        reads: Quantities that can be read back.
        measures: Whether the reported position is measured, and not just the last command. A robot that
            does not measure is armed only after the user has confirmed its pose.
        unit_size: Size of one raw unit of each quantity: volts, degrees Celsius, share of the maximum load,
            amperes, raw units per second.
        commands_checked: Errors that the device detects in damaged commands.
        releases: Whether a command can switch a servo's torque off.
        watchdog: Shortest and longest time that the device's own watchdog can be set to [s]; None if it
            cannot be set.
        on_silence: What a servo does when it receives no more commands.
        limits_speed: Whether the device can be given a maximum speed.
        changes_id: Whether a servo's id can be changed.
        address: Default address of a device on a network, in the form of `address.address_of`; empty for a
            serial port.
        remark: Further information for the user, as a sentence; may be empty.
    """

    title: str
    units: Units
    servos: range
    baudrates: tuple[int, ...]
    reads: frozenset[Quantity] = frozenset()
    measures: bool = False
    unit_size: Mapping[Quantity, float] = field(default_factory=dict)
    commands_checked: Check = Check.NONE
    releases: bool = True
    watchdog: tuple[float, float] | None = None
    on_silence: Silence = Silence.UNKNOWN
    limits_speed: bool = False
    changes_id: bool = False
    address: str = ""
    remark: str = ""


class AnswerKind(Enum):
    """What an answer of a device contains."""

    IDENTITY = "identity"
    DONE = "the acknowledgement of a command"
    VALUES = "values"
    ERRORS = "errors"
    SETTINGS = "settings"
    HELD = "registers that must still hold what was written"
    MEANING = "the settings that give goals their meaning"
    OTHER_SETTING = "an answer that only a device with another setting than here sends"


@dataclass(frozen=True, slots=True)
class Answer:
    """An expected answer.

    Attributes:
        servo: Id of the answering servo; None for the device as a whole.
        kind: Kind of content.
        size: Size of the answer's data [bytes].
        start: Register address of the first byte, if the protocol has addresses.
        quantities: Quantities in the data, for VALUES and MEANING.
        expected: Register contents to compare with, for HELD.
    """

    servo: int | None
    kind: AnswerKind
    size: int = 0
    start: int = 0
    quantities: tuple[Quantity, ...] = ()
    expected: tuple[Expected, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """Bytes to send in one piece, and the answers to expect.

    Attributes:
        data: Bytes to send.
        answers: The device's answers, in order.
        answer_bytes: Length of the answers on the wire [bytes].
        otherwise: Exchange to send at once if the answers do not arrive, instead of reporting them as
            missing; None without such an exchange.
        wait: Additional time [s] to wait for the answers, if it would do harm to treat late ones as missing.
    """

    data: bytes
    answers: tuple[Answer, ...] = ()
    answer_bytes: int = 0
    otherwise: Exchange | None = None
    wait: float = 0.0


@dataclass(frozen=True, slots=True)
class Identified:
    """A servo, or a controller (`servo` is None), has identified itself; `model` is its model number, if it
    has one.
    """

    servo: int | None
    model: int | None
    name: str
    firmware: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """A servo has reported a quantity, in raw units."""

    servo: int
    quantity: Quantity
    raw: int


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A servo has executed a command, or answered a query for its errors or volatile settings."""

    servo: int | None


@dataclass(frozen=True, slots=True)
class ReportedError:
    """The device reports an error of its own or of a command; `text` completes a sentence about the servo."""

    servo: int | None
    text: str


@dataclass(frozen=True, slots=True)
class OtherSetting:
    """A setting stored in the device differs from Limber's, so that the device would not understand commands;
    `text` describes it.
    """

    text: str


class ProblemKind(Enum):
    """Kind of problem with received or missing bytes."""

    NOISE = "bytes that belong to no message"
    DAMAGED = "a message that was damaged on the line"
    MALFORMED = "a message with impossible content"
    UNEXPECTED = "an answer that nobody waited for"
    MISSING = "an answer that did not come"


@dataclass(frozen=True, slots=True)
class Problem:
    """Received bytes that could not be used, or a missing answer.

    Attributes:
        kind: Kind of problem.
        text: A sentence on what was expected and what was found.
        data: The first `KEPT` bytes concerned.
        servo: Id of the servo concerned, if known.
    """

    kind: ProblemKind
    text: str
    data: bytes = b""
    servo: int | None = None


KEPT = 32  # largest number of received bytes in a `Problem`, enough to recognise another protocol

Message = (
    Identified
    | Measured
    | Acknowledged
    | ReportedError
    | OtherSetting
    | StoredSettings
    | GoalMeaning
    | LostSetting
    | Problem
)


class Decoder(Protocol):
    """Decodes received bytes in pieces of any size; never raises, and buffers a limited number of bytes."""

    @property
    def waiting(self) -> bool:
        """Whether answers to sent exchanges are still missing."""

    def expect(self, exchange: Exchange) -> None:
        """Record that `exchange` is being sent: from now on only its answers are valid."""

    def feed(self, data: bytes) -> list[Message]:
        """Messages that `data` completes, in order."""

    def give_up(self) -> list[Message]:
        """Handle a timeout: pending bytes are noise, and missing answers become problems."""


class Codec(ABC):
    """Encodes commands to servos, and states what the protocol supports.

    The defaults are those of a device that answers nothing and stores nothing. All positions are raw units,
    all ids servo ids. A method raises ProtocolError for what the protocol does not support or cannot encode.
    """

    capabilities: Capabilities

    @abstractmethod
    def decoder(self) -> Decoder:
        """A new decoder for one connection."""

    @abstractmethod
    def write(self, goals: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Commands that set goal positions by servo id, in as few bytes as possible."""

    def identify(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Queries for model and firmware of each of these servos or, for protocols with a controller, of the
        controller; they change nothing. Empty if the device cannot identify itself. A scan finds devices by
        these queries.
        """
        return ()

    def settings(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Queries for the stored settings that decide how servos move; they change nothing."""
        return ()

    def verify(self, settings: Mapping[int, VolatileSettings]) -> tuple[Exchange, ...]:
        """Queries that check whether servos still have the volatile settings `settings`, given by servo id; a
        servo that lost one is reported as `LostSetting`.
        """
        return ()

    def check(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Queries for errors of servos or controller; empty if every answer reports them anyway, or none are
        reported.
        """
        return ()

    def limit(self, servo: int, speed: float) -> tuple[Exchange, ...]:
        """Commands that set a servo's maximum speed [units/s], which the device enforces."""
        raise ProtocolError(
            f"{self.capabilities.title} knows no speed limit on the device; Limber's own limiter is the"
            " only one"
        )

    def arm(self, at: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Commands that switch torque on; the first goal of each servo is its current position `at`, so that
        it does not move.

        Each exchange must be answered before the next is sent: a servo that did not receive its goal must not
        get torque.
        """
        return self.write(at)

    def disarm(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Commands that switch servos' torque off; empty if the protocol cannot."""
        return ()

    def read(self, quantities: Collection[Quantity], servos: Collection[int]) -> tuple[Exchange, ...]:
        """Queries that read quantities, such as positions, from servos."""
        self._check_readable(quantities)
        return ()

    def watch(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Queries sent together with goals: for servos' positions and, if it costs little, for `meaning`."""
        return self.read([Quantity.POSITION], servos)

    def meaning(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Queries for the stored settings that give a goal its meaning; empty if `watch` contains them, or
        the servos have none.
        """
        return ()

    def stop(self, hold: Mapping[int, int], release: Collection[int]) -> tuple[Exchange, ...]:
        """Commands of an emergency stop, without waiting for answers: servos in `hold` stay at these
        positions, those in `release` lose torque.
        """
        return self.write(hold) + self.disarm(release)

    def watchdog(self, servos: Collection[int], seconds: float | None) -> tuple[Exchange, ...]:
        """Commands that set the timeout [s] of the servos' own watchdog; None disables it, and resets one
        that has tripped.
        """
        raise ProtocolError(f"{self.capabilities.title} has no watchdog that Limber could set")

    def _known(self, servo: int) -> int:
        """The id `servo`; raises ProtocolError if the protocol has no such id."""
        ids = self.capabilities.servos
        if servo not in ids:
            raise ProtocolError(
                f"Servo {servo} does not exist; numbers of {self.capabilities.title} go from {ids.start} to"
                f" {ids.stop - 1}"
            )
        return servo

    def _reachable(self, servo: int, position: int) -> int:
        """The raw position; raises ProtocolError if it is out of the protocol's range."""
        units = self.capabilities.units
        if not units.lowest <= position <= units.highest:
            raise ProtocolError(
                f"Servo {servo}: position {position}; it takes {units.lowest} to {units.highest} {units.name}"
            )
        return position

    def _check_readable(self, quantities: Collection[Quantity]) -> None:
        for quantity in quantities:
            if quantity not in self.capabilities.reads:
                raise ProtocolError(f"{self.capabilities.title} cannot tell a servo's {quantity.value}")


def in_units(name: str, value: float, unit: float, highest: int) -> int:
    """`value` in multiples of `unit`, rounded up, and at most `highest`; at least 1, since most devices treat
    0 as no limit. Raises ProtocolError, which names the value `name`, if `value` is not positive and finite.
    """
    if not (math.isfinite(value) and value > 0):
        raise ProtocolError(f"{name} is {value}; give a positive number")
    return min(math.ceil(value / unit), highest)
