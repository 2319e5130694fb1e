"""What a host says to a Maestro and what it hears. Knows no Blender.

A Maestro's answers are bare numbers: no header, no address, no checksum. So one question is asked at a time, an answer counts only when all
of it has come and nothing more, and it must be a number that the controller can give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping

from ..interface import (
    KEPT,
    Answer,
    Asked,
    Capabilities,
    Check,
    Complaint,
    Exchange,
    Identified,
    Measured,
    Message,
    Problem,
    ProtocolError,
    Quantity,
    Silence,
    Trouble,
    Units,
    WithoutRegisters,
)
from .commands import (
    HIGHEST_TARGET,
    Command,
    GetErrors,
    GetPosition,
    GoHome,
    SetAcceleration,
    SetMultipleTargets,
    SetSpeed,
    SetTarget,
    Wire,
)

MODELS = (6, 12, 18, 24)  # channels that a Maestro can have
MICRO = MODELS[0]  # the Micro Maestro, which knows no multiple targets
QUARTERS = 4  # units in a microsecond
SHORTEST, LONGEST = 64 * QUARTERS, 4080 * QUARTERS  # pulses that a Maestro can be set to
SPEED_UNIT = 100.0  # quarter us per second in one unit of speed: a quarter us every 10 ms
ACCELERATION_UNIT = 1250.0  # quarter us per second squared in one unit of acceleration: that in 80 ms
HIGHEST_ACCELERATION = 0xFF

ERRORS = {
    0x001: "a byte arrived damaged (signal error): check ground, cable and baud rate",
    0x002: "bytes came too fast (overrun)",
    0x004: "its buffer ran over",
    0x008: "a command arrived damaged (CRC)",
    0x010: "a command could not be read: the CRC setting may differ",
    0x020: "it heard nothing for its timeout",
    0x040: "its script ran out of stack",
    0x080: "its script called too deeply",
    0x100: "its script left its program",
}


class MaestroDecoder:
    """Reads the answers of a Maestro."""

    def __init__(self) -> None:
        self._open: tuple[Answer, ...] = ()
        self._pending = bytearray()
        self._excess = bytearray()
        self._excess_count = 0

    @property
    def waiting(self) -> bool:
        """Whether answers are still to come."""
        return bool(self._open)

    def expect(self, exchange: Exchange) -> None:
        """`exchange` is being sent: from here on its answers count, and no older ones."""
        self._open = exchange.answers
        self._pending.clear()
        self._excess.clear()
        self._excess_count = 0

    def feed(self, data: bytes) -> list[Message]:
        """What `data` completes."""
        room = sum(answer.size for answer in self._open) - len(self._pending)
        self._pending += data[:room]
        self._excess += data[room : room + max(0, KEPT - len(self._excess))]
        self._excess_count += max(0, len(data) - room)
        if not self._open or len(data) < room:
            return []
        messages: list[Message] = []
        at = 0
        for answer in self._open:
            messages += _READERS[answer.asked](answer, int.from_bytes(self._pending[at : at + answer.size], "little"))
            at += answer.size
        self._open = ()
        self._pending.clear()
        return messages

    def give_up(self) -> list[Message]:
        """The line stays silent: answers that are not whole are missing, and what came too much is noise."""
        messages: list[Message] = []
        if self._open:
            came, due = len(self._pending), sum(answer.size for answer in self._open)
            text = f"The controller answered with {came} bytes; {due} were due"
            messages = [Problem(Trouble.MISSING, text, bytes(self._pending[:KEPT]), answer.servo) for answer in self._open]
        if self._excess_count:
            messages.append(Problem(Trouble.NOISE, f"{self._excess_count} bytes that nobody asked for", bytes(self._excess)))
        self.expect(Exchange(b""))
        return messages


def _position(answer: Answer, number: int) -> list[Message]:
    if number > LONGEST or answer.servo is None:
        text = f"Channel {answer.servo} is at {number} quarter microseconds; none can be beyond {LONGEST}"
        return [Problem(Trouble.MALFORMED, text, number.to_bytes(2, "little"), answer.servo)]
    return [Measured(answer.servo, Quantity.POSITION, number)]


def _errors(answer: Answer, number: int) -> list[Message]:
    if number & ~sum(ERRORS):
        return [Problem(Trouble.MALFORMED, f"Errors {number:#06x}, which no Maestro has", number.to_bytes(2, "little"))]
    complaints: list[Message] = [Complaint(None, text) for bit, text in ERRORS.items() if number & bit]
    return [Identified(None, None, "Pololu Maestro"), *complaints]


_READERS: dict[Asked, Callable[[Answer, int], list[Message]]] = {Asked.VALUES: _position, Asked.IDENTITY: _errors}


class Maestro(WithoutRegisters):
    """The codec of one Maestro.

    Args:
        channels: That it has: 6, 12, 18 or 24.
        device: Its number where it shares a line with others; None where it is alone.
        crc: Whether "Enable CRC" is set in its Control Center.
    """

    def __init__(self, channels: int = MICRO, device: int | None = None, crc: bool = False) -> None:
        if channels not in MODELS:
            raise ProtocolError(f"A Maestro with {channels} channels; they have 6, 12, 18 or 24")
        self._wire = Wire(device, crc)
        self.capabilities = Capabilities(
            title="Pololu Maestro",
            units=Units("quarter microseconds", SHORTEST, LONGEST, microsecond=QUARTERS),
            servos=range(channels),
            max_channels=channels,
            baudrates=(115_200, 9_600, 19_200, 38_400, 57_600, 200_000, 250_000),
            reads=frozenset((Quantity.POSITION,)),
            measures=False,
            worth={},
            commands_checked=Check.CRC7 if crc else Check.NONE,
            answers_checked=Check.NONE,
            acknowledges=False,
            one_at_a_time=True,
            releases=True,
            watchdog=None,
            on_silence=Silence.UNKNOWN,
            limits_speed=True,
            limits_acceleration=True,
            remark=(
                "Positions that it tells are the pulses that it sends, not where servos are. When the line goes silent it holds them, "
                "unless a Serial Timeout is set in the Control Center: then its channels go home. "
                "Enable CRC must be the same here and there, or they go home as soon as you connect"
            ),
        )

    def decoder(self) -> MaestroDecoder:
        """A fresh decoder for one connection."""
        return MaestroDecoder()

    def identify(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Ask the controller for its errors, which clears them: who answers with two bytes that can be errors may be a Maestro."""
        return (self._question(GetErrors(), Answer(None, Asked.IDENTITY, 2)),)

    def check(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Ask the controller for its errors, which clears them."""
        return self.identify(servos)

    def limit(self, servo: int, speed: float, acceleration: float | None = None) -> tuple[Exchange, ...]:
        """Let the controller change a channel's pulse no faster [quarter us/s, quarter us/s2]."""
        orders = [self._order(SetSpeed(self._known(servo), _rounded_up("The speed", speed, SPEED_UNIT, HIGHEST_TARGET)))]
        if acceleration is not None:
            number = _rounded_up("The acceleration", acceleration, ACCELERATION_UNIT, HIGHEST_ACCELERATION)
            orders.append(self._order(SetAcceleration(servo, number)))
        return tuple(orders)

    def arm(self, at: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Pulses begin, at `at`: a servo that is elsewhere goes there at its own full speed."""
        return self.write(at)

    def disarm(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Pulses end, and with most servos their force."""
        return tuple(self._order(SetTarget(self._known(servo), 0)) for servo in servos)

    def write(self, goals: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Give channels their goals; neighbours share a command where the controller knows how.

        Not with a CRC: it does not guard the number of targets in such a command.
        """
        targets = {self._known(servo): self._reachable(servo, goals[servo]) for servo in sorted(goals)}
        if self.capabilities.max_channels <= MICRO or self._wire.crc:
            return tuple(self._order(SetTarget(servo, target)) for servo, target in targets.items())
        return tuple(self._order(_together(run, targets)) for run in _runs(list(targets)))

    def read(self, quantities: Collection[Quantity], servos: Collection[int]) -> tuple[Exchange, ...]:
        """Ask for the pulses that channels are being sent."""
        for quantity in quantities:
            if quantity is not Quantity.POSITION:
                raise ProtocolError(f"A Maestro cannot tell a servo's {quantity.value}; it knows only the pulses that it sends")
        if not quantities:
            return ()
        answers = [Answer(self._known(servo), Asked.VALUES, 2, quantities=(Quantity.POSITION,)) for servo in servos]
        return tuple(self._question(GetPosition(answer.servo or 0), answer) for answer in answers)

    def stop(self, hold: Mapping[int, int], release: Collection[int]) -> tuple[Exchange, ...]:
        """End motion at once; where a speed limit is set, a channel still comes to rest at its own pace."""
        return self.write(hold) + self.disarm(release)

    def watchdog(self, servos: Collection[int], seconds: float | None) -> tuple[Exchange, ...]:
        """There is none to set from here."""
        raise ProtocolError("A Maestro's timeout cannot be set over the line; set Serial Timeout and On Error in its Control Center")

    def go_home(self) -> tuple[Exchange, ...]:
        """Every channel goes where its Control Center says: off, or to a position, at once."""
        return (self._order(GoHome()),)

    def _order(self, command: Command) -> Exchange:
        return Exchange(self._wire.encode(command))

    def _question(self, command: Command, answer: Answer) -> Exchange:
        return Exchange(self._wire.encode(command), (answer,), answer.size)

    def _known(self, servo: int) -> int:
        if servo not in self.capabilities.servos:
            raise ProtocolError(f"Channel {servo} does not exist; this Maestro has {self.capabilities.max_channels}, counted from 0")
        return servo

    def _reachable(self, servo: int, target: int) -> int:
        if not SHORTEST <= target <= LONGEST:
            raise ProtocolError(f"Channel {servo}: {target} quarter microseconds; it takes {SHORTEST} to {LONGEST}")
        return target


def _runs(servos: list[int]) -> list[range]:
    """Servos in rising order as ranges of neighbours."""
    runs: list[range] = []
    for servo in servos:
        if runs and runs[-1].stop == servo:
            runs[-1] = range(runs[-1].start, servo + 1)
        else:
            runs.append(range(servo, servo + 1))
    return runs


def _together(run: range, targets: Mapping[int, int]) -> Command:
    if len(run) == 1:
        return SetTarget(run.start, targets[run.start])
    return SetMultipleTargets(run.start, tuple(targets[servo] for servo in run))


def _rounded_up(name: str, value: float, unit: float, highest: int) -> int:
    """`value` in units of the controller: at least 1, since 0 means no limit."""
    if not (math.isfinite(value) and value > 0):
        raise ProtocolError(f"{name} is {value}; give a positive number")
    return min(math.ceil(value / unit), highest)
