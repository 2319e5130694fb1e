"""The protocols by the name that a device's description gives them. Knows no Blender."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from .custom import Custom
from .dynamixel import Dynamixel
from .feetech import feetech
from .interface import Codec, ProtocolError
from .maestro import Maestro
from .servo_animation import ServoAnimation

FILE = "file:"  # begins the name of a user's own protocol; the path of its file follows


@dataclass(frozen=True, slots=True)
class Entry:
    """A protocol in the table.

    Attributes:
        title: For the user.
        make: Makes a codec, as most robots need it.
    """

    title: str
    make: Callable[[], Codec]


PROTOCOLS: Mapping[str, Entry] = MappingProxyType(
    {
        "feetech_sts": Entry("Feetech STS", lambda: feetech("sts")),
        "feetech_scs": Entry("Feetech SCS", lambda: feetech("scs")),
        "dynamixel": Entry("Dynamixel X", Dynamixel),
        "maestro": Entry("Pololu Maestro", Maestro),
        "servo_animation": Entry("blender-servo-animation", ServoAnimation),
    }
)
"""All but Limber's own, which opens a session of its own for each connection (`limber.codec.Limber`)."""


def codec_for(name: str) -> Codec:
    """The codec of the protocol `name`: one of PROTOCOLS, or `file:` and the path of a user's own.

    Raises:
        ProtocolError: There is none of that name, or the file cannot be used.
    """
    if name.startswith(FILE):
        return Custom(Path(name.removeprefix(FILE)))
    if name not in PROTOCOLS:
        raise ProtocolError(f"There is no protocol '{name}'; choose one of {', '.join(PROTOCOLS)}, or {FILE} and the path of your own")
    return PROTOCOLS[name].make()
