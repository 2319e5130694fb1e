"""Half-duplex queries: sends one at a time, and times out answers. Independent of ports and clocks: bytes and
times are arguments.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable

from .interface import Decoder, Exchange, Message

BITS = 10  # number of bits per byte on the line: start, eight data bits, stop
# [s] wait for an answer beyond its transmission time, since slow USB adapters deliver bytes every 16 ms
PATIENCE = 0.02
# [s] the same wait while nothing moves, so that it may be long: a busy computer delivers bytes late
PATIENT = 0.1
THINKING = 0.001  # [s] longest delay of a servo's answer: 0.5 ms by default


class Dialogue:
    """The queue of exchanges of one connection.

    Args:
        decoder: The connection's decoder.
        baudrate: Baud rate of the line [bit/s].

    Attributes:
        patience: Wait [s] for an answer, beyond its transmission time, after which it counts as missing.
        line_free_at: Time [s] at which the line has transmitted all bytes sent so far. The system stores what
            is sent faster than that, and a stop would wait behind it.
    """

    def __init__(self, decoder: Decoder, baudrate: int) -> None:
        self._decoder = decoder
        self._baudrate = baudrate
        self.patience = PATIENCE
        self.line_free_at = -math.inf
        self._queue: deque[Exchange] = deque()
        self._open = Exchange(b"")  # the exchange that was sent last
        self._deadline = 0.0

    @property
    def busy(self) -> bool:
        """Whether a query is unanswered or queued."""
        return bool(self._queue) or self._decoder.waiting

    def ask(self, exchanges: Iterable[Exchange]) -> None:
        """Append queries and commands to the queue; each is sent when the one before has been answered."""
        self._queue += exchanges

    def interrupt(self, exchanges: Iterable[Exchange]) -> list[Message]:
        """Replace the queue and abandon the open query, for a stop; returns what its received bytes contain,
        and a problem for each missing answer.
        """
        self._queue = deque(exchanges)
        return self._decoder.give_up()

    def update(self, data: bytes, time: float) -> tuple[bytes, list[Message]]:
        """Bytes to send at `time` [s], and the messages decoded from `data`, the bytes received since the
        last call. Late answers become problems, or their `Exchange.otherwise` is sent instead.
        """
        messages = self._decoder.feed(data)
        if self._decoder.waiting and time >= self._deadline:
            missing = self._decoder.give_up()
            if self._open.otherwise is None:
                messages += missing
            else:
                self._queue.appendleft(self._open.otherwise)
        sent, begins = b"", max(time, self.line_free_at)
        while self._queue and not self._decoder.waiting:
            self._open = exchange = self._queue.popleft()
            self._decoder.expect(exchange)
            sent += exchange.data
            self._deadline = begins + self.time_allowed(exchange, len(sent))
        if sent:
            self.line_free_at = begins + BITS * len(sent) / self._baudrate
        return sent, messages

    def completion(self, time: float) -> bytes:
        """Bytes to send before the line is closed at `time` [s]: the substitute (`Exchange.otherwise`) of a
        query whose answer is late; empty without one.
        """
        late = self._decoder.waiting and time >= self._deadline - self._open.wait
        return self._open.otherwise.data if late and self._open.otherwise is not None else b""

    def time_allowed(self, exchange: Exchange, sent: int) -> float:
        """Time [s] within which an exchange's answers must arrive, if `sent` bytes are sent first."""
        return (
            BITS * (sent + exchange.answer_bytes) / self._baudrate
            + len(exchange.answers) * THINKING
            + self.patience
            + exchange.wait
        )
