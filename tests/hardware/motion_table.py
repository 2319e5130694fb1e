"""Decodes the motion table of Limber's firmware, as its src/table.c does."""

from collections.abc import Iterator

from limber.hardware.motion_files.table import HEAD, LOOPS, TRACK, WORD, MotionTable, Track


def decode(data: bytes) -> MotionTable:
    """Motion table of the bytes made by `encode`."""
    _, count, pulses_per_row, flags, rows = HEAD.unpack_from(data)
    heads = [TRACK.unpack_from(data, HEAD.size + k * TRACK.size) for k in range(count)]
    halves = (half for byte in data[HEAD.size + count * TRACK.size :] for half in (byte >> 4, byte & 0x0F))
    before = [start for *_, start in heads]
    last, positions = list(before), [[] for _ in heads]  # type: list[int], list[list[int]]
    for _ in range(rows):
        for k in range(count):
            before[k], last[k] = last[k], (2 * last[k] - before[k] + _bend(halves)) % WORD
            positions[k].append(last[k])
    tracks = (
        Track(servo, bool(detaches), lowest, highest, speed, tuple(places))
        for (servo, detaches, lowest, highest, speed, _), places in zip(heads, positions, strict=True)
    )
    return MotionTable(tuple(tracks), pulses_per_row, bool(flags & LOOPS))


def _bend(halves: Iterator[int]) -> int:
    bits = shift = 0
    while True:
        half = next(halves)
        bits |= (half & 7) << shift
        shift += 3
        if half < 8:
            return ~(bits >> 1) if bits & 1 else bits >> 1
