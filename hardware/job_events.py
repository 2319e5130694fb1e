"""What an errand tells Blender as it goes: a line of JSON each. Knows no Blender."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is: `done` of `total` steps, and what it is at."""

    done: int
    total: int
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """A servo, or a board of them, that answered.

    Attributes:
        port: Where.
        protocol: In which it answered: a name of the table, or "limber".
        baudrate: At which [bit/s].
        servo: Its id; None: a board that answers for all its servos.
        name: What it is: a model, or what a board calls itself.
        firmware: Its version; may be empty.
        voltage: Of its supply [V]; None where it cannot tell.
        temperature: Its own [degrees Celsius]; None where it cannot tell.
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
    """What a protocol can do, as sentences for the user.

    Attributes:
        protocol: Its name, as a device has it.
        title: Of it.
        sentences: What it can and cannot, most important first.
        baudrates: That it offers [bit/s], the usual one first.
        units: Of a position.
    """

    protocol: str
    title: str
    sentences: tuple[str, ...]
    baudrates: tuple[int, ...]
    units: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that the user should know, as a sentence."""

    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The errand is over; `failed` is the sentence that says why nothing came of it, or empty."""

    text: str = ""
    failed: str = ""


JobEvent = Progress | Found | Described | Remark | Ended
KINDS: dict[str, Callable[..., JobEvent]] = {kind.__name__: kind for kind in (Progress, Found, Described, Remark, Ended)}


def to_line(news: JobEvent) -> str:
    """A line without its end."""
    return json.dumps([type(news).__name__, asdict(news)])


def from_line(line: str) -> JobEvent:
    """The news that `to_line` wrote.

    Raises:
        ValueError: It is none.
    """
    try:
        kind, fields = json.loads(line)
        return KINDS[kind](**{name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()})
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise ValueError(f"no news: {line!r}") from error
