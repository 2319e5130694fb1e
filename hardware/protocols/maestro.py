"""Pololu's Maestro servo controllers: commands and answers.

    command data...                     the command's highest bit is set, that of data is not

With "Enable CRC" a CRC-7 ends each command. It detects one or two flipped bits, but not in the number of
targets of a multiple-target command. A controller with a different setting treats each command as an error,
upon which its channels go to their error positions. So its setting is detected first, by bytes that are valid
with both settings: the query for errors without a CRC, and its CRC only if no answer arrives, which completes
the query of a controller that waits for it. Positions are quarters of a microsecond in two bytes of seven
bits, the low one first.

A Maestro's answers are bare numbers without header, address or checksum. So one query is sent at a time; an
answer is accepted only if it has the expected length and a possible value, and bytes after it are noise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from .interface import (
    KEPT,
    Answer,
    AnswerKind,
    Capabilities,
    Check,
    Codec,
    Exchange,
    Identified,
    Measured,
    Message,
    OtherSetting,
    Problem,
    ProblemKind,
    ProtocolError,
    Quantity,
    ReportedError,
    Units,
    in_units,
)

SET_TARGET, SET_SPEED, SET_MULTIPLE, GET_POSITION, GET_ERRORS = 0x84, 0x87, 0x9F, 0x90, 0xA1

MODELS = (6, 12, 18, 24)  # numbers of channels that a Maestro can have
MICRO = MODELS[0]  # the Micro Maestro does not have the command Set Multiple Targets
QUARTERS = 4  # number of units in a microsecond
SHORTEST, LONGEST = 64 * QUARTERS, 4080 * QUARTERS  # [quarter us] pulses that can be set
SPEED_UNIT = 100.0  # quarter us per second in one unit of speed: a quarter us every 10 ms
HIGHEST_SPEED = 0x3FFF  # largest speed that a command can contain, in units of SPEED_UNIT
# [s] additional wait for the answer to a query without a CRC, before its CRC is sent as a second try: a
# controller that expects none, and is only late, would count that byte as an error
PROBE_WAIT = 0.5
OTHER_CRC = "Enable CRC is {there} in its Control Center, and {here} here: nothing else was sent"

ERRORS = {  # bit of the controller's error register -> text about the controller
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
    """The decoder of one connection to a Maestro; `crc` as for `Maestro`."""

    def __init__(self, crc: bool) -> None:
        words = ("off", "on")
        self._other_crc = OtherSetting(OTHER_CRC.format(there=words[not crc], here=words[crc]))
        self._open: tuple[Answer, ...] = ()
        self._pending = bytearray()
        self._excess = bytearray()
        self._excess_count = 0

    @property
    def waiting(self) -> bool:
        return bool(self._open)

    def expect(self, exchange: Exchange) -> None:
        self._open = exchange.answers
        self._pending.clear()
        self._excess.clear()
        self._excess_count = 0

    def feed(self, data: bytes) -> list[Message]:
        awaited = sum(answer.size for answer in self._open) - len(self._pending)
        self._pending += data[:awaited]
        self._excess += data[awaited : awaited + max(0, KEPT - len(self._excess))]
        self._excess_count += max(0, len(data) - awaited)
        if not self._open or len(data) < awaited:
            return []
        messages: list[Message] = []
        at = 0
        for answer in self._open:
            if answer.kind is AnswerKind.OTHER_SETTING:
                messages.append(self._other_crc)
            messages += _READERS[answer.kind](
                answer, int.from_bytes(self._pending[at : at + answer.size], "little")
            )
            at += answer.size
        self._open = ()
        self._pending.clear()
        return messages

    def give_up(self) -> list[Message]:
        messages: list[Message] = []
        if self._open:
            received, due = len(self._pending), sum(answer.size for answer in self._open)
            text = f"The controller answered with {received} bytes; {due} were due"
            messages = [
                Problem(ProblemKind.MISSING, text, bytes(self._pending[:KEPT]), answer.servo)
                for answer in self._open
            ]
        if self._excess_count:
            messages.append(
                Problem(ProblemKind.NOISE, f"{self._excess_count} bytes without a query", bytes(self._excess))
            )
        self.expect(Exchange(b""))
        return messages


def _position(answer: Answer, number: int) -> list[Message]:
    if number > LONGEST or answer.servo is None:
        text = f"Channel {answer.servo} is at {number} quarter microseconds; none can be beyond {LONGEST}"
        return [Problem(ProblemKind.MALFORMED, text, number.to_bytes(2, "little"), answer.servo)]
    return [Measured(answer.servo, Quantity.POSITION, number)]


def _errors(answer: Answer, number: int) -> list[Message]:
    if number & ~sum(ERRORS):
        return [
            Problem(
                ProblemKind.MALFORMED,
                f"Errors {number:#06x}, which no Maestro has",
                number.to_bytes(2, "little"),
            )
        ]
    status_errors: list[Message] = [ReportedError(None, text) for bit, text in ERRORS.items() if number & bit]
    return [Identified(None, None, "Pololu Maestro"), *status_errors]


_READERS: dict[AnswerKind, Callable[[Answer, int], list[Message]]] = {
    AnswerKind.VALUES: _position,
    AnswerKind.IDENTITY: _errors,
    AnswerKind.OTHER_SETTING: _errors,
}


class Maestro(Codec):
    """The codec of one Maestro.

    Args:
        channels: Number of channels: 6, 12, 18 or 24.
        crc: Whether "Enable CRC" is set in its Control Center.

    Raises:
        ProtocolError: No Maestro has that number of channels.
    """

    def __init__(self, channels: int = MICRO, crc: bool = False) -> None:
        if channels not in MODELS:
            raise ProtocolError(f"A Maestro with {channels} channels; they have 6, 12, 18 or 24")
        self._crc = crc
        self.capabilities = Capabilities(
            title="Pololu Maestro",
            units=Units("quarter microseconds", SHORTEST, LONGEST, microsecond=QUARTERS),
            servos=range(channels),
            baudrates=(115_200, 9_600, 19_200, 38_400, 57_600, 200_000, 250_000),
            reads=frozenset((Quantity.POSITION,)),
            commands_checked=Check.CRC7 if crc else Check.NONE,
            limits_speed=True,
            remark=(
                "The positions that it reports are the pulses that it sends, not where servos are. When the"
                " line goes silent it holds them, unless a Serial Timeout is set in the Control Center: then"
                " its channels go home. Enable CRC must be the same here and there, or Limber does not"
                " connect"
            ),
        )

    def decoder(self) -> MaestroDecoder:
        return MaestroDecoder(self._crc)

    def identify(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Query for the controller's errors, which also clears them and detects whether it expects a CRC.
        Any device that answers with two bytes that are valid errors may be a Maestro.
        """
        kind_without_crc, kind_with_crc = AnswerKind.IDENTITY, AnswerKind.OTHER_SETTING
        if self._crc:
            kind_without_crc, kind_with_crc = kind_with_crc, kind_without_crc
        query = bytes((GET_ERRORS,))
        missing_crc = Exchange(bytes((crc7(query),)), (Answer(None, kind_with_crc, 2),), 2)
        return (
            Exchange(query, (Answer(None, kind_without_crc, 2),), 2, otherwise=missing_crc, wait=PROBE_WAIT),
        )

    def check(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Query for the controller's errors, which clears them."""
        return (self._exchange((GET_ERRORS,), Answer(None, AnswerKind.IDENTITY, 2)),)

    def limit(self, servo: int, speed: float) -> tuple[Exchange, ...]:
        """Command that limits the rate of change of a channel's pulse [quarter us/s]."""
        number = in_units("The speed", speed, SPEED_UNIT, HIGHEST_SPEED)
        return (self._exchange((SET_SPEED, self._known(servo), *_word(number))),)

    def disarm(self, servos: Collection[int]) -> tuple[Exchange, ...]:
        """Commands that end the pulses, upon which most servos lose their torque."""
        return tuple(self._exchange((SET_TARGET, self._known(servo), 0, 0)) for servo in servos)

    def write(self, goals: Mapping[int, int]) -> tuple[Exchange, ...]:
        """Commands that set goals; neighbouring channels share a command if the controller supports that.

        Not with a CRC, which does not protect the number of targets in such a command.
        """
        targets = {self._known(servo): _word(self._reachable(servo, goals[servo])) for servo in sorted(goals)}
        runs = (
            _runs(list(targets))
            if self.capabilities.servos.stop > MICRO and not self._crc
            else [[servo] for servo in targets]
        )
        heads = ((SET_TARGET, run[0]) if len(run) == 1 else (SET_MULTIPLE, len(run), run[0]) for run in runs)
        return tuple(
            self._exchange((*head, *(b for servo in run for b in targets[servo])))
            for head, run in zip(heads, runs, strict=True)
        )

    def read(self, quantities: Collection[Quantity], servos: Collection[int]) -> tuple[Exchange, ...]:
        """Queries for the pulses that the controller currently sends to channels."""
        self._check_readable(quantities)
        answers = [
            Answer(self._known(servo), AnswerKind.VALUES, 2, quantities=(Quantity.POSITION,))
            for servo in servos
            if quantities
        ]
        return tuple(self._exchange((GET_POSITION, answer.servo or 0), answer) for answer in answers)

    def watchdog(self, servos: Collection[int], seconds: float | None) -> tuple[Exchange, ...]:
        raise ProtocolError(
            "A Maestro's timeout cannot be set over the line; set Serial Timeout and On Error in its Control"
            " Center"
        )

    def _exchange(self, command: Collection[int], *answers: Answer) -> Exchange:
        frame = bytes(command)
        return Exchange(
            frame + bytes((crc7(frame),)) if self._crc else frame,
            answers,
            sum(answer.size for answer in answers),
        )


def crc7(data: bytes | bytearray) -> int:
    """The CRC-7 of Pololu's controllers; that of the bytes 83 01 is 17 (hexadecimal)."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc ^ 0x91 if crc & 1 else crc) >> 1
    return crc


def _word(number: int) -> tuple[int, int]:
    """A number in two bytes of seven bits, the low one first."""
    return number & 0x7F, number >> 7


def _runs(servos: list[int]) -> list[list[int]]:
    """Servos in ascending order, in runs of consecutive ids."""
    runs: list[list[int]] = []
    for servo in servos:
        if runs and runs[-1][-1] + 1 == servo:
            runs[-1].append(servo)
        else:
            runs.append([servo])
    return runs
