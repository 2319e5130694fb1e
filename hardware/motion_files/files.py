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


def copy_beside(sound: Path, path: Path) -> Path:
    """Copy a motion's sound to the motion file's folder, with its stem; returns the copy.

    Raises:
        ExportError: It cannot be read or written.
    """
    copy = path.with_suffix(sound.suffix.lower())
    try:
        if not (copy.exists() and copy.samefile(sound)):
            atomic.write(copy, sound.read_bytes())
    except OSError as error:
        raise ExportError(f"Sound '{sound}' cannot be copied to '{copy}' ({error.strerror}): the motion is written without it") from error
    return copy
