"""Files of a xacro document: those that it includes, and the YAML files that its expressions load."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...files.content import text as read_text
from ...files.presence import is_file
from ...files.reasons import reason
from ...files.yaml_text import Scalar
from ..xml_tree import Element, read_xml
from ..yaml_text import parse_yaml
from .expressions import ExpressionError
from .totals import Totals


class Files:
    """The files that one document includes or loads, each read once.

    Args:
        document: Path of the document.
        totals: Totals that the files add to.
    """

    def __init__(self, document: Path, totals: Totals) -> None:
        self.document, self.totals = document, totals
        self._included: dict[Path, Element] = {}
        self._yaml: dict[Path, Any] = {}
        self._open = [document]  # the document and the chain of included files, down to the current one

    def absolute(self, name: str) -> Path:
        """Path of a file that is named relative to the file being expanded."""
        return Path(os.path.join(self._open[-1].parent, name.removeprefix("file://")))

    @contextmanager
    def included(self, element: Element, path: Path) -> Iterator[Element]:
        """Context manager: root of a file that <xacro:include> names; inside, this is the file being
        expanded.
        """
        self.totals.add_include(element)
        if path not in self._included:
            self.totals.add_included_bytes(path, element)
            self._included[path] = read_xml(path)
        self._open.append(path)
        yield self._included[path]
        self._open.pop()

    def load_yaml(self, name: str, scalar: Scalar) -> Any:
        """Value of a YAML file, whose scalars `scalar` evaluates. Raises ExpressionError if it cannot be
        read, or exceeds the limits of `Totals`, and UrdfError if it is no YAML.
        """
        path = self.absolute(name)
        if path in self._yaml:
            return self._yaml[path]
        try:
            if not is_file(path):
                raise ExpressionError(f"there is no file '{path}': check its path")
            self.totals.add_yaml(path)
            self._yaml[path] = parse_yaml(read_text(path), str(path), scalar)
            return self._yaml[path]
        except (OSError, UnicodeDecodeError) as error:
            raise ExpressionError(
                f"the file '{path}' cannot be read ({reason(error)}): check its path"
            ) from error
