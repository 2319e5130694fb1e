"""Values of xacro properties: literals from attributes and YAML files, and the scopes of names. Knows no Blender."""

import math
from collections.abc import Callable
from typing import Any

from ..xml_tree import Element

UNITS = {"!degrees": math.pi / 180.0, "!radians": 1.0, "!meters": 1.0, "!millimeters": 1e-3, "!inches": 0.0254, "!foot": 0.3048}
NOTHING = ("", "~", "null", "Null", "NULL")
TRUTHS = {"true": True, "True": True, "false": False, "False": False}


def literal(value: Any) -> Any:
    """The value of a text that is a number, a truth value or quoted; anything else is returned unchanged."""
    if not isinstance(value, str):
        return value
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1]
    if value in TRUTHS:
        return TRUTHS[value]
    if "_" in value:
        return value
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value


def yaml_scalar(text: str, is_plain: bool, tag: str | None) -> Any:
    """Value of a YAML scalar: a quoted scalar is a text, a tag is a unit of its number. Raises ValueError for unknown tags."""
    if tag:
        if tag not in UNITS:
            raise ValueError(f"tag '{tag}' is unknown: use one of {', '.join(UNITS)}")
        return float(text) * UNITS[tag]
    if not is_plain:
        return text
    return None if text in NOTHING else literal(text) if "'" not in text else text


class Raw:
    """A text that is evaluated when its name is first used."""

    def __init__(self, text: str, element: Element) -> None:
        self.text, self.element = text, element


class Block:
    """Elements that a name stands for: those of a property, or a block that the caller of a macro passed."""

    def __init__(self, elements: list[Element]) -> None:
        self.elements = elements


class CycleError(Exception):
    """A property whose definition contains itself; the message is its name."""


class Scope:
    """Names in a macro's call or the whole file, with a parent scope for names that it lacks."""

    def __init__(self, parent: "Scope | None" = None) -> None:
        self.parent = parent
        self.values: dict[str, Any] = {}
        self._busy: set[str] = set()

    @property
    def top(self) -> "Scope":
        """Outermost scope: that of the whole file."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def holder(self, name: str) -> "Scope | None":
        """Nearest scope that defines a name; None if none does."""
        scope: Scope | None = self
        while scope is not None and name not in scope.values:
            scope = scope.parent
        return scope

    def get(self, name: str, evaluate: Callable[[Raw, "Scope"], Any]) -> Any:
        """Value of a name.

        Raises:
            KeyError: the name is not defined.
            CycleError: the name is defined by itself.
        """
        scope = self.holder(name)
        if scope is None:
            raise KeyError(name)
        found = scope.values[name]
        if isinstance(found, Raw):
            if name in scope._busy:
                raise CycleError(name)
            scope._busy.add(name)
            try:
                found = scope.values[name] = literal(evaluate(found, scope))
            finally:
                scope._busy.discard(name)
        return found
