"""Asks one question after the other, and notices answers that do not come. Knows no Blender, no port and no clock: it is told the time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from .interface import Decoder, Exchange, Message

BITS = 10  # of a byte on the line: start, eight, stop
PATIENCE = 0.02  # [s] besides the bytes' own time: a lazy USB adapter hands bytes over every 16 ms
THINKING = 0.001  # [s] until a servo answers: 0.5 ms from the factory


class Dialogue:
    """A connection's questions and answers.

    Args:
        decoder: Of this connection.
        baudrate: Of the line [bit/s].

    Attributes:
        patience: Time that adapters and drivers may take over an answer [s].
    """

    def __init__(self, decoder: Decoder, baudrate: int) -> None:
        self._decoder = decoder
        self._baudrate = baudrate
        self.patience = PATIENCE
        self._due: deque[Exchange] = deque()
        self._deadline = 0.0

    @property
    def busy(self) -> bool:
        """Whether a question is open or waits for its turn."""
        return bool(self._due) or self._decoder.waiting

    def ask(self, exchanges: Iterable[Exchange]) -> None:
        """Put exchanges in line."""
        self._due += exchanges

    def interrupt(self, exchanges: Iterable[Exchange]) -> list[Message]:
        """Forget what waits and what is open, and say this next: a stop. What an open question still gave is returned."""
        self._due = deque(exchanges)
        return self._decoder.give_up()

    def update(self, data: bytes, now: float) -> tuple[bytes, list[Message]]:
        """What to send at `now` [s], and what was heard: `data` came since the last turn."""
        messages = self._decoder.feed(data)
        if self._decoder.waiting and now >= self._deadline:
            messages += self._decoder.give_up()
        sent = b""
        while self._due and not self._decoder.waiting:
            exchange = self._due.popleft()
            self._decoder.expect(exchange)
            sent += exchange.data
            self._deadline = now + self.time_allowed(exchange, len(sent))
        return sent, messages

    def time_allowed(self, exchange: Exchange, sent: int) -> float:
        """Time [s] from now until its answers must have come, when `sent` bytes go out first."""
        return BITS * (sent + exchange.answer_bytes) / self._baudrate + len(exchange.answers) * THINKING + self.patience
