"""Receives poses of links from other programs by OSC over UDP, without blocking; see
`character.body.streamed_links`. A port is opened by `listen` only. Does not use Blender.
"""

from math import nan

from ...character.body.humanoid import BONE, PREFIX, TIME, LinkMessage
from ...character.body.streamed_links import LINK, StreamedLinks
from ...inputs.inbox import BUDGET, Inbox, opened
from ...inputs.packets import Message
from ...inputs.words import FARTHEST

# kind of stream -> what a program must send, as text; both kinds are always accepted
INPUTS = {
    "OSC": f"{LINK}NAME with a quaternion (w, x, y, z) for each link",
    "VMC": f"bones by the VMC protocol ({BONE})",
}

_open: dict[tuple[str, int], "Receiver"] = {}


class Receiver(Inbox):
    """The poses of links received on one UDP port."""

    clock_address, timed_root = TIME.encode(), PREFIX

    def __init__(self, host: str, port: int) -> None:
        super().__init__(host, port)
        self.poses = StreamedLinks()
        self._looks = 0

    def look(self, budget: float = BUDGET) -> None:
        self._looks += 1
        super().look(budget)

    def take(self, message: Message) -> None:
        if message.trouble:
            return
        numbers = tuple(map(_bounded, message.numbers))
        arguments = message.address, message.strings, numbers, message.repeats
        received = LinkMessage(*arguments, self._looks, message.time, message.age)
        self.problem = self.poses.take(received) or self.problem


def _bounded(number: float) -> float:
    """The number; NaN, which stands for a lost value, if it is beyond `FARTHEST`."""
    return number if abs(number) <= FARTHEST else nan


def listen(host: str, port: int) -> Receiver:
    """The receiver that listens on an address; opened if there is none yet.

    Raises:
        InputError: the address cannot be bound.
    """
    if (host, port) not in _open:
        _open[host, port] = opened(Receiver, host, port)
    return _open[host, port]


def find(host: str, port: int) -> Receiver | None:
    """The receiver that listens on an address; None if there is none."""
    return _open.get((host, port))


def end(host: str, port: int) -> None:
    """Stops listening on an address."""
    receiver = _open.pop((host, port), None)
    if receiver is not None:
        receiver.close()


def end_all() -> None:
    """Stops listening on all addresses."""
    for host, port in list(_open):
        end(host, port)
