"""The progress events of a background job, each a line of JSON between the processes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class JobProgress:
    """`done` of `total` steps, and a text on the current step."""

    done: int
    total: int
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """A servo, or a controller of servos, that answered.

    Attributes:
        port: Port on which the device answered.
        protocol: Protocol of the answer: a name of the protocol table, or "limber".
        baudrate: Baud rate of the answer [bit/s].
        servo: Id of the servo; None for a controller that answers for all its servos.
        name: Model of the servo, or the controller's own name.
        firmware: Version of the firmware; may be empty.
        voltage: Supply voltage [V]; None if not measured.
        temperature: Temperature of the servo [degrees Celsius]; None if not measured.
    """

    port: str
    protocol: str
    baudrate: int
    servo: int | None
    name: str
    firmware: str = ""
    voltage: float | None = None
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class Described:
    """What a protocol supports, as sentences for the user.

    Attributes:
        protocol: Name of the protocol, as in `Device.protocol`.
        title: Name of the protocol for the user.
        sentences: Sentences on what the protocol can and cannot do, most important first.
        baudrates: Supported baud rates [bit/s], the default one first.
        units: Unit of a position.
    """

    protocol: str
    title: str
    sentences: tuple[str, ...]
    baudrates: tuple[int, ...]
    units: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence for the user about what the job found."""

    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The job has ended.

    Attributes:
        text: Result for the user, such as "Cancelled"; may be empty.
        failed: Sentence with the cause of a failure; empty if the job succeeded.
    """

    text: str = ""
    failed: str = ""


JobEvent = JobProgress | Found | Described | Remark | Ended
KINDS: dict[str, Callable[..., JobEvent]] = {
    kind.__name__: kind for kind in (JobProgress, Found, Described, Remark, Ended)
}


def to_line(event: JobEvent) -> str:
    """An event as a line of JSON, without a line feed."""
    return json.dumps([type(event).__name__, asdict(event)])


def from_line(line: str) -> JobEvent:
    """The event that `to_line` encoded.

    Raises:
        ValueError: The line is no event.
    """
    try:
        kind, fields = json.loads(line)
        return KINDS[kind](
            **{name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
        )
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise ValueError(f"no event: {line!r}") from error
