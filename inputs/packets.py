"""OSC 1.0 packets: messages and bundles, numbers and strings.

Source: Wright 2002, "The Open Sound Control 1.0 Specification". A packet is a message (address, type tags,
arguments) or a bundle of packets, all big-endian and padded to four bytes. A bundle's time tag is passed on
as the sender's time, and nothing waits for it: the newest value counts. Arguments that are neither numbers
nor strings (blobs, time tags, MIDI, colours, characters, and arrays with their content) are skipped.
"""

import struct
from collections.abc import Iterator
from math import nan
from typing import Any, NamedTuple

BUNDLE = b"#bundle\x00"
HEADER = len(BUNDLE) + 8  # [bytes] header of a bundle: its mark and time tag
FIRST_ELEMENT = HEADER + 4  # offset [bytes] of a bundle's first element, after its size
IMMEDIATELY = 1  # largest time tag that gives no time; some senders send 0 instead of 1
FRACTION = 2.0**-32  # [s] unit of time tags
# tag -> (layout for `struct`, size [bytes]) of a number
NUMBERS = {"f": (">f", 4), "d": (">d", 8), "i": (">i", 4), "h": (">q", 8)}
NOTHING = {"T": 1.0, "F": 0.0, "I": 1.0, "N": 0.0}  # tag without bytes (true, false, impulse, nil) -> number
STRINGS = "sS"
SKIPPED = {"t": 8, "m": 4, "r": 4, "c": 4}  # tag -> size [bytes] of an argument that is skipped
BLOB = "b"
DEEPEST = 8  # largest nesting of bundles; no real sender needs more
TRIES = 64  # largest number of positions that are examined in the search for an address
LONGEST = 1024  # [bytes] longest address or type tags that are read, which bounds the time to parse a message


class _MalformedError(ValueError):
    """Bytes that are no OSC packet; the message says what was expected and what was found."""


class Message(NamedTuple):
    """Address and arguments of a message; `trouble` is the reason if it could not be read. An empty bundle
    has neither address nor `trouble`.
    """

    address: str  # "" if the message cannot be read
    arguments: tuple[float | str, ...] = ()  # numbers and strings in order
    trouble: str = ""  # why the message cannot be read: what was expected and what was found
    repeats: int = 1  # number of messages with the same key since the last handled one, this one included
    time: float = nan  # [s] when the values were taken, by the sender's clock; NaN if not given
    # time since the system received the message, as a share of the time since the inbox's previous look; NaN
    # if unknown
    age: float = nan
    sender: tuple[Any, ...] = ()  # address of the sender's socket; () if unknown

    @property
    def strings(self) -> tuple[str, ...]:
        return tuple(argument for argument in self.arguments if isinstance(argument, str))

    @property
    def numbers(self) -> tuple[float, ...]:
        return tuple(argument for argument in self.arguments if not isinstance(argument, str))


def messages(packet: bytes, depth: int = 0, time: float = nan) -> Iterator[Message]:
    """Messages of a packet. A part that cannot be read is a message with `trouble`; other parts of its bundle
    are read. `time`: time [s] of the enclosing bundle.
    """
    if not packet.startswith(BUNDLE):
        yield _message(packet, time)
        return
    time = _time_tag(packet, time)
    if len(packet) == HEADER:
        yield Message("")
    try:
        for element in _elements(packet, depth):
            yield from messages(element, depth + 1, time)
    except _MalformedError as error:
        yield Message("", trouble=str(error))


def packed(address: str, *arguments: float | str) -> bytes:
    """The packet of a message, with its numbers in single precision."""
    tags = "".join("s" if isinstance(argument, str) else "f" for argument in arguments)
    content = [
        _padded(argument) if isinstance(argument, str) else struct.pack(">f", argument)
        for argument in arguments
    ]
    return b"".join((_padded(address), _padded(f",{tags}"), *content))


def _padded(text: str) -> bytes:
    """A string as in a packet: UTF-8 without zeros, then 1 to 4 zeros up to a multiple of four bytes."""
    data = text.encode("utf-8", "replace").replace(b"\x00", b"")
    return data + bytes(4 - len(data) % 4)


def has_address(packet: bytes, address: bytes) -> bool:
    """Whether a packet contains a message with that address, found without parsing, so that it works for
    damaged packets too. A packet with the address at more than TRIES positions counts as one that does.
    """
    address += b"\x00"
    if packet.startswith(address):
        return True
    if not packet.startswith(BUNDLE):
        return False
    if packet.startswith(address, FIRST_ELEMENT):  # the element's stated size is not checked
        return True
    at = HEADER
    for _ in range(TRIES):
        at = packet.find(address, at + 1)
        if at < 0:
            return False
        (size,) = struct.unpack_from(">i", packet, at - 4)
        if at % 4 == 0 and 0 < size <= len(packet) - at:
            return True
    return True


def first_number(packet: bytes, address: bytes) -> float | None:
    """The first number of the first message with that address in a packet, found without parsing the others;
    None if there is none.
    """
    address += b"\x00"
    at = 0 if packet.startswith(address) else packet.find(address, HEADER) if packet[:1] == b"#" else -1
    if at < 0 or at % 4:
        return None
    message = _message(packet[at : at + LONGEST], nan)
    return message.numbers[0] if message.numbers else None


def _time_tag(bundle: bytes, around: float) -> float:
    """Time [s] of a bundle's tag, or of the enclosing bundle if the tag gives none."""
    if len(bundle) < HEADER:
        return around
    (tag,) = struct.unpack_from(">Q", bundle, len(BUNDLE))
    return tag * FRACTION if tag > IMMEDIATELY else around


def _elements(bundle: bytes, depth: int) -> Iterator[bytes]:
    if depth >= DEEPEST:
        raise _MalformedError(f"bundles lie in each other more than {DEEPEST} deep")
    at = HEADER
    while at < len(bundle):
        size = int(_number(bundle, at, "i"))
        if not 0 < size <= len(bundle) - at - 4:
            raise _MalformedError(
                f"a bundle's element claims to have {size} bytes, and {len(bundle) - at - 4} are left"
            )
        yield bundle[at + 4 : at + 4 + size]
        at += 4 + size


def _message(packet: bytes, time: float) -> Message:
    address = ""
    try:
        text, at = _text(packet, 0)
        if not text.startswith("/"):
            raise _MalformedError(f"an address begins with /, found '{text[:20]}'")
        if at > LONGEST:
            raise _MalformedError(f"an address has at most {LONGEST} bytes, found '{text[:20]}...' with {at}")
        address = text
        return Message(address, _arguments(packet, at), time=time)
    except _MalformedError as error:
        return Message(address, trouble=str(error))


def _arguments(packet: bytes, at: int) -> tuple[float | str, ...]:
    """Numbers and strings of a message whose type tags begin at the offset `at` [bytes]; empty without type
    tags.
    """
    if at >= len(packet):  # old senders omit the type tags if there are no arguments
        return ()
    tags, at = _text(packet, at)
    if not tags.startswith(","):
        raise _MalformedError(f"type tags begin with a comma, found '{tags[:20]}'")
    if len(tags) > LONGEST:
        raise _MalformedError(f"a message has at most {LONGEST} arguments, found {len(tags) - 1}")
    arguments: list[float | str] = []
    depth = 0  # nesting of arrays
    for tag in tags[1:]:
        if tag in "[]":
            depth += 1 if tag == "[" else -1
            if depth < 0:
                raise _MalformedError("an array ends that has not begun")
            continue
        value, at = _argument(packet, at, tag)
        if value is not None and not depth:
            arguments.append(value)
    if depth:
        raise _MalformedError("an array does not end")
    return tuple(arguments)


def _argument(packet: bytes, at: int, tag: str) -> tuple[float | str | None, int]:
    """(argument of a type tag at `at`, or None if it is no number or string; offset of the next argument)."""
    if tag in NOTHING:
        return NOTHING[tag], at
    if tag in NUMBERS:
        return _number(packet, at, tag), at + NUMBERS[tag][1]
    if tag in STRINGS:
        return _text(packet, at)
    if tag != BLOB and tag not in SKIPPED:
        raise _MalformedError(f"an argument is of type '{tag[:1]}', which OSC 1.0 does not have")
    at += 4 + _blob_size(packet, at) if tag == BLOB else SKIPPED[tag]
    if at > len(packet):
        raise _MalformedError(
            f"the packet ends after {len(packet)} bytes, within an argument of type '{tag}'"
        )
    return None, at


def _blob_size(packet: bytes, at: int) -> int:
    """Bytes of the blob at `at`, with its padding."""
    size = int(_number(packet, at, "i"))
    if size < 0:
        raise _MalformedError(f"a blob claims to have {size} bytes")
    return size + -size % 4


def _number(packet: bytes, at: int, tag: str) -> float:
    form, size = NUMBERS[tag]
    if at + size > len(packet):
        raise _MalformedError(f"the packet ends after {len(packet)} bytes, within a number at {at}")
    return float(struct.unpack_from(form, packet, at)[0])


def _text(packet: bytes, at: int) -> tuple[str, int]:
    """(string at `at`, offset of the byte after it)."""
    end = packet.find(b"\x00", at)
    if end < 0:
        raise _MalformedError(f"a text that begins at byte {at} does not end")
    try:
        return packet[at:end].decode("utf-8"), end + 4 - end % 4
    except UnicodeDecodeError as error:
        raise _MalformedError(f"a text that begins at byte {at} is not UTF-8") from error
