"""The table of protocols by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from .custom import Custom
from .dynamixel.series import dynamixel
from .feetech.series import feetech
from .interface import Capabilities, Codec, ProtocolError, Silence
from .limber import capabilities as limber
from .maestro import Maestro
from .reachy_mini import capabilities as reachy_mini
from .servo_animation import ServoAnimation
from .settings import DEFAULT, ProtocolSettings

OWN = "limber"  # the name of Limber's own protocol
FILE = "file:"  # prefix of the name of a user's own protocol, followed by the path of its file


@dataclass(frozen=True, slots=True)
class ProtocolEntry:
    """A protocol in the table.

    Attributes:
        title: Name for the user.
        make: Makes a codec for a device's settings.
        settings: Fields of `ProtocolSettings` that it uses.
    """

    title: str
    make: Callable[[ProtocolSettings], Codec]
    settings: frozenset[str] = frozenset()


PROTOCOLS: Mapping[str, ProtocolEntry] = MappingProxyType(
    {
        "feetech_sts": ProtocolEntry(
            "Feetech STS",
            lambda settings: feetech("sts", multi_turn=settings.multi_turn),
            frozenset({"multi_turn"}),
        ),
        "feetech_scs": ProtocolEntry("Feetech SCS", lambda _settings: feetech("scs")),
        "dynamixel": ProtocolEntry(
            "Dynamixel X",
            lambda settings: dynamixel(multi_turn=settings.multi_turn),
            frozenset({"multi_turn"}),
        ),
        "maestro": ProtocolEntry(
            "Pololu Maestro",
            lambda settings: Maestro(settings.channel_count, crc=settings.crc),
            frozenset({"channel_count", "crc"}),
        ),
        "servo_animation": ProtocolEntry("blender-servo-animation", lambda _settings: ServoAnimation()),
    }
)
"""Protocols that have a codec."""

WITHOUT_CODEC: Mapping[str, Capabilities] = MappingProxyType(
    {OWN: limber.CAPABILITIES, reachy_mini.PROTOCOL: reachy_mini.CAPABILITIES},
)
"""Protocols whose devices have states of their own: each has a connection of its own in `worker`, and no
codec.
"""

BUILT_IN = (*WITHOUT_CODEC, *PROTOCOLS)
"""Names of all protocols but users' own."""


def settings_of(name: str) -> frozenset[str]:
    """Names of the settings that the protocol `name` uses; empty for a user's own file."""
    return PROTOCOLS[name].settings if name in PROTOCOLS else frozenset()


def codec_for(name: str, settings: ProtocolSettings = DEFAULT, program: str = "") -> Codec:
    """The codec of a protocol: one of PROTOCOLS, or a user's own file as `file:PATH`.

    Args:
        name: Name of the protocol.
        settings: The protocol's settings.
        program: SHA-256 of the user's own file; no other content is run.

    Raises:
        ProtocolError: No protocol has that name, the protocol lacks a setting that was changed, or the file
            cannot be used or is not allowed to run.
    """
    if name.startswith(FILE):
        return Custom(Path(name.removeprefix(FILE)), program)
    if name not in PROTOCOLS:
        raise ProtocolError(
            f"There is no protocol '{name}'; choose one of {', '.join(BUILT_IN)}, or {FILE} and the path of"
            " your own"
        )
    entry = PROTOCOLS[name]
    for setting in settings.changed():
        if setting not in entry.settings:
            value, default = getattr(settings, setting), getattr(DEFAULT, setting)
            raise ProtocolError(
                f"{entry.title}: it has no setting {setting} and cannot use {value}; set it to {default}"
            )
    return entry.make(settings)


def capabilities_of(name: str, settings: ProtocolSettings = DEFAULT, program: str = "") -> Capabilities:
    """Capabilities of a protocol; arguments and errors as for `codec_for`."""
    return WITHOUT_CODEC[name] if name in WITHOUT_CODEC else codec_for(name, settings, program).capabilities


def is_on_network(name: str) -> bool:
    """Whether devices of a protocol have an address on a network instead of a serial port."""
    return name in WITHOUT_CODEC and bool(WITHOUT_CODEC[name].address)


@cache
def silence_of(name: str) -> Silence:
    """Behaviour of a protocol's servos when they receive no more commands, found without running a user's
    file.
    """
    return capabilities_of(name).on_silence if name in BUILT_IN else Silence.UNKNOWN
