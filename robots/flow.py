"""The little of YAML that files of closures are written in: keys with names and lists, in brackets or by dashes. Knows no Blender.

Blender's Python has no YAML. Read are maps and lists in brackets and by indentation, in any mixture, and names in every way of writing
them (yaml_text.py); a name stays the text that it is, also where YAML would make a number or a truth of it, but null and ~ are None.
Anchors, tags, several documents and keys that are no names are errors that name their line.
"""

import re
from pathlib import Path
from typing import Any

from .errors import MalformedError
from .yaml_text import Text

COLON = re.compile(r"[ \t]*:(?=\s|\Z)")
NOTHING = ("", "~", "null", "Null", "NULL")
DEEPEST = 50  # lists within lists: files of closures have two, and Python's own stack ends somewhere


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


class _Reader(Text):
    def read(self) -> dict[str, Any]:
        self.skip()
        if not self.letter:
            return {}
        begin, line = self.at, self.rest
        found = self._node(0, 0)
        if not isinstance(found, dict):
            raise self.error(f"a key with a colon is needed, found '{line}'", begin)
        self.skip()
        if self.letter:
            raise self._stray()
        return found

    def _stray(self) -> MalformedError:
        what = "does not belong to what is above: indent it alike, or begin it with a dash below the others"
        return self.error(f"'{self.rest}' {what}")

    def _no_deeper(self, depth: int) -> None:
        if depth > DEEPEST:
            raise self.error(f"this is nested deeper than {DEEPEST} lists")

    # -- by indentation --

    def _node(self, least: int, depth: int) -> Any:
        """What begins here; further lines belong to it from column `least` on."""
        self._no_deeper(depth)
        column = self.column()
        if self.is_dash():
            return self._dashes(column, depth)
        key = self._key()
        return self._value(least, depth) if key is None else self._keys(column, key, depth)

    def _key(self) -> str | None:
        """The key that stands here, behind whose colon the place is then; None: here is none, and the place stays."""
        begin = self.at
        if self.letter in ("'", '"'):
            key = self.quoted()
        elif self.letter in "[{|>":
            return None
        else:
            key = self.plain_line(in_brackets=False)
        colon = COLON.match(self.text, self.at)
        if colon is None or "\n" in self.text[begin : self.at]:
            self.at = begin
            return None
        self.at = colon.end()
        return key

    def _keys(self, column: int, key: str, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while True:
            if key in found:
                raise self.error(f"'{key}' is there twice: keep one")
            found[key] = self._value(column + 1, depth) if self.has_more_in_line() else self._below(column, depth, has_key=True)
            self.skip()
            if not self.letter or self.column() < column:
                return found
            if self.column() > column:
                raise self._stray()
            following = None if self.is_dash() else self._key()
            if following is None:
                raise self.error(f"a key with a colon is needed, found '{self.rest}'")
            key = following

    def _dashes(self, column: int, depth: int) -> list[Any]:
        found: list[Any] = []
        while True:
            self.at += 1
            found.append(self._node(column + 1, depth + 1) if self.has_more_in_line() else self._below(column, depth))
            self.skip()
            if not self.letter or self.column() < column or (self.column() == column and not self.is_dash()):
                return found
            if self.column() > column:
                raise self._stray()

    def _below(self, column: int, depth: int, has_key: bool = False) -> Any:
        """What stands in the lines below a key or a dash at that column; None: nothing."""
        self.skip()
        if not self.letter:
            return None
        here = self.column()
        is_theirs = here > column or (here == column and has_key and self.is_dash())
        return self._node(column + 1, depth + 1) if is_theirs else None

    def _value(self, least: int, depth: int) -> Any:
        """A value that is no map and no list by indentation."""
        if self.is_dash():
            raise self.error("begin the list in a line of its own")
        if self.letter in "|>":
            return self.block(least)
        found = self._part(least, depth, in_brackets=False)
        self.end_line()
        return found

    # -- in brackets --

    def _part(self, least: int, depth: int, in_brackets: bool) -> Any:
        """A name, or what stands in brackets."""
        if self.letter in ("[", "{"):
            return self._bracketed(depth)
        if self.letter in ("'", '"'):
            return self.quoted()
        name = self.plain(least, in_brackets)
        return None if name in NOTHING else name

    def _bracketed(self, depth: int) -> Any:
        self._no_deeper(depth)
        begin, is_list = self.at, self.letter == "["
        closing = "]" if is_list else "}"
        items: list[Any] = []
        pairs: dict[str, Any] = {}
        self.at += 1
        while True:
            self.skip()
            if self.letter == closing:
                self.at += 1
                return items if is_list else pairs
            if not self.letter:
                raise self.error(f"this {'list' if is_list else 'map'} is not closed: add {closing}", begin)
            place = self.at
            item, has_value, value = self._item(depth)
            if (has_value or not is_list) and not isinstance(item, str):
                raise self.error("a key must be a name", place)
            if is_list:
                items.append({item: value} if has_value else item)
            elif item in pairs:
                raise self.error(f"'{item}' is there twice: keep one", place)
            else:
                pairs[item] = value
            self.skip()
            if self.letter == ",":
                self.at += 1
            elif self.letter not in ("", closing):
                raise self.error(f"a comma or {closing} is needed before '{self.rest}'")

    def _item(self, depth: int) -> tuple[Any, bool, Any]:
        """What stands between two commas: a value, or a key, whether a colon is behind it, and its value."""
        item = self._part(0, depth + 1, in_brackets=True)
        self.skip()
        if self.letter != ":":
            return item, False, None
        self.at += 1
        self.skip()
        is_told = self.letter not in (",", "]", "}", "")
        return item, True, self._part(0, depth + 1, in_brackets=True) if is_told else None
