"""Background job that changes the id or the baud rate of a bus servo, and verifies the change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from .errors import HardwareError
from .job_events import Found, JobEvent, JobProgress
from .port_session import PortSession
from .protocols.bus.codec import BusCodec
from .protocols.dialogue import PATIENT
from .protocols.interface import Identified, Problem, ProblemKind
from .protocols.table import codec_for

TIMES = 3  # number of queries of an id; an id without any answer counts as unused
STEPS = 4  # total of the shown progress: three reported steps at most, and the result


class ChangeError(HardwareError):
    """The servo was not changed, or the change could not be verified; the message says which of the two, and
    gives the remedy.
    """


def run(arguments: Mapping[str, Any], serial: ModuleType | None) -> Iterator[JobEvent]:
    """Run the background job, yielding its progress events.

    Args:
        arguments: "port", "protocol", "baudrate" [bit/s] and "servo"; and "new_servo" (an id) or
            "new_baudrate" [bit/s].
        serial: The pyserial module; None if it is missing.

    Raises:
        ChangeError: The servo was not changed, or the change could not be verified.
        HardwareError: The port cannot be opened or failed, or the protocol is unknown.
    """
    port, protocol, rate, servo = (arguments[key] for key in ("port", "protocol", "baudrate", "servo"))
    codec = codec_for(protocol)
    if not isinstance(codec, BusCodec):
        raise ChangeError(
            f"{codec.capabilities.title}: its servos have no ids of their own that could be changed"
        )
    if "new_servo" in arguments:
        yield from _change_id(serial, codec, port, protocol, rate, servo, arguments["new_servo"])
    else:
        yield from _change_rate(serial, codec, port, protocol, rate, servo, arguments["new_baudrate"])


def _change_id(
    serial: ModuleType | None, codec: BusCodec, port: str, protocol: str, rate: int, servo: int, new: int
) -> Iterator[JobEvent]:
    if new == servo:
        raise ChangeError(f"Servo {servo} has that id already: choose another")
    with PortSession(serial, port, rate, codec) as session:
        yield JobProgress(1, STEPS, f"Who has id {servo}?")
        before = _single_servo(session, codec, servo, rate)
        yield JobProgress(2, STEPS, f"Is id {new} free?")
        if _identify(session, codec, new)[0] is not None:
            raise ChangeError(
                f"Id {new} is taken by another servo: choose a free one; servo {servo} is as it was"
            )
        yield JobProgress(3, STEPS, "Changing")
        session.query(codec.change_id(servo, new), PATIENT)
        after, _ = _identify(session, codec, new)
        stayed, _ = _identify(session, codec, servo)
    if after is None or stayed is not None:
        where = (
            f"answers as {servo} still"
            if stayed is not None
            else f"answers neither as {servo} nor as {new}: scan for it"
        )
        raise ChangeError(f"Servo {servo} should answer as {new} now, but {where}")
    if after.model != before.model:
        raise ChangeError(
            f"As {new} answers {after.name} where {before.name} was expected: connect servos one by one"
        )
    yield Found(port, protocol, rate, new, after.name, after.firmware)


def _change_rate(
    serial: ModuleType | None, codec: BusCodec, port: str, protocol: str, rate: int, servo: int, new: int
) -> Iterator[JobEvent]:
    if new == rate:
        raise ChangeError(f"Servo {servo} talks at {rate} baud already: choose another rate")
    with PortSession(serial, port, rate, codec) as session:
        yield JobProgress(1, STEPS, f"Who has id {servo}?")
        before = _single_servo(session, codec, servo, rate)
        yield JobProgress(2, STEPS, "Changing")
        session.query(codec.change_baudrate(servo, new), PATIENT)
    with PortSession(serial, port, new, codec) as session:
        yield JobProgress(3, STEPS, f"Does it answer at {new}?")
        after, _ = _identify(session, codec, servo)
        if after is None or after.model != before.model:
            raise ChangeError(
                f"Servo {servo} should answer at {new} baud now and does not: switch its power off and on,"
                " then scan at both rates"
            )
        session.query(codec.lock(servo), PATIENT)
    yield Found(port, protocol, new, servo, after.name, after.firmware)


def _single_servo(session: PortSession, codec: BusCodec, servo: int, rate: int) -> Identified:
    """The single servo with this id; raises ChangeError if none or several answer."""
    identified, several = _identify(session, codec, servo)
    if several:
        raise ChangeError(
            f"More than one servo seems to have id {servo} ({several}): connect the one to be changed alone;"
            " nothing was changed"
        )
    if identified is None:
        raise ChangeError(f"No servo answers as {servo} at {rate} baud: scan for it; nothing was changed")
    return identified


def _identify(session: PortSession, codec: BusCodec, servo: int) -> tuple[Identified | None, str]:
    """Query an id several times.

    Returns:
        (identification, hint): the last answer, None without any; and a sign that several servos have this
        id, as text, "" without a sign.
    """
    identified: Identified | None = None
    hint = ""
    for _ in range(TIMES):
        # two servos of one model identify themselves with the same bytes, but their measured values differ,
        # so that these answers collide on the line and arrive damaged
        readings = codec.read(codec.capabilities.reads, (servo,)) if identified is not None else ()
        for message in session.query((*codec.identify((servo,)), *readings), PATIENT):
            if isinstance(message, Identified) and message.servo == servo:
                if identified is not None and identified.model != message.model:
                    hint = f"{identified.name} and {message.name} answered"
                identified = message
            elif isinstance(message, Problem) and message.kind not in (
                ProblemKind.MISSING,
                ProblemKind.NOISE,
            ):
                hint = message.text
    return identified, hint
