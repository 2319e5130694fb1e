"""Definitions of xacro macros: their parameters with defaults and blocks."""

from dataclasses import dataclass

from ..xml_tree import Element

OPENING, CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class Parameter:
    """Parameter of a macro."""

    name: str
    default: str | None = None  # an unevaluated text; None: required, or inherited
    inherits: bool = False  # if the call gives no argument, use the caller's value of the same name
    stars: int = 0  # 1: the next element of the call; 2: the elements within that


@dataclass(frozen=True)
class Macro:
    """A macro: its name, parameters and elements."""

    name: str
    parameters: tuple[Parameter, ...]
    element: Element


def parameters(text: str) -> list[Parameter]:
    """Parameters of a macro's `params`: "a b:=1 c:=^ d:=^|2 *block **blocks"."""
    return [_parameter(word) for word in _words(text)]


def _parameter(word: str) -> Parameter:
    """The parameter that one word of `params` declares."""
    name, equals, default = word.partition("=")
    name = name.removesuffix(":") if equals else name
    stars = len(name) - len(name.lstrip("*"))
    if not equals:
        return Parameter(name.lstrip("*"), stars=stars)
    if default.startswith("^"):
        rest = default[1:]
        return Parameter(name, rest[1:] if rest.startswith("|") else None, inherits=True)
    return Parameter(name, default)


def _words(text: str) -> list[str]:
    """Words of a text, separated by spaces outside of quotes and brackets."""
    words, word, quote, depth = [], "", "", 0
    for letter in text:
        if letter.isspace() and not quote and not depth:
            words.append(word)
            word = ""
            continue
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        depth += 0 if quote else (letter in OPENING) - (letter in CLOSING)
        word += letter
    return [word for word in (*words, word) if word]
