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
        make_multi_turn: The same for servos that turn more than once; None where there are none.
    """

    title: str
    make: Callable[[], Codec]
    make_multi_turn: Callable[[], Codec] | None = None


PROTOCOLS: Mapping[str, Entry] = MappingProxyType(
    {
        "feetech_sts": Entry("Feetech STS", lambda: feetech("sts"), lambda: feetech("sts", multi_turn=True)),
        "feetech_scs": Entry("Feetech SCS", lambda: feetech("scs")),
        "dynamixel": Entry("Dynamixel X", Dynamixel, lambda: Dynamixel(multi_turn=True)),
        "maestro": Entry("Pololu Maestro", Maestro),
        "servo_animation": Entry("blender-servo-animation", ServoAnimation),
    }
)
"""All but Limber's own, which opens a session of its own for each connection (`limber.codec.Limber`)."""


def codec_for(name: str, multi_turn: bool = False) -> Codec:
    """The codec of the protocol `name`: one of PROTOCOLS, or `file:` and the path of a user's own.

    Raises:
        ProtocolError: There is none of that name, none for servos that turn more than once, or the file cannot be used.
    """
    if name.startswith(FILE):
        return Custom(Path(name.removeprefix(FILE)))
    if name not in PROTOCOLS:
        raise ProtocolError(f"There is no protocol '{name}'; choose one of {', '.join(PROTOCOLS)}, or {FILE} and the path of your own")
    entry = PROTOCOLS[name]
    if multi_turn and entry.make_multi_turn is None:
        raise ProtocolError(f"{entry.title}: its servos turn no more than once; switch multi-turn off")
    return entry.make_multi_turn() if multi_turn and entry.make_multi_turn is not None else entry.make()
