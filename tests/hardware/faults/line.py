"""A serial line in simulated time, whose faults a test switches on. The device at its other end receives
bytes and answers.
"""

from collections import deque
from collections.abc import Callable

from limber.hardware.safety import Fault
from limber.hardware.transport import TransportError

Spoil = Callable[[bytes], bytes]

BUFFER = 4096  # [bytes] size of a system's buffer for a port that accepts no more


def untouched(data: bytes) -> bytes:
    return data


class Line:
    """The transport that the worker opens repeatedly: its faults persist when a connection ends.

    Args:
        hear: Passes bytes to the device at a time [s], and returns its answer.
        clock: Current time [s].

    Attributes:
        unplugged: Whether reading and writing fail.
        deaf: Whether bytes to the device are lost.
        mute: Whether bytes from the device are lost.
        full: Whether no bytes leave: the system keeps written bytes until its buffer is full, and sends them
            later.
        late: Delay of answers [s].
        outward: Changes bytes on their way to the device.
        inward: Changes bytes on their way from the device.
        taken_at: Time [s] at which bytes were last on their way to the device.
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
        """Ends all faults."""
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
        """Closes the connection; the device is not affected."""

    def pass_time(self) -> None:
        """Advances the device's time, with or without messages."""
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
    """Bytes that a receiver sampling at `read_at` [bit/s] reads from bytes sent at `sent_at`: eight data
    bits, no parity, one stop bit.
    """
    bits = [bit for byte in data for bit in (0, *(byte >> k & 1 for k in range(8)), 1)]
    length = len(bits) / sent_at  # [s] duration of all bits

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
