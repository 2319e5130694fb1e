"""Atomic writing of an exported file. Knows no Blender."""

from __future__ import annotations

from pathlib import Path

from ...files import atomic
from ..errors import ExportError


def write(path: Path, data: bytes) -> None:
    """Write a file; an interrupted or failed write leaves the old file unchanged.

    Raises:
        ExportError: The folder or the file cannot be written.
    """
    try:
        atomic.write(path, data)
    except OSError as error:
        raise ExportError(f"'{path}' cannot be written ({error.strerror}): choose another folder") from error
