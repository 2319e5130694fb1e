"""Files that are there as a whole or not at all. Knows no Blender."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from .errors import ExportError


def write(path: Path, data: bytes) -> None:
    """Writes a file; where that fails, or the program ends meanwhile, the one that was there is still there.

    Raises:
        ExportError: The folder or the file cannot be written.
    """
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise ExportError(f"Folder '{path.parent}' cannot be written to ({error.strerror}): choose another one") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _usual_mode(path))
        os.replace(temporary, path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise ExportError(f"'{path}' cannot be written ({error.strerror}): choose another place") from error


def _usual_mode(path: Path) -> int:
    """The access rights that the file has, or that a new one would get."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
