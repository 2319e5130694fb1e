"""OSC packets and a function that sends them, for tests in a real Blender."""

import select
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import nan

from limber.inputs.inbox import Inbox

LOOK = 0.005  # [s] interval between two checks whether the inbox's own thread has received the packet
PATIENCE = 60.0  # [s] longest time until a packet sent to this computer arrives


def padded(text: str) -> bytes:
    data = text.encode() + b"\x00"
    return data + bytes(-len(data) % 4)


def packet(address: str, *numbers: float) -> bytes:
    return (
        padded(address)
        + padded("," + "f" * len(numbers))
        + b"".join(struct.pack(">f", number) for number in numbers)
    )


def words(address: str, *texts: str) -> bytes:
    return padded(address) + padded("," + "s" * len(texts)) + b"".join(padded(text) for text in texts)


def bundle(*packets: bytes, time: float = 0.0) -> bytes:
    """A bundle; `time`: time tag [s], or 0 for none."""
    tag = struct.pack(">Q", round(time * 2**32))
    return b"#bundle\x00" + tag + b"".join(struct.pack(">i", len(each)) + each for each in packets)


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def sending_to(inbox: Inbox) -> Iterator[Callable[[bytes], None]]:
    """Function that sends packets to an inbox and returns when they have arrived. Each reading reads all of
    them: on the inbox's clock no time passes meanwhile, since on a busy machine its budget might end before
    the last message. Arrival times are not known: ticks of tests have their own times.
    """
    inbox.clock = lambda: 0.0
    inbox.now = lambda: nan
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:

        def send(data: bytes) -> None:
            before, until = inbox.received, time.monotonic() + PATIENCE
            sender.sendto(data, ("127.0.0.1", inbox.port))
            while inbox.received == before and not select.select(inbox._sockets, [], [], LOOK)[0]:
                assert time.monotonic() < until, "nothing came"

        yield send


class Ticking:
    """A clock that advances by a fixed time [s] whenever it is read: so work is bounded independently of the
    machine's speed.
    """

    def __init__(self, step: float) -> None:
        self.step, self.time = step, 0.0

    def __call__(self) -> float:
        self.time += self.step
        return self.time
