"""Limber's own protocol behind the common interface. Knows no Blender.

A device is one connection for all its channels; positions are eighths of a microsecond. `worker.conversation` talks to the same devices
without this, since it knows more of their states than other protocols have.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from ..interface import (
    Acknowledged,
    Answer,
    Asked,
    Capabilities,
    Check,
    Complaint,
    Exchange,
    Identified,
    Measured,
    Problem,
    ProtocolError,
    Quantity,
    Silence,
    Trouble,
    Units,
    WithoutRegisters,
)
from ..interface import Message as Heard
from ..stream import Broken, Skip, Stream, Wait, Whole
from .frames import HEADER, MAX_PAYLOAD, START, TRAILER, crc16, encode
from .messages import (
    MAX_CHANNELS,
    UNITS_PER_US,
    Arm,
    Configure,
    Disarm,
    Hello,
    Message,
    Move,
    OnSilence,
    Poll,
    Reason,
    Report,
    Result,
    Stop,
    Unreadable,
    Welcome,
    WrongVersion,
)
from .payloads import decode_payload

SEQUENCE_AT = 4  # in a frame
HIGHEST_SPEED = 0xFFFF  # [us/s]
REPORT_BYTES = 17 + 4 * MAX_CHANNELS  # of the longest report


def look(pending: bytearray) -> Wait | Skip | Whole | Broken:
    """What the first bytes are."""
    start = pending.find(START)
    if start:
        return Skip(len(pending) if start < 0 else start)
    if len(pending) < 3:
        return Wait()
    payload = pending[1]
    if payload > MAX_PAYLOAD or pending[2] != payload ^ 0xFF:
        return Skip(1)
    length = HEADER + payload + TRAILER
    if len(pending) < length:
        return Wait()
    if crc16(bytes(pending[1:length])):  # the CRC over a body and its own CRC is 0
        return Broken(length, Trouble.DAMAGED, f"A message of {length} bytes whose CRC is wrong")
    return Whole(length)


class LimberDecoder:
    """Reads what a device with Limber's firmware says."""

    def __init__(self) -> None:
        self._stream = Stream(look)
        self._open: dict[int, Answer] = {}  # by sequence number

    @property
    def waiting(self) -> bool:
        """Whether answers are still to come."""
        return bool(self._open)

    def expect(self, exchange: Exchange) -> None:
        """`exchange` is being sent: its answer counts beside those that are still to come."""
        if exchange.answers:
            self._open[exchange.data[SEQUENCE_AT]] = exchange.answers[0]

    def feed(self, data: bytes) -> list[Heard]:
        """What `data` completes, in order."""
        return self._read(self._stream.feed(data))

    def give_up(self) -> list[Heard]:
        """The line stays silent."""
        messages = self._read(self._stream.give_up())
        messages += [Problem(Trouble.MISSING, "The device did not answer") for _ in self._open]
        self._open.clear()
        return messages

    def _read(self, found: list[bytes | Problem]) -> list[Heard]:
        messages: list[Heard] = []
        for item in found:
            if isinstance(item, Problem):
                messages.append(item)
                continue
            answered = self._open.pop(item[SEQUENCE_AT], None)
            match decode_payload(item[3], item[HEADER:-TRAILER]):
                case Welcome() as welcome:
                    messages.append(Identified(None, None, welcome.name, f"{welcome.firmware[0]}.{welcome.firmware[1]}"))
                case WrongVersion() as wrong:
                    messages.append(Complaint(None, wrong.sentence()))
                case Report() as report:
                    messages += _report(report, answered is not None)
                case Unreadable(kind, payload, _):
                    messages.append(Problem(Trouble.MALFORMED, f"A message of the unknown kind {kind:#04x}", payload))
                case _:
                    pass  # an echo of our own
        return messages


def _report(report: Report, answers: bool) -> list[Heard]:
    messages: list[Heard] = []
    if answers and report.result == Result.ACCEPTED:
        messages.append(Acknowledged(None))
    elif answers:
        known = report.result in list(Result)
        name = Result(report.result).name.lower().replace("_", " ") if known else f"result {report.result}"
        messages.append(Complaint(None, f"it refused: {name}"))
    if Reason.HARDWARE in report.reasons:
        messages.append(Complaint(None, "its supply or a servo is unwell"))
    if Reason.SILENCE in report.reasons:
        messages.append(Complaint(None, "it heard nothing for too long and stopped"))
    positions = enumerate(report.measured_us)
    return messages + [Measured(servo, Quantity.POSITION, round(us * UNITS_PER_US)) for servo, us in positions if us is not None]


class Limber(WithoutRegisters):
    """The codec of one device.

    Args:
        session: 1 to 65535, other than the last connection's.
        ranges: Shortest and longest pulse [us] of each servo that is used, and what becomes of it on silence.
        feedback: Whether the device measures where its servos are (its WELCOME says so).
    """

    def __init__(self, session: int, ranges: Mapping[int, tuple[float, float, OnSilence]], feedback: bool = False) -> None:
        self._session = session
        self._ranges = dict(ranges)
        self._sequence = 0
        self.capabilities = Capabilities(
            title="Limber's firmware",
            units=Units("eighths of a microsecond", 1, 0xFFFF, microsecond=UNITS_PER_US),
            servos=range(MAX_CHANNELS),
            max_channels=MAX_CHANNELS,
            baudrates=(115_200,),
            reads=frozenset((Quantity.POSITION,)) if feedback else frozenset(),
            measures=feedback,
            worth={},
            commands_checked=Check.CRC16,
            answers_checked=Check.CRC16,
            acknowledges=True,
            one_at_a_time=False,
            releases=True,
            watchdog=None,
            on_silence=Silence.WATCHDOG,
            limits_speed=True,
            limits_acceleration=False,
            remark="Its watchdog is always on: after 250 ms of silence each channel holds or goes limp, as it was set",
        )

    def decoder(self) -> LimberDecoder:
        """A fresh decoder for one connection."""
        return LimberDecoder()

    def identify(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Open the session: the device is disarmed then."""
        return (self._question(Hello(self._session), Asked.IDENTITY),)

    def limit(self, servo: int, speed: float, acceleration: float | None = None) -> tuple[Exchange, ...]:
        """Tell the device a servo's range and speed [eighths of us/s]: each servo needs it before it can be armed."""
        if not (math.isfinite(speed) and speed > 0):
            raise ProtocolError(f"The speed is {speed}; give a positive number")
        lower, upper, on_silence = self._range(servo)
        us_per_s = min(math.ceil(speed / UNITS_PER_US), HIGHEST_SPEED)
        return (self._question(Configure(servo, lower, upper, us_per_s, on_silence)),)

    def arm(self, at: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Let the device move; pulses begin, at `at`."""
        return (self._question(Arm(self._session)), *self.write(at))

    def disarm(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """End all pulses: the device is disarmed as a whole."""
        return (self._question(Disarm(release=True)),)

    def write(self, goals: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Give servos their goals, in one message."""
        if not goals:
            return ()
        positions: list[float | None] = [None] * (max(goals) + 1)
        for servo, goal in goals.items():
            self._range(servo)
            positions[servo] = goal / UNITS_PER_US
        return (self._question(Move(tuple(positions))),)

    def read(self, quantities: Collection[Quantity], servos: Collection[int]) -> tuple[Exchange, ...]:
        """Ask for a report, which has all servos' positions."""
        for quantity in quantities:
            if quantity not in self.capabilities.reads:
                raise ProtocolError(f"This device cannot tell a servo's {quantity.value}")
        return (self._question(Poll()),) if quantities else ()

    def check(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Ask for a report, which says why the device is in its state."""
        return (self._question(Poll()),)

    def stop(self, hold: Mapping[int, int], release: Collection[int]) -> tuple[Exchange, ...]:
        """End motion at once; each channel holds or goes limp as it was set, and a fault latches in the device."""
        return (self._question(Stop()),)

    def watchdog(self, servos: Collection[int], seconds: float | None) -> tuple[Exchange, ...]:
        """It is always on."""
        raise ProtocolError("The watchdog of Limber's firmware is always on, and its time is the firmware's own")

    def _question(self, message: Message, asked: Asked = Asked.DONE) -> Exchange:
        self._sequence = (self._sequence + 1) & 0xFF
        return Exchange(encode(message, self._sequence), (Answer(None, asked),), REPORT_BYTES)

    def _range(self, servo: int) -> tuple[float, float, OnSilence]:
        if servo not in self._ranges:
            known = ", ".join(map(str, sorted(self._ranges))) or "none"
            raise ProtocolError(f"Servo {servo} has no range; known are {known}")
        return self._ranges[servo]
