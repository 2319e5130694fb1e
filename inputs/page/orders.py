"""Orders that come from the page."""

from typing import Any

from ...files.plain import number_of
from ..errors import InputError
from ..words import WORDS, Order, order_of

LONGEST = 200  # letters of a name from the page


def order_from(message: dict[str, Any]) -> Order | None:
    """The order in a message: its `word`, `names`, and `numbers` or a `text`; None: it is none."""
    word, names, text = (message.get(field, "") for field in ("word", "names", "text"))
    numbers = message.get("numbers", [])
    texts = [each for each in (word, names, text) if isinstance(each, str) and len(each) <= LONGEST]
    if len(texts) != 3 or not isinstance(numbers, list) or word not in WORDS or len(numbers) > 4:
        return None
    values = [number_of(number) for number in numbers]
    known = [value for value in values if value is not None]
    if len(known) != len(values):
        return None
    try:
        return order_of(f"{word}/{names}" if names else word, [*([text] if text else []), *known])
    except InputError:
        return None
