"""Fields of a YAML description, each checked as it is read; errors name file, field and remedy."""

from collections.abc import Collection
from difflib import get_close_matches
from math import isfinite
from typing import Any

from ...files.plain import shown
from ...solvers.kinematics.rotations import Vector
from ..errors import MalformedError, NumberError, UnknownNameError

NAMES_SHOWN = 12  # largest number of known names in a message


class Fields:
    """A map of a description, as `parse_yaml` returns it. Where a text, list or map is needed, another value
    is a MalformedError; where a number is needed, one that is not finite or out of range, or no number, a
    NumberError.

    Args:
        file: Path of the file, for messages.
        entries: The map.
        path: Names of the maps that contain it, with a point after each: "servos.shoulder_pan.".
    """

    def __init__(self, file: str, entries: dict[str, Any], path: str = "") -> None:
        self.file, self.entries, self.path = file, entries, path

    def __contains__(self, key: str) -> bool:
        return self.entries.get(key) is not None

    def refuse_others(self, known: Collection[str]) -> None:
        """Raises UnknownNameError for a key of the map that is not in `known`."""
        for key in self.entries:
            if key not in known:
                raise self.unknown(key, key, "field", known)

    def unknown(self, key: str, name: str, what: str, known: Collection[str]) -> UnknownNameError:
        """The error for field `key`, whose `name` is no known `what`, such as "joint"; its message suggests a
        similar known name, or lists some.
        """
        near = get_close_matches(name, known, 1)
        listed = ", ".join(sorted(known)[:NAMES_SHOWN]) + (" ..." if len(known) > NAMES_SHOWN else "")
        remedy = f"did you mean '{near[0]}'?" if near else f"use one of {listed}"
        return UnknownNameError(self.file, 0, self.path + key, f"there is no {what} '{name}': {remedy}")

    def text(self, key: str, otherwise: str | None = None) -> str:
        """A text field, without spaces around it; if it is missing, `otherwise`. Raises MalformedError if
        both are None, or the text is empty.
        """
        entry = self.entries.get(key)
        if entry is None and otherwise is not None:
            return otherwise
        if not isinstance(entry, str) or not entry.strip():
            raise self._malformed(key, "a text is needed", entry)
        return entry.strip()

    def texts(self, key: str) -> tuple[str, ...]:
        """A field with a list of texts; empty if the field is missing."""
        entry = self.entries.get(key)
        if entry is None:
            return ()
        if not isinstance(entry, list) or not all(isinstance(each, str) for each in entry):
            raise self._malformed(key, "a list of texts is needed", entry)
        return tuple(entry)

    def number(self, key: str, otherwise: float | None = None) -> float:
        """A field with a finite number; if it is missing, `otherwise`, or NumberError if that is None."""
        entry = self.entries.get(key)
        if entry is None and otherwise is not None:
            return otherwise
        return self._number(key, entry)

    def whole(self, key: str, low: int, high: int, otherwise: int | None = None) -> int:
        """A field with a whole number from `low` to `high`; if it is missing, `otherwise`, or NumberError if
        that is None.
        """
        number = self.number(key, otherwise)
        if number != int(number) or not low <= number <= high:
            raise NumberError(
                self.file,
                0,
                self.path + key,
                f"{number:g} is no whole number from {low} to {high}: write one",
            )
        return int(number)

    def numbers(self, key: str, count: int) -> tuple[float, ...]:
        """A field with a list of `count` finite numbers, which must exist."""
        entry = self.entries.get(key)
        if not isinstance(entry, list) or len(entry) != count:
            raise self._malformed(key, f"a list of {count} numbers is needed", entry)
        return tuple(self._number(key, each) for each in entry)

    def vector(self, key: str) -> Vector:
        """A field with three finite numbers, which must exist."""
        x, y, z = self.numbers(key, 3)
        return x, y, z

    def vectors(self, key: str) -> tuple[Vector, ...]:
        """A field with a list of vectors, which must exist."""
        entry = self.entries.get(key)
        if not isinstance(entry, list):
            raise self._malformed(key, "a list of vectors is needed", entry)
        rows = Fields(self.file, {str(k): each for k, each in enumerate(entry)}, f"{self.path}{key}.")
        return tuple(rows.vector(k) for k in rows.entries)

    def span(self, key: str) -> tuple[float, float]:
        """(lower, upper): a field with two numbers, the lower first, which must exist."""
        low, high = self.numbers(key, 2)
        if low >= high:
            raise NumberError(
                self.file,
                0,
                self.path + key,
                f"{low:g} is not below {high:g}: write the smaller number first",
            )
        return low, high

    def map(self, key: str) -> "Fields":
        """A field with a map; empty if the field is missing."""
        entry = self.entries.get(key)
        if entry is None:
            entry = {}
        if not isinstance(entry, dict):
            raise self._malformed(key, "a map is needed: names, each with a colon and its value", entry)
        return Fields(self.file, entry, f"{self.path}{key}.")

    def maps(self) -> dict[str, "Fields"]:
        """All entries of the map as maps, by key."""
        return {key: self.map(key) for key in self.entries}

    def all_numbers(self) -> dict[str, float]:
        """All entries of the map as numbers, by key."""
        return {key: self.number(key) for key in self.entries}

    def _number(self, key: str, entry: Any) -> float:
        """An entry as a finite number. Raises NumberError."""
        try:
            number = float(entry)
        except (TypeError, ValueError):
            raise NumberError(
                self.file, 0, self.path + key, self._expected("a number is needed", entry)
            ) from None
        if not isfinite(number):
            raise NumberError(
                self.file, 0, self.path + key, self._expected("a finite number is needed", entry)
            )
        return number

    def _malformed(self, key: str, what: str, entry: Any) -> MalformedError:
        return MalformedError(self.file, 0, self.path + key, self._expected(what, entry))

    @staticmethod
    def _expected(what: str, entry: Any) -> str:
        return f"it is missing: {what}" if entry is None else f"{what}, found {shown(entry)}"
