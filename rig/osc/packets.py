"""OSC 1.0 as it comes over UDP: messages and bundles, as far as numbers go. Knows no Blender.

Source: Wright 2002, "The Open Sound Control 1.0 Specification". A packet is a message (address, type tags, arguments) or a bundle of
packets, all big-endian and padded to four bytes. Time tags are not waited for: the newest orientation is the one that counts.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

BUNDLE = b"#bundle\x00"
HEADER = len(BUNDLE) + 8  # of a bundle: its mark and time tag
NUMBERS = {"f": (">f", 4), "d": (">d", 8), "i": (">i", 4), "h": (">q", 8)}
NOTHING = {"T": 1.0, "F": 0.0, "I": 1.0, "N": 0.0}  # tags without bytes of their own: yes, no, a bang, nil
DEEPEST = 8  # bundles in bundles: deeper ones are no honest sender's


class _MalformedError(ValueError):
    """Bytes that are no OSC packet; the message says what was expected and what was found."""


class Message(NamedTuple):
    """An address with numbers."""

    address: str  # "": it cannot be read either
    numbers: tuple[float, ...] = ()
    trouble: str = ""  # why the numbers cannot be read: what was expected and what was found


def messages(packet: bytes, depth: int = 0) -> Iterator[Message]:
    """The messages of a packet. What of it cannot be read is a message with that trouble, and what comes beside it in a bundle counts."""
    if not packet.startswith(BUNDLE):
        yield _message(packet)
        return
    try:
        for element in _elements(packet, depth):
            yield from messages(element, depth + 1)
    except _MalformedError as error:
        yield Message("", trouble=str(error))


def _elements(bundle: bytes, depth: int) -> Iterator[bytes]:
    if depth >= DEEPEST:
        raise _MalformedError(f"bundles lie in each other more than {DEEPEST} deep")
    at = HEADER
    while at < len(bundle):
        size = int(_number(bundle, at, "i"))
        if not 0 < size <= len(bundle) - at - 4:
            raise _MalformedError(f"a bundle's element says it has {size} bytes, and {len(bundle) - at - 4} are left")
        yield bundle[at + 4 : at + 4 + size]
        at += 4 + size


def _message(packet: bytes) -> Message:
    address = ""
    try:
        address, at = _text(packet, 0)
        if not address.startswith("/"):
            return Message("", trouble=f"an address begins with /, found '{address[:20]}'")
        return Message(address, _numbers(packet, at))
    except _MalformedError as error:
        return Message(address, trouble=str(error))


def _numbers(packet: bytes, at: int) -> tuple[float, ...]:
    if at >= len(packet):  # senders older than the specification leave out the tags where there is nothing to say
        return ()
    tags, at = _text(packet, at)
    if not tags.startswith(","):
        raise _MalformedError(f"type tags begin with a comma, found '{tags[:20]}'")
    numbers = []
    for tag in tags[1:]:
        if tag in NOTHING:
            numbers.append(NOTHING[tag])
            continue
        if tag not in NUMBERS:
            raise _MalformedError(f"an argument is of type '{tag}', where numbers were expected")
        numbers.append(_number(packet, at, tag))
        at += NUMBERS[tag][1]
    return tuple(numbers)


def _number(packet: bytes, at: int, tag: str) -> float:
    form, size = NUMBERS[tag]
    if at + size > len(packet):
        raise _MalformedError(f"the packet ends after {len(packet)} bytes, within a number at {at}")
    return float(struct.unpack_from(form, packet, at)[0])


def _text(packet: bytes, at: int) -> tuple[str, int]:
    """A text that begins there, and where what follows it does."""
    end = packet.find(b"\x00", at)
    if end < 0:
        raise _MalformedError(f"a text that begins at byte {at} does not end")
    try:
        return packet[at:end].decode("utf-8"), end + 4 - end % 4
    except UnicodeDecodeError as error:
        raise _MalformedError(f"a text that begins at byte {at} is not UTF-8") from error
