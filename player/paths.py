"""Paths of values that can be set while a character plays: "weight/CHAIN/POSTURE", "value/NAME" and others.

A `/` in a name is written `~1`, and a `~` is written `~0`, as in JSON pointers (RFC 6901).
"""

import math

from ..inputs.errors import InputError
from ..inputs.words import Order, order_of
from .errors import PlayerError

PARTS = {
    "weight": 2,
    "posture": 1,
    "influence": 1,
    "share": 1,
    "value": 1,
}  # word -> number of names after it


def names_of(path: str) -> tuple[str, ...]:
    """First word of a path, such as "weight", and the names after it, unescaped.

    Raises:
        PlayerError: There is no such path.
    """
    word, *names = path.split("/")
    if PARTS.get(word) != len(names):
        known = ", ".join(f"{each}/{'/'.join(['NAME'] * count)}" for each, count in PARTS.items())
        raise PlayerError(f"there is no path '{path}': a path is one of {known}, with / in a name as ~1")
    return word, *(name.replace("~1", "/").replace("~0", "~") for name in names)


def set_order(path: str, value: float | str) -> Order:
    """The command that sets the value at a path.

    Raises:
        PlayerError: There is no such path, or it cannot have that value.
    """
    word = names_of(path)[0]
    if word == "posture":
        return checked_order(path, str(value))
    if isinstance(value, str) or not math.isfinite(value):
        raise PlayerError(f"{path} is set to '{value}': give it a number")
    return checked_order(path, value)


def checked_order(path: str, *arguments: float | str) -> Order:
    """The command for a path and its arguments; raises PlayerError if there is no such command."""
    try:
        return order_of(path, arguments)
    except InputError as error:
        raise PlayerError(str(error)) from error


def path_of(word: str, *names: str) -> str:
    """Path made of a word, such as "weight", and names, in which `/` and `~` are escaped."""
    return "/".join((word, *(name.replace("~", "~0").replace("/", "~1") for name in names)))
