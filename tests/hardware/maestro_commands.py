"""Encodes and decodes commands of Pololu's Maestro servo controllers as a controller does: reference for
tests of the codec.

    command data...                     compact: the command's highest bit is set, that of data is not
    AA device command data...           Pololu: the command's highest bit is not set either; several
                                        controllers share a line
    FF servo target                     Mini SSC: eight bits of target, and never a CRC

If the controller is set to require a CRC-7, a byte with it ends each compact and Pololu command. It detects
one or two flipped bits, except in the number of targets of a multiple-target command: these change the
position of the CRC, and one in 128 passes. Positions are in quarters of a microsecond in two bytes of seven
bits, the low one first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from limber.hardware.protocols.interface import ProblemKind, ProtocolError
from limber.hardware.protocols.stream import Broken, Skip, Wait, Whole

HIGHEST_TARGET = 0x3FFF
POLOLU, MINI_SSC = 0xAA, 0xFF
SET_TARGET, SET_SPEED, SET_ACCELERATION, SET_MULTIPLE = 0x84, 0x87, 0x89, 0x9F
GET_POSITION, GET_MOVING, GET_ERRORS, GO_HOME = 0x90, 0x93, 0xA1, 0xA2
# number of bytes of a multiple-target command before its targets: command, count, first channel
MULTIPLE_HEAD = 3


@dataclass(frozen=True, slots=True)
class SetTarget:
    """Sets the target of a channel [quarter us]; 0 ends its pulses."""

    channel: int
    target: int


@dataclass(frozen=True, slots=True)
class SetMultipleTargets:
    """Sets targets of successive channels [quarter us]; not in the Micro Maestro."""

    first: int
    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SetSpeed:
    """Sets the speed limit of a channel's pulse [quarter us per 10 ms]; 0 for no limit."""

    channel: int
    speed: int


@dataclass(frozen=True, slots=True)
class SetAcceleration:
    """Sets the acceleration limit of a channel's pulse [quarter us per 10 ms per 80 ms], up to 255; 0 for no
    limit.
    """

    channel: int
    acceleration: int


@dataclass(frozen=True, slots=True)
class GetPosition:
    """Requests a channel's current pulse; the answer has 2 bytes."""

    channel: int


@dataclass(frozen=True, slots=True)
class GetMoving:
    """Requests whether any channel is still moving; the answer has 1 byte."""


@dataclass(frozen=True, slots=True)
class GetErrors:
    """Requests and clears the errors since the last request; the answer has 2 bytes."""


@dataclass(frozen=True, slots=True)
class GoHome:
    """Moves every channel to its setting for the start and for errors."""


@dataclass(frozen=True, slots=True)
class MiniSsc:
    """Sets a target of eight bits over the range set for the channel."""

    servo: int
    target: int


Command = (
    SetTarget
    | SetMultipleTargets
    | SetSpeed
    | SetAcceleration
    | GetPosition
    | GetMoving
    | GetErrors
    | GoHome
    | MiniSsc
)


def crc7(data: bytes | bytearray) -> int:
    """CRC-7 of Pololu's controllers, which is 0x17 for 83 01."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc ^ 0x91 if crc & 1 else crc) >> 1
    return crc


@dataclass(frozen=True, slots=True)
class Wire:
    """Framing of commands.

    Attributes:
        device: Number of the controller for the Pololu protocol (12 by default); None for the compact one.
        crc: Whether the controller requires a CRC.
    """

    device: int | None = None
    crc: bool = False

    def __post_init__(self) -> None:
        if self.device is not None and not 0 <= self.device <= 0x7F:
            raise ProtocolError(
                f"Device {self.device} does not exist; Maestros have numbers from 0 to 127, 12 from the"
                " factory"
            )

    def encode(self, command: Command) -> bytes:
        """The bytes of a command.

        Raises:
            ProtocolError: A field does not fit.
        """
        if isinstance(command, MiniSsc):
            return bytes(
                (MINI_SSC, _within("servo", command.servo, 0xFE), _within("target", command.target, 0xFE))
            )
        code, data = _encode(command)
        frame = (bytes((code,)) if self.device is None else bytes((POLOLU, self.device, code & 0x7F))) + data
        return frame + bytes((crc7(frame),)) if self.crc else frame

    def look(self, pending: bytearray) -> Wait | Skip | Whole | Broken:
        """Classifies the first bytes; commands of both protocols count, as in a controller."""
        first = pending[0]
        if first < 0x80:
            return Skip(1)
        if first == MINI_SSC:
            return Skip(1) if MINI_SSC in pending[1:3] else Whole(3) if len(pending) > 2 else Wait()
        begins = 3 if first == POLOLU else 1
        length = None
        if len(pending) >= begins and all(byte < 0x80 for byte in pending[1:begins]):
            length = _length(pending[begins - 1] | 0x80, pending[begins:])
        if length == 0:
            return Skip(1)
        if length is not None:
            length += begins - 1 + self.crc
        cut = next(
            (at for at, byte in enumerate(pending[1:length], 1) if byte >= 0x80), None
        )  # a command byte ends the last command
        if cut is not None:
            return Broken(
                cut, ProblemKind.MALFORMED, f"A command of {cut} bytes that another one interrupted"
            )
        if length is None or len(pending) < length:
            return Wait()
        if self.crc and crc7(pending[: length - 1]) != pending[length - 1]:
            text = (
                f"A command with the CRC {pending[length - 1]:#04x}; its bytes give"
                f" {crc7(pending[: length - 1]):#04x}"
            )
            return Broken(length, ProblemKind.DAMAGED, text)
        return Whole(length)

    def decode(self, frame: bytes) -> Command:
        """The command in a complete frame."""
        if frame[0] == MINI_SSC:
            return MiniSsc(frame[1], frame[2])
        frame = frame[:-1] if self.crc else frame
        code, data = (frame[2] | 0x80, frame[3:]) if frame[0] == POLOLU else (frame[0], frame[1:])
        return _DECODERS[code](data)


def _encode(command: Command) -> tuple[int, bytes]:  # noqa: C901 (a case for each command of the board)
    match command:
        case SetTarget(channel, target):
            return SET_TARGET, _channel(channel) + _word("target", target)
        case SetMultipleTargets(first, targets):
            if not targets:
                raise ProtocolError("A multiple-target command without targets; give at least one")
            count = _within("the number of targets", len(targets), 0x7F)
            return SET_MULTIPLE, bytes((count,)) + _channel(first) + b"".join(
                _word("target", target) for target in targets
            )
        case SetSpeed(channel, speed):
            return SET_SPEED, _channel(channel) + _word("speed", speed)
        case SetAcceleration(channel, acceleration):
            return SET_ACCELERATION, _channel(channel) + _word(
                "acceleration", _within("acceleration", acceleration, 0xFF)
            )
        case GetPosition(channel):
            return GET_POSITION, _channel(channel)
        case GetMoving():
            return GET_MOVING, b""
        case GetErrors():
            return GET_ERRORS, b""
        case GoHome():
            return GO_HOME, b""
        case MiniSsc():
            raise ProtocolError("Mini SSC commands have neither a device number nor a CRC")


_DATA = {
    SET_TARGET: 3,
    SET_SPEED: 3,
    SET_ACCELERATION: 3,
    GET_POSITION: 1,
    GET_MOVING: 0,
    GET_ERRORS: 0,
    GO_HOME: 0,
}

_DECODERS: dict[int, Callable[[bytes], Command]] = {
    SET_TARGET: lambda data: SetTarget(data[0], _number(data[1:])),
    SET_SPEED: lambda data: SetSpeed(data[0], _number(data[1:])),
    SET_ACCELERATION: lambda data: SetAcceleration(data[0], _number(data[1:])),
    SET_MULTIPLE: lambda data: SetMultipleTargets(
        data[1], tuple(_number(data[at : at + 2]) for at in range(2, len(data), 2))
    ),
    GET_POSITION: lambda data: GetPosition(data[0]),
    GET_MOVING: lambda data: GetMoving(),
    GET_ERRORS: lambda data: GetErrors(),
    GO_HOME: lambda data: GoHome(),
}


def _length(code: int, data: bytes | bytearray) -> int | None:
    """Number of bytes of a command, including its code; 0 if there is no such command, None if it is not
    known yet.
    """
    if code != SET_MULTIPLE:
        return 1 + _DATA[code] if code in _DATA else 0
    if not data:
        return None
    return MULTIPLE_HEAD + 2 * data[0] if data[0] else 0


def _within(what: str, value: int, highest: int) -> int:
    if not 0 <= value <= highest:
        raise ProtocolError(f"{what} is {value}; the wire carries 0 to {highest}")
    return value


def _channel(channel: int) -> bytes:
    return bytes((_within("channel", channel, 0x7F),))


def _word(what: str, value: int) -> bytes:
    value = _within(what, value, HIGHEST_TARGET)
    return bytes((value & 0x7F, value >> 7))


def _number(data: bytes) -> int:
    return data[0] | data[1] << 7
