"""JSON of motion files."""

from __future__ import annotations

from typing import Any

from ...files.json_fields import JsonFields
from ...files.plain import json_of
from .recording import MotionFileError


def text_of(data: bytes) -> str:
    """A file's text.

    Raises:
        MotionFileError: The file is no UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MotionFileError(
            f"byte {error.start + 1} is no UTF-8 text: choose a motion file, or save it as UTF-8"
        ) from error


def plain_of(data: bytes) -> Any:
    """The value of a JSON file.

    Raises:
        MotionFileError: The file is no JSON.
    """
    try:
        return json_of(text_of(data))
    except MotionFileError:
        raise
    except ValueError as error:
        raise MotionFileError(f"it is no JSON ({error}): it is damaged, or no motion file") from error


def document(data: bytes) -> JsonFields:
    """The object at the top of a JSON file; errors in its fields are raised as MotionFileError.

    Raises:
        MotionFileError: The file has no JSON object at its top.
    """
    return JsonFields("the file", plain_of(data), MotionFileError)
