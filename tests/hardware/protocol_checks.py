"""Shared by the tests of all protocols: public vectors, damaged bytes, and bytes that arrive in pieces."""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from limber.hardware.protocols.stream import Stream

VECTORS_FILE = Path(__file__).resolve().parents[3] / "shared" / "hardware" / "vectors.json"
needs_vectors = pytest.mark.skipif(
    not VECTORS_FILE.exists(), reason=f"the public vectors are not beside this checkout: {VECTORS_FILE}"
)


def vectors(*beginnings: str) -> list[dict[str, Any]]:
    """The public vectors whose names begin with one of these texts; none if the file is missing."""
    if not VECTORS_FILE.exists():
        return []
    return [
        vector
        for vector in json.loads(VECTORS_FILE.read_text())["vectors"]
        if vector["name"].startswith(beginnings)
    ]


def wire(vector: dict[str, Any], key: str = "hex") -> bytes:
    return bytes.fromhex(vector[key])


def flipped(data: bytes, *bits: int) -> bytes:
    damaged = bytearray(data)
    for bit in bits:
        damaged[bit // 8] ^= 1 << bit % 8
    return bytes(damaged)


def single_flips(data: bytes) -> Iterator[bytes]:
    return (flipped(data, bit) for bit in range(8 * len(data)))


def double_flips(data: bytes, count: int, seed: int = 1) -> Iterator[tuple[int, int]]:
    """Random pairs of different bits, the same for the same seed."""
    chance = random.Random(seed)
    return (tuple(sorted(chance.sample(range(8 * len(data)), 2))) for _ in range(count))  # type: ignore[misc]


def pieces(data: bytes, chance: random.Random, longest: int = 30) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        step = chance.randint(1, longest)
        yield data[at : at + step]
        at += step


def frames(look: Callable, data: bytes | Iterable[bytes]) -> list:
    """Frames and problems that a look finds, without further bytes to come."""
    stream = Stream(look)
    found = []
    for piece in [data] if isinstance(data, bytes) else data:
        found += stream.feed(piece)
    return found + stream.give_up()


def whole_frames(look: Callable, data: bytes | Iterable[bytes]) -> list[bytes]:
    return [item for item in frames(look, data) if isinstance(item, bytes)]


def heard(decoder, exchange, data: bytes | Iterable[bytes]) -> list:
    """Messages that a decoder yields for all bytes after a request."""
    decoder.expect(exchange)
    messages = []
    for piece in [data] if isinstance(data, bytes) else data:
        messages += decoder.feed(piece)
    return messages + decoder.give_up()


CHANCE = st.randoms(use_true_random=False)
NOISE = st.binary(max_size=60)
