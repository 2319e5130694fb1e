"""Instructions to bus servos and their answers, independent of the byte format.

`start` is the address of a register, `data` its bytes as they go over the wire, before any stuffing.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..interface import ProtocolError

BROADCAST = 0xFE  # the id that addresses all servos; they answer only a ping or a sync read


@dataclass(frozen=True, slots=True)
class Ping:
    """Query whether a servo is present."""

    servo: int


@dataclass(frozen=True, slots=True)
class Read:
    """Read registers of one servo."""

    servo: int
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Write:
    """Write registers of one servo, or with BROADCAST of all."""

    servo: int
    start: int
    data: bytes


@dataclass(frozen=True, slots=True)
class SyncRead:
    """Read the same registers of several servos, which answer in the order of `servos`."""

    start: int
    size: int
    servos: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SyncWrite:
    """Write the same registers of several servos, all of one size, without answers."""

    start: int
    items: tuple[tuple[int, bytes], ...]

    @property
    def size(self) -> int:
        """Size of each servo's data [bytes]. Raises ProtocolError if sizes differ."""
        sizes = {len(data) for _, data in self.items}
        if len(sizes) != 1:
            raise ProtocolError(
                f"A sync write of data of the lengths {sorted(sizes)}; all servos get the same registers"
            )
        return sizes.pop()


Instruction = Ping | Read | Write | SyncRead | SyncWrite


@dataclass(frozen=True, slots=True)
class StatusPacket:
    """A servo's answer: error byte, and the registers that were read."""

    servo: int
    error: int
    data: bytes = b""
