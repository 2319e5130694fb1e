"""What other programs tell a character that plays, by OSC over UDP: everything but arming."""

from collections.abc import Callable
from math import isfinite

from ..character.chain.inputs import Matrix
from ..inputs.inbox import Inbox
from ..inputs.packets import Message
from .errors import PlayerError
from .paths import PARTS
from .performance import Performance
from .script import moved_to

ROOT = "/limber/"
STOP = "/limber/stop"


class PlayerInbox(Inbox):
    """Messages to a performance.

    Args:
        host, port: Where to listen.
        stop: Stops all robots, from any thread.

    Raises:
        OSError: The address cannot be used.
    """

    urgent = STOP.encode()

    def __init__(self, host: str, port: int, stop: Callable[[], object]) -> None:
        self._stop = stop
        self._messages: list[Message] = []
        self._positions: dict[str, list[float]] = {}  # of targets, by their names
        super().__init__(host, port)

    def take(self, message: Message) -> None:
        if not message.trouble and message.address.startswith(ROOT):
            self._messages.append(message)

    def alarm(self) -> None:
        self._stop()

    def told(self, performance: Performance) -> tuple[list[str], list[str]]:
        """Does what has come since the last call; returns names of events, and what could not be done, as
        sentences.
        """
        self.look()
        messages, self._messages = self._messages, []
        events: list[str] = []
        troubles = []
        for message in messages:
            try:
                self._do(message, performance, events)
            except PlayerError as error:
                troubles.append(f"{message.address}: {error}")
        return events, troubles

    def targets(self, performance: Performance, frame: float) -> dict[str, Matrix]:
        """World matrices of the targets that were moved; their rotations are the clip's."""
        return {
            name: moved_to(position, performance.authored_target(name, frame))
            for name, position in self._positions.items()
        }

    def _do(self, message: Message, performance: Performance, events: list[str]) -> None:
        path = message.address.removeprefix(ROOT)
        word, *names = [name.replace("~1", "/").replace("~0", "~") for name in path.split("/")]
        values = message.arguments
        text = message.strings[0] if message.strings else ""
        numbers = list(message.numbers)
        if not all(map(isfinite, numbers)):
            raise PlayerError("a value is no number")
        match word, names:
            case "stop", []:
                self._stop()
            case "event", [] if text:
                events.append(text)
            case "state", [] if text:
                performance.enter(text, "OSC")
            case "target", [chain] if text:
                performance.controls.follow(chain, text)
            case "target", [chain] if len(numbers) == 3:
                self._positions[performance.target_name(chain)] = numbers
            case _ if word in PARTS and values:
                performance.controls.set(path, values[0])
            case _:
                raise PlayerError("the player knows no such address, or it wants other values")
