"""Values of xacro properties: literals from attributes and YAML files, and the scopes of names."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from ..xml_tree import Element, Text
from .macros import Macro

UNITS = {  # tag of a YAML scalar -> factor from this unit to rad or m
    "!degrees": math.pi / 180.0,
    "!radians": 1.0,
    "!meters": 1.0,
    "!millimeters": 1e-3,
    "!inches": 0.0254,
    "!foot": 0.3048,
}
# spellings of null in YAML
NOTHING = ("", "~", "null", "Null", "NULL")
TRUTHS = {"true": True, "True": True, "false": False, "False": False}
# spelling -> truth value, as in the reference's reader (YAML 1.1, https://yaml.org/type/bool.html)
YAML_TRUTHS = {
    spelling: value
    for value, words in ((True, ("yes", "true", "on")), (False, ("no", "false", "off")))
    for word in words
    for spelling in (word, word.capitalize(), word.upper())
}


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


def truth(value: Any) -> bool:
    """Whether a condition holds: true, True, false, False, a number as text, or Python's truth of any other
    value.

    Raises:
        ValueError: the value is a text that is none of these.
    """
    number = literal(value)
    if isinstance(number, str):
        raise ValueError(f"'{number}' is neither true nor false")
    return bool(number)


def yaml_scalar(text: str, is_plain: bool, tag: str | None, evaluate: Callable[[str], Any]) -> Any:
    """Value of a YAML scalar. A tag is the unit of a number or of an expression, which `evaluate` evaluates:
    the value is in rad or m. Without a tag, a quoted scalar (not `is_plain`) is a text. Raises ValueError for
    unknown tags and values that are no number.
    """
    if tag:
        if tag not in UNITS:
            raise ValueError(f"tag '{tag}' is unknown: use one of {', '.join(UNITS)}")
        return float(evaluate(text)) * UNITS[tag]
    if not is_plain or "'" in text:
        return text
    return None if text in NOTHING else YAML_TRUTHS[text] if text in YAML_TRUTHS else literal(text)


class Raw:
    """Text of a property with the element that sets it, evaluated when the property is first used."""

    def __init__(self, text: str, element: Element) -> None:
        self.text, self.element = text, element


class Block:
    """Elements and texts that a name stands for: those of a property, or a block that the caller of a macro
    passed.
    """

    def __init__(self, contents: "list[Element | Text]") -> None:
        self.contents = contents


class CycleError(Exception):
    """A property whose definition contains itself; the message is its name."""


class Scope:
    """Names in a macro's call, in a file that is included into a namespace, or in the whole document, with a
    parent scope for other names.

    Attributes:
        is_namespace: Whether the scope belongs to a file included into a namespace; its macros cannot use
            macros outside.
        values: Name -> value, Raw text or Block; the names of blocks begin with * or **.
        caller_names: For the arguments of a macro in a namespace: the scope around the call, for names that
            neither the namespace nor the scopes around it have.
        macros: Macros that are defined in the scope, by name.
        namespaces: Scopes of files that are included into namespaces, by name.
    """

    def __init__(
        self,
        parent: "Scope | None" = None,
        is_namespace: bool = False,
        caller_names: "Scope | None" = None,
    ) -> None:
        self.parent, self.is_namespace, self.caller_names = parent, is_namespace, caller_names
        self.values: dict[str, Any] = {}
        self.macros: dict[str, Macro] = {}
        self.namespaces: dict[str, Scope] = {}
        self._busy: set[str] = set()

    @property
    def top(self) -> "Scope":
        """Outermost scope: that of the whole document."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    @property
    def caller(self) -> "Scope":
        """Scope that properties with `scope="parent"` are set in: the one around a macro's call, or, in a
        namespace, around its include.
        """
        scope = self.parent or self
        while not self.is_namespace and scope.is_namespace and scope.parent is not None:
            scope = scope.parent
        return scope

    def _around(self) -> Iterator["Scope"]:
        """This scope and the enclosing ones whose macros and namespaces it can use."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = None if scope.is_namespace else scope.parent
        if self.caller_names is not None:
            yield from self.caller_names._around()

    @property
    def known_macros(self) -> list[str]:
        """Names of the macros that can be called here."""
        return list(dict.fromkeys(name for scope in self._around() for name in scope.macros))

    def macro(self, name: str) -> "tuple[Macro, Scope] | None":
        """The macro of a name, which may begin with namespaces ("left.arm.hand"), and the scope around its
        body; None without one.
        """
        for scope in self._around():
            if name in scope.macros:
                return scope.macros[name], self
        first, dot, rest = name.partition(".")
        inner = (
            next((scope.namespaces[first] for scope in self._around() if first in scope.namespaces), None)
            if dot
            else None
        )
        return None if inner is None else inner.macro(rest)

    def remove(self, name: str) -> None:
        """Removes a name, here and in the enclosing scopes."""
        scope: Scope | None = self
        while scope is not None:
            scope.values.pop(name, None)
            scope = scope.parent

    def holder(self, name: str) -> "Scope | None":
        """Nearest scope that has a value of a name; None if none has."""
        scope: Scope | None = self
        while scope is not None and name not in scope.values:
            scope = scope.parent
        if scope is None and self.caller_names is not None:
            return self.caller_names.holder(name)
        return scope

    def get(self, name: str, evaluate: Callable[[Raw, "Scope"], Any]) -> Any:
        """Value of a name; `evaluate` gives that of a Raw text, which is then stored.

        Raises:
            KeyError: the name is not defined.
            CycleError: the name is defined by itself.
        """
        scope = self.holder(name)
        if scope is None:
            raise KeyError(name)
        entry = scope.values[name]
        if isinstance(entry, Raw):
            if name in scope._busy:
                raise CycleError(name)
            scope._busy.add(name)
            try:
                entry = scope.values[name] = literal(evaluate(entry, scope))
            finally:
                scope._busy.discard(name)
        return entry
