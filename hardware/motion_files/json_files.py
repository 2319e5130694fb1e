"""JSON of motion files."""

from __future__ import annotations

from contextlib import suppress
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
    """The value of a JSON file; for a file with a value in each line (JSON Lines), the list of these.

    Raises:
        MotionFileError: The file is no JSON.
    """
    text = text_of(data)
    try:
        return json_of(text)
    except ValueError as error:
        with suppress(ValueError):
            return _of_lines(text)
        raise MotionFileError(f"it is no JSON ({error}): it is damaged, or no motion file") from error


def _of_lines(text: str) -> list[Any]:
    """Values of JSON Lines: an object or a list in each line; a truncated last line is ignored.

    Raises:
        ValueError: The first line has no value, or another one is damaged.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or lines[0].strip()[-1] not in "]}":
        raise ValueError("the first line is no value")
    values = [json_of(line) for line in lines[:-1]]
    with suppress(ValueError):
        values.append(json_of(lines[-1]))
    if not values:
        raise ValueError("no line is a value")
    return values


def document(data: bytes) -> JsonFields:
    """The object at the top of a JSON file; errors in its fields are raised as MotionFileError.

    Raises:
        MotionFileError: The file has no JSON object at its top.
    """
    return JsonFields("the file", plain_of(data), MotionFileError)
