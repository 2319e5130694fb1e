"""Texts that xacro expressions format with % and format(), as Python does, within bounds."""

import re
import string
from collections.abc import Iterable, Mapping
from typing import Any

FLAGS = "#0- +.*123456789"  # characters of a conversion before its letter: flags, width and precision
DIGITS = re.compile(r"[0-9]+")
WIDEST = 1000  # largest width or precision [characters]; reports of numbers have some dozens
# [characters] a text that could be more than ten times as long is refused; each conversion counts as WIDEST
LONGEST_RESULT = 100_000


class FormatError(ValueError):
    """A format that is not allowed, or whose text would be too long."""


def percent(text: str, values: Any) -> str:
    """`text % values`.

    Raises:
        FormatError: a width or precision is taken from the values or too wide, or the text would be too long.
        TypeError, ValueError, KeyError: as Python's %.
    """
    conversions = text.split("%")[1:]
    for conversion in conversions:
        after = conversion.partition(")")[2] if conversion.startswith("(") else conversion
        _check_widths(after[: len(after) - len(after.lstrip(FLAGS))])
    arguments = (
        values
        if isinstance(values, tuple)
        else tuple(values.values())
        if isinstance(values, Mapping)
        else (values,)
    )
    _check_length(text, len(conversions), arguments, is_repeated=isinstance(values, Mapping))
    return str(text % values)


def braces(text: str, values: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """`text.format(*values, **named)`; a field must be a value itself, not an attribute or entry of it.

    Raises:
        FormatError: a field is more than the name or number of a value, a width is taken from a value or too
            wide, or the text would be too long.
        ValueError, IndexError, KeyError: as Python's `format`.
    """
    fields = [parsed for parsed in string.Formatter().parse(text) if parsed[1] is not None]
    for _before, name, specification, _conversion in fields:
        if name and not (name.isidentifier() or name.isdecimal()):
            raise FormatError(f"'{{{name}}}' is not allowed in a format: name a value alone")
        if "{" in (specification or ""):
            raise FormatError("a width from another value is not allowed in a format: write the number")
        _check_widths(specification or "")
    _check_length(text, len(fields), (*values, *named.values()), is_repeated=True)
    return text.format(*values, **named)


def _check_widths(specification: str) -> None:
    """Raises FormatError for a width or precision that is too large, or taken from a value."""
    if "*" in specification:
        raise FormatError("a width from another value is not allowed in a format: write the number")
    if any(
        len(digits) > len(str(WIDEST)) or int(digits) > WIDEST for digits in DIGITS.findall(specification)
    ):
        raise FormatError(f"a width of more than {WIDEST} is not allowed in a format")


def _check_length(text: str, conversions: int, values: Iterable[Any], is_repeated: bool) -> None:
    """Raises FormatError if the formatted text could be too long. `conversions`: their number; `is_repeated`:
    whether a value may be written at each of them.
    """
    written = sum(len(value) if isinstance(value, str) else len(str(value)) for value in values)
    length = len(text) + conversions * WIDEST + written * (conversions if is_repeated else 1)
    if conversions > 100 or length > 10 * LONGEST_RESULT:
        raise FormatError("its text would be too long")
