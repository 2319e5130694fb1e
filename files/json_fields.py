"""Reads the fields of an untrusted JSON object; errors name the object, the field, and the expected and found
value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from .plain import is_text, number_of, shown

# type of a field -> its name in messages
KINDS = {str: "a text", int: "a whole number", bool: "true or false", list: "a list"}
_MISSING = object()


class JsonFields:
    """A JSON object, read field by field; `error` is raised for a field that is asked for and is missing or
    invalid.

    Args:
        name: Name of the object, for messages.
        plain: The decoded JSON value.
        error: Class of the exception that is raised for an invalid value.
    """

    def __init__(self, name: str, plain: Any, error: type[ValueError]) -> None:
        self._name = name
        self._error = error
        if not isinstance(plain, Mapping):
            raise error(f"{name}: expected an object with fields, found {shown(plain)}")
        self._fields = plain

    def get(self, field: str, kind: type) -> Any:
        """A field of type `kind`. A bool is not accepted as an int, and text with unpaired surrogates not as
        text.
        """
        value = self._fields.get(field, _MISSING)
        is_kind = isinstance(value, kind) and value is not _MISSING
        if not is_kind or (kind is int and isinstance(value, bool)) or (kind is str and not is_text(value)):
            self.wrong(field, KINDS.get(kind, "a value"))
        return value

    def whole(self, field: str, lowest: int, highest: int) -> int:
        """A field with an integer from `lowest` to `highest`."""
        value: int = self.get(field, int)
        if not lowest <= value <= highest:
            self.wrong(field, f"a whole number from {lowest} to {highest}")
        return value

    def number(self, field: str, most: float = math.inf) -> float:
        """A field with a finite number from -`most` to `most`."""
        number = number_of(self._fields.get(field))
        if number is None:
            self.wrong(field, "a finite number")
        if abs(number) > most:
            self.wrong(field, f"a number from -{most:g} to {most:g}")
        return number

    def numbers(self, field: str, count: int | None = None, values: list[Any] | None = None) -> list[float]:
        """A field with a list of finite numbers, of length `count` if given. `values` are checked instead of
        the field's own, for example flattened ones.
        """
        values = self.get(field, list) if values is None else values
        if count is not None and len(values) != count:
            self.wrong(field, f"{count} numbers")
        parsed = [number_of(value) for value in values]
        if None in parsed:
            index = parsed.index(None)
            raise self._error(
                f"{self._name}, {field}, number {index + 1}: expected a finite number, found"
                f" {shown(values[index])}"
            )
        return [number for number in parsed if number is not None]

    def choice(self, field: str, choices: tuple[Any, ...]) -> Any:
        """A text field with one of the given values."""
        value = self.get(field, str)
        if value not in choices:
            self.wrong(field, " or ".join(f"'{choice}'" for choice in choices))
        return value

    def child(self, field: str) -> JsonFields:
        """The object in a field, as JsonFields."""
        return JsonFields(f"{self._name}, {field}", self.get(field, object), self._error)

    def children(self, field: str, kind: str, key: str = "") -> list[JsonFields]:
        """The objects in a list field; messages identify each by its field `key`, or by its number if that is
        "".
        """
        objects = []
        for number, item in enumerate(self.get(field, list), 1):
            label = item.get(key, f"number {number}") if isinstance(item, Mapping) else f"number {number}"
            objects.append(
                JsonFields(f"{self._name}, {kind} {shown(label) if key else number}", item, self._error)
            )
        return objects

    def members(self, kind: str) -> Iterator[tuple[str, JsonFields]]:
        """(name, object) of every field, for an object whose field names are those of items; `kind` names the
        items in messages.
        """
        for field in self._fields:
            yield field, JsonFields(f"{self._name}, {kind} {shown(field)}", self._fields[field], self._error)

    def items(self) -> list[tuple[str, Any]]:
        """All fields with their unchecked values."""
        return list(self._fields.items())

    def only(self, fields: tuple[str, ...]) -> None:
        """Raise if the object has fields other than these."""
        for field in self._fields:
            if field not in fields:
                raise self._error(
                    f"{self._name}: expected the fields {', '.join(fields)}, found {shown(field)}"
                )

    def has(self, field: str) -> bool:
        """Whether the object has this field, even if its value is null."""
        return field in self._fields

    def is_given(self, field: str) -> bool:
        """Whether the object has this field and its value is not null."""
        return self._fields.get(field) is not None

    def wrong(self, field: str, expected: str) -> NoReturn:
        """Raise the error about an invalid field."""
        actual = self._fields.get(field, _MISSING)
        raise self._error(
            f"{self._name}, {field}: expected {expected}, found"
            f" {'nothing' if actual is _MISSING else shown(actual)}"
        )
