"""Receives the commands that other programs send by OSC over UDP to a playing character. Those that only a
person may give, such as arming, are refused where they would be executed (`live.LivePlay`).
"""

from collections.abc import Callable
from typing import NamedTuple

from ..inputs.errors import InputError
from ..inputs.order_inbox import ROOT, OrderInbox
from ..inputs.packets import Message
from ..inputs.words import Order, order_of
from .version import player_version


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


class PlayerInbox(OrderInbox):
    """Receives OSC messages for a performance.

    Args:
        host, port: Address to listen on.
        stop: Stops all robots, from any thread.

    Raises:
        OSError: The address cannot be used.
    """

    def __init__(self, host: str, port: int, stop: Callable[[], object]) -> None:
        self._stop, self._version = stop, player_version()
        self._orders: list[Heard] = []
        self._problems: list[str] = []
        super().__init__(host, port)

    def take_order(self, message: Message) -> None:
        if not message.address.startswith(ROOT):
            return
        path = message.address.removeprefix(ROOT)
        try:
            order = order_of(path, message.arguments, message.address)
            self._orders.append(Heard(order, message.repeats, message.time, message.age))
        except InputError as error:
            self._problems.append(str(error))

    def alarm(self) -> None:
        self._orders.clear()
        self._stop()

    def told(self, state: str = "") -> tuple[list[Heard], list[str]]:
        """(commands since the last call, sentences on invalid commands). `state`: name of the behaviour's
        state, for programs that ask.
        """
        self.look()
        self.answer(self._version, state)
        orders, self._orders = self._orders, []
        problems, self._problems = self._problems, []
        return orders, problems
