"""Capabilities of a protocol as sentences for the user.

A user's own file is a program, so it is described in a separate process (`run`) and never in Blender.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from .job_events import Described, JobEvent
from .protocols.interface import Capabilities, Check, Quantity, Silence
from .protocols.settings import DEFAULT, ProtocolSettings
from .protocols.table import OWN, capabilities_of

_ON_SILENCE = {
    Silence.HOLD: (
        "When the cable breaks or the computer fails, a servo goes to its last goal and stays there, with all"
        " its force"
    ),
    Silence.WATCHDOG: (
        "When the cable breaks or the computer fails, a watchdog in the device stops the motion"
    ),
    Silence.UNKNOWN: (
        "When the cable breaks or the computer fails, the device does what its maker decided: try it before"
        " you rely on it"
    ),
}


def describe(protocol: str, settings: ProtocolSettings = DEFAULT, program: str = "") -> Described:
    """Capabilities of a protocol as sentences; `program` as in `codec_for`.

    Raises:
        ProtocolError: No protocol has that name, or the user's file cannot be used or is not allowed to run.
    """
    can = capabilities_of(protocol, settings, program)
    sentences = (
        _measuring(can, protocol),
        _ON_SILENCE[can.on_silence],
        _releasing(can),
        _line_noise(can),
        can.remark,
    )
    return Described(
        protocol, can.title, tuple(text for text in sentences if text), can.baudrates, can.units.name
    )


def run(arguments: Mapping[str, Any], serial: ModuleType | None) -> Iterator[JobEvent]:
    """Run the background job: describe the protocol `arguments["protocol"]`. If that is a user's file, it
    runs only with the content whose SHA-256 is `arguments["program"]`. Raises ProtocolError as `describe`.
    """
    yield describe(arguments["protocol"], program=arguments["program"])


def _measuring(can: Capabilities, protocol: str) -> str:
    if protocol == OWN:
        return "Measures servo positions if the board can; else you confirm the pose before it is armed"
    if not can.measures:
        return "Does not measure servo positions: you confirm the pose before it is armed"
    more = [
        quantity.value
        for quantity in (Quantity.TEMPERATURE, Quantity.VOLTAGE, Quantity.LOAD)
        if quantity in can.reads
    ]
    return "Measures servo positions" + (
        f", their {', '.join(more[:-1])} and {more[-1]}" if len(more) > 1 else ""
    )


def _releasing(can: Capabilities) -> str:
    return (
        "Servos can be made limp, to be moved by hand"
        if can.releases
        else "Servos cannot be made limp: only the power switch does that"
    )


def _line_noise(can: Capabilities) -> str:
    if can.commands_checked is Check.NONE and not can.address:
        return "Noise on the line may move a servo: orders have no checksum"
    return ""
