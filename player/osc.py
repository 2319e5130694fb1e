"""Commands from other programs to a character that plays, by OSC over UDP: all except arming."""

from collections.abc import Callable
from typing import NamedTuple

from ..inputs.errors import InputError
from ..inputs.inbox import Inbox
from ..inputs.packets import Message
from ..inputs.words import NUMBERED, Order, order_of

ROOT = "/limber/"
STOP = "/limber/stop"


class Heard(NamedTuple):
    """A command received by OSC.

    Attributes:
        order: The newest command of its kind.
        messages: Number of messages of its kind since the previous command, this one included.
        time: Time [s] at which its numbers were taken, by the sender's clock; NaN if not given.
        age: Time since it arrived, as in `Message.age`; NaN if unknown.
    """

    order: Order
    messages: int
    time: float
    age: float


class PlayerInbox(Inbox):
    """Receives OSC messages for a performance.

    Args:
        host, port: Address to listen on.
        stop: Stops all robots, from any thread.

    Raises:
        OSError: The address cannot be used.
    """

    urgent = STOP.encode()
    numbered_roots = tuple(f"{ROOT}{word}" for word in NUMBERED)

    def __init__(self, host: str, port: int, stop: Callable[[], object]) -> None:
        self._stop = stop
        self._orders: list[Heard] = []
        self._troubles: list[str] = []
        super().__init__(host, port)

    def take(self, message: Message) -> None:
        if message.trouble or not message.address.startswith(ROOT) or message.address == STOP:
            return
        path = message.address.removeprefix(ROOT)
        try:
            order = order_of(path, message.arguments, message.address)
            self._orders.append(Heard(order, message.repeats, message.time, message.age))
        except InputError as error:
            self._troubles.append(str(error))

    def alarm(self) -> None:
        self._orders.clear()
        self._stop()

    def told(self) -> tuple[list[Heard], list[str]]:
        """The commands received since the last call, and sentences on invalid ones."""
        self.look()
        orders, self._orders = self._orders, []
        troubles, self._troubles = self._troubles, []
        return orders, troubles
