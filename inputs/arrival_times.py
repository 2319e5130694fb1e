"""When the system received a packet, which is earlier than when a program reads it: timestamps of sockets, of
Linux and macOS. No Blender.

Sources: socket(7), SO_TIMESTAMP; Linux' Documentation/networking/timestamping.rst, SO_TIMESTAMPNS.
"""

import socket
import struct
import sys
import time
from contextlib import suppress
from math import nan

# system -> the option of sockets, which is the type of its control messages on Linux, the type on others, and
# what is in these: seconds and parts of one
STAMPS = {"linux": (35, 35, "@ll", 1e-9), "darwin": (0x0400, 0x02, "@li", 1e-6)}
ANCILLARY = 64  # [bytes] of control messages: one timestamp


def request(source: socket.socket) -> None:
    """Makes the system stamp what it receives at a socket; no effect where it cannot."""
    if sys.platform in STAMPS:
        with suppress(OSError):
            source.setsockopt(socket.SOL_SOCKET, STAMPS[sys.platform][0], 1)


def receive(source: socket.socket, buffer: memoryview) -> tuple[int, float]:
    """Receives a packet into a buffer; returns its size [bytes] and when the system received it, in seconds
    of `time.monotonic`; NaN: not known.

    The system stamps by a clock that people and networks set. What a packet waited is told by that clock, so
    only what waits while it is set has a wrong time, and `share` keeps that between two looks.

    Raises:
        OSError: As `recv_into`.
    """
    if sys.platform not in STAMPS:
        return source.recv_into(buffer), nan
    size, control_messages, _, _ = source.recvmsg_into([buffer], ANCILLARY)
    _, kind, layout, unit = STAMPS[sys.platform]
    for level, type_, data in control_messages:
        if level == socket.SOL_SOCKET and type_ == kind and len(data) >= struct.calcsize(layout):
            whole, parts = struct.unpack_from(layout, data)
            waited = time.time() - (whole + unit * parts)
            return size, time.monotonic() - waited
    return size, nan


def share(came: float, before: float, now: float) -> float:
    """How long ago a packet came, as a share of the time between two looks [s]: 0 at this look, `now`, 1 at
    the one before. So it holds for ticks whatever their time is, that of a slow playback too. NaN: not known.
    """
    return min(max((now - came) / (now - before), 0.0), 1.0) if now > before and came == came else nan
