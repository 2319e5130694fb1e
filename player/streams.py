"""Numbers that other programs send repeatedly to a playing character, smoothed by curves at any rate."""

from collections.abc import Iterator
from math import nan

from ..character.remote_signals import RemoteSignals
from ..inputs.words import STREAMED, Order


class OrderStreams:
    """Streams of commands whose numbers continue one another, such as a moving target's, by their subject."""

    def __init__(self) -> None:
        self._signals = RemoteSignals()
        self._orders: dict[str, Order] = {}

    def begin(self, order: Order, time: float, age: float = nan) -> None:
        """Begins a stream with an executed command, if numbers of its word are smoothed (`words.STREAMED`);
        `time` and `age` as for `continues`.
        """
        if order.word in STREAMED and order.numbers:
            self._orders[_key(order)] = order
            self._signals.begin(_key(order), order.numbers, time, age)

    def continues(self, order: Order, count: int, time: float, age: float = nan) -> bool:
        """Whether a command continues a stream; if so, its numbers are taken, and it need not be executed at
        once.

        Args:
            order: The command.
            count: Number of commands of its kind since the last call.
            time: Time [s] of its numbers by the sender's clock; NaN if not given.
            age: Time since they arrived, as in `Message.age`; NaN if unknown.
        """
        key, numbers = _key(order), order.numbers
        if key not in self._signals or not numbers:
            return False
        if order.word == "rotation":
            before = self._signals.value(key)
            sign = 1.0 if sum(a * b for a, b in zip(before, numbers, strict=True)) >= 0.0 else -1.0
            numbers = tuple(sign * number for number in numbers)
        self._signals.receive(key, numbers, count, None, time, age)
        return True

    def advance(self, dt: float) -> Iterator[Order]:
        """Advances by `dt` [s]; yields the commands whose numbers change."""
        for key, numbers in self._signals.advance(dt):
            yield self._orders[key]._replace(numbers=tuple(numbers))
        self._orders = {key: order for key, order in self._orders.items() if key in self._signals}

    def targets(self) -> list[str]:
        """Names in the addresses of the targets that programs move at present: CHAIN or CHAIN/GOAL."""
        orders = (self._orders[key] for key in self._signals.lasting())
        return [order.names for order in orders if order.word == "target"]

    def end(self, order: Order) -> None:
        """Ends the stream that has the same subject as a command, since another source controls it now."""
        self._signals.end(_key(order))


def _key(order: Order) -> str:
    return "/".join(filter(None, (order.path, order.text)))
