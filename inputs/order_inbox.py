"""Receives commands by OSC over UDP, and answers programs that ask whether the host runs.

`/limber/ping` is answered with `/limber/pong VERSION STATE` to the address from which it came, when the host
executes commands: an answer says that the character is advanced, not only that a process exists.
"""

from collections.abc import Callable
from contextlib import suppress

from .inbox import NAME, Inbox, Sender
from .packets import Message, packed
from .words import NUMBERED, PING

ROOT = "/limber/"  # beginning of all addresses
STOP = f"{ROOT}stop"
PONG = f"{ROOT}pong"
MOST_ASKERS = 64  # largest number of questions that wait for an answer; further ones are not answered


class OrderInbox(Inbox):
    """Inbox for commands to a character. Subclasses implement `take_order` and `alarm`."""

    urgent = STOP.encode()
    numbered_roots = tuple(f"{ROOT}{word}" for word in NUMBERED)
    question = f"{ROOT}{PING}"

    def __init__(self, host: str, port: int, clock: Callable[[], float] | None = None) -> None:
        self._askers: list[Sender] = []
        super().__init__(host, port, clock)

    def take(self, message: Message) -> None:
        if message.trouble or message.address == STOP:
            return
        if message.address == self.question:
            if message.sender and len(self._askers) < MOST_ASKERS:
                self._askers.append(message.sender)
        else:
            self.take_order(message)

    def take_order(self, message: Message) -> None:
        """Handles a message that is neither a stop nor a question."""
        raise NotImplementedError

    def answer(self, version: str, state: str) -> bool:
        """Answers the questions since the last call, at most `MOST_ASKERS`; returns whether there were any.

        Args:
            version: Version of Limber.
            state: Name of the behaviour's state; "" without a behaviour. A long one is cut, since the answer
                to a question with a forged sender goes to somebody else.
        """
        askers, self._askers = self._askers, []
        for sender in askers:
            with suppress(OSError):  # whoever asks may be gone, or not be reachable
                self._socket.sendto(packed(PONG, version, state[:NAME]), sender)
        return bool(askers)
