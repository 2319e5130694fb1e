"""Reads attributes of elements as texts, numbers and frames; errors name the line, and warnings are
collected.
"""

import os
import re
from math import inf, isfinite

from ..solvers.kinematics.rotations import Quaternion, Vector, normalized
from .errors import MalformedError, NumberError, UrdfError
from .transform import IDENTITY_TRANSFORM, Transform, from_rpy
from .xml_tree import Element

# numbers that C++ URDF parsers accept: no 1_000, ASCII digits only
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
LARGEST = 1e30  # largest coordinate, whose square is a finite number; a larger one is an error
SHORTEST = 1e-9  # magnitude of a quaternion's largest component below which it counts as a rounded zero
INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)


class AttributeReader:
    """Reads the attributes of one file's elements, and collects the file's warnings."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.warnings: list[str] = []

    def error(self, kind: type[UrdfError], element: Element, what: str) -> UrdfError:
        """An error of type `kind` about an element, with file and line."""
        return kind(element.file or self.file, element.line, str(element), what)

    def warn(self, element: Element, what: str) -> None:
        """Adds a warning about an element."""
        self.warnings.append(f"{self._location(element.line, element.file)}, {element}: {what}")

    def _location(self, line: int, file: str) -> str:
        """The line, and the file's name if it is not the robot's own file."""
        return f"line {line}" if file in ("", self.file) else f"{os.path.basename(file)}, line {line}"

    def text(self, element: Element, attribute: str) -> str:
        """Text of a required attribute.

        Raises:
            MalformedError: the attribute is missing or empty.
        """
        value = element.attributes.get(attribute, "")
        if not value.strip():
            raise self.error(MalformedError, element, f"its attribute '{attribute}' is missing: give it one")
        return value

    def numbers(self, element: Element, attribute: str, count: int) -> tuple[float, ...] | None:
        """The `count` finite numbers of an attribute; None if it is missing.

        Raises:
            NumberError: the attribute is not `count` finite numbers, or one of several is beyond LARGEST.
        """
        value = element.attributes.get(attribute)
        if value is None:
            return None
        words = value.split()
        numbers = [float(word) for word in words if NUMBER.fullmatch(word)]
        if len(words) != count or len(numbers) != count or not all(map(isfinite, numbers)):
            expected = "a finite number" if count == 1 else f"{count} finite numbers with spaces between them"
            raise self.error(NumberError, element, f"{attribute}='{value}' must be {expected}")
        if count > 1 and max(map(abs, numbers)) > LARGEST:
            raise self.error(NumberError, element, f"{attribute}='{value}' is beyond {LARGEST:g}: correct it")
        return tuple(numbers)

    def bounds(self, element: Element, attribute: str) -> tuple[float, float]:
        """The two numbers of an attribute that exists; they may be infinite. Raises NumberError."""
        words = element.attributes[attribute].split()
        if len(words) == 2 and all(NUMBER.fullmatch(word) or INFINITE.fullmatch(word) for word in words):
            return float(words[0]), float(words[1])
        raise self.error(
            NumberError,
            element,
            f"{attribute}='{element.attributes[attribute]}' must be 2 numbers with a space between them",
        )

    def is_filled(self, element: Element, attribute: str) -> bool:
        """Whether an attribute exists and is not empty. Exporters leave unknown ones empty, for which a
        warning is added.
        """
        value = element.attributes.get(attribute)
        if value is not None and not value.strip():
            self.warn(element, f"{attribute}='' has no number: it counts as missing")
            return False
        return value is not None

    def number(self, element: Element, attribute: str) -> float | None:
        """Finite number of an attribute; None if it is missing. Raises NumberError."""
        numbers = self.numbers(element, attribute, 1)
        return None if numbers is None else numbers[0]

    def limit(self, element: Element, attribute: str, most: float = inf) -> float | None:
        """A limit, in the attribute's unit; None if the attribute is missing, infinite, or larger in
        magnitude than `most`, which means no limit. Raises NumberError.
        """
        if INFINITE.fullmatch(element.attributes.get(attribute, "").strip()):
            return None
        number = self.number(element, attribute)
        return None if number is not None and abs(number) > most else number

    def optional_size(self, element: Element, attribute: str, most: float = inf) -> float | None:
        """An optional size; None if it is missing, infinite, larger than `most`, or, with a warning, not a
        number or negative.
        """
        try:
            size = self.limit(element, attribute, most)
        except NumberError as error:
            self.leave_out(error, "it is left out")
            return None
        if size is not None and size < 0.0:
            self.warn(element, f"{attribute}='{size:g}' is below zero: it is left out")
            return None
        return size

    def leave_out(self, error: UrdfError, outcome: str) -> None:
        """Adds an error as a warning, where the file can be used without the part that has the error;
        `outcome`: end of the sentence, which says what is left out.
        """
        self.warnings.append(f"{error.location}: {error.what}: {outcome}")

    def vector(self, element: Element, attribute: str) -> Vector | None:
        """Three finite numbers of an attribute; None if it is missing, or empty, for which a warning is
        added. Raises NumberError.
        """
        numbers = self.numbers(element, attribute, 3) if self.is_filled(element, attribute) else None
        return None if numbers is None else (numbers[0], numbers[1], numbers[2])

    def origin(self, element: Element) -> Transform:
        """Frame given by an element's <origin>; without one, the identity (the parent's frame)."""
        origin = self.single_child(element, "origin")
        if origin is None:
            return IDENTITY_TRANSFORM
        return Transform(self._rotation(origin), self.vector(origin, "xyz") or (0.0, 0.0, 0.0))

    def _rotation(self, origin: Element) -> Quaternion:
        """Rotation of an <origin>: its rpy, or its quat_xyzw, which URDF has since version 1.1; without
        either, the identity. Raises MalformedError for both, NumberError for a quaternion without length.
        """
        quaternion, angles = self.numbers(origin, "quat_xyzw", 4), self.vector(origin, "rpy")
        if quaternion is None:
            return from_rpy(*(angles or (0.0, 0.0, 0.0)))
        if angles is not None:
            raise self.error(
                MalformedError, origin, "its rotation is given by rpy and by quat_xyzw: keep one"
            )
        x, y, z, w = quaternion
        if max(map(abs, quaternion)) < SHORTEST:
            raise self.error(
                NumberError,
                origin,
                f"quat_xyzw='{origin.attributes['quat_xyzw']}' has no length, so it is no rotation:"
                " correct it",
            )
        return normalized((w, x, y, z))

    def single_child(self, element: Element, tag: str) -> Element | None:
        """The child element with that tag; None if there is none.

        Raises:
            MalformedError: several children have the tag.
        """
        children = element.all(tag)
        if len(children) > 1:
            raise self.error(MalformedError, children[1], f"{element} has more than one <{tag}>: keep one")
        return children[0] if children else None

    def required_child(self, element: Element, tag: str) -> Element:
        """The child element with that tag. Raises MalformedError if there is none, or several."""
        child = self.single_child(element, tag)
        if child is None:
            raise self.error(MalformedError, element, f"it has no <{tag}>: add one")
        return child
