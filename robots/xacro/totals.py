"""Limits on the expansion of a xacro document, so that none takes more time or memory than a robot needs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..attributes import AttributeReader
from ..errors import MalformedError, UrdfError
from ..xml_tree import Element
from .expressions import ExpressionError

# largest number of elements and parameters; the largest public robots have some thousands
MAX_ELEMENTS = 100_000
MAX_DEPTH = 120  # largest nesting of elements, macros and files
NESTED = f"elements, macros, files and properties are nested deeper than {MAX_DEPTH}"
MAX_FILES = 500  # largest number of included files, each counted at every include
# [bytes] largest size of all included files, each counted once; the largest public robots have some hundred
# thousand
MAX_INCLUDED = 50_000_000
MAX_TEXT = 100_000  # [characters] largest length of an attribute or text, before and after its evaluation
# [characters] largest total length of attributes and texts; the largest public robots have some hundred
# thousand
MAX_CHARACTERS = 20_000_000
MAX_YAML = 100  # largest number of files that expressions load
MAX_YAML_BYTES = 1_000_000  # [bytes] largest total size of the YAML files


class Totals:
    """Counts the parts of a document's expansion; each method adds to a total, and raises MalformedError at
    `element` (`add_yaml`: ExpressionError) if that exceeds its largest value.
    """

    def __init__(self, reader: AttributeReader) -> None:
        self.reader = reader
        self.elements = self.files = self.depth = self.characters = self.included_bytes = 0
        self.yaml_files = self.yaml_bytes = 0

    def add_elements(self, number: int, element: Element) -> None:
        """Counts `number` elements and parameters. Raises an error at `element` beyond `MAX_ELEMENTS`."""
        self.elements += number
        if self.elements > MAX_ELEMENTS:
            raise self._error(
                element,
                f"the file expands to more than {MAX_ELEMENTS} elements and parameters: is this a robot?",
            )

    def add_text(self, text: str, element: Element) -> None:
        """Counts the characters of a text. Raises an error at `element` beyond `MAX_CHARACTERS`."""
        self.characters += len(text)
        if self.characters > MAX_CHARACTERS:
            raise self._error(
                element, f"the file expands to more than {MAX_CHARACTERS} characters: is this a robot?"
            )

    def add_include(self, element: Element) -> None:
        """Counts an included file. Raises an error at `element` beyond `MAX_FILES`."""
        self.files += 1
        if self.files > MAX_FILES:
            raise self._error(
                element, f"more than {MAX_FILES} files are included: does a file include itself?"
            )

    def add_included_bytes(self, path: Path, element: Element) -> None:
        """Counts the bytes of an included file that is read for the first time. Raises an error at `element`
        beyond `MAX_INCLUDED`.
        """
        self.included_bytes += path.stat().st_size
        if self.included_bytes > MAX_INCLUDED:
            raise self._error(
                element, f"the included files have more than {MAX_INCLUDED} bytes: is this a robot?"
            )

    def add_yaml(self, path: Path) -> None:
        """Counts a YAML file that an expression loads for the first time. Raises ExpressionError beyond
        `MAX_YAML` files or `MAX_YAML_BYTES`.
        """
        self.yaml_files += 1
        if self.yaml_files > MAX_YAML:
            raise ExpressionError(f"it loads more than {MAX_YAML} YAML files: is this a robot?")
        self.yaml_bytes += path.stat().st_size
        if self.yaml_bytes > MAX_YAML_BYTES:
            raise ExpressionError(
                f"with the file '{path}' it loads more than {MAX_YAML_BYTES} bytes of YAML: is this a robot?"
            )

    @contextmanager
    def deeper(self, element: Element, question: str) -> Iterator[None]:
        """Context manager for one more level of nesting; `question`: possible cause of too many levels."""
        self.depth += 1
        try:
            if self.depth > MAX_DEPTH:
                raise self._error(element, f"{NESTED}: {question}")
            yield
        finally:
            self.depth -= 1

    def _error(self, element: Element, what: str) -> UrdfError:
        return self.reader.error(MalformedError, element, what)
