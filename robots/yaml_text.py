"""YAML texts of robots' files: one document each.

Importing this module imports ruamel.yaml (0.3 s), so it is imported only when a text is read.
"""

from typing import Any

from ..files.yaml_text import MAX_DEPTH, MAX_LENGTH, Scalar, YamlError, yaml_documents
from .errors import MalformedError

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "parse_yaml"]


def parse_yaml(text: str, file: str, scalar: Scalar | None = None) -> Any:
    """The map at the top of a YAML text, as `yaml_documents` reads it; with `scalar` any value. An empty text
    is an empty map.

    Raises:
        MalformedError: the text is invalid (see `yaml_documents`), longer than `MAX_LENGTH`, or has several
            documents; the message names `file`, and the line if one is to blame.
    """
    if len(text) > MAX_LENGTH:
        raise MalformedError(
            file, 0, "", f"it has {len(text)} characters, more than {MAX_LENGTH}: choose a file with less"
        )
    try:
        documents = yaml_documents(text, scalar)
    except YamlError as error:
        raise MalformedError(file, error.line, "", error.what) from error
    if len(documents) > 1:
        raise MalformedError(file, documents[1][0], "", "a second document begins here: keep one")
    return documents[0][1] if documents else {}
