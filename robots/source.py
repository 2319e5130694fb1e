"""A URDF file while it is read: attributes as what they must be, else errors with their place; warnings gather. Knows no Blender."""

import re
from math import inf, isfinite

from ..solvers.rotations import Vector
from .errors import MalformedError, NumberError, UrdfError
from .transform import STILL, Transform, from_rpy
from .xml_tree import Element

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)  # what C++ readers of URDF take: no 1_000, no other digits
ENDLESS = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


class Source:
    """Reads attributes of one file's elements."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.warnings: list[str] = []

    def error(self, kind: type[UrdfError], element: Element, what: str) -> UrdfError:
        return kind(self.file, element.line, str(element), what)

    def warn(self, element: Element, what: str) -> None:
        self.warnings.append(f"line {element.line}, {element}: {what}")

    def text(self, element: Element, attribute: str) -> str:
        """An attribute that must be there and say something.

        Raises:
            MalformedError: it does not.
        """
        value = element.attributes.get(attribute, "")
        if not value.strip():
            raise self.error(MalformedError, element, f"its attribute '{attribute}' is missing: give it one")
        return value

    def numbers(self, element: Element, attribute: str, count: int) -> tuple[float, ...] | None:
        """An attribute of `count` finite numbers; None where it is missing.

        Raises:
            NumberError: it is something else.
        """
        value = element.attributes.get(attribute)
        if value is None:
            return None
        words = value.split()
        numbers = [float(word) for word in words if NUMBER.fullmatch(word)]
        if len(words) != count or len(numbers) != count or not all(map(isfinite, numbers)):
            wanted = "a finite number" if count == 1 else f"{count} finite numbers with spaces between them"
            raise self.error(NumberError, element, f"{attribute}='{value}' must be {wanted}")
        return tuple(numbers)

    def number(self, element: Element, attribute: str) -> float | None:
        found = self.numbers(element, attribute, 1)
        return None if found is None else found[0]

    def bound(self, element: Element, attribute: str, most: float = inf) -> float | None:
        """A number that may be infinite, or beyond `most`, which bounds nothing: None, as where it is missing."""
        if ENDLESS.fullmatch(element.attributes.get(attribute, "").strip()):
            return None
        found = self.number(element, attribute)
        return None if found is not None and abs(found) > most else found

    def spare(self, element: Element, attribute: str, most: float = inf) -> float | None:
        """A size that can be done without: what is no number, or below zero, is left out with a warning."""
        try:
            found = self.bound(element, attribute, most)
        except NumberError as error:
            self.leave_out(error, "it is left out")
            return None
        if found is not None and found < 0.0:
            self.warn(element, f"{attribute}='{found:g}' is below zero: it is left out")
            return None
        return found

    def leave_out(self, error: UrdfError, outcome: str) -> None:
        """Warns of what would be an error if it were needed."""
        self.warnings.append(f"{error.place}: {error.what}: {outcome}")

    def vector(self, element: Element, attribute: str) -> Vector | None:
        found = self.numbers(element, attribute, 3)
        return None if found is None else (found[0], found[1], found[2])

    def origin(self, element: Element) -> Transform:
        """The frame that an element's <origin> tells; none: its parent's."""
        origin = self.only(element, "origin")
        if origin is None:
            return STILL
        angles = self.vector(origin, "rpy") or (0.0, 0.0, 0.0)
        return Transform(from_rpy(*angles), self.vector(origin, "xyz") or (0.0, 0.0, 0.0))

    def only(self, element: Element, tag: str) -> Element | None:
        """The one child of that tag, None where there is none.

        Raises:
            MalformedError: there are several, and which one counts nobody can say.
        """
        found = element.all(tag)
        if len(found) > 1:
            raise self.error(MalformedError, found[1], f"{element} has more than one <{tag}>: keep one")
        return found[0] if found else None

    def needed(self, element: Element, tag: str) -> Element:
        """The one child of that tag, which must be there."""
        found = self.only(element, tag)
        if found is None:
            raise self.error(MalformedError, element, f"it has no <{tag}>")
        return found
