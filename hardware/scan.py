"""Background job that searches for servos on ports, with baud rates and protocols of the user's choice.

It sends only queries and no commands, but a device on a port receives all of them, including those of other
protocols.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from .errors import WorkerError
from .job_events import Found, JobEvent, JobProgress, Remark
from .port_session import PortError, PortSession
from .ports import serial_ports
from .protocols import limber
from .protocols.dialogue import PATIENT
from .protocols.interface import Codec, Identified, Measured, Message, Problem, ProblemKind, Quantity
from .protocols.table import OWN, PROTOCOLS, capabilities_of, codec_for

BLOCK = 16  # number of ids between two reports of progress
# [s] longest start of a board after its port was opened: an Arduino resets, and its boot loader waits first
BOOT = 2.5
GREETINGS = 5  # number of HELLO messages that are sent within `BOOT`
UNKNOWN = "unknown"  # beginning of the name of a model that is not in the table
# protocol -> protocol of the maker's other series, whose servos answer the same queries
OTHER_SERIES = {"feetech_sts": "feetech_scs", "feetech_scs": "feetech_sts"}

SCANNED = (
    OWN,
    *(name for name in PROTOCOLS if (codec := codec_for(name)).identify(codec.capabilities.servos[1:2])),
)
"""Protocols whose devices identify themselves when queried."""


def rates_of(protocol: str, picked: Sequence[int]) -> list[int]:
    """Baud rates to try for a protocol: those of `picked` that its devices support, the default one first."""
    return [rate for rate in capabilities_of(protocol).baudrates if rate in picked]


def run(arguments: Mapping[str, Any], serial: ModuleType | None) -> Iterator[JobEvent]:
    """Run the background job, yielding its progress events. A port that cannot be opened, or fails, is
    skipped with a `Remark`.

    Args:
        arguments: "ports" (None: all serial ports except those in "without"), "protocols" and "baudrates"
            [bit/s] to try, "lowest" and "highest" id.
        serial: The pyserial module; None if it is missing.

    Raises:
        HardwareError: There is no free serial port, or pyserial is missing.
    """
    ids = range(arguments["lowest"], arguments["highest"] + 1)
    attempts = [
        (port, protocol, rate)
        for port in _ports(arguments)
        for protocol in arguments["protocols"]
        for rate in rates_of(protocol, arguments["baudrates"])
    ]
    unusable_ports: set[str] = set()
    for number, (port, protocol, rate) in enumerate(attempts):
        if port in unusable_ports:
            continue
        title = capabilities_of(protocol).title
        steps = _AttemptProgress(number, len(attempts), f"{port} at {rate}: {title}")
        yield steps.progress(0.0)
        try:
            with PortSession(serial, port, rate) as session:
                if protocol == OWN:
                    yield from _find_firmware(session, port, rate, steps)
                # a protocol that identifies without ids identifies the controller
                elif (codec := codec_for(protocol)).identify(()):
                    yield from _find_board(session, codec, port, protocol, rate)
                else:
                    yield from _find_servos(session, codec, port, protocol, rate, ids, steps)
        except PortError as error:
            unusable_ports.add(port)
            yield Remark(str(error))
    yield JobProgress(len(attempts), len(attempts), "Scanned")


def _ports(arguments: Mapping[str, Any]) -> list[str]:
    named = arguments["ports"]
    ports = [port for port in serial_ports() if port not in arguments["without"]] if named is None else named
    if not ports:
        raise WorkerError("There is no serial port that is free: plug the robot in, or press Disconnect")
    return list(ports)


class _AttemptProgress:
    """Progress within one of several attempts, in hundredths."""

    def __init__(self, number: int, total: int, text: str) -> None:
        self._number, self._total, self._text = number, total, text

    def progress(self, share: float) -> JobProgress:
        return JobProgress(round(100 * (self._number + share)), 100 * self._total, self._text)


def _find_firmware(session: PortSession, port: str, rate: int, steps: _AttemptProgress) -> Iterator[JobEvent]:
    """Events for a board with Limber's firmware; a board that resets when its port is opened answers only a
    later HELLO.
    """
    decoder = limber.FrameDecoder()
    hello = limber.encode(limber.Hello(random.randrange(1, 1 << 16)))
    for greeting in range(GREETINGS):
        for data in session.stream(hello, BOOT / GREETINGS):
            for frame in decoder.feed(data):
                if isinstance(frame.message, limber.Welcome):
                    welcome = frame.message
                    name = welcome.name or capabilities_of(OWN).title
                    yield Found(port, OWN, rate, None, name, ".".join(map(str, welcome.firmware)))
                    return
        yield steps.progress((greeting + 1) / GREETINGS)


def _find_board(
    session: PortSession, codec: Codec, port: str, protocol: str, rate: int
) -> Iterator[JobEvent]:
    """Events for a controller that answers for all its servos."""
    session.use(codec)
    for message in session.query(codec.identify(())):
        if isinstance(message, Identified):
            yield Found(
                port, protocol, rate, None, message.name or codec.capabilities.title, message.firmware
            )
            return


def _find_servos(
    session: PortSession,
    codec: Codec,
    port: str,
    protocol: str,
    rate: int,
    ids: range,
    steps: _AttemptProgress,
) -> Iterator[JobEvent]:
    """Events for servos with ids, which are queried in blocks.

    If anything answers, the silent ids of the block are queried once more, since a busy computer may deliver
    an answer too late.
    """
    session.use(codec)
    possible = [servo for servo in codec.capabilities.servos if servo in ids]
    for first in range(0, len(possible), BLOCK):
        block = possible[first : first + BLOCK]
        heard = session.query(codec.identify(block))
        # any answer, even a damaged one, is a sign of servos on this line; to query silent blocks twice would
        # double the time of the scan
        if any(
            not (isinstance(message, Problem) and message.kind is ProblemKind.MISSING) for message in heard
        ):
            answered = {message.servo for message in heard if isinstance(message, Identified)}
            heard += session.query(codec.identify([servo for servo in block if servo not in answered]))
        identified = {message.servo: message for message in heard if isinstance(message, Identified)}
        for servo in block:
            if servo in identified:
                yield _found_event(session, codec, port, protocol, rate, identified[servo])
        yield from _shared_id_remarks(heard, port, rate)
        yield steps.progress((first + len(block)) / len(possible))


def _found_event(
    session: PortSession, codec: Codec, port: str, protocol: str, rate: int, identified: Identified
) -> Found:
    """The event for a servo that has identified itself, with its voltage [V] and temperature [degrees
    Celsius] if it reports them. A servo of an unknown model is queried in the protocol of the maker's other
    series too, which becomes its protocol if the model is known there.
    """
    servo = identified.servo
    assert servo is not None
    if identified.name.startswith(UNKNOWN) and protocol in OTHER_SERIES:
        protocol, identified = _other_series(session, codec, protocol, servo) or (protocol, identified)
    capabilities = codec.capabilities
    quantities = [
        quantity for quantity in (Quantity.VOLTAGE, Quantity.TEMPERATURE) if quantity in capabilities.reads
    ]
    heard = session.query(codec.read(quantities, (servo,)), PATIENT)
    values = {
        message.quantity: round(message.raw * capabilities.unit_size.get(message.quantity, 1.0), 2)
        for message in heard
        if isinstance(message, Measured)
    }
    volts, temperature = values.get(Quantity.VOLTAGE), values.get(Quantity.TEMPERATURE)
    return Found(port, protocol, rate, servo, identified.name, identified.firmware, volts, temperature)


def _other_series(
    session: PortSession, usual: Codec, protocol: str, servo: int
) -> tuple[str, Identified] | None:
    """(protocol, identification) of a servo that is a known model when queried in the protocol of the maker's
    other series; else None.
    """
    other = OTHER_SERIES[protocol]
    codec = codec_for(other)
    session.use(codec)
    heard = session.query(codec.identify((servo,)))
    session.use(usual)
    known = [
        message
        for message in heard
        if isinstance(message, Identified) and not message.name.startswith(UNKNOWN)
    ]
    return (other, known[0]) if known else None


def _shared_id_remarks(heard: Sequence[Message], port: str, rate: int) -> Iterator[Remark]:
    """Remarks on signs of servos that share an id, or of a bad line: such servos answer at the same time, so
    that answers are damaged or arrive twice.
    """
    for message in heard:
        if isinstance(message, Problem) and message.kind is ProblemKind.UNEXPECTED:
            yield Remark(f"{port} at {rate}: {message.text}")
    if any(
        isinstance(message, Problem) and message.kind in (ProblemKind.DAMAGED, ProblemKind.MALFORMED)
        for message in heard
    ):
        yield Remark(
            f"{port} at {rate}: answers are damaged: two servos may have one id (connect them one by one), or"
            " the cable is bad"
        )
