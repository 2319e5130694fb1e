"""Parses and checks the JSON commands that the control page in a browser sends over its WebSocket."""

from typing import Any

from ...files.plain import number_of
from ..errors import InputError
from ..words import WORDS, Order, order_of

LONGEST = 200  # [characters] largest length of a name from the page; a command with a longer one is ignored
# largest count of numbers in a command
MOST_NUMBERS = max(max(word.counts, default=0) for word in WORDS.values())


def order_from(message: dict[str, Any]) -> Order | None:
    """The command in a message with `word`, `names`, and `numbers` or a `text`; None if it is invalid."""
    word, names, text = (_short_text(message.get(field, "")) for field in ("word", "names", "text"))
    numbers = _numbers(message.get("numbers", []))
    if word not in WORDS or names is None or text is None or numbers is None:
        return None
    try:
        return order_of(f"{word}/{names}" if names else word, [*([text] if text else []), *numbers])
    except InputError:
        return None


def _short_text(value: Any) -> str | None:
    return value if isinstance(value, str) and len(value) <= LONGEST else None


def _numbers(value: Any) -> list[float] | None:
    """Numbers of a list; None if it is not a list of numbers, or is too long."""
    if not isinstance(value, list) or len(value) > MOST_NUMBERS:
        return None
    numbers = [number for each in value if (number := number_of(each)) is not None]
    return numbers if len(numbers) == len(value) else None
