"""Binary encoding of a motion for the flash memory of Limber's firmware (its src/table.c decodes it).

    byte 0      version, 1
    byte 1      channels
    byte 2      pulses per row: 1 means a row for each pulse, 50 a second; with more, pulses between rows are
                interpolated linearly
    byte 3      bit 0: it loops
    bytes 4-7   rows
    then for each channel 10 bytes: servo, on silence (0 hold, 1 detach), lowest, highest position, speed
        [us/s], position in the first row
    then the rows

All numbers are unsigned, high byte first; positions are eighths of a microsecond, as on the wire. A row
contains the second difference of each channel's position (position - 2 last + before, modulo 65536, signed;
positions before the first row equal it). The difference is zigzag-coded (0, -1, 1, -2, ... as 0, 1, 2, 3,
...) and cut into groups of three bits, the lowest first. Each group is a half byte, with 8 added to all but
the last. A byte's high half comes first. Smooth motion needs one or two half bytes for a channel and row.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

VERSION = 1
LOOPS = 0x01  # bit of byte 3: the motion loops
HEAD = struct.Struct(">BBBBI")
TRACK = struct.Struct(">BBHHHH")
WORD = 0x10000  # modulus of the second differences, which have 16 bits


@dataclass(frozen=True, slots=True)
class Track:
    """One channel of a table: servo, limits, and its position in every row [1/8 us]."""

    servo: int
    detaches: bool
    lowest: int
    highest: int
    speed: int
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MotionTable:
    """A motion table in decoded form: one track for each channel."""

    tracks: tuple[Track, ...]
    pulses_per_row: int
    loops: bool

    @property
    def rows(self) -> int:
        return len(self.tracks[0].positions)


def encode(table: MotionTable) -> bytes:
    """The bytes of a table, as in this module's description."""
    head = HEAD.pack(
        VERSION, len(table.tracks), table.pulses_per_row, LOOPS if table.loops else 0, table.rows
    )
    for track in table.tracks:
        head += TRACK.pack(
            track.servo, track.detaches, track.lowest, track.highest, track.speed, track.positions[0]
        )
    columns = [_second_differences(track.positions) for track in table.tracks]
    differences = (difference for row in zip(*columns, strict=True) for difference in row)
    return head + _packed(half_byte for difference in differences for half_byte in _half_bytes(difference))


def _second_differences(positions: Sequence[int]) -> Iterator[int]:
    """Second differences of the positions, modulo 65536: the deviation from the line through the two
    positions before.
    """
    before = last = positions[0]
    for position in positions:
        yield (position - 2 * last + before + WORD // 2) % WORD - WORD // 2
        before, last = last, position


def _half_bytes(difference: int) -> Iterator[int]:
    """The half bytes of a second difference: its zigzag code in groups of three bits."""
    bits = 2 * difference if difference >= 0 else -2 * difference - 1
    while bits > 7:
        yield 8 | (bits & 7)
        bits >>= 3
    yield bits


def _packed(half_bytes: Iterator[int]) -> bytes:
    """Bytes of half bytes, the high one first; a last one without its pair is followed by 0."""
    halves = list(half_bytes)
    halves += [0] * (len(halves) % 2)
    return bytes(high << 4 | low for high, low in zip(halves[::2], halves[1::2], strict=True))
