"""A serial line in simulated time, whose faults a test switches on. What is at its other end hears bytes and
answers.
"""

from collections import deque
from collections.abc import Callable

from limber.hardware.safety import Fault
from limber.hardware.transport import TransportError

Spoil = Callable[[bytes], bytes]

BUFFER = 4096  # bytes that a system keeps for a port that takes none


def untouched(data: bytes) -> bytes:
    return data


class Line:
    """The transport that the worker opens, again and again: its faults outlive a connection.

    Args:
        hear: Bytes to the device at a time [s]; what it answers.
        clock: [s].

    Attributes:
        unplugged: Reading and writing fail.
        deaf: What is sent is lost.
        mute: What is said is lost.
        full: Nothing leaves: the system keeps what is written until it has no more room; it all flows on
            later.
        late: By how much later answers come [s].
        outward: What the line makes of bytes to the device.
        inward: What it makes of the device's.
        taken_at: When bytes were last on their way to the device [s].
    """

    def __init__(self, hear: Callable[[bytes, float], bytes], clock: Callable[[], float]) -> None:
        self._hear = hear
        self._clock = clock
        self._coming: deque[tuple[float, bytes]] = deque()
        self._kept = b""
        self.unplugged = self.deaf = self.mute = self.full = False
        self.late = 0.0
        self.outward: Spoil = untouched
        self.inward: Spoil = untouched
        self.taken_at = clock()

    def mend(self) -> None:
        """Nothing is wrong any more."""
        self.unplugged = self.deaf = self.mute = self.full = False
        self.late = 0.0
        self.outward = self.inward = untouched

    def open(self) -> "Line":
        self._coming.clear()
        return self

    def read(self) -> bytes:
        self._check()
        said = b""
        while self._coming and self._coming[0][0] <= self._clock():
            said += self._coming.popleft()[1]
        return said

    def write(self, data: bytes) -> bool:
        self._check()
        if not self.deaf:
            self.taken_at = self._clock()
        if self.full:
            taken = len(self._kept) + len(data) <= BUFFER
            self._kept += data if taken else b""
            return taken
        self._send(data)
        return True

    def close(self) -> None:
        """The device is where it was."""

    def pass_time(self) -> None:
        """Let the device live on, whether or not anybody talks to it."""
        if self.full or not self._kept:
            self._send(b"")
        else:
            kept, self._kept = self._kept, b""
            self._send(kept)

    def _send(self, data: bytes) -> None:
        arriving = b"" if self.deaf else self.outward(data)
        said = self.inward(self._hear(arriving, self._clock()))
        if said and not self.mute:
            self._coming.append((self._clock() + self.late, said))

    def _check(self) -> None:
        if self.unplugged:
            raise TransportError(Fault.UNPLUGGED, "[Errno 5] Input/output error")


def resampled(data: bytes, sent_at: int, read_at: int) -> bytes:
    """What a receiver that samples at `read_at` [bit/s] makes of bytes sent at `sent_at`: eight data bits, no
    parity, one stop bit.
    """
    bits = [bit for byte in data for bit in (0, *(byte >> k & 1 for k in range(8)), 1)]
    length = len(bits) / sent_at  # [s]

    def level(time: float) -> int:
        return bits[int(time * sent_at)] if 0.0 <= time < length else 1

    heard, time, step = bytearray(), 0.0, 0.25 / sent_at
    while time < length:
        if level(time):
            time += step
            continue
        heard.append(sum(level(time + (k + 1.5) / read_at) << k for k in range(8)))
        time += 9.5 / read_at
    return bytes(heard)
