"""The little of YAML that files of closures are written in: keys with lists of names, in brackets or by dashes. Knows no Blender.

Blender's Python has no YAML. Read are: `key: value`, lists in brackets over several lines, lists by dashes (nested too), quotes and
comments. Anything else is an error that names its line.
"""

import re
from pathlib import Path
from typing import Any

from .errors import MalformedError

TOKEN = re.compile(
    r"""\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|(?P<mark>[\[\],])|(?P<plain>[^\[\],\s"'#][^\[\],\n]*?)(?=\s*(?:[\[\],\n]|$|\s#)))"""
)
KEY = re.compile(r"^(?P<key>[A-Za-z_]\w*)\s*:(?:\s+|$)(?P<rest>.*)$")


def read_flow(path: Path) -> dict[str, Any]:
    """Keys with names, or lists of names and lists.

    Raises:
        MalformedError: the file cannot be read, or is more than this reads.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise MalformedError(str(path), 0, "", f"the file cannot be read ({error}): check its path") from error
    return flow_of(text, str(path))


def flow_of(text: str, file: str) -> dict[str, Any]:
    """The same from a text; `file` is what messages call it.

    Raises:
        MalformedError: it is more than this reads.
    """
    return _Reader(file, text).read()


class _Reader:
    def __init__(self, file: str, text: str) -> None:
        self.file = file
        lines = [(number, _without_comment(line).rstrip()) for number, line in enumerate(text.splitlines(), 1)]
        self.lines = [(number, line) for number, line in lines if line.strip() and line.strip() not in ("---", "...")]

    def error(self, line: int, what: str) -> MalformedError:
        return MalformedError(self.file, line, "", what)

    def read(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        at = 0
        while at < len(self.lines):
            number, line = self.lines[at]
            match = KEY.match(line)
            if match is None:
                raise self.error(number, f"a key with a colon is needed, found '{line.strip()}'")
            key, block = match["key"], [(number, match["rest"])]
            at += 1
            while at < len(self.lines) and KEY.match(self.lines[at][1]) is None:
                block.append(self.lines[at])
                at += 1
            if key in found:
                raise self.error(number, f"'{key}' is there twice: keep one")
            found[key] = self.value(block)
        return found

    def value(self, block: list[tuple[int, str]]) -> Any:
        block = [(number, line) for number, line in block if line.strip()]
        if not block:
            return None
        if block[0][1].lstrip().startswith("- ") or block[0][1].strip() == "-":
            return self.dashes(block)
        return self.brackets(block)

    def dashes(self, block: list[tuple[int, str]]) -> list[Any]:
        indent = len(block[0][1]) - len(block[0][1].lstrip())
        items: list[list[tuple[int, str]]] = []
        for number, line in block:
            depth = len(line) - len(line.lstrip())
            if depth == indent and line.lstrip().startswith("-"):
                items.append([(number, " " * (depth + 1) + line.lstrip()[1:])])
            elif depth > indent and items:
                items[-1].append((number, line))
            else:
                raise self.error(number, f"'{line.strip()}' does not belong to the list above: begin it with a dash below the others")
        return [self.value(item) for item in items]

    def brackets(self, block: list[tuple[int, str]]) -> Any:
        tokens: list[tuple[int, str, bool]] = []  # line, text, whether it is a bracket or comma
        for number, line in block:
            place = 0
            while line[place:].strip():
                match = TOKEN.match(line, place)
                if match is None:
                    raise self.error(number, f"'{line[place:].strip()}' cannot be read here")
                quoted, mark, plain = match["quoted"], match["mark"], match["plain"]
                tokens.append((number, mark or (quoted[1:-1] if quoted else (plain or "").strip()), mark is not None))
                place = match.end()
        value, rest = self.nested(tokens, 0)
        if rest < len(tokens):
            raise self.error(tokens[rest][0], f"'{tokens[rest][1]}' comes after the value's end")
        return value

    def nested(self, tokens: list[tuple[int, str, bool]], at: int) -> tuple[Any, int]:
        number, text, is_mark = tokens[at]
        if not is_mark:
            return text, at + 1
        if text != "[":
            raise self.error(number, f"'{text}' is out of place")
        found: list[Any] = []
        at += 1
        while at < len(tokens):
            if tokens[at][1:] == ("]", True):
                return found, at + 1
            value, at = self.nested(tokens, at)
            found.append(value)
            if at < len(tokens) and tokens[at][1:] == (",", True):
                at += 1
            elif at < len(tokens) and tokens[at][1:] != ("]", True):
                raise self.error(tokens[at][0], f"a comma or ] is needed before '{tokens[at][1]}'")
        raise self.error(number, "this list is not closed: add ]")


def _without_comment(line: str) -> str:
    quote = ""
    for k, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter == "#" and (k == 0 or line[k - 1].isspace()):
            return line[:k]
    return line
