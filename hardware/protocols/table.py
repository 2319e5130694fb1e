"""The table of protocols by name. Knows no Blender."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from .custom import Custom
from .dynamixel.series import dynamixel
from .feetech.series import feetech
from .interface import Codec, ProtocolError, Silence
from .maestro import Maestro
from .servo_animation import ServoAnimation
from .settings import DEFAULT, ProtocolSettings

FILE = "file:"  # begins the name of a user's own protocol; the path of its file follows


@dataclass(frozen=True, slots=True)
class Entry:
    """A protocol in the table.

    Attributes:
        title: Name for the user.
        make: Makes a codec for a device's settings.
        settings: Fields of `ProtocolSettings` that it uses.
    """

    title: str
    make: Callable[[ProtocolSettings], Codec]
    settings: frozenset[str] = frozenset()


PROTOCOLS: Mapping[str, Entry] = MappingProxyType(
    {
        "feetech_sts": Entry("Feetech STS", lambda device: feetech("sts", multi_turn=device.multi_turn), frozenset({"multi_turn"})),
        "feetech_scs": Entry("Feetech SCS", lambda _device: feetech("scs")),
        "dynamixel": Entry("Dynamixel X", lambda device: dynamixel(multi_turn=device.multi_turn), frozenset({"multi_turn"})),
        "maestro": Entry(
            "Pololu Maestro",
            lambda device: Maestro(device.channel_count, crc=device.crc),
            frozenset({"channel_count", "crc"}),
        ),
        "servo_animation": Entry("blender-servo-animation", lambda _device: ServoAnimation()),
    }
)
"""All but Limber's own, which has no codec but a connection of its own (`worker.limber_connection`)."""


def settings_of(name: str) -> frozenset[str]:
    """Names of the settings that the protocol `name` uses."""
    return PROTOCOLS[name].settings if name in PROTOCOLS else frozenset()


def codec_for(name: str, settings: ProtocolSettings = DEFAULT, program: str = "") -> Codec:
    """The codec of a protocol: one of PROTOCOLS, or a user's own file as `file:PATH`.

    Args:
        name: Name of the protocol.
        settings: The protocol's settings.
        program: SHA-256 of the user's own file: no other content is run.

    Raises:
        ProtocolError: There is none of that name, it does not have a setting that was changed, or the file cannot be used or may not run.
    """
    if name.startswith(FILE):
        return Custom(Path(name.removeprefix(FILE)), program)
    if name not in PROTOCOLS:
        raise ProtocolError(f"There is no protocol '{name}'; choose one of {', '.join(PROTOCOLS)}, or {FILE} and the path of your own")
    entry = PROTOCOLS[name]
    for setting in settings.changed():
        if setting not in entry.settings:
            value, default = getattr(settings, setting), getattr(DEFAULT, setting)
            raise ProtocolError(f"{entry.title}: it has no setting {setting} and cannot use {value}; set it to {default}")
    return entry.make(settings)


@cache
def silence_of(name: str) -> Silence:
    """What servos of a protocol do when they receive no more commands, found without running a user's file."""
    if name.startswith(FILE):
        return Silence.UNKNOWN
    return codec_for(name).capabilities.on_silence if name in PROTOCOLS else Silence.WATCHDOG  # Limber's own
