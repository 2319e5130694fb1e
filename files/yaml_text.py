"""YAML texts as maps, lists and texts, read by the bundled ruamel.yaml within bounds.

Only the parser's events are used: every scalar remains text ("010" is no number), no tag creates an object,
and neither aliases nor nesting can make a short text expand. Importing this module imports ruamel.yaml (.3
s), so it is imported only when a text is read.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

NULLS = ("", "~", "null", "Null", "NULL")  # spellings of null: YAML 1.2, section 10.2.1.1
# [characters] longest text, which takes at most 5 s to read; files of loop closures have some thousands, a
# minute of a robot arm's motion almost a million
MAX_LENGTH = 1_000_000
MAX_MERGED = 100_000  # largest number of entries that << copies in a text; robots have some dozens
MAX_DEPTH = 50  # largest nesting of lists and maps; files of loop closures have two levels
HALF_CHARACTER = re.compile("[\ud800-\udfff]")  # unpaired surrogates, which Blender cannot store
REMEDIES = {  # part of ruamel.yaml's message -> remedy; the first part that is found is used
    r"'\t'": "use spaces instead of tabs",
    "cannot start any token": "put the text in quotes",
    "escape": "write \\\\ for one backslash",
    "quoted scalar": "close the quote",
    "flow sequence": "put commas between the entries and close the list with ]",
    "flow mapping": "put commas between the entries and close the map with }",
    "node content": "take out the extra comma, colon or bracket",
    "sequence entries are not allowed": "begin the list on a line of its own",
    "mapping values are not allowed": "begin the key on a line of its own, or put the text in quotes",
    "could not find expected ':'": "write a colon and a space after the key",
    "document start": "keep one document",
    "block": "indent what belongs together alike, one key or dash on a line",
}
OTHER_REMEDY = "correct this line"


# function from (text, whether it is unquoted, tag) to a value
Scalar = Callable[[str, bool, str | None], Any]


class YamlError(ValueError):
    """A text is no YAML, or uses an unsupported feature; the error has the problem with its remedy, and the
    line.
    """

    def __init__(self, line: int, what: str) -> None:
        self.line, self.what = line, what
        super().__init__(f"line {line}: {what}" if line else what)


def yaml_documents(text: str, scalar: Scalar | None = None) -> list[tuple[int, Any]]:
    """(line, map) of each document in a YAML text: keys with texts, lists and maps; null and ~ are None. An
    empty document is an empty map.

    Args:
        text: The documents.
        scalar: Converts a scalar, with its tag, to a value; raises ValueError for an invalid one. None:
            scalars are texts. With it the text may be arbitrary data, not a map alone: anchors, aliases and
            << are followed, and of duplicate keys the last one counts.

    Raises:
        YamlError: the text is no YAML, exceeds a limit, or has an unpaired surrogate, a key that is no
            scalar, a tag of a list or map, or a scalar that `scalar` refuses; without `scalar` also for an
            anchor, any tag, a duplicate key, or a document that is no map.
    """
    if len(text) > MAX_LENGTH:
        raise YamlError(0, f"it has {len(text)} characters, more than {MAX_LENGTH}: choose a smaller file")
    return list(_YamlReader(text.removeprefix("\ufeff"), scalar).documents())


class _YamlReader:
    """Reads the documents of one text; arguments as for `yaml_documents`."""

    def __init__(self, text: str, scalar: Scalar | None) -> None:
        self.text, self.scalar = text, scalar
        self._anchored: dict[str, Any] = {}
        self.merged = 0  # number of entries copied by <<
        self.line = 1  # line of the last event
        self.events = self._events()

    def _events(self) -> Iterator[Any]:
        """Events of ruamel.yaml's pure-Python parser; its errors are raised as YamlError."""
        try:
            for event in YAML(typ="safe", pure=True).parse(self.text):
                self.line = event.start_mark.line + 1
                yield event
        except MarkedYAMLError as error:
            raise self._syntax_error(error) from error
        except ReaderError as error:
            self.line = 1 + self.text.count("\n", 0, error.position)
            raise self._error(
                f"YAML does not allow the character U+{error.character:04X}: take it out"
            ) from error
        except (YAMLError, ValueError) as error:  # a number in an escape or in %YAML that is too large
            raise self._error(f"what follows cannot be read ({error}): {OTHER_REMEDY}") from error

    def _error(self, what: str) -> YamlError:
        return YamlError(self.line, what)

    def _syntax_error(self, error: MarkedYAMLError) -> YamlError:
        what = ", ".join(part for part in (error.context, error.problem) if part)
        # where the text ends too early, the position at which the unfinished element began is more
        # informative
        is_at_end = "stream end" in what or "end of stream" in what
        mark = (
            error.context_mark
            if is_at_end and error.context_mark
            else error.problem_mark or error.context_mark
        )
        if mark:
            self.line = mark.line + 1
        remedy = next((remedy for part, remedy in REMEDIES.items() if part in what), OTHER_REMEDY)
        return self._error(f"{what}: {remedy}")

    def documents(self) -> Iterator[tuple[int, Any]]:
        begin = self.line
        for event in self.events:
            if isinstance(event, DocumentStartEvent):
                begin = self.line
            if isinstance(event, NodeEvent):
                line, node = self.line, self._node(event, 0)
                if node is not None and not isinstance(node, dict) and self.scalar is None:
                    self.line = line
                    raise self._error("a map is needed: keys, each with a colon and its value")
                self._anchored.clear()  # anchors are valid within a document
                yield begin, {} if node is None else node

    def _node(self, event: Any, depth: int) -> Any:
        """The value that begins with an event; if it has an anchor, it is stored for aliases."""
        self._check(event, depth)
        if isinstance(event, AliasEvent):
            if event.anchor not in self._anchored:
                raise self._error(f"'*{event.anchor}' is not defined above: define it by '&{event.anchor}'")
            return self._anchored[event.anchor]
        node_value = self._value(event, depth)
        if event.anchor:
            self._anchored[event.anchor] = node_value
        return node_value

    def _value(self, event: Any, depth: int) -> Any:
        """The scalar, list or map that begins with an event."""
        if isinstance(event, ScalarEvent):
            return self._scalar_value(event)
        if isinstance(event, SequenceStartEvent):
            return [self._node(each, depth + 1) for each in self._until(SequenceEndEvent)]
        return self._mapping(depth)

    def _scalar_value(self, event: Any) -> Any:
        """A scalar as converted by `scalar`. Without `scalar`: its text, or None for an unquoted null."""
        if self.scalar is None:
            return None if not event.style and event.value in NULLS else event.value
        try:
            return self.scalar(event.value, not event.style, event.tag)
        except ValueError as error:
            raise self._error(str(error)) from error

    def _mapping(self, depth: int) -> dict[str, Any]:
        """The mapping up to its end; with `scalar`, "<<" copies another mapping's entries."""
        mapping: dict[str, Any] = {}
        for key in self._until(MappingEndEvent):
            self._check(key, depth)
            if not isinstance(key, ScalarEvent):
                raise self._error("a key must be a name")
            if key.value in mapping and self.scalar is None:
                raise self._error(f"'{key.value}' is there twice: keep one")
            value = self._node(next(self.events), depth + 1)
            if key.value == "<<" and self.scalar is not None and isinstance(value, dict):
                self.merged += len(value) + len(mapping)
                if self.merged > MAX_MERGED:
                    raise self._error(f"<< copies more than {MAX_MERGED} entries: is this a robot's?")
                mapping = {**value, **mapping}
            else:
                mapping[key.value] = value
        return mapping

    def _until(self, end: type) -> Iterator[Any]:
        """The events before the next one of the type `end`, which is consumed too."""
        while not isinstance(event := next(self.events), end):
            yield event

    def _check(self, event: Any, depth: int) -> None:
        """Raises YamlError for an event with an anchor, a tag, a depth or a character that is not allowed."""
        if event.anchor and self.scalar is None:  # an alias has an anchor too
            raise self._error(f"anchor '{event.anchor}' is not allowed: write the list out each time")
        if getattr(event, "tag", None) and not (self.scalar and isinstance(event, ScalarEvent)):
            raise self._error(f"tag '{event.tag}' is not allowed: take it out")
        if depth > MAX_DEPTH:
            raise self._error(f"this is nested deeper than {MAX_DEPTH} lists")
        if isinstance(event, ScalarEvent) and HALF_CHARACTER.search(event.value):
            raise self._error(
                "half a character (\\ud800 to \\udfff) is written here: write the character itself"
            )
