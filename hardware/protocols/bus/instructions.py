"""The instructions that hosts give on a bus, and the status that servos answer with, without a byte. Knows no Blender.

`start` is the address of a register, `data` its bytes as they go over the wire, before any stuffing.
"""

from __future__ import annotations

from dataclasses import dataclass

BROADCAST = 0xFE  # the id that means all servos; none of them answers, but to a ping or a sync read


@dataclass(frozen=True, slots=True)
class Ping:
    """Who is there? With BROADCAST, Dynamixel servos answer one after the other."""

    servo: int


@dataclass(frozen=True, slots=True)
class Read:
    """Registers of one servo."""

    servo: int
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Write:
    """Registers of one servo, or with BROADCAST of all."""

    servo: int
    start: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Reboot:
    """The servo starts anew: torque off, errors cleared."""

    servo: int


@dataclass(frozen=True, slots=True)
class SyncRead:
    """The same registers of several servos, answered by each in the order of `servos`; with `fast` in a single frame."""

    start: int
    size: int
    servos: tuple[int, ...]
    fast: bool = False


@dataclass(frozen=True, slots=True)
class SyncWrite:
    """The same registers of several servos at once, all of one size; nobody answers."""

    start: int
    items: tuple[tuple[int, bytes], ...]


@dataclass(frozen=True, slots=True)
class BulkRead:
    """Any registers of several servos: (id, start, size) each."""

    items: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class BulkWrite:
    """Any registers of several servos at once: (id, start, data) each."""

    items: tuple[tuple[int, int, bytes], ...]


Instruction = Ping | Read | Write | Reboot | SyncRead | SyncWrite | BulkRead | BulkWrite


@dataclass(frozen=True, slots=True)
class Status:
    """A servo's answer: its error byte, and the registers that were read."""

    servo: int
    error: int
    data: bytes = b""
