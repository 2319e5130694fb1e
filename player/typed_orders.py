"""Commands in lines that a person types."""

import shlex

from ..inputs.words import Order
from .errors import PlayerError
from .paths import checked_order, path_of, set_order

# first words of lines that are written like an OSC message: address, then arguments
AS_SENT = ("look", "target", "rotation", "axis", "seen", "say", "play", "pause", "seek", "quit")


def order_of_line(line: str) -> Order | None:
    """The command in a typed line; None for an empty line.

    Raises:
        PlayerError: The line is no valid command.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise PlayerError(f"{line}: {error}; a name with blanks stands in quotes") from error
    match words:
        case []:
            return None
        case [("arm" | "confirm" | "release" | "disarm" | "clear" | "connect") as word, *name]:
            return Order(word, " ".join(name))
        case [("event" | "state") as word, *name] if name:
            return Order(word, " ".join(name))
        case ["set", path, value]:
            return set_order(path, _number_or_text(value))
        case ["target", chain, target]:
            return checked_order(path_of("target", chain), target)
        case [path, *values] if path.partition("/")[0] in AS_SENT:
            return checked_order(path, *map(_number_or_text, values))
    what = "Orders" if words == ["help"] else f"'{' '.join(words)}' is no order"
    raise PlayerError(
        f"{what}: type arm, confirm, disarm, stop, clear, release, connect, event NAME, state NAME,"
        " set PATH VALUE, target CHAIN TARGET, look TARGET, play, pause, seek SECONDS or quit"
    )


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
