"""Times at which the system received packets, which is before a program reads them, by the timestamps of
sockets on Linux and macOS.

Sources: socket(7), SO_TIMESTAMP; Linux' Documentation/networking/timestamping.rst, SO_TIMESTAMPNS.
"""

import socket
import struct
import sys
import time
from contextlib import suppress
from math import nan
from typing import Any

# system -> socket option for timestamps, type of the control messages with timestamps, their layout (seconds,
# then fractions of a second), and the unit [s] of these fractions
STAMPS = {"linux": (35, 35, "@ll", 1e-9), "darwin": (0x0400, 0x02, "@li", 1e-6)}
ANCILLARY = 64  # [bytes] room for control messages: one timestamp


def request(source: socket.socket) -> None:
    """Makes the system add timestamps to the packets that it receives at a socket; no effect if the system
    cannot.
    """
    if sys.platform in STAMPS:
        with suppress(OSError):
            source.setsockopt(socket.SOL_SOCKET, STAMPS[sys.platform][0], 1)


def receive(source: socket.socket, buffer: memoryview) -> tuple[int, float, tuple[Any, ...]]:
    """Receives a packet into a buffer.

    The system's timestamps are of a clock that people and networks set. Only a packet's waiting time is
    measured by that clock, so only packets that wait while the clock is set get a wrong time; `share` limits
    this error to the time between two looks.

    Returns:
        (size, came, sender): the packet's size [bytes]; the time [s] at which the system received it, on the
        clock of `time.monotonic`, NaN if unknown; and the address of its sender.

    Raises:
        OSError: As `recv_into`.
    """
    if sys.platform not in STAMPS:
        size, sender = source.recvfrom_into(buffer)
        return size, nan, sender
    size, control_messages, _, sender = source.recvmsg_into([buffer], ANCILLARY)
    _, kind, layout, unit = STAMPS[sys.platform]
    for level, type_, data in control_messages:
        if level == socket.SOL_SOCKET and type_ == kind and len(data) >= struct.calcsize(layout):
            seconds, fractions = struct.unpack_from(layout, data)
            waited = time.time() - (seconds + unit * fractions)
            return size, time.monotonic() - waited, sender
    return size, nan, sender


def share(came: float, before: float, now: float) -> float:
    """Time since a packet arrived at `came` [s], as a share of the time between two looks: 0 if it arrived at
    this look, `now` [s], 1 at the previous look, `before` [s], or earlier; NaN if unknown. As a share, it
    applies to ticks of any duration, also in slow playback.
    """
    return min(max((now - came) / (now - before), 0.0), 1.0) if now > before and came == came else nan
