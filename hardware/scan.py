"""Looks for servos: on ports, at baud rates, in protocols that a user picks. Knows no Blender.

It asks questions alone and gives no order, but what hangs on a port hears all of them, also in protocols that are not its own.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from .asking import Line, PortError, of_servo
from .describe import OWN, codec_of
from .errors import WorkerError
from .news import Found, News, Progress, Remark
from .ports import serial_ports
from .protocols.bus.codec import BusCodec
from .protocols.interface import Codec, Identified, Measured, Message, Problem, Quantity, Trouble
from .protocols.limber.codec import Limber
from .protocols.table import codec_for

BLOCK = 16  # ids between two words of progress
BOOT = 2.5  # [s] that a board may take after its port was opened: an Arduino restarts then, and its loader waits first
GREETINGS = 5  # in that time
UNKNOWN = "unknown"  # begins the name of a model that the table does not have
OTHER_SERIES = {"feetech_sts": "feetech_scs", "feetech_scs": "feetech_sts"}  # they answer each other's questions

SCANNED = (OWN, "feetech_sts", "feetech_scs", "dynamixel", "maestro")
"""Protocols whose devices answer the question who they are."""


def rates_of(protocol: str, picked: Sequence[int]) -> list[int]:
    """Those of the picked baud rates that a protocol's devices offer, the usual one first."""
    return [rate for rate in codec_of(protocol).capabilities.baudrates if rate in picked]


def run(arguments: Mapping[str, Any], serial: ModuleType | None) -> Iterator[News]:
    """The errand.

    Args:
        arguments: "ports" (None: all serial ports but those in "without"), "protocols" and "baudrates" [bit/s] to try, "lowest" and
            "highest" id.
        serial: The pyserial module; None where it is missing.
    """
    ids = range(arguments["lowest"], arguments["highest"] + 1)
    tries = [
        (port, protocol, rate)
        for port in _ports(arguments)
        for protocol in arguments["protocols"]
        for rate in rates_of(protocol, arguments["baudrates"])
    ]
    shut: set[str] = set()
    for number, (port, protocol, rate) in enumerate(tries):
        if port in shut:
            continue
        title = codec_of(protocol).capabilities.title
        steps = _Steps(number, len(tries), f"{port} at {rate}: {title}")
        yield steps.progress(0.0)
        try:
            with Line(serial, port, rate, codec_of(protocol)) as line:
                yield from _look(line, port, protocol, rate, ids, steps)
        except PortError as error:
            shut.add(port)
            yield Remark(str(error))
    yield Progress(len(tries), len(tries), "Scanned")


def _ports(arguments: Mapping[str, Any]) -> list[str]:
    named = arguments["ports"]
    found = [port for port in serial_ports() if port not in arguments["without"]] if named is None else named
    if not found:
        raise WorkerError("There is no serial port that is free: plug the robot in, or press Disconnect")
    return list(found)


class _Steps:
    """Progress within one of several tries, in hundredths."""

    def __init__(self, number: int, total: int, text: str) -> None:
        self._number, self._total, self._text = number, total, text

    def progress(self, share: float) -> Progress:
        return Progress(round(100 * (self._number + share)), 100 * self._total, self._text)


def _look(line: Line, port: str, protocol: str, rate: int, ids: range, steps: _Steps) -> Iterator[News]:
    if isinstance(line.codec, BusCodec):
        yield from _bus(line, line.codec, port, protocol, rate, ids, steps)
    else:
        yield from _board(line, port, protocol, rate, steps)


def _board(line: Line, port: str, protocol: str, rate: int, steps: _Steps) -> Iterator[News]:
    """A board answers as a whole; one that restarts when its port is opened needs its time."""
    for greeting in range(GREETINGS if protocol == OWN else 1):
        codec: Codec = Limber(random.randrange(1, 1 << 16), {}) if protocol == OWN else line.codec
        line.speak(codec)
        heard = line.ask(codec.identify(()), BOOT / GREETINGS)
        for message in heard:
            if isinstance(message, Identified):
                yield Found(port, protocol, rate, None, message.name or codec.capabilities.title, message.firmware)
                return
        yield steps.progress((greeting + 1) / GREETINGS)


def _bus(line: Line, codec: BusCodec, port: str, protocol: str, rate: int, ids: range, steps: _Steps) -> Iterator[News]:
    possible = [servo for servo in codec.capabilities.servos if servo in ids]
    for first in range(0, len(possible), BLOCK):
        block = possible[first : first + BLOCK]
        heard = line.ask(codec.identify(block))
        for servo in block:
            yield from _answered(line, codec, port, protocol, rate, servo, of_servo(heard, servo))
        yield from _several(heard, port, rate)
        yield steps.progress((first + len(block)) / len(possible))


def _answered(line: Line, codec: BusCodec, port: str, protocol: str, rate: int, servo: int, heard: Sequence[Message]) -> Iterator[News]:
    identified = next((message for message in heard if isinstance(message, Identified)), None)
    if identified is None:
        return
    if identified.name.startswith(UNKNOWN) and protocol in OTHER_SERIES:
        protocol, identified = _other_series(line, protocol, servo) or (protocol, identified)
    values = measured(line, servo)
    volts, heat = values.get(Quantity.VOLTAGE), values.get(Quantity.TEMPERATURE)
    yield Found(port, protocol, rate, servo, identified.name, identified.firmware, volts, heat)


def _other_series(line: Line, protocol: str, servo: int) -> tuple[str, Identified] | None:
    """The servo as one of the other series, where that makes it a model that is known."""
    usual, other = line.codec, OTHER_SERIES[protocol]
    line.speak(codec_for(other))
    heard = line.ask(line.codec.identify((servo,)))
    line.speak(usual)
    known = [message for message in heard if isinstance(message, Identified) and not message.name.startswith(UNKNOWN)]
    return (other, known[0]) if known else None


def _several(heard: Sequence[Message], port: str, rate: int) -> Iterator[Remark]:
    """Servos that share an id speak at once: answers are damaged, or come twice."""
    for message in heard:
        if isinstance(message, Problem) and message.trouble is Trouble.UNEXPECTED:
            yield Remark(f"{port} at {rate}: {message.text}")
    if any(isinstance(message, Problem) and message.trouble in (Trouble.DAMAGED, Trouble.MALFORMED) for message in heard):
        yield Remark(f"{port} at {rate}: answers are damaged: two servos may have one id (connect them one by one), or the cable is bad")


def measured(line: Line, servo: int) -> dict[Quantity, float]:
    """Voltage [V] and temperature [degrees Celsius] of a servo, as far as it tells them."""
    can = line.codec.capabilities
    asked = [quantity for quantity in (Quantity.VOLTAGE, Quantity.TEMPERATURE) if quantity in can.reads]
    heard = line.ask(line.codec.read(asked, (servo,)))
    return {
        message.quantity: round(message.raw * can.worth.get(message.quantity, 1.0), 2)
        for message in of_servo(heard, servo)
        if isinstance(message, Measured)
    }
