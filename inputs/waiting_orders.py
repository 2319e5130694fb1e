"""Commands that wait until their host executes them, in the host's own thread."""

import itertools
import re
import threading
import time
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from .words import WORDS, Order

# [s] largest age of a press that lets a robot move or sink; an older one is ignored, since the person may
# have changed their mind
FRESH = 1.0
MOST_WAITING = 1000  # largest number of waiting commands; further ones are dropped
# number of commands that only a person may give which may wait in addition, so that a flood of others drops
# none of them
ROOM = 100
DISARM = "disarm"
# number of commands to disarm that may wait besides; one more counts as a command to disarm all robots
DISARM_ROOM = 100


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
        """Whether it is older than FRESH, and ignored if it lets a robot move or sink."""
        return time.monotonic() - self.arrived_at > FRESH


class WaitingOrders:
    """Waiting commands; a stop voids those that came before it. Any thread may add commands and stops.

    A command that only a person may give (`Word.is_personal`), such as to disarm, replaces the same command
    of the same source if that still waits, so that presses in a row take no room. A command to disarm is
    never dropped: without room for it, it waits as one to disarm all robots.

    Attributes:
        stops: Number of stops so far.
    """

    def __init__(self) -> None:
        self.stops = 0
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        # `_key` of a command that only a person may give, or number of another -> command, in the order of
        # their arrival
        self._orders: dict[Hashable, WaitingOrder] = {}
        # commands that `take` has still to yield, by the same keys
        self._taken: dict[Hashable, WaitingOrder] = {}

    def put(self, order: str | Order, cause: str = "") -> None:
        """Adds a command, or drops it if too many wait. One to disarm is not dropped, but then added as one
        to disarm all robots; only the release of its button is dropped. `cause` is the command's source.
        """
        word = order.word if isinstance(order, Order) else _first_word(order)
        is_personal = word in WORDS and WORDS[word].is_personal
        room = MOST_WAITING + ROOM * is_personal + DISARM_ROOM * (word == DISARM)
        with self._lock:
            key = self._key(order, cause) if is_personal else next(self._numbers)
            if key not in self._orders and len(self._orders) >= room:
                if word != DISARM or (isinstance(order, Order) and order.is_released):
                    return
                order = Order(DISARM)
                key = self._key(order, cause)
            self._orders.pop(key, None)  # the new command comes last
            self._orders[key] = WaitingOrder(self.stops, time.monotonic(), cause, order)

    @staticmethod
    def _key(order: str | Order, cause: str) -> Hashable:
        """Key of a command that only a person may give: a later one with the same key replaces it. The
        release of a button replaces no press.
        """
        return (cause, order.path, order.is_released) if isinstance(order, Order) else (cause, order)

    def stop(self) -> None:
        """Records a stop, which voids all commands that wait."""
        with self._lock:
            self.stops += 1

    def take(self) -> Iterator[WaitingOrder]:
        """Yields the commands that have come since the last stop, and removes all of them. Commands that
        come while these are executed wait for the next call, so that a flood never keeps the host here.
        """
        with self._lock:
            for key in self._orders:
                self._taken.pop(key, None)
            self._taken |= self._orders
            self._orders = {}
        while self._taken:
            waiting = self._taken.pop(next(iter(self._taken)))
            if self.is_valid(waiting):
                yield waiting

    def is_valid(self, waiting: WaitingOrder) -> bool:
        """Whether no stop has come since this command."""
        return waiting.stops == self.stops


def _first_word(line: str) -> str:
    """First word of a typed line, without quotes."""
    match = re.search(r"\w+", line)
    return match[0] if match else ""
