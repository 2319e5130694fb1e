"""Commands of people that wait until their host executes them, in its own thread."""

import queue
import threading
import time
from collections.abc import Iterator
from typing import NamedTuple

from .words import WORDS, Order

# [s] age beyond which a press is ignored after which a robot may move or sink: the person may have changed
# their mind
FRESH = 1.0
MOST_WAITING = 1000  # largest number of waiting commands; further ones are dropped
# number of a person's commands that may wait in addition, so that a flood of others drops none of them
ROOM = 100


class WaitingOrder(NamedTuple):
    """A command that waits: as a typed line, or read already.

    Attributes:
        stops: Number of stops that came before it.
        arrived_at: Time of arrival [s].
        cause: Its source.
        order: The command.
    """

    stops: int
    arrived_at: float
    cause: str
    order: str | Order

    @property
    def is_late(self) -> bool:
        """Whether it is older than FRESH, so that a press after which a robot may move or sink is ignored."""
        return time.monotonic() - self.arrived_at > FRESH


class WaitingOrders:
    """Waiting commands; a stop voids those that came before it. Any thread may add commands and stops.

    Attributes:
        stops: Number of stops so far.
    """

    def __init__(self) -> None:
        self.stops = 0
        self._stopping = threading.Lock()
        self._orders: queue.SimpleQueue[WaitingOrder] = queue.SimpleQueue()

    def put(self, order: str | Order, cause: str = "") -> None:
        """Adds a command, or drops it if too many wait; `cause` is its source."""
        word = order.word if isinstance(order, Order) else order.partition(" ")[0]
        is_personal = word in WORDS and WORDS[word].is_personal
        if self._orders.qsize() < MOST_WAITING + ROOM * is_personal:
            self._orders.put(WaitingOrder(self.stops, time.monotonic(), cause, order))

    def stop(self) -> None:
        """Records a stop, which voids all commands that wait."""
        with self._stopping:
            self.stops += 1

    def take(self) -> Iterator[WaitingOrder]:
        """Yields the commands that have come since the last stop, and removes all of them. What comes while
        they are executed waits for the next call, so that a flood never keeps the host here.
        """
        for _ in range(self._orders.qsize()):
            waiting = self._orders.get()
            if self.is_valid(waiting):
                yield waiting

    def is_valid(self, waiting: WaitingOrder) -> bool:
        """Whether no stop has come since this command."""
        return waiting.stops == self.stops
