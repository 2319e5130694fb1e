"""Receives commands by OSC for a host that executes them seldom: the newest one for each address. Tells a new
press of the button Arm from a held one.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from time import monotonic

from .inbox import BUDGET, NAME
from .order_inbox import ROOT, OrderInbox
from .packets import Message

ARM = "arm"
NAMED = "\n"  # separator between an address and names among its arguments
# largest number of pending addresses; others are dropped, so that a sender that invents addresses cannot fill
# the memory
MOST_PENDING = 1024
# [s] time without a command to arm after which the next such command counts as a new press; programs repeat
# the command of a held button many times a second
SILENT_FOR = 1.0
# [s] most that one look adds to the measured silence, since packets may be lost while the host is busy
BETWEEN = 0.1

Arguments = tuple[float | str, ...]


class RemoteOrders(OrderInbox):
    """Receives commands, and keeps the newest one for each address, of `MOST_PENDING` at most, until the host
    executes it.

    Args:
        host, port: Address to listen on.
        stop: Stops all robots, from any thread.
    """

    def __init__(self, host: str, port: int, stop: Callable[[], object]) -> None:
        self._stop = stop
        super().__init__(host, port)
        self._is_addressed = False  # whether any message for Limber has arrived yet
        self.newest: dict[str, Arguments] = {}  # address without `ROOT` -> arguments
        self.counts: Counter[str] = Counter()  # address -> number of messages
        # address -> time [s] of the newest message, by the sender's clock; NaN if not given
        self.times: dict[str, float] = {}
        self.arm_pressed = False  # whether the newest command to arm is from a new press
        # [s] time since the last command to arm; at first long enough for the next one to be a new press
        self._arm_silence = SILENT_FOR
        self._arm_released = False  # whether the last command to arm was a release (0)
        self._arm_came = False  # whether a command to arm arrived in this look
        self._looked_at = monotonic()

    def look(self, budget: float = BUDGET) -> None:
        self._arm_came = False
        super().look(budget)
        time = monotonic()
        silence = min(time - self._looked_at, BETWEEN)
        self._looked_at = time
        self._arm_silence = self._arm_silence + silence if self.is_read and not self._arm_came else 0.0

    def alarm(self) -> None:
        self._stop()

    def take_order(self, message: Message) -> None:
        if not message.address.startswith(ROOT):
            if not self._is_addressed:  # no warning if the sender also sends messages for other programs
                self.problem = (
                    f"'{message.address[:NAME]}' is not for Limber: addresses begin with {ROOT}, see the list"
                    " below"
                )
            return
        self._is_addressed = True
        address = message.address.removeprefix(ROOT)
        if address == ARM:
            self._note_arm(_is_pressed(message.arguments))
        # arguments that select the subject of a command, such as names, are treated like parts of the address
        address = NAMED.join((address, *self.key(message)[1:]))
        if address in self.newest or len(self.newest) < MOST_PENDING:
            self.newest[address] = message.arguments
            self.counts[address] += message.repeats
            self.times[address] = message.time

    def void_arm(self) -> None:
        """Drops a command to arm that arrived before or together with a stop. Its button, whose press may
        have been missed, counts as held: only a press after its release arms.
        """
        self.newest.pop(ARM, None)
        self.arm_pressed = self._arm_released = False
        self._arm_silence = 0.0

    def _note_arm(self, is_on: bool) -> None:
        self.arm_pressed = is_on and (
            self.arm_pressed or self._arm_released or self._arm_silence >= SILENT_FOR
        )
        self._arm_released = not is_on
        self._arm_came, self._arm_silence = True, 0.0


def _is_pressed(arguments: Sequence[float | str]) -> bool:
    """Whether a command's arguments mean a pressed button: there are none, or the first is not 0."""
    return not arguments or arguments[0] != 0.0
