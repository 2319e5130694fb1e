"""Writes an export's file. Knows no Blender."""

from __future__ import annotations

from pathlib import Path

from ...files import atomic
from .errors import ExportError


def write(path: Path, data: bytes) -> None:
    """Write a file; where that fails, or the program ends meanwhile, the one that was there is still there.

    Raises:
        ExportError: The folder or the file cannot be written.
    """
    try:
        atomic.write(path, data)
    except OSError as error:
        raise ExportError(f"'{path}' cannot be written ({error.strerror}): choose another place") from error
