"""Checked values from JSON of unknown origin, so that using and showing them raises nothing unexpected."""

from __future__ import annotations

import json
import math
from typing import Any

LONGEST = 60  # largest length [characters] of a value in a message


def json_of(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: The text is no JSON, or is nested too deeply for Python.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def longest_part(value: Any) -> int:
    """The number of items or fields of the longest list or object in a value from JSON."""
    longest, waiting = 0, [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list | dict):
            longest = max(longest, len(part))
            waiting += part.values() if isinstance(part, dict) else part
    return longest


def number_of(value: Any) -> float | None:
    """A finite number as a float; None for anything else, including bools and integers beyond the range of
    floats.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def is_text(value: Any) -> bool:
    """Whether the value is a string that can be shown and saved; JSON can contain unpaired surrogates, which
    cannot.
    """
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def printable(text: str) -> str:
    """A text in which letters that cannot be shown are replaced: control characters could clear a terminal,
    or begin another line.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def shown(value: Any) -> str:
    """A value as text for a message, shortened to `LONGEST` characters."""
    if isinstance(value, str):
        text = f"'{value}'"
    else:
        try:
            text = json.dumps(value, default=str)
        except RecursionError:  # lists nested as deeply as Python can just read
            text = f"a list of {len(value)}" if isinstance(value, list) else "an object"
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
